"""The processes of a query: the driver with its JVM and its planner, and the workers of its tasks.

They share a session, in the sense of setsid(2). The driver's process group has all of them but the workers: these are
in the group of the daemon that forks them, and it ends when its JVM does.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from enum import Enum
from pathlib import Path

from attrs import frozen

PLANNER = "pyspark.sql.streaming.python_streaming_source_runner"
WORKER = "pyspark.daemon pyspark.worker"


class Target(Enum):
    """What is killed."""

    DRIVER = "driver"
    PLANNER = "planner"
    WORKER = "worker"


@frozen
class _Process:
    pid: int
    parent: int
    session: int
    command: str


class Driver:
    """A driver, in a process group and a session of its own; leaving the context kills all that is left of it."""

    def __init__(self, arguments: list[str], log: Path) -> None:
        command = [sys.executable, "-m", "tests.pyspark.killing.driver", *arguments]
        with log.open("a") as output:
            self._process = subprocess.Popen(command, stdout=output, stderr=output, start_new_session=True)

    def __enter__(self) -> Driver:
        return self

    def __exit__(self, *exception: object) -> None:
        for process in self.processes():
            _send(process.pid, signal.SIGKILL)
        self._process.wait()

    @property
    def exit_code(self) -> int | None:
        """None while it runs."""
        return self._process.poll()

    def kill(self, target: Target, chance: float) -> None:
        """Send SIGKILL to one of the target's processes, by a number from 0 to 1; for the driver to its whole group."""
        if target is Target.DRIVER:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        else:
            pids = self.pids_of(target)
            _send(pids[int(chance * len(pids))], signal.SIGKILL)

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """Stop the driver's process group, and let it go on at the end if it is still there."""
        _send(-self._process.pid, signal.SIGSTOP)
        try:
            yield
        finally:
            _send(-self._process.pid, signal.SIGCONT)

    def pids_of(self, target: Target) -> list[int]:
        """The processes of a target that there are now."""
        if target is Target.DRIVER:
            return [self._process.pid]
        processes = self.processes()
        if target is Target.PLANNER:
            return [process.pid for process in processes if PLANNER in process.command]
        forking = {process.pid: process for process in processes if WORKER in process.command}
        return sorted(pid for pid, process in forking.items() if process.parent in forking)

    def processes(self) -> list[_Process]:
        """All processes of the session that are alive."""
        found = (_read(entry) for entry in Path("/proc").iterdir() if entry.name.isdigit())
        return [process for process in found if process is not None and process.session == self._process.pid]


def _read(entry: Path) -> _Process | None:
    """A process that is no zombie; see proc(5)."""
    try:
        state, parent, _, session, *_ = (entry / "stat").read_text().rpartition(")")[2].split()
        command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:  # it has just ended
        return None
    return None if state == "Z" else _Process(int(entry.name), int(parent), int(session), command)


def _send(pid: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, number)
