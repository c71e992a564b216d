"""Converts the types of formats to Spark's types. ``docs/guides/spark.md`` has the table.

Spark has no unsigned numbers, dictionaries, UUIDs or nanoseconds, and its decimals have 38 digits. Each type becomes
one that can hold all its values, but digits below a microsecond are cut off. Without one, planning the query refuses
the column.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import pyarrow as pa
from pyarrow import types
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    ByteType,
    DataType,
    DateType,
    DayTimeIntervalType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    MapType,
    NullType,
    ShortType,
    StringType,
    StructField,
    StructType,
    TimestampNTZType,
    TimestampType,
)

from kafka_nextgen.spark.errors import SchemaError

__all__ = ["check_selection", "is_uuid", "spark_type_of"]

_MOST_DIGITS: Final = 38

_BY_ARROW: Final[dict[pa.DataType, DataType]] = {
    pa.null(): NullType(),
    pa.bool_(): BooleanType(),
    pa.int8(): ByteType(),
    pa.int16(): ShortType(),
    pa.int32(): IntegerType(),
    pa.int64(): LongType(),
    pa.uint8(): ShortType(),
    pa.uint16(): IntegerType(),
    pa.uint32(): LongType(),
    pa.uint64(): DecimalType(20, 0),
    pa.float32(): FloatType(),
    pa.float64(): DoubleType(),
    pa.string(): StringType(),
    pa.binary(): BinaryType(),
    pa.date32(): DateType(),
}


def is_uuid(kind: pa.DataType) -> bool:
    """Return whether values are UUIDs."""
    return getattr(kind, "extension_name", None) == "arrow.uuid"


_RULES: Final[tuple[tuple[Callable[[pa.DataType], bool], Callable[[pa.DataType], DataType]], ...]] = (
    (is_uuid, lambda kind: StringType()),
    (types.is_dictionary, lambda kind: _BY_ARROW[kind.value_type]),
    (types.is_fixed_size_binary, lambda kind: BinaryType()),
    (types.is_timestamp, lambda kind: TimestampNTZType() if kind.tz is None else TimestampType()),
    (types.is_time, lambda kind: StringType()),
    (types.is_duration, lambda kind: DayTimeIntervalType()),
)


def spark_type_of(kind: pa.DataType, place: str) -> DataType:
    """Return Spark's type for a decoded type. Raises ``SchemaError``, which names the field."""
    if types.is_struct(kind):
        return StructType([_field(each, f"{place}.{each.name}") for each in kind])
    if types.is_list(kind):
        return ArrayType(spark_type_of(kind.value_type, f"{place}[]"), kind.value_field.nullable)
    if types.is_map(kind):
        key = spark_type_of(kind.key_type, f"{place}.key")
        return MapType(key, spark_type_of(kind.item_type, f"{place}.value"), kind.item_field.nullable)
    if types.is_decimal(kind) and kind.precision <= _MOST_DIGITS:
        return DecimalType(kind.precision, kind.scale)
    if kind in _BY_ARROW:
        return _BY_ARROW[kind]
    for test, make in _RULES:
        if test(kind):
            return make(kind)
    column, _, _ = place.partition(".")
    raise SchemaError(
        f"Spark has no type for {place}, which is {kind}: leave it out by specifying a schema with the other fields, "
        f'such as .schema("offset bigint, {column} struct<id: bigint>")'
    )


def _field(field: pa.Field, place: str) -> StructField:
    return StructField(field.name, spark_type_of(field.type, place), field.nullable)


def check_selection(wanted: DataType, there: pa.DataType, place: str) -> None:
    """Check that a type in the user's schema selects fields of the decoded type.

    Each struct may have some of the fields, in any order. Raises ``SchemaError``, which names the place.
    """
    if isinstance(wanted, StructType) and types.is_struct(there):
        for field in wanted:
            _check_field(field, there, place)
    elif isinstance(wanted, ArrayType) and types.is_list(there):
        _check_nulls(wanted.containsNull, there.value_field, f"{place}[]")
        check_selection(wanted.elementType, there.value_type, f"{place}[]")
    elif isinstance(wanted, MapType) and types.is_map(there):
        _check_nulls(wanted.valueContainsNull, there.item_field, f"{place}.value")
        check_selection(wanted.keyType, there.key_type, f"{place}.key")
        check_selection(wanted.valueType, there.item_type, f"{place}.value")
    elif wanted != (found := spark_type_of(there, place)):
        told = f"{place} is {found.simpleString()}; the schema says {wanted.simpleString()}"
        raise SchemaError(f"{told}: use cast() after load()")


def _check_field(field: StructField, there: pa.DataType, place: str) -> None:
    index = there.get_field_index(field.name)
    if index < 0:
        names = ", ".join(each.name for each in there)
        raise SchemaError(f"{place} has no field {field.name}. It has {names}")
    _check_nulls(field.nullable, there.field(index), f"{place}.{field.name}")
    check_selection(field.dataType, there.field(index).type, f"{place}.{field.name}")


def _check_nulls(may_be_null: bool, there: pa.Field, place: str) -> None:
    if there.nullable and not may_be_null:
        raise SchemaError(f"{place} may be null; the schema says NOT NULL: leave that out")
