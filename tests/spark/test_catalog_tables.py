"""Tables of Spark's catalog, by what Spark gives a Python source when they are made and when they are read."""

from __future__ import annotations

import pytest

pytest.importorskip("pyspark")

from pyspark.sql.types import StructType

from kafka_nextgen.errors import ConfigError
from kafka_nextgen.spark.errors import ReadOnlySourceError
from kafka_nextgen.spark.source import BatchReader, batch_reader, schema_of, schema_with, stream_reader
from pyspark_kafka_nextgen import DefaultSource

OPTIONS = {"kafka.bootstrap.servers": "localhost:9092", "subscribe": "t", "startingoffsets": "earliest"}


def made_by_spark(**options: str) -> dict[str, str]:
    """The properties that Spark 4.3 has for CREATE TABLE with these options."""
    given = {**OPTIONS, **options}
    adds = {"provider": "kafka_nextgen", "owner": "root", "comment": "orders", "location": "file:/t", "path": "file:/t"}
    return {**adds, **given, **{f"option.{name}": text for name, text in given.items()}}


def read_back(columns: StructType) -> StructType:
    """The columns, through the catalog."""
    return StructType.fromJson(columns.jsonValue())


def test_what_spark_adds_to_a_table_is_no_option() -> None:
    columns = schema_of(made_by_spark())
    assert columns.simpleString() == schema_with(headers=False).simpleString()


def test_a_property_of_the_user_is_no_option_and_a_mistake_in_the_options_is_refused() -> None:
    schema_of({**made_by_spark(), "team": "payments"})
    with pytest.raises(ConfigError, match="the nearest is startingOffsets"):
        schema_of(made_by_spark(startingoffset="earliest"))


def test_a_query_of_a_table_has_the_options_that_the_table_was_created_with() -> None:
    """Spark gives it none, only the columns."""
    columns = read_back(schema_of(made_by_spark(includeheaders="true")))
    assert "headers" in columns.names
    for reader in (batch_reader({}, columns), stream_reader({}, columns)):
        assert reader._options.kafka.settings
        assert reader._options.include_headers


def test_a_spark_that_gives_the_options_of_a_table_is_understood() -> None:
    assert isinstance(batch_reader(made_by_spark(), schema_with(headers=False)), BatchReader)


def test_options_of_a_load_count_and_not_those_that_its_schema_once_had() -> None:
    columns = read_back(schema_of(made_by_spark(minpartitions="7")))
    assert batch_reader(OPTIONS, columns)._options.split_options.min_partitions is None


def test_an_option_where_a_table_is_read_is_refused() -> None:
    """One use of a table in a query would be served with the options of another."""
    with pytest.raises(ConfigError, match="the option startingtimestamp is given where a table is read"):
        batch_reader({"startingtimestamp": "5"}, read_back(schema_of(made_by_spark())))


def test_a_table_that_was_created_with_columns_has_no_options() -> None:
    with pytest.raises(ConfigError, match="leave the columns out of CREATE TABLE"):
        batch_reader({}, schema_with(headers=False))


@pytest.mark.parametrize("name", ["kafka.sasl.jaas.config", "kafka.ssl.key.password", "kafka.ssl.keystore.key"])
def test_a_table_has_no_secrets(name: str) -> None:
    """They would be in the schema of each DataFrame, and in the files that are written from it."""
    with pytest.raises(ConfigError, match="CREATE TEMPORARY VIEW") as refused:
        schema_of(made_by_spark(**{name: "s3cret"}))
    assert refused.value.key == name
    assert "s3cret" not in str(refused.value)


@pytest.mark.parametrize("is_stream", [False, True])
def test_who_wants_to_write_is_told_what_writes(is_stream: bool) -> None:
    source = DefaultSource({})
    with pytest.raises(ReadOnlySourceError, match=r'write with format\("kafka"\).*spark-sql-kafka-0-10'):
        (source.streamWriter if is_stream else source.writer)(StructType(), False)
