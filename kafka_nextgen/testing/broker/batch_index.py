"""The index of a log's batches: three numbers for each, none of which decreases from one batch to the next.

| number | used to find |
|---|---|
| the offset after the batch | the batch of an offset |
| the position in the store after the batch (``BatchStore``) | its bytes, and the batches that fit into a size |
| the highest timestamp in this batch and all earlier ones | the first batch that may have a record at or after a time |

The last one is computed from the highest timestamp of each batch, and recomputed when old batches are dropped.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate

from kafka_nextgen.wire.records import BatchHeader

__all__ = ["BatchIndex"]


class BatchIndex:
    """The batches of one log, numbered from 0 for the oldest, which begins at the position ``begin``."""

    def __init__(self) -> None:
        self.begin = 0
        self._ends = array("q")
        self._positions = array("q")
        self._latest = array("q")
        self._own_latest = array("q")

    def __len__(self) -> int:
        return len(self._ends)

    @property
    def end(self) -> int:
        """The position after the last batch."""
        return self.position(len(self))

    @property
    def latest(self) -> int | None:
        """The highest timestamp, None without batches."""
        return self._latest[-1] if self._latest else None

    def position(self, index: int) -> int:
        """The position where a batch begins; for the index after the last batch, where that batch ends."""
        return self._positions[index - 1] if index else self.begin

    def end_offset(self, index: int) -> int:
        """The offset after a batch."""
        return self._ends[index]

    def ending_by_offset(self, offset: int) -> int:
        """The number of batches that lie before an offset."""
        return bisect_right(self._ends, offset)

    def ending_by_position(self, position: int) -> int:
        """The number of batches that lie before a position."""
        return bisect_right(self._positions, position)

    def earlier_than(self, timestamp: int) -> int:
        """The number of batches before the first that may have this timestamp or a later one."""
        return bisect_left(self._latest, timestamp)

    def expired(self, timestamp: int) -> int:
        """The number of the oldest batches whose records are all older than this; 0 if none of them has a timestamp."""
        count = self.earlier_than(timestamp)
        return count if count and self._latest[count - 1] >= 0 else 0

    def add(self, end_offset: int, size: int, timestamp: int) -> None:
        """Add a batch: the offset after it, its size in bytes, and its highest timestamp."""
        self._positions.append(self.end + size)
        self._ends.append(end_offset)
        self._own_latest.append(max(timestamp, -1))
        self._latest.append(max(self._own_latest[-1], self._latest[-1] if self._latest else -1))

    def drop(self, count: int) -> None:
        """Remove the oldest batches."""
        self.begin = self.position(count)
        gone = self._latest[count - 1] if count else -1
        del self._ends[:count], self._positions[:count], self._latest[:count], self._own_latest[:count]
        if self._latest and self._latest[0] <= gone:
            self._latest = array("q", accumulate(self._own_latest, max))

    def rewrite(self, count: int, headers: Sequence[BatchHeader]) -> None:
        """Replace the oldest batches with these, which have the same offsets and end at the same position."""
        assert headers[-1].next_offset == self._ends[count - 1]
        self.begin = self.position(count) - sum(header.size for header in headers)
        self._positions[:count] = array("q", accumulate((header.size for header in headers), initial=self.begin))[1:]
        self._ends[:count] = array("q", [header.next_offset for header in headers])
        self._own_latest[:count] = array("q", [header.max_timestamp for header in headers])
        self._latest = array("q", accumulate(self._own_latest, max))
