"""Ends a real Kafka when the tests that started it have ended, even by SIGTERM or SIGKILL. This file runs as a program.

It reads from a pipe whose other end only the tests hold. They write to it when they end; if it closes before, they have
crashed. Ctrl-C is for the tests: a guardian and the Kafka that it runs have a session of their own, so consumers can
still leave their groups.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from typing import IO

__all__ = ["end", "guard", "run_guarded"]

_RUN, _AFTERWARDS = "run", "afterwards"


def run_guarded(command: Sequence[str], folder: str, log: IO[bytes]) -> subprocess.Popen[bytes]:
    """Run a command until ``end``, or until this process is gone, after which ``folder`` is removed, too.

    Its output goes to ``log``. The process that is returned ends with the command.
    """
    return _begin([_RUN, folder, *command], log)


def guard(command: Sequence[str]) -> subprocess.Popen[bytes]:
    """Run a command if this process is gone before ``end``."""
    return _begin([_AFTERWARDS, *command], None)


def end(guardian: subprocess.Popen[bytes]) -> None:
    """End a guardian, and what it runs. May be called more than once."""
    guardian.communicate(b"." if guardian.poll() is None else None)


def _begin(arguments: Sequence[str], log: IO[bytes] | None) -> subprocess.Popen[bytes]:
    # Isolated mode (``-I``): the modules next to this file can't be imported, and only the standard library is needed.
    program = [sys.executable, "-I", __file__, *arguments]
    return subprocess.Popen(
        program,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL if log is None else log,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )


def _tests_have_ended() -> bool:
    """Wait for the end of the tests; return False if they are gone."""
    return bool(os.read(0, 1))  # a thread that waits in sys.stdin would interfere with interpreter shutdown


def _run(folder: str, command: Sequence[str]) -> int:
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL)
    is_killed = threading.Event()

    def end_it() -> None:
        has_ended = _tests_have_ended()
        is_killed.set()
        process.kill()
        process.wait()
        if not has_ended:
            shutil.rmtree(folder, ignore_errors=True)

    ending = threading.Thread(target=end_it, daemon=True)
    ending.start()
    status = process.wait()
    if is_killed.is_set():  # the folder may have to be removed
        ending.join()
    return status


def _main(how: str, *arguments: str) -> int:
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, name):  # programs that it runs don't inherit a function, as they would SIG_IGN
            signal.signal(getattr(signal, name), lambda number, frame: None)
    if how == _RUN:
        return _run(arguments[0], arguments[1:])
    return 0 if _tests_have_ended() else subprocess.run(arguments, check=False).returncode


if __name__ == "__main__":
    sys.exit(_main(*sys.argv[1:]))
