"""The columns of the data source: those of Spark's built-in Kafka source, with ``headers`` if ``includeHeaders``.

The user may give a schema that selects some of these columns, in any order. Their types are fixed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    DataType,
    IntegerType,
    LongType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)

from kafka_nextgen.spark.errors import SchemaError
from kafka_nextgen.text import nearest, with_nearest

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["arrow_schema", "schema_with"]

_HEADERS = ArrayType(StructType([StructField("key", StringType()), StructField("value", BinaryType())]))

_COLUMNS: dict[str, DataType] = {
    "key": BinaryType(),
    "value": BinaryType(),
    "topic": StringType(),
    "partition": IntegerType(),
    "offset": LongType(),
    "timestamp": TimestampType(),
    "timestampType": IntegerType(),
    "headers": _HEADERS,
}


def schema_with(*, headers: bool) -> StructType:
    """Return the columns, with or without ``headers``."""
    return StructType([StructField(name, kind) for name, kind in _COLUMNS.items() if headers or name != "headers"])


def arrow_schema(schema: StructType, *, headers: bool) -> pa.Schema:
    """Return the Arrow schema of the columns to read, as pyspark expects it. Raises ``SchemaError``."""
    there = schema_with(headers=headers)
    for field in schema:
        if field.name not in there.names:
            raise SchemaError(_why_missing(field.name, there))
        if field.dataType != there[field.name].dataType:
            found, wanted = field.dataType.simpleString(), there[field.name].dataType.simpleString()
            raise SchemaError(f"the column {field.name} is {wanted}; the schema says {found}: use cast() after load()")
    if not len(schema) or len(set(schema.names)) < len(schema):
        raise SchemaError(
            f"the schema must name columns, each once, of {', '.join(there.names)}; it has {schema.names}"
        )
    return to_arrow_schema(schema, timezone="UTC")


def _why_missing(name: str, there: StructType) -> str:
    if name == "headers":
        return "the column headers needs the option includeHeaders=true"
    return f"there is no column {with_nearest(name, nearest(name, there.names))}. There are {', '.join(there.names)}"
