"""Exports the Python builder's columns as pyarrow arrays. Imported only for the export, because pyarrow is optional."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

from kafka_nextgen.values.columns import Flat, Kind, children_of

if TYPE_CHECKING:
    from kafka_nextgen.values.columns import _Filled

__all__ = ["array_of", "type_of"]

_SIMPLE = {
    "n": pa.null(),
    "b": pa.bool_(),
    "c": pa.int8(),
    "C": pa.uint8(),
    "s": pa.int16(),
    "S": pa.uint16(),
    "i": pa.int32(),
    "I": pa.uint32(),
    "l": pa.int64(),
    "L": pa.uint64(),
    "f": pa.float32(),
    "g": pa.float64(),
    "z": pa.binary(),
    "u": pa.string(),
    "tdD": pa.date32(),
    "tdm": pa.date64(),
    "tts": pa.time32("s"),
    "ttm": pa.time32("ms"),
    "ttu": pa.time64("us"),
    "ttn": pa.time64("ns"),
    "tin": pa.month_day_nano_interval(),
}
_UNITS = {"s": "s", "m": "ms", "u": "us", "n": "ns"}


def _decimal(parameters: str) -> pa.DataType:
    precision, scale, *bits = map(int, parameters.split(","))
    return pa.decimal256(precision, scale) if bits else pa.decimal128(precision, scale)


#: Functions that create an Arrow type from the rest of a format string, by its first letters.
_PARAMETRIC: dict[str, Callable[[str], pa.DataType]] = {
    "w:": lambda size: pa.binary(int(size)),
    "d:": _decimal,
    "tD": lambda rest: pa.duration(_UNITS[rest]),
    "ts": lambda rest: pa.timestamp(_UNITS[rest[0]], tz=rest[2:] or None),
}


def _field(layout: Sequence[Flat], index: int) -> pa.Field:
    return pa.field(layout[index][3], type_of(layout, index), nullable=layout[index][4])


def type_of(layout: Sequence[Flat], index: int) -> pa.DataType:
    """Return the Arrow type of a column."""
    _, _, form, _, _, _, symbols, metadata = layout[index]
    fields = [_field(layout, child) for child in children_of(layout, index)]
    if metadata is not None:
        return pa.uuid()
    if symbols is not None:
        return pa.dictionary(pa.int32(), pa.string())
    if form == "+s":
        return pa.struct(fields)
    if form == "+l":
        return pa.list_(fields[0])
    if form == "+m":
        return pa.map_(fields[0].type[0], fields[0].type[1])
    return _SIMPLE.get(form) or _PARAMETRIC[form[:2]](form[2:])


def array_of(layout: Sequence[Flat], columns: Sequence[_Filled], index: int) -> pa.Array:
    """Return a column as an array, with its children."""
    kind, column = type_of(layout, index), columns[index]
    if column.kind == Kind.NULLS:
        return pa.nulls(column.length)
    children = [array_of(layout, columns, child) for child in children_of(layout, index)]
    if layout[index][6] is not None:
        numbers = pa.Array.from_buffers(pa.int32(), column.length, _buffers(column))
        return pa.DictionaryArray.from_arrays(numbers, pa.array(layout[index][6], pa.string()), safe=False)
    if isinstance(kind, pa.ExtensionType | pa.BaseExtensionType):
        storage = pa.Array.from_buffers(kind.storage_type, column.length, _buffers(column))
        return pa.ExtensionArray.from_storage(kind, storage)
    return pa.Array.from_buffers(kind, column.length, _buffers(column), children=children)


def _buffers(column: _Filled) -> list[pa.Buffer | None]:
    validity = _bits(index not in column.nulls for index in range(column.length)) if column.nulls else None
    if column.kind == Kind.STRINGS:
        return [validity, pa.py_buffer(column.bounds), pa.py_buffer(column.data)]
    if column.kind == Kind.LISTS:
        return [validity, pa.py_buffer(column.bounds)]
    if column.kind == Kind.STRUCTS:
        return [validity]
    return [validity, _bits(map(bool, column.data)) if column.kind == Kind.BITS else pa.py_buffer(column.data)]


def _bits(flags: Iterator[bool]) -> pa.Buffer:
    """Return a bitmap, lowest bit first."""
    number, count = 0, 0
    chunks = bytearray()
    for flag in flags:
        number |= flag << count % 8
        count += 1
        if count % 8 == 0:
            chunks.append(number)
            number = 0
    if count % 8:
        chunks.append(number)
    return pa.py_buffer(chunks)
