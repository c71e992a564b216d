"""Convert decoded columns to the Arrow types that Spark accepts, without an object for each value.

Structs get the fields that the query selects. A conversion can fail for a single value, such as a time in milliseconds
whose microseconds exceed 64 bits. That row then becomes null, and is reported as invalid.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import types

from kafka_nextgen.spark.decoding.spark_types import is_uuid
from kafka_nextgen.values.formats import BadValue

__all__ = ["converted", "converted_rows"]

#: Where the groups of hexadecimal digits of a UUID begin and end (RFC 9562).
_GROUPS: Final = ((0, 8), (8, 12), (12, 16), (16, 20), (20, 32))
_UUID_DIGITS: Final = 32


def converted_rows(array: pa.Array, target: pa.DataType) -> tuple[pa.Array, list[BadValue]]:
    """Convert an array, and find the rows that can't be converted; these are null."""
    pieces: list[pa.Array] = []
    bad: list[BadValue] = []
    waiting = [array]
    row = 0
    while waiting:
        piece = waiting.pop()
        try:
            pieces.append(converted(piece, target))
        except pa.ArrowInvalid as error:
            if len(piece) > 1:
                half = len(piece) // 2
                waiting += [piece.slice(half), piece.slice(0, half)]
                continue
            pieces.append(pa.nulls(1, target))
            bad.append(BadValue(row, f"not a valid Spark value: {error}"))
        row += len(piece)
    return pieces[0] if len(pieces) == 1 else pa.concat_arrays(pieces), bad


def converted(array: pa.Array, target: pa.DataType) -> pa.Array:
    """Convert an array. Raises ``pyarrow.ArrowInvalid`` if a value can't be converted."""
    kind = array.type
    if types.is_struct(kind):
        return _struct(array, target)
    if types.is_list(kind):
        return _nested(array, target, converted(array.values, target.value_type))
    if types.is_map(kind):
        keys, items = converted(array.keys, target.key_type), converted(array.items, target.item_type)
        entries = pa.StructArray.from_arrays([keys, items], fields=[target.key_field, target.item_field])
        return _nested(array, target, entries)
    if kind == target:
        return array
    for test, convert in _LEAVES:
        if test(kind):
            return convert(array, target)
    return array.cast(target)


def _struct(array: pa.StructArray, target: pa.StructType) -> pa.Array:
    children = [converted(array.field(field.name), field.type) for field in target]
    if not children:
        return pa.Array.from_buffers(target, len(array), array.buffers()[:1], offset=array.offset)
    mask = array.is_null() if array.null_count else None
    return pa.StructArray.from_arrays(children, fields=list(target), mask=mask)


def _nested(array: pa.Array, target: pa.DataType, child: pa.Array) -> pa.Array:
    """A list or map with the same bounds and another child array; works for sliced arrays too."""
    return pa.Array.from_buffers(target, len(array), array.buffers()[:2], offset=array.offset, children=[child])


def _uuid(array: pa.Array, target: pa.DataType) -> pa.Array:
    """UUIDs as text, in the usual form."""
    storage = array.storage
    size = len(storage)
    data = storage.buffers()[1]
    begin = storage.offset * _UUID_DIGITS // 2
    digits = b"" if data is None else data[begin : begin + size * _UUID_DIGITS // 2].to_pybytes().hex().encode()
    text = pa.Array.from_buffers(pa.binary(_UUID_DIGITS), size, [None, pa.py_buffer(digits)]).cast(pa.binary())
    groups = [pc.binary_slice(text, begin, end) for begin, end in _GROUPS]
    joined = pc.binary_join_element_wise(*groups, b"-").cast(target)
    return pc.if_else(storage.is_valid(), joined, pa.scalar(None, target))


def _timestamp(array: pa.Array, target: pa.DataType) -> pa.Array:
    return (pc.floor_temporal(array, unit="microsecond") if array.type.unit == "ns" else array).cast(target)


def _duration(array: pa.Array, target: pa.DataType) -> pa.Array:
    return array.cast(target, safe=array.type.unit != "ns")


_LEAVES: Final[tuple[tuple[Callable[[pa.DataType], bool], Callable[[pa.Array, pa.DataType], pa.Array]], ...]] = (
    (is_uuid, _uuid),
    (types.is_timestamp, _timestamp),
    (types.is_duration, _duration),
)
