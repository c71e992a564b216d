"""Columns of byte strings while they grow: buffers like those they end as, and objects of some entries only.

What they take beside their bytes is four bytes an entry for its end, and one once an entry is null. As an object a
small entry takes forty.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import accumulate, islice

from attrs import Factory, define

from kafka_nextgen.wire.records.binary_column import BinaryColumn
from kafka_nextgen.wire.records.columns import HeaderColumn

__all__ = ["OBJECTS_AT_ONCE", "GrowingBinary", "GrowingHeaders"]

#: How many entries may be objects: enough to make the work per batch small.
OBJECTS_AT_ONCE = 1024

_NULL, _PRESENT = b"0", b"1"


@define
class GrowingBinary:
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
class GrowingHeaders:
    """A ``HeaderColumn`` on its way: the headers of a record come first, then where they end."""

    bounds: array[int]
    keys: GrowingBinary = Factory(GrowingBinary)
    values: GrowingBinary = Factory(GrowingBinary)

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
