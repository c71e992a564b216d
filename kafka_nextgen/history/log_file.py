"""One growing file of lines that is rotated by its size. Used by one thread."""

from __future__ import annotations

import gzip
import os
import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta, timezone
from io import FileIO
from pathlib import Path

from kafka_nextgen.logs import logger_of

__all__ = ["LogFile"]

logger = logger_of(__name__)

_TIME = r"\d{8}T\d{12}Z"


class LogFile:
    """Lines are appended to ``path``; see ``FileSink`` for the rest."""

    def __init__(self, path: Path, *, max_bytes: int, keep: int, compress: bool) -> None:
        self._path = path
        self._max_bytes = max_bytes
        self._keep = keep
        self._compress = compress
        self._file: FileIO | None = None
        self._rotated = re.compile(rf"{re.escape(path.stem)}-{_TIME}{re.escape(path.suffix)}(?:\.gz)?")

    def append(self, lines: Sequence[bytes]) -> tuple[int, OSError | None]:
        """Write lines, which have their ends; returns how many are in the file now, and why not all.

        After an error the file is opened anew next time.
        """
        data = b"".join(lines)
        put = 0
        try:
            file = self._ready_for(len(data))
            while put < len(data):
                put += file.write(memoryview(data)[put:]) or 0
        except OSError as error:
            return self._failed(lines, put), error
        return len(lines), None

    def _failed(self, lines: Sequence[bytes], put: int) -> int:
        """Take back the half line that may have been written, close, and count the whole ones."""
        whole = _whole_lines(lines, put)
        torn = put - sum(map(len, lines[:whole]))
        if torn and self._file is not None:
            with suppress(OSError):
                self._file.truncate(os.fstat(self._file.fileno()).st_size - torn)
        self.close()
        return whole

    def close(self) -> None:
        """Close the file, if it is open; ``append`` opens it again."""
        file, self._file = self._file, None
        if file is not None:
            with suppress(OSError):
                file.close()

    def _ready_for(self, count: int) -> FileIO:
        """The open file, with room for so many bytes."""
        file = self._opened()
        size = os.fstat(file.fileno()).st_size
        if size and size + count > self._max_bytes:
            self._rotate()
            file = self._opened()
        return file

    def _opened(self) -> FileIO:
        if self._file is not None and not self._is_in_place(self._file):
            self.close()
        if self._file is None:
            file = FileIO(str(self._path), "a+")  # an error names it as people write it
            self._file = file
            _end_last_line(file)
        return self._file

    def _is_in_place(self, file: FileIO) -> bool:
        """Whether the path still leads to the file that is open: others may have moved or deleted it."""
        try:
            return os.path.samestat(os.stat(self._path), os.fstat(file.fileno()))
        except FileNotFoundError:
            return False

    def _rotate(self) -> None:
        self.close()
        rotated = self._free_name()
        self._path.rename(rotated)
        with _told_only(rotated):
            if self._compress and self._keep:
                _compress(rotated)
        with _told_only(rotated):
            self._delete_old()

    def _free_name(self) -> Path:
        now = datetime.now(timezone.utc)
        while True:
            path = self._path.with_name(f"{self._path.stem}-{now:%Y%m%dT%H%M%S%f}Z{self._path.suffix}")
            if not path.exists() and not _gz(path).exists():
                return path
            now += timedelta(microseconds=1)  # names sort by the order of rotation

    def _delete_old(self) -> None:
        rotated = sorted(path for path in self._path.parent.iterdir() if self._rotated.fullmatch(path.name))
        for path in rotated[: max(0, len(rotated) - self._keep)]:
            path.unlink(missing_ok=True)


@contextmanager
def _told_only(path: Path) -> Iterator[None]:
    """Log an OSError and go on: tidying up must not keep events from being written."""
    try:
        yield
    except OSError as error:
        logger.warning("%s: rotated, but not tidied up: %s", path, error)


def _gz(path: Path) -> Path:
    return path.with_name(path.name + ".gz")


def _compress(path: Path) -> None:
    """Compress beside, then rename: no reader ever sees half a file under a log's name."""
    beside = path.with_name(f".{path.name}.gz.part")
    try:
        with path.open("rb") as plain, gzip.open(beside, "wb", compresslevel=5) as compressed:
            shutil.copyfileobj(plain, compressed, 1 << 20)
        beside.rename(_gz(path))
    except OSError:
        beside.unlink(missing_ok=True)
        raise
    path.unlink()


def _end_last_line(file: FileIO) -> None:
    """End a line that the writer before left in the middle."""
    size = file.seek(0, os.SEEK_END)
    if size:
        file.seek(size - 1)
        if file.read(1) != b"\n":
            file.write(b"\n")


def _whole_lines(lines: Sequence[bytes], size: int) -> int:
    """How many lines lie within the first ``size`` bytes."""
    count = 0
    for line in lines:
        size -= len(line)
        if size < 0:
            break
        count += 1
    return count
