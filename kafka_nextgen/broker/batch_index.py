"""What the batches of a log are found by: three numbers each, which never fall from one batch to the next.

| number | finds |
|---|---|
| the offset after the batch | the batch of an offset |
| its position in the store after the batch (``BatchStore``) | its bytes, and how many batches a number of bytes are |
| the highest timestamp up to and with the batch | the first batch that may have a record as late as a time |

The last is made of each batch's own, anew where the batches with the highest go.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate

from kafka_nextgen.wire.records import BatchHeader

__all__ = ["BatchIndex"]


class BatchIndex:
    """The batches of one log, numbered from 0 as of the oldest; ``begin`` is the position of that one."""

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
        """The highest timestamp there is, None without any batch."""
        return self._latest[-1] if self._latest else None

    def position(self, index: int) -> int:
        """The position where a batch begins, or after the last."""
        return self._positions[index - 1] if index else self.begin

    def end_offset(self, index: int) -> int:
        """The offset after a batch."""
        return self._ends[index]

    def ending_by_offset(self, offset: int) -> int:
        """How many batches have no offset from this one on."""
        return bisect_right(self._ends, offset)

    def ending_by_position(self, position: int) -> int:
        """How many batches lie before a position."""
        return bisect_right(self._positions, position)

    def earlier_than(self, timestamp: int) -> int:
        """How many batches from the first on have nothing as late as this."""
        return bisect_left(self._latest, timestamp)

    def add(self, end_offset: int, size: int, timestamp: int) -> None:
        """Note one more batch: the offset after it, its bytes, and its highest timestamp."""
        self._positions.append(self.end + size)
        self._ends.append(end_offset)
        self._own_latest.append(max(timestamp, -1))
        self._latest.append(max(self._own_latest[-1], self._latest[-1] if self._latest else -1))

    def drop(self, count: int) -> None:
        """Forget the oldest batches."""
        self.begin = self.position(count)
        gone = self._latest[count - 1] if count else -1
        del self._ends[:count], self._positions[:count], self._latest[:count], self._own_latest[:count]
        if self._latest and self._latest[0] <= gone:
            self._latest = array("q", accumulate(self._own_latest, max))

    def rewrite(self, count: int, headers: Sequence[BatchHeader]) -> None:
        """Instead of the oldest batches there are these now, with the same offsets; they end where those ended."""
        assert headers[-1].next_offset == self._ends[count - 1]
        self.begin = self.position(count) - sum(header.size for header in headers)
        self._positions[:count] = array("q", accumulate((header.size for header in headers), initial=self.begin))[1:]
        self._ends[:count] = array("q", [header.next_offset for header in headers])
        self._own_latest[:count] = array("q", [header.max_timestamp for header in headers])
        self._latest = array("q", accumulate(self._own_latest, max))
