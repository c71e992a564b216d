"""Columns to Arrow. Imported only when asked for: pyarrow is an extra."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from kafka_nextgen.wire.records import ColumnSlice

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
    columns, rows, count = part.columns, slice(part.start, part.stop), len(part)
    topic = pa.DictionaryArray.from_arrays(pa.array([0] * count, pa.int32()), pa.array([part.partition.topic]))
    return pa.RecordBatch.from_arrays(
        [
            topic,
            pa.array([part.partition.partition] * count, pa.int32()),
            pa.array(columns.offsets[rows], pa.int64()),
            pa.array(columns.timestamps[rows], pa.int64()).cast(pa.timestamp("ms", tz="UTC")),
            pa.array(columns.keys[rows], pa.binary()),
            pa.array(columns.values[rows], pa.binary()),
            _headers(part),
        ],
        schema=SCHEMA,
    )


def _headers(part: ColumnSlice) -> pa.Array:
    headers = part.columns.headers
    if headers is None:
        return pa.array([[]] * len(part), pa.list_(_HEADER))
    rows = headers[part.start : part.stop]
    return pa.array([[{"key": k, "value": v} for k, v in row] for row in rows], pa.list_(_HEADER))
