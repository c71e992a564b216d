"""Where the bytes of a log's batches are: in memory, or in files (``segments.py``).

A position counts the bytes of the log from where it began when the broker started; it never falls, also when old
batches go. The log knows where batches begin; the store only keeps what is between two positions.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Protocol

from kafka_nextgen.wire.records import BatchView

__all__ = ["BatchStore", "MemoryBatches"]


class BatchStore(Protocol):
    """Keeps the batches of one partition. What can't be done to a file raises ``StorageError``."""

    def recover(self) -> Iterator[BatchView]:
        """Give what was kept before, in order; to be gone through once, to the end, before anything else."""

    @property
    def start_offset(self) -> int:
        """Where the log that was recovered begins, as far as the store knows."""

    def append(self, data: bytes, base_offset: int, end_offset: int) -> None:
        """Keep one more batch, which has these offsets, the last not included."""

    def read(self, start: int, end: int) -> bytes:
        """Give all bytes between two positions."""

    def boundary(self, position: int) -> int:
        """The last position up to this one before which the store can forget everything."""

    def drop(self, position: int, start_offset: int) -> None:
        """Forget what is before a position, or some of it, and remember that the log begins at this offset."""

    def rewrite(self, position: int, batches: Sequence[bytes], base_offset: int) -> None:
        """Have these batches, which begin at this offset, instead of all before a position, or all as it was.

        They end where those did, at the position.
        """

    def close(self) -> None:
        """Have everything on the disk."""

    def delete(self) -> None:
        """Forget everything: the topic is deleted."""


class MemoryBatches:
    """Batches that nobody needs after this process."""

    start_offset = 0

    def __init__(self) -> None:
        self._batches: list[bytes] = []
        self._starts = array("q")
        self._end = 0

    def recover(self) -> Iterator[BatchView]:
        """There is nothing."""
        return iter(())

    def append(self, data: bytes, base_offset: int, end_offset: int) -> None:
        """Keep one more batch."""
        self._batches.append(data)
        self._starts.append(self._end)
        self._end += len(data)

    def read(self, start: int, end: int) -> bytes:
        """Give all bytes between two positions, where batches begin."""
        return b"".join(self._batches[bisect_left(self._starts, start) : bisect_left(self._starts, end)])

    def boundary(self, position: int) -> int:
        """Memory is freed batch by batch, so every position is one."""
        return position

    def drop(self, position: int, start_offset: int) -> None:
        """Forget the batches before a position."""
        count = bisect_left(self._starts, position)
        del self._batches[:count], self._starts[:count]

    def rewrite(self, position: int, batches: Sequence[bytes], base_offset: int) -> None:
        """Have these batches instead of all before a position."""
        count = bisect_left(self._starts, position)
        starts = accumulate((len(batch) for batch in batches), initial=position - sum(map(len, batches)))
        self._batches[:count] = batches
        self._starts[:count] = array("q", list(starts)[:-1])

    def close(self) -> None:
        """Nothing is kept."""

    def delete(self) -> None:
        """Forget everything."""
        self.drop(self._end, 0)
