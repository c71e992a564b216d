"""Columns while they grow batch by batch, as buffers like those they end as.

An object per record would take ten times as much for small ones: an entry of a byte column takes four bytes beside its
own for its end, and one more once any entry is null; as an object it takes forty. Only the last entries are objects.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import accumulate, islice

from attrs import Factory, define

from kafka_nextgen.types import TopicPartition
from kafka_nextgen.wire.records.columns import BinaryColumn, Columns, HeaderColumn

__all__ = ["OBJECTS_AT_ONCE", "BinaryBuilder", "ColumnsBuilder", "HeaderBuilder"]

#: How many entries may be objects: enough to make the work per batch small.
OBJECTS_AT_ONCE = 1024

_NULL, _PRESENT = b"0", b"1"


@define
class BinaryBuilder:
    """A ``BinaryColumn`` on its way.

    ``present`` has a digit for each entry, or nothing while no entry is null; ``waiting`` are the last entries, which
    are objects still.
    """

    data: bytearray = Factory(bytearray)
    bounds: array[int] = Factory(lambda: array("i", (0,)))
    present: bytearray = Factory(bytearray)
    waiting: list[bytes | None] = Factory(list)

    def __len__(self) -> int:
        return len(self.bounds) - 1 + len(self.waiting)

    def extend(self, entries: Sequence[bytes | None]) -> None:
        """Append these entries."""
        self.waiting += entries
        if len(self.waiting) >= OBJECTS_AT_ONCE:
            self._settle()

    def append(self, entry: bytes | None) -> None:
        """Append one entry."""
        self.waiting.append(entry)
        if len(self.waiting) >= OBJECTS_AT_ONCE:
            self._settle()

    def cut(self, count: int) -> None:
        """Keep the first ``count`` entries only."""
        self._settle()
        del self.bounds[count + 1 :]
        del self.data[self.bounds[-1] :]
        del self.present[count:]

    def finish(self) -> BinaryColumn:
        """The column of these entries, which are less than 2 GiB together; nothing is left here."""
        self._settle()
        data, bounds, present = bytes(self.data), self.bounds, self.present
        self.data, self.bounds, self.present = bytearray(), array("i", (0,)), bytearray()
        return BinaryColumn(data, memoryview(bounds), _bitmap(present) if _NULL in present else None)

    def _settle(self) -> None:
        """Bring what waits to where it stays."""
        entries, self.waiting = self.waiting, []
        nulls = entries.count(None)
        if nulls or self.present:
            self.present += _PRESENT * (len(self) - len(self.present)) + _digits(entries, nulls)
        there = [entry or b"" for entry in entries]
        self.bounds.extend(islice(accumulate(map(len, there), initial=self.bounds[-1]), 1, None))
        self.data += b"".join(there)


@define
class HeaderBuilder:
    """A ``HeaderColumn`` on its way: the headers of a record come first, then where they end."""

    bounds: array[int]
    keys: BinaryBuilder = Factory(BinaryBuilder)
    values: BinaryBuilder = Factory(BinaryBuilder)

    def end_records(self, counts: Sequence[int]) -> None:
        """Say of so many records how many headers each has; all of those are there."""
        self.bounds.extend(islice(accumulate(counts, initial=self.bounds[-1]), 1, None))

    def cut(self, count: int) -> None:
        """Keep those of the first ``count`` records only."""
        del self.bounds[count + 1 :]
        self.keys.cut(self.bounds[-1])
        self.values.cut(self.bounds[-1])

    def finish(self) -> HeaderColumn:
        """The column of these headers."""
        return HeaderColumn(memoryview(self.bounds), self.keys.finish(), self.values.finish())


def _digits(entries: Sequence[bytes | None], nulls: int) -> bytes:
    if nulls in (0, len(entries)):
        return (_NULL if nulls else _PRESENT) * len(entries)
    return b"".join([_NULL if entry is None else _PRESENT for entry in entries])


def _bitmap(present: bytearray) -> bytes:
    return int(present[::-1], 2).to_bytes((len(present) + 7) // 8, "little")


@define
class ColumnsBuilder:
    """What was read of a partition so far, as ``Columns`` describes it."""

    next_offset: int
    offsets: array[int] = Factory(lambda: array("q"))
    timestamps: array[int] = Factory(lambda: array("q"))
    keys: BinaryBuilder = Factory(BinaryBuilder)
    values: BinaryBuilder = Factory(BinaryBuilder)
    headers: HeaderBuilder | None = None
    leader_epochs: array[int] = Factory(lambda: array("i"))
    timestamp_types: array[int] = Factory(lambda: array("b"))
    data_bytes: int = 0
    end_epoch: int = -1

    def __len__(self) -> int:
        return len(self.offsets)

    def need_headers(self) -> HeaderBuilder:
        """The headers; the records before had none if this was not asked for yet."""
        if self.headers is None:
            self.headers = HeaderBuilder(array("i", (0,)) * (len(self) + 1))
        return self.headers

    def cut(self, count: int, with_headers: bool) -> None:
        """Keep the first ``count`` records only, however far the one behind them got; ``with_headers`` if they had."""
        for numbers in (self.offsets, self.timestamps, self.leader_epochs, self.timestamp_types):
            del numbers[count:]
        self.keys.cut(count)
        self.values.cut(count)
        if not with_headers:
            self.headers = None
        elif self.headers is not None:
            self.headers.cut(count)

    def finish(self, partition: TopicPartition, truncated: bool) -> Columns:
        """The columns of all this, which is nothing any more."""
        return Columns(
            partition,
            self.next_offset,
            memoryview(self.offsets),
            memoryview(self.timestamps),
            self.keys.finish(),
            self.values.finish(),
            None if self.headers is None else self.headers.finish(),
            memoryview(self.leader_epochs),
            memoryview(self.timestamp_types),
            self.data_bytes,
            truncated,
            self.end_epoch,
        )
