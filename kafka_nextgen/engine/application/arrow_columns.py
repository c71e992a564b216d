"""Builds the columns of an Arrow schema: matched by name, in the schema's order, with the schema's types.

- Columns that are the same for all records of a partition cost almost nothing: the topic is a dictionary of one name
  whose indexes are all 0; without headers, the lists of headers are all empty, so their offsets are all 0 too.
- No list is passed to ``pyarrow.array``: that function imports pandas, if installed, to check for pandas types.
- Data that already has the memory layout of the type is not copied. Only these columns are computed: topics as strings,
  timestamps in microseconds, timestamp types as int32, and the validity of headers.
- In the type of ``headers``, the struct's field names must identify key and value; the name of the list's child is up
  to the caller.
- A record without headers gets null if the field is nullable, which is Arrow's default, and an empty list otherwise.
- ``timestampType`` is Spark's name for ``timestamp_type``; both are accepted.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping
from functools import lru_cache, partial

import pyarrow as pa

from kafka_nextgen.engine.application.joined_runs import JoinedRuns
from kafka_nextgen.errors import ArrowSchemaError
from kafka_nextgen.wire.records import BinaryColumn, ColumnSlice, HeaderColumn

__all__ = ["TOPIC", "Build", "builders_of", "headers_or_none"]

#: The cheapest type for the topic's name.
TOPIC = pa.dictionary(pa.int32(), pa.string())

#: Builds one column of some records.
Build = Callable[[ColumnSlice], pa.Array]
#: Returns the function that builds a column for this field; None if it can't have this type.
Find = Callable[[pa.Field], Build | None]


@lru_cache(maxsize=64)
def builders_of(schema: pa.Schema) -> tuple[Build, ...]:
    """Return the functions that build the columns of ``schema``. Raises ArrowSchemaError for an unsupported column."""
    if not len(schema):
        raise ArrowSchemaError(
            "a schema without columns can't represent the number of records: name at least one column"
        )
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
        return _topics
    if field.type == pa.string():
        return lambda part: _topics(part).cast(pa.string())
    return None


def _timestamp(field: pa.Field) -> Build | None:
    kind = field.type
    if not pa.types.is_timestamp(kind) or kind.unit not in ("ms", "us"):
        return None
    if kind.unit == "ms":
        return lambda part: _numbers(part.columns.timestamps, kind, part)
    return partial(_microseconds, kind)


def _microseconds(kind: pa.DataType, part: ColumnSlice) -> pa.Array:
    try:
        return _numbers(part.columns.timestamps, pa.timestamp("ms", kind.tz), part).cast(kind)
    except pa.ArrowInvalid as error:
        message = f"{part.partition}: a timestamp exceeds 64 bits in microseconds; use timestamp[ms]: {error}"
        raise ArrowSchemaError(message, "timestamp") from error


def _timestamp_type(field: pa.Field) -> Build | None:
    if field.type == pa.int8():
        return _timestamp_types
    return (lambda part: _timestamp_types(part).cast(pa.int32())) if field.type == pa.int32() else None


def _timestamp_types(part: ColumnSlice) -> pa.Array:
    return _numbers(part.columns.timestamp_types, pa.int8(), part)


def _only(kind: pa.DataType, build: Build) -> Find:
    """Return a ``Find`` for a column that has only one possible type."""
    return lambda field: build if field.type == kind else None


def _headers(field: pa.Field) -> Build | None:
    if not pa.types.is_list(field.type) or not pa.types.is_struct(field.type.value_type):
        return None
    pair = field.type.value_type
    if [(each.name, each.type) for each in pair] != [("key", pa.string()), ("value", pa.binary())]:
        return None
    return partial(_headers_or_null if field.nullable else headers_or_none, field.type)


def headers_or_none(kind: pa.DataType, part: ColumnSlice) -> pa.Array:
    """Build the headers column as lists of this type; all lists are empty if no record has headers."""
    headers = part.columns.headers
    return _no_headers(kind, len(part)) if headers is None else _some_headers(kind, headers, part)


def _headers_or_null(kind: pa.DataType, part: ColumnSlice) -> pa.Array:
    headers = part.columns.headers
    if headers is None:
        return _no_headers(kind, len(part), validity=_zeros(len(part)))
    return _some_headers(kind, headers, part, _has_any(headers, part))


def _has_any(headers: HeaderColumn, part: ColumnSlice) -> pa.Buffer:
    """Return a bitmap with one bit for each record of ``part``: whether it has headers."""
    import pyarrow.compute as pc  # imported here, because it loads more of pyarrow

    bounds = pa.py_buffer(headers.bounds)
    begins = pa.Array.from_buffers(pa.int32(), len(part), [None, bounds], offset=part.start)
    ends = pa.Array.from_buffers(pa.int32(), len(part), [None, bounds], offset=part.start + 1)
    return pc.not_equal(begins, ends).buffers()[1]


# ---- arrays


def _numbers(column: memoryview[int], kind: pa.DataType, part: ColumnSlice) -> pa.Array:
    """Build a numeric column with a type that has the same width as the numbers."""
    return pa.Array.from_buffers(kind, len(part), [None, pa.py_buffer(column)], offset=part.start)


def _partitions(part: ColumnSlice) -> pa.Array:
    if isinstance(part, JoinedRuns):
        return pa.Array.from_buffers(pa.int32(), len(part), [None, pa.py_buffer(part.numbers)])
    numbers = array("i", (part.partition.partition,)) * len(part)
    return pa.Array.from_buffers(pa.int32(), len(part), [None, pa.py_buffer(numbers)])


def _binaries(column: BinaryColumn, part: ColumnSlice) -> pa.Array:
    return _strings(column, pa.binary(), part.start, len(part))


def _strings(column: BinaryColumn, kind: pa.DataType, start: int, count: int) -> pa.Array:
    validity = None if column.validity is None else pa.py_buffer(column.validity)
    buffers = [validity, pa.py_buffer(column.bounds), pa.py_buffer(column.data)]
    return pa.Array.from_buffers(kind, count, buffers, offset=start)


def _some_headers(
    kind: pa.DataType, headers: HeaderColumn, part: ColumnSlice, validity: pa.Buffer | None = None
) -> pa.Array:
    """Build the headers column as lists of this type; ``validity`` has a bit for each record."""
    names = _strings(headers.keys, pa.string(), 0, len(headers.keys))
    values = _strings(headers.values, pa.binary(), 0, len(headers.values))
    pairs = pa.StructArray.from_arrays([names, values], fields=list(kind.value_type))
    bounds = pa.py_buffer(headers.bounds[part.start : part.stop + 1])
    return pa.Array.from_buffers(kind, len(part), [validity, bounds], children=[pairs])


def _no_headers(kind: pa.DataType, count: int, validity: pa.Buffer | None = None) -> pa.Array:
    """Build a column of empty lists of this type."""
    return pa.Array.from_buffers(kind, count, [validity, _zeros(count + 1)], children=[_no_pairs(kind.value_type)])


def _topics(part: ColumnSlice) -> pa.Array:
    """Build the topic column as a dictionary."""
    indexes = pa.Array.from_buffers(pa.int32(), len(part), [None, _zeros(len(part))])
    return pa.DictionaryArray.from_arrays(indexes, _dictionary(part.partition.topic), safe=False)


def _zeros(count: int) -> pa.Buffer:
    """Return a buffer of at least ``count`` int32 zeros. Only a few sizes are cached, and all callers share them."""
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


#: By column name: the function that finds its builder, and the types it can have.
_COLUMNS: Mapping[str, tuple[Find, str]] = {
    "topic": (_topic, "string, or a dictionary with int32 indices and string values"),
    "partition": (_only(pa.int32(), _partitions), "int32"),
    "offset": (_only(pa.int64(), lambda part: _numbers(part.columns.offsets, pa.int64(), part)), "int64"),
    "timestamp": (_timestamp, "timestamp[ms] or timestamp[us], in any time zone"),
    "timestamp_type": (_timestamp_type, "int32 or int8"),
    "timestampType": (_timestamp_type, "int32 or int8"),
    "leader_epoch": (_only(pa.int32(), lambda part: _numbers(part.columns.leader_epochs, pa.int32(), part)), "int32"),
    "key": (_only(pa.binary(), lambda part: _binaries(part.columns.keys, part)), "binary"),
    "value": (_only(pa.binary(), lambda part: _binaries(part.columns.values, part)), "binary"),
    "headers": (_headers, "a list of structs of key (string) and value (binary)"),
}
