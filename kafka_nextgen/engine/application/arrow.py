"""Columns to Arrow, as they lie there: nothing is copied. Imported only when asked for: pyarrow is an extra.

What is the same for all records of a partition is made of buffers that cost nothing: the topic is a dictionary of one
name, and indexes that are all 0; without headers, all lists of headers are empty, which again is 0 as their bounds.
No list goes through ``pyarrow.array``: that imports pandas, if it is there, to see whether it is one of its own.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from functools import lru_cache

import pyarrow as pa

from kafka_nextgen.wire.records import BinaryColumn, ColumnSlice, HeaderColumn

__all__ = [
    "SCHEMA",
    "TOPIC",
    "binary_array",
    "headers_array",
    "no_headers_array",
    "number_array",
    "same_array",
    "to_batch",
    "to_table",
    "topic_array",
    "zeros",
]

_HEADERS = pa.list_(pa.struct([pa.field("key", pa.string()), pa.field("value", pa.binary())]))
_TIMESTAMP = pa.timestamp("ms", tz="UTC")
#: The name of the topic as it costs the least.
TOPIC = pa.dictionary(pa.int32(), pa.string())

SCHEMA = pa.schema(
    [
        ("topic", TOPIC),
        ("partition", pa.int32()),
        ("offset", pa.int64()),
        ("timestamp", _TIMESTAMP),
        ("key", pa.binary()),
        ("value", pa.binary()),
        ("headers", _HEADERS),
    ]
)


def to_table(slices: Sequence[ColumnSlice], schema: pa.Schema | None = None) -> pa.Table:
    """One record batch per slice, in one table of ``schema``, or of ``SCHEMA``."""
    batches = [to_batch(part, schema) for part in slices]
    if schema is not None and not batches:
        _builders_of(schema)  # what is wrong with it is told without records, too
    return pa.Table.from_batches(batches, schema=SCHEMA if schema is None else schema)


def to_batch(part: ColumnSlice, schema: pa.Schema | None = None) -> pa.RecordBatch:
    """The records of one slice, by ``schema`` or by ``SCHEMA``. Raises ArrowSchemaError for what records don't have."""
    if schema is not None:
        return pa.RecordBatch.from_arrays([build(part) for build in _builders_of(schema)], schema=schema)
    columns, count = part.columns, len(part)
    headers = columns.headers
    arrays = [
        topic_array(part.partition.topic, count),
        same_array(part.partition.partition, count),
        number_array(columns.offsets, pa.int64(), part),
        number_array(columns.timestamps, _TIMESTAMP, part),
        binary_array(columns.keys, part),
        binary_array(columns.values, part),
        no_headers_array(_HEADERS, count) if headers is None else headers_array(_HEADERS, headers, part),
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=SCHEMA)


def _builders_of(schema: pa.Schema) -> Sequence[Callable[[ColumnSlice], pa.Array]]:
    from kafka_nextgen.engine.application.arrow_columns import builders_of  # it imports more of pyarrow

    if not isinstance(schema, pa.Schema):
        raise TypeError(f"a pyarrow.Schema is needed, not {schema!r}")
    return builders_of(schema)


def number_array(column: memoryview[int], kind: pa.DataType, part: ColumnSlice) -> pa.Array:
    """The numbers of these records, of a type as wide as they are."""
    return pa.Array.from_buffers(kind, len(part), [None, pa.py_buffer(column)], offset=part.start)


def binary_array(column: BinaryColumn, part: ColumnSlice) -> pa.Array:
    """The keys or values of these records."""
    return _strings(column, pa.binary(), part.start, len(part))


def _strings(column: BinaryColumn, kind: pa.DataType, start: int, count: int) -> pa.Array:
    validity = None if column.validity is None else pa.py_buffer(column.validity)
    buffers = [validity, pa.py_buffer(column.bounds), pa.py_buffer(column.data)]
    return pa.Array.from_buffers(kind, count, buffers, offset=start)


def headers_array(
    kind: pa.DataType, headers: HeaderColumn, part: ColumnSlice, validity: pa.Buffer | None = None
) -> pa.Array:
    """The headers of these records, as lists of this type; ``validity`` has a bit for each record."""
    names = _strings(headers.keys, pa.string(), 0, len(headers.keys))
    values = _strings(headers.values, pa.binary(), 0, len(headers.values))
    pairs = pa.StructArray.from_arrays([names, values], fields=list(kind.value_type))
    bounds = pa.py_buffer(headers.bounds[part.start : part.stop + 1])
    return pa.Array.from_buffers(kind, len(part), [validity, bounds], children=[pairs])


def no_headers_array(kind: pa.DataType, count: int, validity: pa.Buffer | None = None) -> pa.Array:
    """Lists of this type without anything in them."""
    return pa.Array.from_buffers(kind, count, [validity, zeros(count + 1)], children=[_no_pairs(kind.value_type)])


def topic_array(name: str, count: int) -> pa.Array:
    """The same name as often as that, as a dictionary."""
    indexes = pa.Array.from_buffers(pa.int32(), count, [None, zeros(count)])
    return pa.DictionaryArray.from_arrays(indexes, _dictionary(name), safe=False)


def same_array(number: int, count: int) -> pa.Array:
    """The same int32 as often as that."""
    return pa.Array.from_buffers(pa.int32(), count, [None, pa.py_buffer(array("i", (number,)) * count)])


def zeros(count: int) -> pa.Buffer:
    """At least that many int32 of 0, of which few sizes are kept for all."""
    return _zeros_of(max(4096, 1 << (count - 1).bit_length()))


@lru_cache(maxsize=32)
def _zeros_of(count: int) -> pa.Buffer:
    return pa.py_buffer(bytes(4 * count))


@lru_cache(maxsize=32)
def _no_pairs(kind: pa.DataType) -> pa.Array:
    return pa.nulls(0, kind)


@lru_cache(maxsize=1024)
def _dictionary(topic: str) -> pa.Array:
    name = topic.encode()
    bounds = array("i", (0, len(name)))
    return pa.Array.from_buffers(pa.string(), 1, [None, pa.py_buffer(bounds), pa.py_buffer(name)])
