"""Converts Arrow's types to nodes. Imported only for an Arrow schema, since pyarrow is an extra.

Columns of some types are built as similar types, and then cast: large and view types, fixed-size lists, and
dictionaries of strings.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa
from pyarrow import types

from kafka_nextgen.errors import JsonSchemaError
from kafka_nextgen.values.json.checks import check_names
from kafka_nextgen.values.json.leaves import Leaves
from kafka_nextgen.values.json.program import MOST_FIXED_ITEMS, Node

__all__ = ["Arrow", "Cast"]

_Make = Callable[[Leaves, str, bool, pa.DataType], Node]


def _any(*tests: str) -> Callable[[pa.DataType], bool]:
    """Return a test for these types; an older pyarrow may not know some of them."""
    known = [getattr(types, test) for test in tests if hasattr(types, test)]
    return lambda kind: any(test(kind) for test in known)


_is_text = _any("is_string", "is_large_string", "is_string_view")

#: The tests of types, and the functions that create their nodes.
_LEAVES: tuple[tuple[Callable[[pa.DataType], bool], _Make], ...] = (
    (types.is_null, lambda leaves, name, nullable, kind: leaves.null(name)),
    (types.is_boolean, lambda leaves, name, nullable, kind: leaves.boolean(name, nullable)),
    (
        types.is_integer,
        lambda leaves, name, nullable, kind: leaves.integer(
            name, nullable, kind.bit_width // 8, types.is_signed_integer(kind)
        ),
    ),
    (
        _any("is_float32", "is_float64"),
        lambda leaves, name, nullable, kind: leaves.floating(name, nullable, kind.bit_width // 8),
    ),
    (
        _is_text,
        lambda leaves, name, nullable, kind: leaves.string(name, nullable),
    ),
    (
        _any("is_binary", "is_large_binary", "is_binary_view"),
        lambda leaves, name, nullable, kind: leaves.binary(name, nullable),
    ),
    (
        _any("is_decimal128", "is_decimal256"),
        lambda leaves, name, nullable, kind: leaves.decimal(
            name, nullable, kind.bit_width // 8, kind.precision, kind.scale
        ),
    ),
    (types.is_date, lambda leaves, name, nullable, kind: leaves.date(name, nullable, kind.bit_width // 8)),
    (types.is_time, lambda leaves, name, nullable, kind: leaves.time(name, nullable, kind.unit)),
    (
        types.is_timestamp,
        lambda leaves, name, nullable, kind: leaves.timestamp(name, nullable, kind.unit, kind.tz or ""),
    ),
    (types.is_duration, lambda leaves, name, nullable, kind: leaves.duration(name, nullable, kind.unit)),
)
_MOST_FIXED = 1 << 20


class Arrow:
    """An Arrow schema: its node, and the schema to which the columns are cast."""

    def __init__(self, schema: Any, leaves: Leaves) -> None:
        self._leaves = leaves
        if isinstance(schema, pa.DataType):
            self.kind, self._fields, self._metadata = schema, None, None
            self.node = self._node(pa.field("", schema, nullable=types.is_null(schema)), "")
        else:
            known = _schema_of(schema)
            self._fields, self._metadata = list(known), known.metadata
            self.kind = pa.struct(self._fields)
            self.node = self._struct("", False, self._fields, "")

    def target(self, name: str, flat: bool) -> pa.Schema:
        """Return the schema of the columns. All are nullable, since a value can be null or bad."""
        fields = self._fields
        if flat and fields is None and types.is_struct(self.kind):
            fields = [self.kind.field(index) for index in range(self.kind.num_fields)]
        if not flat or fields is None:
            return pa.schema([pa.field(name, self.kind)])
        return pa.schema([field.with_nullable(True) for field in fields], metadata=self._metadata)

    def _node(self, field: pa.Field, place: str) -> Node:
        name, kind, nullable = field.name, field.type, field.nullable
        for test, make in _LEAVES:
            if test(kind):
                return make(self._leaves, name, nullable, kind)
        if types.is_dictionary(kind) and _is_text(kind.value_type):
            return self._leaves.string(name, nullable)
        if types.is_fixed_size_binary(kind) and 1 <= kind.byte_width <= _MOST_FIXED:
            return self._leaves.fixed(name, nullable, kind.byte_width)
        if getattr(kind, "extension_name", None) == "arrow.uuid":
            return self._leaves.uuid(name, nullable)
        return self._nested(field, place)

    def _nested(self, field: pa.Field, place: str) -> Node:
        name, kind, nullable = field.name, field.type, field.nullable
        if types.is_list(kind) or types.is_large_list(kind):
            return self._leaves.list(name, nullable, self._node(kind.value_field, f"{place}[]"))
        if types.is_fixed_size_list(kind) and 1 <= kind.list_size <= MOST_FIXED_ITEMS:
            return self._leaves.list(name, nullable, self._node(kind.value_field, f"{place}[]"), kind.list_size)
        if types.is_map(kind) and _is_text(kind.key_type):
            return self._leaves.map(name, nullable, self._node(kind.item_field, f"{place}{{}}"))
        if types.is_struct(kind):
            return self._struct(name, nullable, [kind.field(index) for index in range(kind.num_fields)], place)
        raise JsonSchemaError(f"{place or 'the value'}: {kind} can't be read from JSON")

    def _struct(self, name: str, nullable: bool, fields: list[pa.Field], place: str) -> Node:
        check_names([field.name for field in fields], place or "the schema")
        children = tuple(self._node(field, f"{place}.{field.name}".removeprefix(".")) for field in fields)
        return self._leaves.struct(name, nullable, children)


def _schema_of(schema: Any) -> pa.Schema:
    try:
        return pa.schema(schema)
    except (TypeError, ValueError) as error:
        raise JsonSchemaError(f"this is neither an Arrow schema nor an Arrow type: {error}") from None


class Cast:
    """Columns that are cast to other types, such as large strings, when they are exported."""

    def __init__(self, columns: Any, target: pa.Schema) -> None:
        self._columns, self._target = columns, target

    def __arrow_c_schema__(self) -> object:
        return self._target.__arrow_c_schema__()

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]:
        batch = pa.record_batch(self._columns)
        arrays = [
            array if array.type == field.type else array.cast(field.type)
            for array, field in zip(batch.columns, self._target, strict=True)
        ]
        both: tuple[object, object] = pa.RecordBatch.from_arrays(arrays, schema=self._target).__arrow_c_array__()
        return both
