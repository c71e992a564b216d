"""Columns as the caller's Arrow schema has them: found by name, in the schema's order, of the schema's types.

- What lies in memory as the type wants it is not copied: all but topics as strings, timestamps in microseconds,
  timestamp types as int32, and which records have headers.
- Names inside of ``headers`` count as far as they tell key from value; that of the list's child is the caller's.
- A record without headers has null if the field is nullable, as fields are unless it is said, and else an empty list.
- ``timestampType`` is another name of ``timestamp_type``: Spark's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache, partial

import pyarrow as pa
import pyarrow.compute as pc

from kafka_nextgen.engine.application.arrow import (
    TOPIC,
    binary_array,
    headers_array,
    no_headers_array,
    number_array,
    same_array,
    topic_array,
    zeros,
)
from kafka_nextgen.errors import ArrowSchemaError
from kafka_nextgen.wire.records import ColumnSlice, HeaderColumn

__all__ = ["builders_of"]

#: Makes one column of some records.
Build = Callable[[ColumnSlice], pa.Array]
#: How to make a column of this field; None if it can't have this type.
Find = Callable[[pa.Field], Build | None]


@lru_cache(maxsize=64)
def builders_of(schema: pa.Schema) -> tuple[Build, ...]:
    """What makes the columns of ``schema``. Raises ArrowSchemaError for what records don't have."""
    if not len(schema):
        raise ArrowSchemaError("a schema without columns does not tell how many records there are: name one of them")
    return tuple(map(_builder_of, schema))


def _builder_of(field: pa.Field) -> Build:
    if field.name not in _COLUMNS:
        raise ArrowSchemaError(f"records have no column {field.name!r}; they have {', '.join(_COLUMNS)}", field.name)
    find, possible = _COLUMNS[field.name]
    build = find(field)
    if build is None:
        raise ArrowSchemaError(f"column {field.name!r} can't be {field.type}; it can be {possible}", field.name)
    return build


def _topic(field: pa.Field) -> Build | None:
    if field.type == TOPIC:
        return lambda part: topic_array(part.partition.topic, len(part))
    if field.type == pa.string():
        return lambda part: topic_array(part.partition.topic, len(part)).cast(pa.string())
    return None


def _partition(field: pa.Field) -> Build | None:
    return _if_int32(field, lambda part: same_array(part.partition.partition, len(part)))


def _offset(field: pa.Field) -> Build | None:
    return (lambda part: number_array(part.columns.offsets, pa.int64(), part)) if field.type == pa.int64() else None


def _timestamp(field: pa.Field) -> Build | None:
    kind = field.type
    if not pa.types.is_timestamp(kind) or kind.unit not in ("ms", "us"):
        return None
    return partial(_milliseconds if kind.unit == "ms" else _microseconds, kind)


def _milliseconds(kind: pa.DataType, part: ColumnSlice) -> pa.Array:
    return number_array(part.columns.timestamps, kind, part)


def _microseconds(kind: pa.DataType, part: ColumnSlice) -> pa.Array:
    try:
        return _milliseconds(pa.timestamp("ms", kind.tz), part).cast(kind)
    except pa.ArrowInvalid as error:
        message = f"{part.partition}: a timestamp exceeds 64 bits in microseconds; ask for timestamp[ms]: {error}"
        raise ArrowSchemaError(message, "timestamp") from error


def _timestamp_type(field: pa.Field) -> Build | None:
    if field.type == pa.int8():
        return lambda part: number_array(part.columns.timestamp_types, pa.int8(), part)
    return _if_int32(field, lambda part: number_array(part.columns.timestamp_types, pa.int8(), part).cast(pa.int32()))


def _leader_epoch(field: pa.Field) -> Build | None:
    return _if_int32(field, lambda part: number_array(part.columns.leader_epochs, pa.int32(), part))


def _if_int32(field: pa.Field, build: Build) -> Build | None:
    return build if field.type == pa.int32() else None


def _key(field: pa.Field) -> Build | None:
    return (lambda part: binary_array(part.columns.keys, part)) if field.type == pa.binary() else None


def _value(field: pa.Field) -> Build | None:
    return (lambda part: binary_array(part.columns.values, part)) if field.type == pa.binary() else None


def _headers(field: pa.Field) -> Build | None:
    if not pa.types.is_list(field.type) or not pa.types.is_struct(field.type.value_type):
        return None
    pair = field.type.value_type
    if [(each.name, each.type) for each in pair] != [("key", pa.string()), ("value", pa.binary())]:
        return None
    return partial(_headers_or_null if field.nullable else _headers_or_none, field.type)


def _headers_or_none(kind: pa.DataType, part: ColumnSlice) -> pa.Array:
    headers = part.columns.headers
    return no_headers_array(kind, len(part)) if headers is None else headers_array(kind, headers, part)


def _headers_or_null(kind: pa.DataType, part: ColumnSlice) -> pa.Array:
    headers = part.columns.headers
    if headers is None:
        return no_headers_array(kind, len(part), validity=zeros(len(part)))
    return headers_array(kind, headers, part, _has_any(headers, part))


def _has_any(headers: HeaderColumn, part: ColumnSlice) -> pa.Buffer:
    """A bit for each record of ``part``: whether it has headers."""
    bounds = pa.py_buffer(headers.bounds)
    begins = pa.Array.from_buffers(pa.int32(), len(part), [None, bounds], offset=part.start)
    ends = pa.Array.from_buffers(pa.int32(), len(part), [None, bounds], offset=part.start + 1)
    return pc.not_equal(begins, ends).buffers()[1]


#: By name: what finds the way to make it, and the types it can have.
_COLUMNS: Mapping[str, tuple[Find, str]] = {
    "topic": (_topic, "string, or a dictionary of int32 to string"),
    "partition": (_partition, "int32"),
    "offset": (_offset, "int64"),
    "timestamp": (_timestamp, "timestamp[ms] or timestamp[us], of any time zone"),
    "timestamp_type": (_timestamp_type, "int32 or int8"),
    "timestampType": (_timestamp_type, "int32 or int8"),
    "leader_epoch": (_leader_epoch, "int32"),
    "key": (_key, "binary"),
    "value": (_value, "binary"),
    "headers": (_headers, "a list of structs of key (string) and value (binary)"),
}
