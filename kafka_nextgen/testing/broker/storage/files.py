"""Writing files so that a crash leaves either the old or the new content, and errors name the file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kafka_nextgen.errors import StorageError

__all__ = ["doing", "flush", "replace", "write_at"]


@contextmanager
def doing(what: str, path: Path) -> Iterator[None]:
    """Turn an ``OSError`` of the block into a ``StorageError`` that names the operation and the file."""
    try:
        yield
    except OSError as error:
        raise StorageError(f"can't {what} {path}: {error.strerror or error}") from error


def write_at(path: Path, data: bytes, position: int, *, is_new: bool = False, sync: bool = False) -> None:
    """Write ``data`` at ``position``, the end of the file's valid content.

    If that fails, the file is truncated to ``position``; if that fails too, the next write overwrites the rest. Only
    the owner may read the file, since credentials are stored too.
    """
    with doing("write", path):
        fd = os.open(path, os.O_WRONLY | os.O_CLOEXEC | (os.O_CREAT if is_new else 0), 0o600)
        try:
            _write(fd, data, position)
            if sync:
                os.fsync(fd)
        finally:
            os.close(fd)


def _write(fd: int, data: bytes, position: int) -> None:
    left, at = memoryview(data), position
    try:
        while left:
            written = os.pwrite(fd, left, at)
            left, at = left[written:], at + written
    except OSError:
        os.ftruncate(fd, position)
        raise


def flush(path: Path) -> None:
    """Flush a file, or the names in a directory, to the disk."""
    with doing("flush", path):
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)


def replace(path: Path, data: bytes) -> None:
    """Replace a file's content atomically, even if the power fails."""
    beside = path.with_name(path.name + ".new")
    with doing("write", path):
        beside.unlink(missing_ok=True)
        write_at(beside, data, 0, is_new=True, sync=True)
        beside.replace(path)
    flush(path.parent)
