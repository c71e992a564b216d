"""Records as Arrow tables and batches. Imported only on demand, as pyarrow is an extra."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import pyarrow as pa

from kafka_nextgen.engine.application.arrow_columns import TOPIC, Build, builders_of, headers_or_none
from kafka_nextgen.engine.application.joined_runs import join_small
from kafka_nextgen.errors import ArrowSchemaError

if TYPE_CHECKING:
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

#: With ``SCHEMA``, a record without headers has an empty list, although the field is nullable.
_BUILDERS: tuple[Build, ...] = (*builders_of(SCHEMA)[:-1], partial(headers_or_none, _HEADERS))


def to_table(slices: Sequence[ColumnSlice], schema: pa.Schema | None = None) -> pa.Table:
    """Return a table with one record batch per slice, using ``schema``, or ``SCHEMA`` by default.

    Small slices are joined (``joined_runs``).
    """
    try:
        batches = [to_batch(part, schema) for part in join_small(slices)]
    except ArrowSchemaError:
        batches = [to_batch(part, schema) for part in slices]  # raises an error that names the partition
    if not batches:
        _builders_of(schema)  # raises for an invalid schema even if there are no records
    return pa.Table.from_batches(batches, schema=SCHEMA if schema is None else schema)


def to_batch(part: ColumnSlice, schema: pa.Schema | None = None) -> pa.RecordBatch:
    """Convert one slice, using ``schema``, or ``SCHEMA`` by default.

    Raises ArrowSchemaError for an unsupported column.
    """
    arrays = [build(part) for build in _builders_of(schema)]
    return pa.RecordBatch.from_arrays(arrays, schema=SCHEMA if schema is None else schema)


def _builders_of(schema: pa.Schema | None) -> tuple[Build, ...]:
    if schema is None:
        return _BUILDERS
    if not isinstance(schema, pa.Schema):
        raise TypeError(f"the schema must be a pyarrow.Schema, not {schema!r}")
    return builders_of(schema)
