"""What Spark calls: options when a query is loaded, before it is a batch or a stream, and the readers of both."""

from __future__ import annotations

import pickle
from unittest.mock import Mock

import pyarrow as pa
import pytest

from kafka_nextgen.errors import ConfigError
from kafka_nextgen.testing import Cluster

pytest.importorskip("pyspark")

from pyspark.sql.datasource import InputPartition
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadLimit, ReadMaxRows, ReadMinRows
from pyspark.sql.types import StructType

from kafka_nextgen.spark.admission import TriggerLimits
from kafka_nextgen.spark.columns import Columns
from kafka_nextgen.spark.errors import ReadOnlySourceError, SchemaError, StartBeyondEndError
from kafka_nextgen.spark.source import (
    BatchReader,
    StreamReader,
    batch_reader,
    schema_of,
    stream_reader,
)
from pyspark_kafka_nextgen import DefaultSource
from tests.spark.tasks import close_kept_consumers, offsets
from tests.support.clients import produce

OPTIONS = {"kafka.bootstrap.servers": "localhost:9092", "subscribe": "t"}


def test_a_start_that_only_a_stream_can_have_is_taken() -> None:
    assert "headers" not in schema_of({**OPTIONS, "startingOffsets": "latest"}).names


def test_headers_are_a_column_if_they_are_asked_for() -> None:
    assert "headers" in schema_of({**OPTIONS, "includeHeaders": "true"}).names


def test_what_is_wrong_with_a_batch_is_said_of_a_query_with_an_end() -> None:
    beyond = {"startingOffsets": '{"t":{"0":5}}', "endingOffsets": '{"t":{"0":2}}'}
    with pytest.raises(StartBeyondEndError, match=r"5 > 2"):
        schema_of({**OPTIONS, **beyond})


def reader_of(**options: str) -> tuple[StreamReader, Mock]:
    """A reader of a streaming query, and the planner that it asks."""
    reader, planner = stream_reader({**OPTIONS, **options}, Columns().schema), Mock()
    reader.__dict__["_planner"] = planner
    return reader, planner


@pytest.mark.parametrize(
    ("options", "shown", "kept"),
    [
        ({}, ReadAllAvailable(), TriggerLimits()),
        ({"maxOffsetsPerTrigger": "9"}, ReadMaxRows(9), TriggerLimits(9)),
        ({"minOffsetsPerTrigger": "5"}, ReadMinRows(5), TriggerLimits(None, 5)),
        ({"maxOffsetsPerTrigger": "9", "minOffsetsPerTrigger": "5"}, ReadMaxRows(9), TriggerLimits(9, 5)),
    ],
)
def test_limits_of_triggers_are_shown_to_spark_and_kept(
    options: dict[str, str], shown: ReadLimit, kept: TriggerLimits
) -> None:
    reader, planner = reader_of(**options)
    assert reader.getDefaultReadLimit() == shown
    reader.latestOffset({}, shown)
    planner.latest_offset.assert_called_once_with({}, kept)


def test_a_query_that_is_triggered_once_reads_all_there_is() -> None:
    reader, planner = reader_of(maxOffsetsPerTrigger="9", minOffsetsPerTrigger="5")
    reader.latestOffset({}, ReadAllAvailable())
    planner.latest_offset.assert_called_once_with({}, TriggerLimits())


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({}, (120.0, True, 10_000)),
        ({"kafkaConsumer.pollTimeoutMs": "2500", "failOnDataLoss": "false", "rowsPerBatch": "70"}, (2.5, False, 70)),
    ],
)
def test_a_task_is_told_what_the_options_say(options: dict[str, str], told: tuple[float, bool, int]) -> None:
    settings = reader_of(**options)[0]._settings
    assert (settings.poll_timeout_s, settings.fail_on_data_loss, settings.rows_per_batch) == told


def test_a_task_without_a_range_reads_nothing() -> None:
    reader, _ = reader_of()
    assert list(reader.read(InputPartition(None))) == [], "Spark runs one if there are no ranges"


def test_a_reader_goes_to_the_tasks_without_its_planner_and_closes_it_in_the_end() -> None:
    reader, planner = reader_of()
    assert "_planner" not in pickle.loads(pickle.dumps(reader)).__dict__
    reader.stop()
    planner.close.assert_called_once_with()


@pytest.mark.parametrize(("least", "tasks"), [({}, 1), ({"minRecordsPerPartition": "1"}, 3)])
def test_tasks_read_what_was_planned_in_another_process(least: dict[str, str], tasks: int) -> None:
    with Cluster() as cluster:
        cluster.create_topic("t", 3)
        produce(cluster.bootstrap_servers, "t", 30, partitions=3)
        options = {"kafka.bootstrap.servers": cluster.bootstrap_servers, "subscribe": "t", **least}
        reader = batch_reader(options, schema_of(options))
        planned = pickle.loads(pickle.dumps(reader.partitions()))
        copy = pickle.loads(pickle.dumps(reader))
        found = [offset for each in planned for offset in offsets(copy.read(each))]
        close_kept_consumers()
    assert len(planned) == tasks
    assert sorted(found) == sorted([*range(10)] * 3)


# ---- columns


def test_the_columns_are_those_of_the_built_in_source() -> None:
    assert Columns().schema.simpleString() == (
        "struct<key:binary,value:binary,topic:string,partition:int,offset:bigint,timestamp:timestamp,timestampType:int>"
    )
    assert Columns(headers=True).schema["headers"].dataType.simpleString() == "array<struct<key:string,value:binary>>"


def test_arrow_has_the_types_that_pyspark_checks() -> None:
    schema = Columns(headers=True).arrow_schema(Columns(headers=True).schema)
    assert schema.field("timestamp").type == pa.timestamp("us", tz="UTC")
    assert schema.field("headers").type.value_field.name == "element"


def test_a_schema_selects_columns_in_any_order() -> None:
    selected = StructType().add("offset", "long").add("value", "binary")
    assert Columns().arrow_schema(selected).names == ["offset", "value"]


def test_columns_are_selected_in_any_case_and_have_the_users_names() -> None:
    """Names of columns have no case for Spark, and it checks that what is read has the names of the schema."""
    selected = StructType().add("OFFSET", "long").add("TimestampTYPE", "integer")
    assert Columns().arrow_schema(selected).names == ["offset", "timestampType"]
    with Cluster() as cluster:
        cluster.create_topic("t", 1)
        produce(cluster.bootstrap_servers, "t", 2)
        options = {"kafka.bootstrap.servers": cluster.bootstrap_servers, "subscribe": "t"}
        reader = batch_reader(options, selected)
        (task,) = reader.partitions()
        (batch,) = reader.read(task)
        close_kept_consumers()
    assert batch.to_pydict() == {"OFFSET": [0, 1], "TimestampTYPE": [0, 0]}


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"vlaue": "binary"}, r"no column vlaue \(did you mean value\?\)"),
        ({"value": "string"}, r"value is binary; the schema says string: use cast\(\)"),
        ({"headers": "string"}, "needs the option includeHeaders=true"),
        ({}, "must name one or more of the columns"),
        ({"value": "binary", "VALUE": "binary"}, r"each at most once; it has \['value', 'VALUE'\]"),
    ],
)
def test_other_schemas_are_refused(columns: dict[str, str], message: str) -> None:
    schema = StructType()
    for name, kind in columns.items():
        schema.add(name, kind)
    with pytest.raises(SchemaError, match=message):
        Columns().arrow_schema(schema)


# ---- tables of Spark's catalog, by what Spark gives a source when they are made and when they are read


FROM_START = {"kafka.bootstrap.servers": "localhost:9092", "subscribe": "t", "startingoffsets": "earliest"}


def made_by_spark(**options: str) -> dict[str, str]:
    """The properties that Spark 4.3 has for CREATE TABLE with these options."""
    given = {**FROM_START, **options}
    adds = {"provider": "kafka_nextgen", "owner": "root", "comment": "orders", "location": "file:/t", "path": "file:/t"}
    return {**adds, **given, **{f"option.{name}": text for name, text in given.items()}}


def read_back(columns: StructType) -> StructType:
    return StructType.fromJson(columns.jsonValue())


def test_what_spark_adds_to_a_table_is_no_option() -> None:
    columns = schema_of(made_by_spark())
    assert columns.simpleString() == Columns().schema.simpleString()


def test_a_property_of_the_user_is_no_option_and_a_mistake_in_the_options_is_refused() -> None:
    schema_of({**made_by_spark(), "team": "payments"})
    with pytest.raises(ConfigError, match="did you mean startingOffsets"):
        schema_of(made_by_spark(startingoffset="earliest"))


def test_a_query_of_a_table_has_the_options_that_the_table_was_created_with() -> None:
    """Spark gives it none, only the columns."""
    columns = read_back(schema_of(made_by_spark(includeheaders="true")))
    assert "headers" in columns.names
    for reader in (batch_reader({}, columns), stream_reader({}, columns)):
        assert reader._options.kafka.settings
        assert reader._options.include_headers


def test_a_table_of_decoded_values_is_read_by_the_columns_that_it_was_created_with() -> None:
    schema = '{"type": "object", "properties": {"id": {"type": "integer"}}}'
    columns = read_back(schema_of(made_by_spark(valueformat="json", valueschema=schema)))
    assert columns["value"].dataType.simpleString() == "struct<id:bigint>"
    assert batch_reader({}, columns)._settings.decoding is not None


def test_a_spark_that_gives_the_options_of_a_table_is_understood() -> None:
    assert isinstance(batch_reader(made_by_spark(), Columns().schema), BatchReader)


def test_options_of_a_load_count_and_not_those_that_its_schema_once_had() -> None:
    columns = read_back(schema_of(made_by_spark(minpartitions="7")))
    assert batch_reader(FROM_START, columns)._options.split_options.min_partitions is None


def test_an_option_where_a_table_is_read_is_refused() -> None:
    """One use of a table in a query would be served with the options of another."""
    with pytest.raises(ConfigError, match="the option startingtimestamp is given where a table is read"):
        batch_reader({"startingtimestamp": "5"}, read_back(schema_of(made_by_spark())))


def test_a_table_that_was_created_with_columns_has_no_options() -> None:
    with pytest.raises(ConfigError, match="leave the columns out of CREATE TABLE"):
        batch_reader({}, Columns().schema)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("kafka.sasl.jaas.config", "s3cret"),
        ("kafka.ssl.key.password", "s3cret"),
        ("kafka.ssl.keystore.key", "s3cret"),
        ("schemaregistry.password", "s3cret"),
        ("schemaregistry.header.authorization", "s3cret"),
        ("schemaregistry.ssl.key.pem", "s3cret"),
        ("schemaregistry.url", "https://billing:s3cret@registry"),
    ],
)
def test_a_table_has_no_secrets(name: str, text: str) -> None:
    """They would be in the schema of each DataFrame, and in the files that are written from it."""
    with pytest.raises(ConfigError, match="CREATE TEMPORARY VIEW") as refused:
        schema_of(made_by_spark(**{name: text}))
    assert refused.value.key == name
    assert "s3cret" not in str(refused.value)


@pytest.mark.parametrize("is_stream", [False, True])
def test_who_wants_to_write_is_told_what_writes(is_stream: bool) -> None:
    source = DefaultSource({})
    with pytest.raises(ReadOnlySourceError, match=r'write with format\("kafka"\).*spark-sql-kafka-0-10'):
        (source.streamWriter if is_stream else source.writer)(StructType(), False)
