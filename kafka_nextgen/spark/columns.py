"""The columns of a query: the columns of Spark's built-in Kafka source, and decoded keys and values.

A format changes the type of ``key`` or ``value``. With ``onError=null`` there are also ``value_error`` and
``value_raw``, or the same for keys. A user's schema selects columns in any order, and fields of decoded columns. Types
are fixed, except that the user's schema determines the type of JSON if no option does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from attrs import field
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

from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.spark.errors import SchemaError
from kafka_nextgen.text import nearest, with_nearest

if TYPE_CHECKING:
    import pyarrow as pa

    from kafka_nextgen.spark.decoding.formats import Decoding
    from kafka_nextgen.spark.options import SourceOptions

__all__ = ["Columns", "decoding_of"]

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


def decoding_of(options: SourceOptions, wanted: StructType | None) -> Decoding | None:
    """Return how a query decodes keys and values, None if it does not; ``wanted`` is the user's schema, if any. This
    reads the schema file or queries the registry, so it has to run on the driver.
    """
    if options.decoding is None:
        return None
    from kafka_nextgen.spark.decoding.planning import plan_decoding  # imported here, since most queries don't decode

    return plan_decoding(options.decoding, wanted)


@frozen
class Columns:
    """The available columns: whether ``headers`` is one, and the types of decoded columns."""

    headers: bool = False
    decoded: Mapping[str, pa.DataType] = field(factory=dict)
    has_errors: bool = False

    @classmethod
    def of(cls, options: SourceOptions, decoding: Decoding | None) -> Columns:
        """Return the columns of a query."""
        if decoding is None:
            return cls(options.include_headers)
        from kafka_nextgen.spark.decoding.planning import types_of

        return cls(options.include_headers, types_of(decoding), decoding.on_error == "null")

    @property
    def schema(self) -> StructType:
        """All columns. Raises ``SchemaError`` for a decoded column for which Spark has no type."""
        return StructType([StructField(name, self._type_of(name)) for name in self._names()])

    def arrow_schema(self, wanted: StructType) -> pa.Schema:
        """Return the Arrow schema of the columns to read, with the source's own names. Raises ``SchemaError``.

        Column names in ``wanted`` are case-insensitive, as in Spark.
        """
        columns = [self._column(each) for each in wanted]
        if not columns or len({column.name for column in columns}) < len(columns):
            raise SchemaError(
                f"the schema must name one or more of the columns {', '.join(self._names())}, each at most once; "
                f"it has {wanted.names}"
            )
        return to_arrow_schema(StructType(columns), timezone="UTC")

    def _names(self) -> list[str]:
        names = [name for name in _COLUMNS if self.headers or name != "headers"]
        return names + [name for name in self._error_types() if self.has_errors]

    def _error_types(self) -> Iterator[str]:
        for name in self.decoded:
            yield from (f"{name}_error", f"{name}_raw")

    def _type_of(self, name: str) -> DataType:
        if name in self.decoded:
            from kafka_nextgen.spark.decoding.spark_types import spark_type_of

            return spark_type_of(self.decoded[name], name)
        if name in _COLUMNS:
            return _COLUMNS[name]
        return StringType() if name.endswith("_error") else BinaryType()

    def _column(self, wanted: StructField) -> StructField:
        """Return the column that a field of the user's schema selects."""
        name = next((one for one in self._names() if one.lower() == wanted.name.lower()), None)
        if name is None:
            raise SchemaError(self._why_missing(wanted.name))
        if name in self.decoded:
            from kafka_nextgen.spark.decoding.spark_types import check_selection

            check_selection(wanted.dataType, self.decoded[name], name)
            return StructField(name, wanted.dataType)
        kind = self._type_of(name)
        if wanted.dataType != kind:
            found, right = wanted.dataType.simpleString(), kind.simpleString()
            raise SchemaError(f"the column {wanted.name} is {right}; the schema says {found}: {_advice(name)}")
        return StructField(name, kind)

    def _why_missing(self, name: str) -> str:
        if name.lower() == "headers":
            return 'the column "headers" needs the option includeHeaders=true'
        if name.lower() in self._error_types():
            return f"the column {name} needs the option onError=null"
        what = f"there is no column {with_nearest(name, nearest(name, self._names()))}"
        fields = "".join(f". Fields of a decoded {each} are in the column {each}" for each in self.decoded)
        return f"{what}. The columns are {', '.join(self._names())}{fields}"


def _advice(name: str) -> str:
    if name in ("key", "value"):
        return f"use cast() after load(), or decode it with the option {name}Format"
    return "use cast() after load()"
