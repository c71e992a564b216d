"""Records in Arrow's tables and batches. Imported only when asked for: pyarrow is an extra."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import pyarrow as pa

from kafka_nextgen.engine.application.arrow_columns import TOPIC, Build, builders_of, headers_or_none
from kafka_nextgen.wire.records import ColumnSlice

__all__ = ["SCHEMA", "to_batch", "to_table"]

_HEADERS = pa.list_(pa.struct([pa.field("key", pa.string()), pa.field("value", pa.binary())]))
SCHEMA = pa.schema(
    [
        ("topic", TOPIC),
        ("partition", pa.int32()),
        ("offset", pa.int64()),
        ("timestamp", pa.timestamp("ms", tz="UTC")),
        ("key", pa.binary()),
        ("value", pa.binary()),
        ("headers", _HEADERS),
    ]
)

#: A record without headers has an empty list in ``SCHEMA``, although the field is nullable.
_BUILDERS: tuple[Build, ...] = (*builders_of(SCHEMA)[:-1], partial(headers_or_none, _HEADERS))


def to_table(slices: Sequence[ColumnSlice], schema: pa.Schema | None = None) -> pa.Table:
    """One record batch per slice, in one table of ``schema``, or of ``SCHEMA``."""
    batches = [to_batch(part, schema) for part in slices]
    if not batches:
        _builders_of(schema)  # what is wrong with it is told without records, too
    return pa.Table.from_batches(batches, schema=SCHEMA if schema is None else schema)


def to_batch(part: ColumnSlice, schema: pa.Schema | None = None) -> pa.RecordBatch:
    """The records of one slice, by ``schema`` or by ``SCHEMA``. Raises ArrowSchemaError for what records don't have."""
    arrays = [build(part) for build in _builders_of(schema)]
    return pa.RecordBatch.from_arrays(arrays, schema=SCHEMA if schema is None else schema)


def _builders_of(schema: pa.Schema | None) -> tuple[Build, ...]:
    if schema is None:
        return _BUILDERS
    if not isinstance(schema, pa.Schema):
        raise TypeError(f"the schema must be a pyarrow.Schema, not {schema!r}")
    return builders_of(schema)
