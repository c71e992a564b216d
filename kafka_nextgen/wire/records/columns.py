"""Records as columns: one buffer per field instead of one object per record, in Arrow's layout.

All columns of one ``Columns`` have the same length; index i of each belongs to record i. Only ``headers`` may be None:
then no record has any, the common case, which costs nothing. A record's position in the log is its offset. Reading
continues at ``next_offset``, which exceeds the last offset plus one if a control batch or records removed by compaction
follow. ``end_epoch`` is the leader epoch of the last batch before that, whether or not it has records, -1 if there is
none. A client uses it to check with a leader whether its log is the one that was read (KIP-320).

All byte strings of a column share one buffer (Arrow, "Variable-size Binary Layout"): entry i is in ``data`` from
``bounds[i]`` to ``bounds[i + 1]``. Null entries have no bytes and a 0 in ``validity``, a bitmap with the lowest bit
first; without nulls there is no bitmap.

In Python, columns grow batch by batch in the builders below, in buffers of the final layout. An object per record would
take ten times as much memory for small records: an entry of a byte column takes four bytes in addition to its own, and
four more if it is null; as an object it takes forty.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterator
from functools import partial
from itertools import pairwise

from attrs import Factory, evolve, field

from kafka_nextgen.compiled import ACCELERATED, accelerator
from kafka_nextgen.lazy_attrs import define
from kafka_nextgen.types import TopicPartition

__all__ = ["BinaryBuilder", "BinaryColumn", "Columns", "ColumnsBuilder", "HeaderBuilder", "HeaderColumn", "Headers"]


@define(eq=False)
class BinaryColumn:
    """A column of byte strings, some of which may be null. ``bounds`` are int32, one more than there are entries."""

    data: bytes | memoryview
    bounds: memoryview[int]
    validity: bytes | memoryview | None = None

    def __len__(self) -> int:
        return len(self.bounds) - 1

    def __getitem__(self, index: int) -> bytes | None:
        if self.validity is not None and not self.validity[index >> 3] >> (index & 7) & 1:
            return None
        return bytes(self.data[self.bounds[index] : self.bounds[index + 1]])

    def __iter__(self) -> Iterator[bytes | None]:
        return iter(self.to_list(0, len(self)))

    def to_list(self, start: int, stop: int) -> list[bytes | None]:
        """The entries from ``start`` up to, but not including, ``stop`` as objects."""
        if ACCELERATED:
            return accelerator.to_list(self.data, self.bounds, self.validity, start, stop)
        if self.validity is not None:
            if not any(self.validity[start >> 3 : (stop + 7) >> 3]):
                return [None] * (stop - start)
            return [self[index] for index in range(start, stop)]
        data = bytes(self.data)  # the same object if it is already bytes
        return [data[begin:end] for begin, end in pairwise(self.bounds[start : stop + 1].tolist())]

    def first(self, count: int) -> BinaryColumn:
        """The first ``count`` entries; nothing is copied."""
        return BinaryColumn(self.data, self.bounds[: count + 1], self.validity)

    @property
    def buffers(self) -> tuple[bytes | memoryview, memoryview[int], bytes | memoryview | None]:
        """Its bytes, bounds and validity."""
        return self.data, self.bounds, self.validity

    @property
    def nbytes(self) -> int:
        """The size of the column in bytes."""
        return len(self.data) + self.bounds.nbytes + len(self.validity or b"")


Headers = tuple[tuple[str, bytes | None], ...]
_UNKNOWN = -1
_Strings = tuple["bytes | memoryview", "memoryview[int]", "bytes | memoryview | None"]  # data, bounds, validity


@define(eq=False)
class HeaderColumn:
    """The headers of each record, as Arrow's lists of pairs.

    The headers of record i are the ``keys`` (UTF-8, never null) and ``values`` from ``bounds[i]`` to ``bounds[i + 1]``.
    """

    bounds: memoryview[int]
    keys: BinaryColumn
    values: BinaryColumn

    def __len__(self) -> int:
        return len(self.bounds) - 1

    def __getitem__(self, index: int) -> Headers:
        return self.to_list(index, index + 1)[0]

    def __iter__(self) -> Iterator[Headers]:
        return iter(self.to_list(0, len(self)))

    def to_list(self, start: int, stop: int) -> list[Headers]:
        """The headers of the records from ``start`` up to, but not including, ``stop`` as objects."""
        if ACCELERATED:
            return accelerator.to_headers(*self.buffers, start, stop)
        bounds = self.bounds[start : stop + 1].tolist()
        first, last = bounds[0], bounds[-1]
        keys = [(key or b"").decode() for key in self.keys.to_list(first, last)]
        pairs = list(zip(keys, self.values.to_list(first, last), strict=True))
        return [tuple(pairs[begin - first : end - first]) for begin, end in pairwise(bounds)]

    def first(self, count: int) -> HeaderColumn:
        """The headers of the first ``count`` records; nothing is copied."""
        return HeaderColumn(self.bounds[: count + 1], self.keys, self.values)

    @property
    def buffers(self) -> tuple[memoryview[int], _Strings, _Strings]:
        """Its bounds, and the buffers of its keys and values."""
        return self.bounds, self.keys.buffers, self.values.buffers

    @property
    def nbytes(self) -> int:
        """The size of the column in bytes."""
        return self.bounds.nbytes + self.keys.nbytes + self.values.nbytes


def _numbers(typecode: str) -> memoryview[int]:
    return memoryview(array(typecode))


def _no_entries() -> BinaryColumn:
    return BinaryColumn(b"", memoryview(array("i", (0,))))


@define(eq=False)
class Columns:
    """Records of one partition in order of their offsets.

    ``timestamps`` (int64) are in milliseconds since the epoch, -1 if there is none; ``timestamp_types`` (int8) are
    numbers of ``TimestampType``; ``leader_epochs`` (int32) are -1 if the broker sent none; ``offsets`` are int64.
    ``data_bytes`` is the uncompressed size of the batches. ``truncated`` means that there was data, but no complete
    batch beyond the requested offset, so that the same request would return the same data again.
    """

    partition: TopicPartition
    next_offset: int
    offsets: memoryview[int] = Factory(lambda: _numbers("q"))
    timestamps: memoryview[int] = Factory(lambda: _numbers("q"))
    keys: BinaryColumn = Factory(_no_entries)
    values: BinaryColumn = Factory(_no_entries)
    headers: HeaderColumn | None = None
    leader_epochs: memoryview[int] = Factory(lambda: _numbers("i"))
    timestamp_types: memoryview[int] = Factory(lambda: _numbers("b"))
    data_bytes: int = 0
    truncated: bool = False
    end_epoch: int = -1
    #: The memory that these records take, in bytes; computed unless it is given.
    nbytes: int = field(default=_UNKNOWN, repr=False)

    def __attrs_post_init__(self) -> None:
        if self.nbytes == _UNKNOWN:
            numbers = self.offsets, self.timestamps, self.leader_epochs, self.timestamp_types
            headers = () if self.headers is None else (self.headers,)
            self.nbytes = sum([each.nbytes for each in (*numbers, self.keys, self.values, *headers)])

    def __len__(self) -> int:
        return len(self.offsets)

    def before(self, offset: int) -> Columns:
        """The records before ``offset``; ``next_offset`` is at most that. Nothing is copied, and no memory is freed."""
        if self.next_offset <= offset:
            return self
        count = bisect_left(self.offsets, offset)
        if count == len(self):  # the offset is in a gap after the last record
            return evolve(self, next_offset=offset)
        return evolve(
            self,
            next_offset=offset,
            offsets=self.offsets[:count],
            timestamps=self.timestamps[:count],
            keys=self.keys.first(count),
            values=self.values.first(count),
            headers=None if self.headers is None else self.headers.first(count),
            leader_epochs=self.leader_epochs[:count],
            timestamp_types=self.timestamp_types[:count],
            data_bytes=self.data_bytes * count // len(self),
            end_epoch=self.leader_epochs[count - 1] if count else _UNKNOWN,
        )


@define
class BinaryBuilder:
    """Builds a ``BinaryColumn``; ``nulls`` are the indices of null entries."""

    data: bytearray = Factory(bytearray)
    bounds: array[int] = Factory(partial(array, "i", (0,)))
    nulls: array[int] = Factory(partial(array, "i"))

    def __len__(self) -> int:
        return len(self.bounds) - 1

    def append(self, entry: bytes | None) -> None:
        """Append an entry."""
        if entry is None:
            self.nulls.append(len(self.bounds) - 1)
        else:
            self.data += entry
        self.bounds.append(len(self.data))

    def cut(self, count: int) -> None:
        """Keep only the first ``count`` entries."""
        del self.bounds[count + 1 :]
        del self.data[self.bounds[-1] :]
        del self.nulls[bisect_left(self.nulls, count) :]

    def finish(self) -> BinaryColumn:
        """Return the column of these entries, whose total size is below 2 GiB, and clear the builder."""
        data, bounds, nulls = bytes(self.data), self.bounds, self.nulls
        self.data, self.bounds, self.nulls = bytearray(), array("i", (0,)), array("i")
        if not nulls:
            return BinaryColumn(data, memoryview(bounds))
        count = len(bounds) - 1
        validity = bytes((count + 7) // 8)
        if len(nulls) < count:
            digits = bytearray(b"1") * count
            for index in nulls:
                digits[index] = ord("0")
            validity = int(digits[::-1], 2).to_bytes(len(validity), "little")
        return BinaryColumn(data, memoryview(bounds), validity)


@define
class HeaderBuilder:
    """Builds a ``HeaderColumn``: add the headers of a record first, then the position where they end."""

    bounds: array[int]
    keys: BinaryBuilder = Factory(BinaryBuilder)
    values: BinaryBuilder = Factory(BinaryBuilder)

    def cut(self, count: int) -> None:
        """Keep only the headers of the first ``count`` records."""
        del self.bounds[count + 1 :]
        self.keys.cut(self.bounds[-1])
        self.values.cut(self.bounds[-1])


@define
class ColumnsBuilder:
    """The part of a partition's ``Columns`` that has been read so far."""

    next_offset: int
    offsets: array[int] = Factory(partial(array, "q"))
    timestamps: array[int] = Factory(partial(array, "q"))
    keys: BinaryBuilder = Factory(BinaryBuilder)
    values: BinaryBuilder = Factory(BinaryBuilder)
    headers: HeaderBuilder | None = None
    leader_epochs: array[int] = Factory(partial(array, "i"))
    timestamp_types: array[int] = Factory(partial(array, "b"))
    data_bytes: int = 0
    end_epoch: int = -1

    def __len__(self) -> int:
        return len(self.offsets)

    def cut(self, count: int, with_headers: bool) -> None:
        """Keep only the first ``count`` records; the next may be incomplete. ``with_headers`` if the kept ones have
        any.
        """
        for numbers in (self.offsets, self.timestamps, self.leader_epochs, self.timestamp_types):
            del numbers[count:]
        self.keys.cut(count)
        self.values.cut(count)
        if not with_headers:
            self.headers = None
        elif self.headers is not None:
            self.headers.cut(count)

    def finish(self, partition: TopicPartition, truncated: bool) -> Columns:
        """Return the columns, and clear the builder."""
        headers = None
        if self.headers is not None:
            keys, values = self.headers.keys.finish(), self.headers.values.finish()
            headers = HeaderColumn(memoryview(self.headers.bounds), keys, values)
        return Columns(
            partition,
            self.next_offset,
            memoryview(self.offsets),
            memoryview(self.timestamps),
            self.keys.finish(),
            self.values.finish(),
            headers,
            memoryview(self.leader_epochs),
            memoryview(self.timestamp_types),
            self.data_bytes,
            truncated,
            self.end_epoch,
        )
