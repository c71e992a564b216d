"""Draw docs/start/plots/demo.svg: the terminal of ``kafka-nextgen demo``.

    python docs/tools/make_demo.py

The command runs in a pseudo-terminal. The picture shows its last screen before another consumer takes over from the one
that was killed, and the last line of the run.
"""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator
from pathlib import Path
from textwrap import wrap

from pictures import Picture

PICTURE = Path(__file__).parents[1] / "start" / "plots" / "demo.svg"
COMMAND = "kafka-nextgen demo"
COLUMNS, ROWS = 70, 40
LEFT, TOP, LINE, CHAR = 12, 34, 18, (Picture.WIDTH - 24) / COLUMNS
#: What is sent before the screen is drawn again.
REDRAW = re.compile(r"\r\x1b\[2K(?:\x1b\[1A\x1b\[2K)*")
#: How the name of an owner that was killed begins: in red.
KILLED = "\x1b[31m"
#: The colours of the screen (SGR parameters) as classes of the picture.
CLASSES = {
    "31": "red",
    "32": "green",
    "35": "violet",
    "36": "blue",
    "1": "bold",
    "2": "faint",
    "38;5;70": "green",
    "38;5;197": "blue",
    "38;5;237": "faint",
}


def record() -> str:
    """Run the command in a terminal, and return everything that it wrote."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    command = [str(Path(sys.executable).with_name("kafka-nextgen")), "demo"]
    environment = {**os.environ, "TERM": "xterm-256color", "COLORTERM": ""}
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment) as running:
        os.close(theirs)
        written = b"".join(_chunks(ours))
    if running.returncode != 0:
        sys.exit("The picture is not drawn, the demonstration failed: " + written.decode()[-500:])
    return written.decode()


def _chunks(terminal: int) -> Iterator[bytes]:
    while True:
        try:
            yield os.read(terminal, 65_536)
        except OSError:  # Linux ends so when nobody has the other side open
            return


def demo_picture(written: str) -> str:
    """The picture of a run that wrote this."""
    screens = REDRAW.split(written)
    screen = [each for each in screens if KILLED in each][-1]
    proof = written[written.rindex("Proved:") :].strip()
    lines = [f"\x1b[1m$ {COMMAND}", *screen.rstrip().split("\r\n"), "\x1b[2m...", *wrap(proof, COLUMNS)]
    title = "A run of kafka-nextgen demo, after one of its consumers was killed"
    picture = Picture(title, f"The terminal. The last line: {proof}", TOP + LINE * len(lines))
    for number, line in enumerate(lines):
        column = 0
        for kind, words in _runs(line):
            picture.terminal(LEFT + column * CHAR, TOP + LINE * number, words, kind, len(words) * CHAR)
            column += len(words)
    return str(picture)


def _runs(line: str) -> Iterator[tuple[str, str]]:
    """The parts of a line, each with its class."""
    parts = re.split(r"\x1b\[([\d;?]*[a-z])", line)
    yield "", parts[0]
    for code, words in zip(parts[1::2], parts[2::2], strict=True):
        yield CLASSES.get(code.removesuffix("m"), ""), words


if __name__ == "__main__":
    PICTURE.write_text(demo_picture(record()))
