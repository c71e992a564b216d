"""``format("kafka_nextgen")`` for Spark, which finds the data source by the name of this module.

Spark imports it whenever it looks for a data source. Therefore kafka_nextgen is not imported until a query is planned
or read, and a missing package raises nothing here: ``kafka_nextgen.requirements`` reports it later.
"""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING, NoReturn, cast

from pyspark.sql.datasource import DataSource, DataSourceReader, DataSourceStreamReader

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

__all__ = ["DefaultSource"]


class DefaultSource(DataSource):
    """Reads Kafka with the options, the schema and the checkpoints of Spark's built-in source, format ``kafka``."""

    @classmethod
    def name(cls) -> str:
        """The name of the format."""
        return "kafka_nextgen"

    def schema(self) -> StructType:
        """The available columns. Raises ``ConfigError`` for options that are invalid in every kind of query."""
        return cast("StructType", _source().schema_of(self.options))

    def reader(self, schema: StructType) -> DataSourceReader:
        """A reader of a batch query; ``schema`` are the columns to read. Raises ``ConfigError``."""
        return cast("DataSourceReader", _source().batch_reader(self.options, schema))

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:  # noqa: N802  (Spark's name)
        """A reader of a streaming query; ``schema`` are the columns to read. Raises ``ConfigError``."""
        return cast("DataSourceStreamReader", _source().stream_reader(self.options, schema))

    def writer(self, schema: StructType, overwrite: bool) -> NoReturn:
        """Raise ``ReadOnlySourceError``, which names the source that writes."""
        _source().refuse_to_write()
        raise AssertionError("unreachable")

    def streamWriter(self, schema: StructType, overwrite: bool) -> NoReturn:  # noqa: N802
        """Raise ``ReadOnlySourceError``, as ``writer`` does."""
        self.writer(schema, overwrite)


def _source() -> ModuleType:
    from kafka_nextgen.spark import source

    return source
