"""Where events go: the protocol that writers know, and a file.

A sink is handed events on threads that have better things to do, such as a consumer's I/O thread. It therefore never
blocks, never raises, and says afterwards what it dropped.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from kafka_nextgen.history.delivering import CAPACITY, CLOSING_S, Delivered, QueuedSink
from kafka_nextgen.history.events import Event
from kafka_nextgen.history.lines import encode_event
from kafka_nextgen.history.log_file import LogFile

__all__ = ["KEEP", "MAX_BYTES", "FileSink", "Sink", "line_of"]

#: A file is rotated when it is about so large (bytes), and so many rotated ones are kept.
MAX_BYTES = 64 << 20
KEEP = 10


class Sink(Protocol):
    """Takes events from any thread."""

    @property
    def dropped(self) -> int:
        """How many events were not put down."""
        ...

    @property
    def written(self) -> int:
        """How many events were put down."""
        ...

    def write(self, event: Event) -> None:
        """Hand over an event. Never blocks and never raises; signal handlers may call it."""
        ...

    def close(self, timeout_s: float = CLOSING_S) -> None:
        """Put down what waits, for up to ``timeout_s`` seconds; what comes later is dropped."""
        ...


class FileSink(QueuedSink):
    """Appends events to a file, one line of JSON to each.

    When the file is about ``max_bytes`` large, it is renamed: ``billing.jsonl`` becomes
    ``billing-20261126T140312345678Z.jsonl``, by the time in UTC. A rotated file does not change its name again, so
    that a streaming query over the directory reads it once. The newest ``keep`` of them are kept. With ``compress``
    they become ``.jsonl.gz``, which takes about a second for 64 MB; new events wait in the queue meanwhile.

    An existing file is continued. If its last line is torn, because its writer died, that line is ended first. A file
    that was moved or deleted by others is made anew. If it can't be written (disk full, directory gone), this is logged
    once and tried again every second; events wait in the queue, and those that find it full are dropped and counted.
    An ``error`` event with the cause ``events dropped`` tells so in the log.

    Lines are handed to the operating system, and not synced: they survive the process, not the host. Two processes
    must not write the same file.

    Args:
        path: The file; its directory must exist.
        max_bytes: When to rotate, in bytes.
        keep: How many rotated files are kept.
        compress: Whether rotated files are compressed.
        capacity: How many events may wait.

    Raises ValueError for a number that is too small; never OSError.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        max_bytes: int = MAX_BYTES,
        keep: int = KEEP,
        compress: bool = False,
        capacity: int = CAPACITY,
    ) -> None:
        if max_bytes < 1 or keep < 0:
            raise ValueError(f"{path}: max_bytes must be 1 or more, keep 0 or more; not {max_bytes} and {keep}")
        file = LogFile(Path(path), max_bytes=max_bytes, keep=keep, compress=compress)
        super().__init__(FileTarget(file), str(path), capacity=capacity)


class FileTarget:
    """Writes events into ``file``."""

    def __init__(self, file: LogFile) -> None:
        self._file = file

    def deliver(self, events: Sequence[Event]) -> Delivered:
        """Append a line for each event; an event that is no line, by a mistake of its writer, is refused."""
        lines: list[bytes] = []
        for event in events:
            line = line_of(event)
            if line is None:
                break
            lines.append(line + b"\n")
        written, error = self._file.append(lines)
        is_refused = error is None and len(lines) < len(events)
        return Delivered(written, int(is_refused), error)

    def interrupt(self) -> None:
        """Nothing: files are not waited for."""

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def line_of(event: Event) -> bytes | None:
    """The event's line, without its end; None if there can't be one, by a mistake of its writer."""
    try:
        return encode_event(event).encode("utf-8", "backslashreplace")  # half a surrogate pair stays JSON
    except (TypeError, ValueError, AttributeError):
        return None
