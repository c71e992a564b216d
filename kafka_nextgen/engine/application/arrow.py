"""Columns to Arrow. Imported only when asked for: pyarrow is an extra."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from kafka_nextgen.wire.records import BinaryColumn, ColumnSlice

__all__ = ["SCHEMA", "to_table"]

_HEADER = pa.struct([pa.field("key", pa.string()), pa.field("value", pa.binary())])

SCHEMA = pa.schema(
    [
        ("topic", pa.dictionary(pa.int32(), pa.string())),
        ("partition", pa.int32()),
        ("offset", pa.int64()),
        ("timestamp", pa.timestamp("ms", tz="UTC")),
        ("key", pa.binary()),
        ("value", pa.binary()),
        ("headers", pa.list_(_HEADER)),
    ]
)


def to_table(slices: Sequence[ColumnSlice]) -> pa.Table:
    """One record batch per slice, in one table of ``SCHEMA``."""
    return pa.Table.from_batches([_to_batch(part) for part in slices], schema=SCHEMA)


def _to_batch(part: ColumnSlice) -> pa.RecordBatch:
    """The columns as they lie there: nothing is copied but the names of topic and partition."""
    columns, start, count = part.columns, part.start, len(part)
    topic = pa.DictionaryArray.from_arrays(pa.array([0] * count, pa.int32()), pa.array([part.partition.topic]))
    return pa.RecordBatch.from_arrays(
        [
            topic,
            pa.array([part.partition.partition] * count, pa.int32()),
            _numbers(columns.offsets, pa.int64()).slice(start, count),
            _numbers(columns.timestamps, pa.timestamp("ms", tz="UTC")).slice(start, count),
            _strings(columns.keys, pa.binary()).slice(start, count),
            _strings(columns.values, pa.binary()).slice(start, count),
            _headers(part),
        ],
        schema=SCHEMA,
    )


def _numbers(column: memoryview[int], kind: pa.DataType) -> pa.Array:
    return pa.Array.from_buffers(kind, len(column), [None, pa.py_buffer(column)])


def _strings(column: BinaryColumn, kind: pa.DataType) -> pa.Array:
    validity = None if column.validity is None else pa.py_buffer(column.validity)
    return pa.Array.from_buffers(kind, len(column), [validity, pa.py_buffer(column.bounds), pa.py_buffer(column.data)])


def _headers(part: ColumnSlice) -> pa.Array:
    headers = part.columns.headers
    if headers is None:
        return pa.array([[]] * len(part), pa.list_(_HEADER))
    pairs = pa.StructArray.from_arrays(
        [_strings(headers.keys, pa.string()), _strings(headers.values, pa.binary())], fields=list(_HEADER)
    )
    lists = pa.Array.from_buffers(
        pa.list_(_HEADER), len(headers), [None, pa.py_buffer(headers.bounds)], children=[pairs]
    )
    return lists.slice(part.start, len(part))
