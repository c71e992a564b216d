"""A sink that appends events to a file, and rotates the file by its size."""

from __future__ import annotations

import gzip
import os
import re
import shutil
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta, timezone
from io import FileIO
from itertools import accumulate
from pathlib import Path

from kafka_nextgen import clocks
from kafka_nextgen.history.events import Event
from kafka_nextgen.history.json_lines import encode_event
from kafka_nextgen.history.queued_sink import QUEUE_CAPACITY, DeliveryResult, QueuedSink
from kafka_nextgen.logs import logger_of

__all__ = ["DEFAULT_KEEP", "DEFAULT_MAX_BYTES", "FileSink", "RotatingFile", "encode_line"]

DEFAULT_MAX_BYTES = 64 << 20
DEFAULT_KEEP = 10

_TIME = r"\d{8}T\d{12}Z"


class FileSink(QueuedSink):
    """Appends events to a file, one line of JSON for each.

    When the file reaches about ``max_bytes``, it is renamed: ``billing.jsonl`` becomes
    ``billing-20261126T140312345678Z.jsonl``, named after the time in UTC. A rotated file keeps its name, so a
    streaming query over the directory reads it once. The newest ``keep`` of them are kept. With ``compress`` they
    become ``.jsonl.gz``, which takes about a second for 64 MB; new events wait in the queue in the meantime.

    An existing file is appended to. If its last line is torn, because its writer crashed, that line is terminated
    first. A file that others moved or deleted is created again. If it can't be written (disk full, directory gone), the
    sink logs this once and retries every second; events wait in the queue, and are dropped and counted when it is full.
    An ``error`` event with the cause ``events dropped`` reports this in the log.

    Lines are not synced to disk: they outlast a crash of the process, but not of the host. Two processes must not write
    the same file.

    Args:
        path: The file; its directory must exist.
        max_bytes: The size at which the file is rotated.
        keep: How many rotated files are kept.
        compress: Whether rotated files are compressed.
        capacity: How many events may wait.

    Raises ValueError for a number that is too small; never OSError.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        max_bytes: int = DEFAULT_MAX_BYTES,
        keep: int = DEFAULT_KEEP,
        compress: bool = False,
        capacity: int = QUEUE_CAPACITY,
    ) -> None:
        if max_bytes < 1 or keep < 0:
            raise ValueError(f"{path}: max_bytes must be 1 or more, keep 0 or more; not {max_bytes} and {keep}")
        file = RotatingFile(Path(path), max_bytes=max_bytes, keep=keep, compress=compress)
        super().__init__(file, str(path), capacity=capacity)


def encode_line(event: Event) -> bytes | None:
    """Encode the event without a newline; return None if its fields have wrong types."""
    try:
        return encode_event(event).encode("utf-8", "backslashreplace")  # lone surrogates are escaped
    except (TypeError, ValueError, AttributeError):
        return None


logger = logger_of(__name__)


class RotatingFile:
    """Appends events to ``path``, and rotates the file as ``FileSink`` describes. After an error it is opened again."""

    def __init__(self, path: Path, *, max_bytes: int, keep: int, compress: bool) -> None:
        self._path = path
        self._max_bytes = max_bytes
        self._keep = keep
        self._compress = compress
        self._file: FileIO | None = None
        self._rotated = re.compile(rf"{re.escape(path.stem)}-{_TIME}{re.escape(path.suffix)}(?:\.gz)?")

    def deliver(self, events: Sequence[Event]) -> DeliveryResult:
        """Append a line for each event; an event with fields of wrong types is rejected."""
        lines: list[bytes] = []
        for event in events:
            line = encode_line(event)
            if line is None:
                break
            lines.append(line + b"\n")
        data = b"".join(lines)
        put = 0
        try:
            file = self._ready_for(len(data))
            while put < len(data):
                put += file.write(memoryview(data)[put:]) or 0
        except OSError as error:
            return DeliveryResult(self._failed(lines, put), error=error)
        return DeliveryResult(len(lines), rejected=int(len(lines) < len(events)))

    def _failed(self, lines: Sequence[bytes], put: int) -> int:
        """Truncate a half-written line, close, and return the number of whole lines written."""
        ends = list(accumulate(map(len, lines), initial=0))
        whole = bisect_right(ends, put) - 1
        torn = put - ends[whole]
        if torn and self._file is not None:
            with suppress(OSError):
                self._file.truncate(os.fstat(self._file.fileno()).st_size - torn)
        self.close()
        return whole

    def interrupt(self) -> None:
        """Do nothing: files do not block for long."""

    def close(self) -> None:
        """Close the file if it is open."""
        file, self._file = self._file, None
        if file is not None:
            with suppress(OSError):
                file.close()

    def _ready_for(self, count: int) -> FileIO:
        """Return the open file; rotate it first if ``count`` more bytes do not fit."""
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
            file = FileIO(str(self._path), "a+")  # a str path makes errors readable
            self._file = file
            _end_last_line(file)
        return self._file

    def _is_in_place(self, file: FileIO) -> bool:
        """Return whether the path still refers to the open file: others may have moved or deleted it."""
        try:
            return os.path.samestat(os.stat(self._path), os.fstat(file.fileno()))
        except FileNotFoundError:
            return False

    def _rotate(self) -> None:
        self.close()
        rotated = self._free_name()
        self._path.rename(rotated)
        with _logged_only(rotated):
            if self._compress and self._keep:
                _compress(rotated)
        with _logged_only(rotated):
            self._delete_old()

    def _free_name(self) -> Path:
        now = datetime.fromtimestamp(clocks.time(), timezone.utc)
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
def _logged_only(path: Path) -> Iterator[None]:
    """Log an OSError and continue: a failed cleanup must not keep events from being written."""
    try:
        yield
    except OSError as error:
        logger.warning("%s: rotated, but the cleanup failed: %s", path, error)


def _gz(path: Path) -> Path:
    return path.with_name(path.name + ".gz")


def _compress(path: Path) -> None:
    """Compress to a temporary file, then rename: no reader sees half a file under a log's name."""
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
    """Terminate a line that a previous writer left unfinished."""
    size = file.seek(0, os.SEEK_END)
    if size:
        file.seek(size - 1)
        if file.read(1) != b"\n":
            file.write(b"\n")
