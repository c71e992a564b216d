"""A process that ends what a run of tests has started, and removes its files, once the run is gone.

Whether the run ends by itself, by Ctrl-C, SIGTERM or SIGKILL, its end of a pipe is closed, and the guardian has the
other. What the run started is known by a variable of its environment, which processes of processes inherit. By
pytest-xdist the run has a guardian, and each of its processes one more for what it has started for itself.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import define

if TYPE_CHECKING:
    import pytest

#: What a run has started has the first in its environment, what a process of pytest-xdist has started the second, too.
RUN = "KAFKA_NEXTGEN_TEST_RUN"
PROCESS = "KAFKA_NEXTGEN_TEST_PROCESS"

#: A process that was killed is gone by then.
GONE_S = 8.0


@define
class Guardian:
    """A run's way to its guardian, and a plugin of pytest that tells it when the run is over."""

    _process: subprocess.Popen[bytes]
    _leads_others: bool

    @classmethod
    def begin(cls, variable: str, folder: str = "", *, leads_others: bool = False) -> Guardian:
        """Set ``variable``, and start a guardian of all that inherits it, and of a folder."""
        # The guardian itself is not of any run: of two that are nested each ends its own.
        environment = {name: value for name, value in os.environ.items() if name not in (RUN, PROCESS)}
        os.environ[variable] = token = uuid.uuid4().hex
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.guardian", f"{variable}={token}", folder],
            cwd=Path(__file__).parents[2],
            env=environment,
            stdin=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C is for the run
        )
        return cls(process, leads_others)

    def end(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()

    def pytest_keyboard_interrupt(self) -> None:
        """End the processes of pytest-xdist at once: they would be given ten seconds."""
        if self._leads_others:
            self.end()

    def pytest_unconfigure(self) -> None:
        self.end()


def guard(config: pytest.Config) -> None:
    """Guard this process of pytest. The first of a run also gives it a folder for temporary files."""
    config.pluginmanager.register(_guardian_of(config), "guardian")


def _guardian_of(config: pytest.Config) -> Guardian:
    if "PYTEST_XDIST_WORKER" in os.environ:
        return Guardian.begin(PROCESS)
    # Folders of tests outlive a run, to look into.
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", tempfile.gettempdir())
    folder = tempfile.mkdtemp(prefix="kafka-nextgen-tests-")
    os.environ.update(TMPDIR=folder, SPARK_LOCAL_DIRS=folder)
    tempfile.tempdir = None
    return Guardian.begin(RUN, folder, leads_others=config.getoption("dist", "no") != "no")


def run_folder() -> str:
    return tempfile.gettempdir()


@contextmanager
def kept_for_the_run() -> Iterator[None]:
    """What is started meanwhile outlives this process of pytest-xdist, but not the run."""
    mine = os.environ.pop(PROCESS, None)
    try:
        yield
    finally:
        if mine is not None:
            os.environ[PROCESS] = mine


def _end_all(token: str, folder: str) -> None:
    """Kill all that have the token in their environment; a process may start another one before it is gone."""
    deadline = time.monotonic() + GONE_S
    while (found := _processes_with(token)) and time.monotonic() < deadline:
        for process in found:
            _kill(process)
        time.sleep(0.02)
    if folder:
        shutil.rmtree(folder, ignore_errors=True)


def _kill(process: int) -> None:
    try:
        os.kill(process, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return


def _processes_with(token: str) -> list[int]:
    if os.path.isdir("/proc/self"):
        return [int(name) for name in os.listdir("/proc") if name.isdigit() and _has(f"/proc/{name}/environ", token)]
    listed = subprocess.run(["ps", "axeww", "-o", "pid=,command="], capture_output=True, check=False).stdout
    lines = listed.decode(errors="replace").splitlines()
    found = {int(line.split(None, 1)[0]) for line in lines if token in line}
    return sorted(found - {os.getpid()})  # whose arguments have it


def _has(environment: str, token: str) -> bool:
    try:
        return token.encode() in Path(environment).read_bytes()
    except OSError:  # gone, or another user's
        return False


def main() -> None:
    """Wait until the run's end of the pipe is closed, and end what is left."""
    token, folder = sys.argv[1:]
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    sys.stdin.buffer.read()
    _end_all(token, folder)


if __name__ == "__main__":
    main()
