"""The lock on a data directory: one process at a time, and none that died keeps it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from kafka_nextgen.broker.storage.files import doing
from kafka_nextgen.errors import StorageError

if sys.platform != "win32":
    from fcntl import LOCK_EX, LOCK_NB, flock

__all__ = ["DirectoryLock"]


class DirectoryLock:
    """Held from ``take`` to ``release``; the system releases it when the process ends, however it ends."""

    def __init__(self, directory: Path) -> None:
        self._path = directory / ".lock"
        self._fd: int | None = None

    def take(self) -> None:
        """Take the lock; raises ``StorageError`` if another process has it, and names that."""
        assert self._fd is None
        if sys.platform == "win32":
            raise StorageError("data_dir needs a POSIX system: leave it out here, and the broker is in memory")
        with doing("lock", self._path):
            fd = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            try:
                self._claim(fd)
            except BaseException:
                os.close(fd)
                raise
        self._fd = fd

    def release(self) -> None:
        """Let others have the directory."""
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None

    def _claim(self, fd: int) -> None:
        try:
            flock(fd, LOCK_EX | LOCK_NB)
        except BlockingIOError:
            holder = os.pread(fd, 20, 0).decode("ascii", "replace").strip() or "unknown"
            raise StorageError(
                f"{self._path.parent} is in use by another broker (process {holder}): stop that one first, or give "
                "this one a directory of its own"
            ) from None
        os.ftruncate(fd, 0)
        os.pwrite(fd, b"%d\n" % os.getpid(), 0)
