"""Where the bytes of a log's batches are: in memory, or in files (``segments.py``).

A position counts the bytes of the log from where it began when the broker started; it never falls, also when old
batches go. The log knows where batches begin; the store only keeps what is between two positions. What can't be done to
a file raises ``StorageError``.

``recover`` gives what was kept before, and is to be gone through once, to the end, before anything else. Everything
before a ``boundary`` can be forgotten by ``drop``. ``rewrite`` puts batches, which begin at ``base_offset`` and end at
a position, in place of all before that, or leaves all as it was.
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
    """Batches that end with the process. They are in segments, as in files, and ``segment_bytes`` is asked for each."""

    start_offset = 0

    def __init__(self, segment_bytes: Callable[[], int] = lambda: _SEGMENT_BYTES) -> None:
        self._segment_bytes = segment_bytes
        self._batches: list[bytes] = []
        self._starts = array("q")
        self._segments = array("q")  # where each begins
        self._end = 0

    def recover(self) -> Iterator[BatchView]:
        """There is nothing."""
        return iter(())

    def append(self, data: bytes, base_offset: int, end_offset: int) -> None:
        """Keep one more batch, in the active segment or in a new one."""
        if not self._segments or self._end + len(data) > self._segments[-1] + self._segment_bytes():
            self._segments.append(self._end)
        self._batches.append(data)
        self._starts.append(self._end)
        self._end += len(data)

    def read(self, start: int, end: int) -> bytes:
        """Give all bytes between two positions, where batches begin."""
        return b"".join(self._batches[bisect_left(self._starts, start) : bisect_left(self._starts, end)])

    def boundary(self, position: int) -> int:
        """The beginning of the segment that holds a position."""
        index = bisect_right(self._segments, position)
        return self._segments[index - 1] if index else position

    def drop(self, position: int, start_offset: int) -> None:
        """Forget the segments before a position, which is a boundary or the end."""
        count = bisect_left(self._starts, position)
        del self._batches[:count], self._starts[:count]
        del self._segments[: bisect_left(self._segments, position)]

    def rewrite(self, position: int, batches: Sequence[bytes], base_offset: int) -> None:
        """Have these batches, in one segment, instead of all before a position."""
        count = bisect_left(self._starts, position)
        start = position - sum(map(len, batches))
        self._batches[:count] = batches
        self._starts[:count] = array("q", accumulate(map(len, batches), initial=start))[:-1]
        self._segments[: bisect_left(self._segments, position)] = array("q", [start])

    def close(self) -> None:
        """Nothing is kept."""

    def delete(self) -> None:
        """Forget everything."""
        self.drop(self._end, 0)
