"""Objects made in C of columns that nobody has checked: they are what the columns have, or it is a ValueError.

What the decoders make is always sound, so this is the second line of defence. Each buffer ends at a guarded page. An
input is a head (``_HEAD``), then what the buffers hold, one after the other, each as far as the input goes.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import islice, repeat
from typing import TypeVar

from attrs import frozen

from kafka_nextgen.compiled import ACCELERATED, accelerator
from kafka_nextgen.errors import DecodeError
from kafka_nextgen.types import Record, TimestampType
from tests.verification.fuzz.decoders.decoder import Decoder, refusals
from tests.verification.fuzz.guarded import Guarded

T = TypeVar("T")

_HEAD = struct.Struct(
    "<B2b7B"
)  # which buffers there are, start, stop, records, headers, bytes of four, records to take
_KEY_NULLS, _VALUE_NULLS, _HEADERS, _HEADER_NULLS = 1, 2, 4, 8
_MOST_BYTES = 4 * 1024
_KINDS = (TimestampType.CREATE_TIME, TimestampType.LOG_APPEND_TIME)


@cache
def _rooms() -> Sequence[Guarded]:
    return [Guarded(_MOST_BYTES) for _ in range(16)]


@frozen
class _Strings:
    """A column of byte strings as C gets it, and as Python reads it."""

    data: memoryview
    bounds: memoryview[int]
    validity: memoryview | None

    @property
    def given(self) -> tuple[memoryview, memoryview[int], memoryview | None]:
        return self.data, self.bounds, self.validity

    def between(self, start: int, stop: int) -> list[bytes | None]:
        _need(0 <= start <= stop < len(self.bounds))
        _need(self.validity is None or (stop + 7) // 8 <= len(self.validity))
        return [self._at(row) for row in range(start, stop)]

    def _at(self, row: int) -> bytes | None:
        if self.validity is not None and not self.validity[row >> 3] >> (row & 7) & 1:
            return None
        begin, end = self.bounds[row : row + 2]
        _need(0 <= begin <= end <= len(self.data))
        return bytes(self.data[begin:end])


@frozen
class _Headers:
    bounds: memoryview[int]
    keys: _Strings
    values: _Strings

    @property
    def given(self) -> tuple[memoryview[int], tuple[object, ...], tuple[object, ...]]:
        return self.bounds, self.keys.given, self.values.given

    def between(self, start: int, stop: int) -> list[tuple[tuple[str, bytes | None], ...]]:
        _need(0 <= start <= stop < len(self.bounds))
        return [self._at(*self.bounds[row : row + 2]) for row in range(start, stop)]

    def _at(self, begin: int, end: int) -> tuple[tuple[str, bytes | None], ...]:
        keys, values = self.keys.between(begin, end), self.values.between(begin, end)
        return tuple(((key or b"").decode(), value) for key, value in zip(keys, values, strict=True))


@frozen
class _Columns:
    offsets: memoryview[int]
    timestamps: memoryview[int]
    kinds: memoryview[int]
    leader_epochs: memoryview[int]
    keys: _Strings
    values: _Strings
    headers: _Headers | None

    def made(self, start: int, stop: int) -> accelerator.RecordRows[Record]:
        headers = None if self.headers is None else self.headers.given
        numbers = self.offsets, self.timestamps, self.kinds, self.leader_epochs
        strings = self.keys.given, self.values.given
        return accelerator.RecordRows(Record, "orders", 3, _KINDS, headers, *numbers, *strings, start, stop)

    def between(self, start: int, stop: int) -> list[Record]:
        numbers = self.offsets, self.timestamps, self.kinds, self.leader_epochs
        _need(0 <= start <= stop <= min(map(len, numbers)))
        kinds = self.kinds[start:stop].tolist()
        _need(all(0 <= kind < len(_KINDS) for kind in kinds))
        offsets, timestamps, _, epochs = (each[start:stop] for each in numbers)
        headers = repeat(()) if self.headers is None else self.headers.between(start, stop)
        strings = self.keys.between(start, stop), self.values.between(start, stop)
        rows = zip(offsets, timestamps, map(_KINDS.__getitem__, kinds), *strings, headers, epochs)  # noqa: B905
        return [Record("orders", 3, *row) for row in rows]


def _need(is_so: bool) -> None:
    if not is_so:
        raise ValueError("outside")


class _Cutter:
    """Cuts an input into buffers, each of whole numbers and in a room of its own."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._rooms = iter(_rooms())

    def cut(self, count: int, code: str) -> memoryview[int]:
        size = struct.calcsize(code)
        used = min(count, len(self._data) // size) * size
        piece, self._data = self._data[:used], self._data[used:]
        return next(self._rooms).put(piece).cast(code)

    def strings(self, count: int, data_bytes: int, has_nulls: int) -> _Strings:
        bounds = self.cut(count + 1, "i")
        validity = self.cut((count + 7) // 8, "B") if has_nulls else None
        return _Strings(self.cut(data_bytes, "B"), bounds, validity)


def _make(data: bytes) -> None:
    with refusals(ValueError):
        if not ACCELERATED:
            raise DecodeError("the extension was not compiled")
        if len(data) < _HEAD.size:
            raise DecodeError("there is no head")
        which, start, stop, count, headers, *sizes, taken = _HEAD.unpack_from(data)
        cutter = _Cutter(data[_HEAD.size :])
        numbers = [cutter.cut(count, code) for code in "qqbi"]
        keys, values = (
            cutter.strings(count, sizes[0], which & _KEY_NULLS),
            cutter.strings(count, sizes[1], which & _VALUE_NULLS),
        )
        of_each = cutter.cut(count + 1, "i")
        names, contents = cutter.strings(headers, sizes[2], 0), cutter.strings(headers, sizes[3], which & _HEADER_NULLS)
        lists = _Headers(of_each, names, contents)
        columns = _Columns(*numbers, keys, values, lists if which & _HEADERS else None)
        _compare(lambda: accelerator.to_list(*keys.given, start, stop), lambda: keys.between(start, stop))
        _compare(lambda: accelerator.to_headers(*lists.given, start, stop), lambda: lists.between(start, stop))
        _compare(lambda: list(columns.made(start, stop)), lambda: columns.between(start, stop))
        _check_end(columns.made(start, stop), taken)


def _compare(make: Callable[[], list[T]], read: Callable[[], list[T]]) -> None:
    """Both give the same, or both a ValueError."""
    made, should_be = _outcome(make), _outcome(read)
    assert made == should_be, f"{made}, not {should_be}"


def _outcome(call: Callable[[], list[T]]) -> list[T] | None:
    try:
        return call()
    except ValueError:
        return None


def _check_end(rows: accelerator.RecordRows[Record], taken: int) -> None:
    first = rows.row
    records = list(islice(rows, taken))
    assert rows.row == first + len(records)
    rows.end()
    assert next(rows, None) is None
    assert rows.row == first + len(records)


def _packed(*pieces: tuple[str, Sequence[int]]) -> bytes:
    return b"".join(struct.pack(f"<{len(numbers)}{code}", *numbers) for code, numbers in pieces)


def _seeds() -> Iterator[bytes]:
    for which in range(16):
        nulls = [("B", [0b101])]
        numbers = [("q", [40, 41, 44]), ("q", [7, 7, -1]), ("b", [0, 1, 0]), ("i", [5, 5, -1])]
        keys = [("i", [0, 1, 1, 3]), *nulls[: which & _KEY_NULLS], ("B", b"abc")]
        values = [("i", [0, 2, 2, 5]), *nulls[: which & _VALUE_NULLS], ("B", b"vwxyz")]
        names = [("i", [0, 1, 3]), ("B", "hö".encode())]
        contents = [("i", [0, 0, 4]), *([("B", [0b10])] if which & _HEADER_NULLS else []), ("B", b"1234")]
        head = _HEAD.pack(which, 0, 3, 3, 2, 3, 5, 3, 4, 1)
        yield head + _packed(*numbers, *keys, *values, ("i", [0, 1, 1, 2]), *names, *contents)


COMPILED_OBJECTS = Decoder(
    "compiled-objects", "columns to objects in C, against Python", _make, lambda: list(_seeds()), most_bytes=1024
)
