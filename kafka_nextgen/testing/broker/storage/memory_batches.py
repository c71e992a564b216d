"""The store of a log's batches, in memory; ``segments.py`` has the same interface with files.

A position counts the log's bytes since the broker started; it never decreases, even when old batches are deleted. The
log knows where batches begin; the store only keeps the bytes between two positions. Failing file operations raise
``StorageError``.

``recover`` yields the stored batches; the caller iterates it once, to the end, before it calls anything else. ``drop``
deletes everything before a ``boundary``. ``rewrite`` replaces everything before a position with batches that begin at
``base_offset``, or leaves everything unchanged.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate

from kafka_nextgen.wire.records import BatchView

__all__ = ["MemoryBatches"]

_SEGMENT_BYTES = 1_073_741_824  # Kafka's default of segment.bytes


class MemoryBatches:
    """Batches that end with the process, in segments as in files; ``segment_bytes`` is called before each batch."""

    start_offset = 0

    def __init__(self, segment_bytes: Callable[[], int] = lambda: _SEGMENT_BYTES) -> None:
        self._segment_bytes = segment_bytes
        self._batches: list[bytes] = []
        self._starts = array("q")
        self._segments = array("q")  # where each begins
        self._end = 0

    def recover(self) -> Iterator[BatchView]:
        """Nothing is stored."""
        return iter(())

    def append(self, data: bytes, base_offset: int, end_offset: int) -> None:
        """Append a batch to the active segment or to a new one."""
        if not self._segments or self._end + len(data) > self._segments[-1] + self._segment_bytes():
            self._segments.append(self._end)
        self._batches.append(data)
        self._starts.append(self._end)
        self._end += len(data)

    def read(self, start: int, end: int) -> bytes:
        """The bytes between two positions, at each of which a batch begins."""
        return b"".join(self._batches[bisect_left(self._starts, start) : bisect_left(self._starts, end)])

    def boundary(self, position: int) -> int:
        """The beginning of the segment that holds a position."""
        index = bisect_right(self._segments, position)
        return self._segments[index - 1] if index else position

    def drop(self, position: int, start_offset: int) -> None:
        """Delete the segments before a position, which is a boundary or the end."""
        count = bisect_left(self._starts, position)
        del self._batches[:count], self._starts[:count]
        del self._segments[: bisect_left(self._segments, position)]

    def rewrite(self, position: int, batches: Sequence[bytes], base_offset: int) -> None:
        """Replace everything before a position with these batches, in one segment."""
        count = bisect_left(self._starts, position)
        start = position - sum(map(len, batches))
        self._batches[:count] = batches
        self._starts[:count] = array("q", accumulate(map(len, batches), initial=start))[:-1]
        self._segments[: bisect_left(self._segments, position)] = array("q", [start])

    def close(self) -> None:
        """Nothing to flush."""

    def delete(self) -> None:
        """Delete everything."""
        self.drop(self._end, 0)
