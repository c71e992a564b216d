"""The program of a recipe, in a process of its own, as a supervisor has it: started, watched, and ended by SIGTERM."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import IO

from attrs import define, field

from tests.support.example_programs import EXAMPLES
from tests.support.waiting import GUARD_S, eventually


def _read(stream: IO[str], lines: list[str]) -> None:
    lines.extend(line.rstrip("\n") for line in stream)


@define
class Program:
    """A running program; ``lines`` are those of its stdout so far, ``errors`` those of its stderr."""

    process: subprocess.Popen[str]
    lines: list[str] = field(factory=list)
    errors: list[str] = field(factory=list)
    _readers: list[threading.Thread] = field(factory=list)

    def __attrs_post_init__(self) -> None:
        for stream, lines in ((self.process.stdout, self.lines), (self.process.stderr, self.errors)):
            reader = threading.Thread(target=_read, args=(stream, lines))
            reader.start()
            self._readers.append(reader)

    def await_lines(self, count: int) -> list[str]:
        """Return the lines once there are so many."""
        eventually(f"{count} lines", lambda: len(self.lines) >= count, saw=lambda: (self.lines, self.errors))
        return self.lines

    def await_said(self, pattern: str) -> str:
        """Return what the group of a regular expression matches in a line of stderr, once there is such a line."""
        found: list[str] = []

        def is_said() -> bool:
            found.extend(match[1] for line in self.errors if (match := re.search(pattern, line)))
            return bool(found)

        eventually(pattern, is_said, saw=lambda: self.errors)
        return found[0]

    def terminate(self) -> int:
        """Send SIGTERM, and return the exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.wait()

    def wait(self) -> int:
        """Return the exit code once the program has ended, and everything that it wrote is read."""
        code = self.process.wait(GUARD_S)
        for reader in self._readers:
            reader.join(GUARD_S)
        return code


@contextmanager
def started(name: str, *arguments: str, environment: Mapping[str, str] | None = None) -> Iterator[Program]:
    """Run an example until the end of the block, at which it is killed if it still runs."""
    with started_python(str(EXAMPLES / f"{name}.py"), *arguments, environment=environment) as program:
        yield program


@contextmanager
def started_python(*arguments: str, environment: Mapping[str, str] | None = None) -> Iterator[Program]:
    """Run Python with these arguments until the end of the block, at which it is killed if it still runs."""
    process = subprocess.Popen(
        [sys.executable, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1", **(environment or {})},
    )
    program = Program(process)
    try:
        yield program
    finally:
        process.kill()
        program.wait()
