"""Columns to Arrow, as they lie there: nothing is copied. Imported only when asked for: pyarrow is an extra.

What is the same for all records of a partition is made of buffers that cost nothing: the topic is a dictionary of one
name, and indexes that are all 0; without headers, all lists of headers are empty, which again is 0 as their bounds.
No list goes through ``pyarrow.array``: that imports pandas, if it is there, to see whether it is one of its own.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from functools import lru_cache

import pyarrow as pa

from kafka_nextgen.wire.records import BinaryColumn, ColumnSlice, HeaderColumn

__all__ = ["SCHEMA", "to_batch", "to_table"]

_HEADER = pa.struct([pa.field("key", pa.string()), pa.field("value", pa.binary())])
_HEADERS = pa.list_(_HEADER)
_TOPIC = pa.dictionary(pa.int32(), pa.string())
_TIMESTAMP = pa.timestamp("ms", tz="UTC")

SCHEMA = pa.schema(
    [
        ("topic", _TOPIC),
        ("partition", pa.int32()),
        ("offset", pa.int64()),
        ("timestamp", _TIMESTAMP),
        ("key", pa.binary()),
        ("value", pa.binary()),
        ("headers", _HEADERS),
    ]
)
_NO_PAIRS = pa.nulls(0, _HEADER)


def to_table(slices: Sequence[ColumnSlice]) -> pa.Table:
    """One record batch per slice, in one table of ``SCHEMA``."""
    return pa.Table.from_batches(map(to_batch, slices), schema=SCHEMA)


def to_batch(part: ColumnSlice) -> pa.RecordBatch:
    """The records of one slice, by ``SCHEMA``."""
    columns, count = part.columns, len(part)
    arrays = [
        _topic(part.partition.topic, count),
        _same(part.partition.partition, count),
        _numbers(columns.offsets, pa.int64(), part),
        _numbers(columns.timestamps, _TIMESTAMP, part),
        _strings(columns.keys, pa.binary(), part.start, count),
        _strings(columns.values, pa.binary(), part.start, count),
        _no_headers(count) if columns.headers is None else _headers(columns.headers, part.start, count),
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=SCHEMA)


def _numbers(column: memoryview[int], kind: pa.DataType, part: ColumnSlice) -> pa.Array:
    return pa.Array.from_buffers(kind, len(part), [None, pa.py_buffer(column)], offset=part.start)


def _strings(column: BinaryColumn, kind: pa.DataType, start: int, count: int) -> pa.Array:
    validity = None if column.validity is None else pa.py_buffer(column.validity)
    buffers = [validity, pa.py_buffer(column.bounds), pa.py_buffer(column.data)]
    return pa.Array.from_buffers(kind, count, buffers, offset=start)


def _headers(headers: HeaderColumn, start: int, count: int) -> pa.Array:
    names = _strings(headers.keys, pa.string(), 0, len(headers.keys))
    values = _strings(headers.values, pa.binary(), 0, len(headers.values))
    pairs = pa.StructArray.from_arrays([names, values], fields=list(_HEADER))
    return pa.Array.from_buffers(_HEADERS, count, [None, pa.py_buffer(headers.bounds)], offset=start, children=[pairs])


def _no_headers(count: int) -> pa.Array:
    return pa.Array.from_buffers(_HEADERS, count, [None, _zeros(count + 1)], children=[_NO_PAIRS])


def _topic(name: str, count: int) -> pa.Array:
    indexes = pa.Array.from_buffers(pa.int32(), count, [None, _zeros(count)])
    return pa.DictionaryArray.from_arrays(indexes, _dictionary(name), safe=False)


def _same(number: int, count: int) -> pa.Array:
    return pa.Array.from_buffers(pa.int32(), count, [None, pa.py_buffer(array("i", (number,)) * count)])


def _zeros(count: int) -> pa.Buffer:
    """At least that many int32 of 0, of which few sizes are kept for all."""
    return _zeros_of(max(4096, 1 << (count - 1).bit_length()))


@lru_cache(maxsize=32)
def _zeros_of(count: int) -> pa.Buffer:
    return pa.py_buffer(bytes(4 * count))


@lru_cache(maxsize=1024)
def _dictionary(topic: str) -> pa.Array:
    name = topic.encode()
    bounds = array("i", (0, len(name)))
    return pa.Array.from_buffers(pa.string(), 1, [None, pa.py_buffer(bounds), pa.py_buffer(name)])
