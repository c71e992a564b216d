"""Queries that decode keys and values, as Spark plans and runs them, without Spark."""

from __future__ import annotations

import itertools
import json
import pickle
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from google.protobuf import descriptor_pb2
from google.protobuf.timestamp_pb2 import Timestamp

pytest.importorskip("pyspark")

from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import CharType, DecimalType, LongType, StringType, StructType, VariantType

from kafka_nextgen.errors import ConfigError, DeserializationError, RegistryError
from kafka_nextgen.spark.errors import SchemaError
from kafka_nextgen.spark.source import BatchReader, batch_reader, schema_of, stream_reader
from kafka_nextgen.testing import Cluster
from kafka_nextgen.testing.registry import SchemaRegistry
from tests.spark.tasks import close_kept_consumers
from tests.support.clients import quick_producer
from tests.values.decoding import encoded, framed

JSON = {"valueFormat": "json"}
AVRO_SCHEMA = """{"type": "record", "name": "Order", "fields": [
    {"name": "id", "type": "long"},
    {"name": "status", "type": {"type": "enum", "name": "Status", "symbols": ["NEW", "PAID"]}}]}"""
AVRO = {"valueFormat": "avro", "valueSchema": AVRO_SCHEMA}
JSON_SCHEMA = '{"type": "object", "properties": {"id": {"type": "integer"}}}'
AN_ORDER = StructType().add("id", LongType()).add("amount", DecimalType(10, 2))
RECORDS = [("a", b'{"id": 1, "amount": 18.50, "note": "x"}'), ("b", None), ("c", b'{"id": 3}')]

_NUMBERS = itertools.count()
Records = Sequence[tuple[str, bytes | None]]


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with Cluster() as cluster:
        yield cluster
        close_kept_consumers()


class Topic:
    """A topic of a test, and what queries read of it."""

    def __init__(self, cluster: Cluster, name: str, records: Records) -> None:
        self.options = {"kafka.bootstrap.servers": cluster.bootstrap_servers, "subscribe": name}
        cluster.create_topic(name, 1)
        producer = quick_producer(cluster.bootstrap_servers)
        for key, value in records:
            producer.produce(name, value, key, partition=0)
        assert producer.flush(30) == 0

    def reader(self, schema: StructType | None = None, **options: str) -> BatchReader:
        """What reads in tasks: a copy of what was planned."""
        given = {**self.options, **options}
        reader = batch_reader(given, schema_of(given) if schema is None else schema)
        copy: BatchReader = pickle.loads(pickle.dumps(reader))
        return copy

    def read(self, schema: StructType | None = None, **options: str) -> pa.Table:
        """Return all rows, checked as Spark checks its first batch."""
        given = {**self.options, **options}
        wanted = schema_of(given) if schema is None else schema
        reader = self.reader(schema, **options)
        batches = [batch for task in reader.partitions() for batch in reader.read(task)]
        for batch in batches:
            batch.validate(full=True)
            assert to_arrow_schema(wanted, timezone="UTC").equals(batch.schema)
        return pa.Table.from_batches(batches)

    def values(self, schema: StructType | None = None, **options: str) -> list[Any]:
        found: list[Any] = self.read(schema, **options)["value"].to_pylist()
        return found


Make = Callable[..., Topic]


@pytest.fixture
def topic(cluster: Cluster) -> Make:
    return lambda records=RECORDS: Topic(cluster, f"t{next(_NUMBERS)}", records)


def columns(**types: Any) -> StructType:
    schema = StructType()
    for name, kind in types.items():
        schema.add(name, kind)
    return schema


# ---- schemas


def test_json_has_the_type_that_the_schema_of_the_frame_says(topic: Make) -> None:
    found = topic().read(columns(offset=LongType(), VALUE=AN_ORDER), **JSON)
    assert found.to_pydict() == {
        "offset": [0, 1, 2],
        "VALUE": [{"id": 1, "amount": Decimal("18.50")}, None, {"id": 3, "amount": None}],
    }


@pytest.mark.parametrize("schema", [JSON_SCHEMA, columns(id=LongType()).json()])
def test_without_a_schema_of_the_frame_an_option_says_it_and_all_columns_are_there(topic: Make, schema: str) -> None:
    found = topic().read(**JSON, valueSchema=schema)
    assert found.schema.names == ["key", "value", "topic", "partition", "offset", "timestamp", "timestampType"]
    assert found["value"].to_pylist() == [{"id": 1}, None, {"id": 3}]
    assert found["key"].to_pylist() == [b"a", b"b", b"c"]


def test_keys_are_decoded_too(topic: Make) -> None:
    written = [("1", b"{}"), ("2", None)]
    found = topic(written).read(columns(key=LongType(), value=AN_ORDER), **JSON, keyFormat="json")
    assert found.to_pydict() == {"key": [1, 2], "value": [{"id": None, "amount": None}, None]}


def test_of_avro_only_the_selected_fields_are_read(topic: Make, tmp_path: Path) -> None:
    file = tmp_path / "order.avsc"
    file.write_text(AVRO_SCHEMA)
    orders = topic([("a", encoded(json.loads(AVRO_SCHEMA), {"id": 7, "status": "PAID"})), ("b", None)])
    assert orders.values(**AVRO) == [{"id": 7, "status": "PAID"}, None]
    selected = columns(value=columns(status=StringType()))
    assert orders.values(selected, valueFormat="avro", valueSchemaFile=str(file)) == [{"status": "PAID"}, None]


def descriptors() -> bytes:
    """A message with a number, and a time with nanoseconds."""
    files = descriptor_pb2.FileDescriptorSet()
    file = files.file.add(
        name="shop.proto", package="shop", syntax="proto3", dependency=[Timestamp.DESCRIPTOR.file.name]
    )
    order = file.message_type.add(name="Order")
    order.field.add(name="id", number=1, type="TYPE_UINT64", label="LABEL_OPTIONAL")
    order.field.add(
        name="at", number=2, type="TYPE_MESSAGE", type_name=".google.protobuf.Timestamp", label="LABEL_OPTIONAL"
    )
    return files.SerializeToString()


def test_protobuf_is_decoded_by_the_descriptors_that_the_driver_read(topic: Make, tmp_path: Path) -> None:
    file = tmp_path / "orders.pb"
    file.write_bytes(descriptors())
    at = Timestamp(seconds=1, nanos=2_999).SerializeToString()
    orders = topic([("a", b"\x08\x05\x12" + bytes([len(at)]) + at), ("b", None)])
    options = {"valueFormat": "protobuf", "valueMessage": "shop.Order"}
    expected = [{"id": Decimal(5), "at": datetime(1970, 1, 1, 0, 0, 1, 2, timezone.utc)}, None]
    assert orders.values(**options, valueSchema=b64encode(descriptors()).decode()) == expected
    reader = orders.reader(**options, valueSchemaFile=str(file))
    file.unlink()
    assert [batch["value"].to_pylist() for task in reader.partitions() for batch in reader.read(task)] == [expected]


def test_a_stream_decodes_likewise(topic: Make) -> None:
    options = {**topic().options, **JSON, "startingOffsets": "earliest"}
    reader = stream_reader(options, columns(value=AN_ORDER))
    start = reader.initialOffset()
    tasks = reader.partitions(start, {name: {"0": 3} for name in start})
    found = [row for task in tasks for batch in pickle.loads(pickle.dumps(reader)).read(task) for row in batch["value"]]
    reader.stop()
    assert [each.is_valid for each in found] == [True, False, True]


# ---- a registry


SECOND = '{"type": "record", "name": "Order", "fields": [{"name": "id", "type": "long"}, '
SECOND += '{"name": "paid", "type": "boolean", "default": false}]}'
FIRST = '{"type": "record", "name": "Order", "fields": [{"name": "id", "type": "long"}]}'


def test_the_latest_schema_of_the_subject_defines_the_columns_and_tasks_find_the_writers(topic: Make) -> None:
    with SchemaRegistry(users={"billing": "s3cret"}) as registry:
        first, second = (registry.register("orders-value", schema) for schema in (FIRST, SECOND))
        orders = topic(
            [
                ("a", framed(first, encoded(json.loads(FIRST), {"id": 1}))),
                ("b", framed(second, encoded(json.loads(SECOND), {"id": 2, "paid": True}))),
            ]
        )
        login = {"schemaRegistry.user": "billing", "schemaRegistry.password": "s3cret"}
        options = {"valueFormat": "avro", "valueSubject": "orders-value", "schemaRegistry.url": registry.url, **login}
        reader = orders.reader(**options)
        asked = len(registry.requests)
        registry.register("orders-value", FIRST.replace("id", "other"))  # the columns are those that were planned
        found = [
            row for task in reader.partitions() for batch in reader.read(task) for row in batch["value"].to_pylist()
        ]
        assert found == [{"id": 1, "paid": False}, {"id": 2, "paid": True}]
        assert [path for _, path in registry.requests[asked:]] == [f"/schemas/ids/{first}"], "the other one is known"
        assert "s3cret" not in repr(reader._options)
        assert orders.values(**options, valueSchema=FIRST) == [{"id": 1}, {"id": 2}]


def pinned(reader: BatchReader, registry: SchemaRegistry) -> tuple[list[Any], list[str]]:
    """Return the values that tasks read, and the paths that they request from the registry."""
    asked = len(registry.requests)
    values = [row for task in reader.partitions() for batch in reader.read(task) for row in batch["value"].to_pylist()]
    return values, [path for _, path in registry.requests[asked:]]


def test_json_is_read_by_the_schema_that_was_the_latest_and_tasks_do_not_ask(topic: Make) -> None:
    with SchemaRegistry() as registry:
        first = registry.register("orders-value", JSON_SCHEMA, "JSON")
        registry.register("orders-value", JSON_SCHEMA.replace("}}", '}, "paid": {"type": "boolean"}}'), "JSON")
        values = [framed(first, b'{"id": 1}'), framed(77, b'{"id": 2, "paid": true, "other": 3}')]
        orders = topic([("a", values[0]), ("b", values[1]), ("c", None)])
        options = {"valueFormat": "json", "valueSubject": "orders-value", "schemaRegistry.url": registry.url}
        reader = orders.reader(**options)
        registry.register("orders-value", JSON_SCHEMA.replace("id", "other"), "JSON")
        assert pinned(reader, registry) == ([{"id": 1, "paid": None}, {"id": 2, "paid": True}, None], [])
        assert orders.values(**options, valueSchema=JSON_SCHEMA) == [{"id": 1}, {"id": 2}, None]


def test_json_with_a_registry_may_have_the_frame_of_apicurio(topic: Make) -> None:
    with SchemaRegistry() as registry:
        registry.register("orders-value", JSON_SCHEMA, "JSON")
        orders = topic([("a", b"\0" + (2**40).to_bytes(8, "big") + b'{"id": 1}')])
        options = {**JSON, "schemaRegistry.url": registry.url, "schemaRegistry.framing": "apicurio"}
        assert orders.values(**options, valueSubject="orders-value") == [{"id": 1}]
        assert orders.values(**options, valueSchema=JSON_SCHEMA) == [{"id": 1}]


def file_with(*fields: str, before: str | None = None) -> str:
    """Return the file of a message Order with these fields, and perhaps a message before it, as a registry does."""
    file = descriptor_pb2.FileDescriptorProto(name="shop.proto", package="shop", syntax="proto3")
    if before is not None:
        file.message_type.add(name=before)
    order = file.message_type.add(name="Order")
    for number, name in enumerate(fields, 1):
        order.field.add(name=name, number=number, type="TYPE_INT64", label="LABEL_OPTIONAL")
    return b64encode(file.SerializeToString()).decode()


def test_protobuf_has_the_columns_of_the_latest_schema_and_tasks_find_the_message_in_the_others(topic: Make) -> None:
    with SchemaRegistry() as registry:
        first = registry.register("orders-value", file_with("id"), "PROTOBUF")
        second = registry.register("orders-value", file_with("id", "count", before="Other"), "PROTOBUF")
        values = [framed(first, b"\0\x08\1"), framed(second, b"\2\2\x08\2\x10\3"), framed(77, b"\0")]
        orders = topic([("a", values[0]), ("b", values[1]), ("c", values[2]), ("d", None)])
        options = {"valueSubject": "orders-value", "schemaRegistry.url": registry.url, "onError": "skip"}
        reader = orders.reader(valueFormat="protobuf", valueMessage="shop.Order", **options)
        registry.register("orders-value", file_with("other"), "PROTOBUF")
        found, asked = pinned(reader, registry)
        assert found == [{"id": 1, "count": 0}, {"id": 2, "count": 3}, None]
        assert asked == [f"/schemas/ids/{number}?format=serialized" for number in (first, 77)], "the other one is known"
        given = {"valueSchema": b64encode(descriptors()).decode(), **options, "onError": "null"}
        read = orders.values(valueFormat="protobuf", valueMessage="shop.Order", **given)
        assert [value and value["id"] for value in read] == [1, 2, None, None], "the given message defines the columns"


def test_without_a_name_the_message_is_the_first_of_the_latest_schema(topic: Make) -> None:
    with SchemaRegistry() as registry:
        schema_id = registry.register("orders-value", file_with("id"), "PROTOBUF")
        orders = topic([("a", framed(schema_id, b"\0\x08\1"))])
        options = {"valueSubject": "orders-value", "schemaRegistry.url": registry.url}
        assert orders.values(valueFormat="protobuf", **options) == [{"id": 1}]


def test_a_registered_time_of_protobuf_may_be_beyond_the_range_of_nanoseconds(topic: Make) -> None:
    (file,) = descriptor_pb2.FileDescriptorSet.FromString(descriptors()).file
    at = Timestamp(seconds=32_503_680_000).SerializeToString()
    with SchemaRegistry() as registry:
        schema_id = registry.register("s", b64encode(file.SerializeToString()).decode(), "PROTOBUF")
        orders = topic([("a", framed(schema_id, b"\0\x12" + bytes([len(at)]) + at))])
        by_subject = {"valueSubject": "s"}
        given = {"valueSchema": b64encode(descriptors()).decode(), "valueMessage": "shop.Order"}
        for options in (by_subject, given):
            read = orders.values(valueFormat="protobuf", **options, **{"schemaRegistry.url": registry.url})
            assert read[0]["at"].year == 3000


@pytest.mark.parametrize("kind", ["timestamp-nanos", "local-timestamp-nanos"])
def test_nanoseconds_are_cut_off_downwards_also_before_1970(topic: Make, kind: str) -> None:
    schema = json.dumps({"type": "long", "logicalType": kind})
    orders = topic([("a", encoded("long", number)) for number in (1_999, 999, -1, -1_000, -1_001)])
    found = orders.read(valueFormat="avro", valueSchema=schema)["value"]
    assert found.cast(pa.int64()).to_pylist() == [1, 0, -1, -1, -2]


def test_keys_without_a_frame_can_be_read_beside_values_with_a_registry(topic: Make) -> None:
    with SchemaRegistry() as registry:
        schema_id = registry.register("orders-value", JSON_SCHEMA, "JSON")
        orders = topic([("5", framed(schema_id, b'{"id": 1}'))])
        options = {**JSON, "valueSubject": "orders-value", "schemaRegistry.url": registry.url, "keyFormat": "json"}
        wanted = columns(key=LongType(), value=columns(id=LongType()))
        found = orders.read(wanted, **options, keyFramed="false")
        assert found.to_pylist() == [{"key": 5, "value": {"id": 1}}]
        with pytest.raises(RegistryError, match=r"latest schema of keySubject=t.*-key.* set keyFramed=false"):
            orders.read(wanted, **options)


@pytest.mark.parametrize(
    ("registered", "kind", "options", "message"),
    [
        (
            FIRST,
            "AVRO",
            JSON,
            "valueSubject=s: the schema has the type AVRO, not JSON: use valueFormat=avro, or another subject",
        ),
        (
            '{"type": "object", "properties": {"a": {}}}',
            "JSON",
            JSON,
            "valueSubject=s: #/properties/a: the schema does not specify",
        ),
        (
            file_with("id"),
            "PROTOBUF",
            {"valueFormat": "protobuf", "valueMessage": "shop.Gone"},
            "valueSubject=s: the schema has no message shop.Gone",
        ),
    ],
)
def test_a_latest_schema_that_can_not_be_used_is_named(
    topic: Make, registered: str, kind: str, options: dict[str, str], message: str
) -> None:
    with SchemaRegistry() as registry:
        registry.register("s", registered, kind)
        with pytest.raises(SchemaError, match=f"the latest schema of {message}"):
            topic([]).reader(**options, valueSubject="s", **{"schemaRegistry.url": registry.url})


def test_a_registry_that_lacks_the_subject_is_asked_by_the_driver_which_names_the_option(topic: Make) -> None:
    with SchemaRegistry() as registry, pytest.raises(RegistryError, match="latest schema of valueSubject=nothing") as e:
        topic([]).reader(valueFormat="avro", valueSubject="nothing", **{"schemaRegistry.url": registry.url})
    assert e.value.http_status_code == 404


def test_a_registry_that_refuses_a_task_fails_it_and_the_error_names_the_option(topic: Make) -> None:
    with SchemaRegistry(users={"billing": "s3cret"}) as registry:
        orders = topic([("a", framed(1, b"x"))])
        options = {"valueFormat": "avro", "valueSchema": FIRST, "schemaRegistry.url": registry.url, "onError": "skip"}
        with pytest.raises(RegistryError, match=r"schemaRegistry\.url: .*schemas/ids/1") as caught:
            orders.read(**options)
    assert caught.value.http_status_code == 401


def test_an_option_limits_the_size_of_answers_of_the_registry(topic: Make) -> None:
    limit = {"schemaRegistry.maxAnswerBytes": "1000"}
    with SchemaRegistry() as registry:
        registry.fail(200, b" " * 1001)
        options = {"valueFormat": "avro", "valueSubject": "s", "schemaRegistry.url": registry.url, **limit}
        with pytest.raises(RegistryError, match="max_answer_bytes=1000"):
            topic([]).reader(**options)


@pytest.mark.parametrize(
    ("option", "text"), [("schemaRegistry.url", "registry"), ("schemaRegistry.ssl.ca.location", "/no/such/ca.pem")]
)
def test_options_of_a_registry_that_cannot_be_used_are_named(option: str, text: str) -> None:
    options = {"schemaRegistry.url": "https://localhost", option: text, "valueSchema": '"long"', "valueFormat": "avro"}
    with pytest.raises(ConfigError, match=option):
        schema_of({"kafka.bootstrap.servers": "b:9092", "subscribe": "t", **options})


# ---- bad values


BAD = [("a", b'{"id": 1}'), ("b", b"no JSON"), ("c", None), ("d", b'{"id": "4"}')]


def test_a_bad_value_ends_the_query_and_the_error_names_record_and_option(topic: Make) -> None:
    orders = topic(BAD)
    name = orders.options["subscribe"]
    with pytest.raises(DeserializationError, match=rf"{name}\[0\] at offset 1: bad value: .*onError=skip") as caught:
        orders.values(columns(value=AN_ORDER), **JSON)
    assert caught.value.record.offset == 1


def test_bad_values_are_skipped_although_the_column_is_not_selected(topic: Make) -> None:
    found = topic(BAD).read(columns(offset=LongType()), **JSON, valueSchema=JSON_SCHEMA, onError="skip")
    assert found["offset"].to_pylist() == [0, 2]


def test_bad_values_are_null_with_the_reason_and_the_bytes(topic: Make) -> None:
    orders = topic(BAD)
    found = orders.read(**JSON, valueSchema=JSON_SCHEMA, onError="null")
    assert found.schema.names[-2:] == ["value_error", "value_raw"]
    assert found["value"].to_pylist() == [{"id": 1}, None, None, None]
    assert [error is not None for error in found["value_error"].to_pylist()] == [False, True, False, True]
    assert found["value_raw"].to_pylist() == [None, b"no JSON", None, b'{"id": "4"}']
    selected = columns(value_raw="binary", value=columns(id=LongType()))
    assert orders.read(selected, **JSON, onError="null").schema.names == ["value_raw", "value"]


def test_a_time_that_spark_has_no_room_for_is_a_bad_value(topic: Make) -> None:
    schema = '{"type": "long", "logicalType": "timestamp-millis"}'
    orders = topic([("a", encoded("long", 1)), ("b", encoded("long", 2**62))])
    found = orders.read(valueFormat="avro", valueSchema=schema, onError="null")
    assert found["value"].type == pa.timestamp("us", "UTC")
    assert found["value"].is_null().to_pylist() == [False, True]
    assert "out of bounds" in found["value_error"].to_pylist()[1]
    assert orders.values(valueFormat="avro", valueSchema=schema, onError="skip")[0].year == 1970


# ---- what is refused when a query is planned


def planned(schema: StructType | None, **options: str) -> None:
    given: Mapping[str, str] = {"kafka.bootstrap.servers": "b:9092", "subscribe": "t", **options}
    batch_reader(given, schema_of(given) if schema is None else schema)


@pytest.mark.parametrize(
    ("schema", "options", "message"),
    [
        (None, JSON, r"name the column value in \.schema\(\).*or give valueSchema"),
        (
            columns(id=LongType()),
            {**JSON, "valueSchema": JSON_SCHEMA},
            "Fields of a decoded value are in the column value",
        ),
        (columns(value=StringType()), {}, "or decode it with the option valueFormat"),
        (columns(value=columns(v=VariantType())), JSON, "variant.* can't be read from JSON"),
        (columns(value=columns(c=CharType(3))), JSON, "can't be read from JSON"),
        (columns(value=columns(id=StringType())), AVRO, r"value\.id is bigint; the schema says string"),
        (columns(value_error=StringType()), AVRO, "value_error needs the option onError=null"),
        (None, {**AVRO, "valueSchema": "{"}, "valueSchema: "),
        (None, {**JSON, "valueSchema": '{"type": "what"}'}, "valueSchema: #/type"),
        (None, {**JSON, "valueSchema": '{"type": "struct", "fields": [1]}'}, "valueSchema: "),
        (
            None,
            {**AVRO, "valueSchema": '{"type": "fixed", "size": 12, "name": "d", "logicalType": "duration"}'},
            "no type for value",
        ),
        (
            None,
            {"valueFormat": "protobuf", "valueMessage": "a.B", "valueSchema": "AAAA"},
            "valueSchema: the bytes are not a FileDescriptorSet",
        ),
    ],
)
def test_a_schema_that_is_none_or_does_not_fit(
    schema: StructType | None, options: dict[str, str], message: str
) -> None:
    with pytest.raises(SchemaError, match=message):
        planned(schema, **options)


def test_a_file_that_the_driver_does_not_have(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"valueSchemaFile=.* can't be read: No such file.* a file on the driver"):
        planned(None, valueFormat="avro", valueSchemaFile=str(tmp_path / "no.avsc"))


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "latin.avsc").write_bytes(b"\xe4")
    with pytest.raises(ConfigError, match="is not UTF-8"):
        planned(None, valueFormat="avro", valueSchemaFile=str(tmp_path / "latin.avsc"))


def test_descriptors_that_are_not_in_base64() -> None:
    with pytest.raises(ConfigError, match="valueSchemaFile takes the path"):
        planned(None, valueFormat="protobuf", valueMessage="a.B", valueSchema="syntax = 'proto3';")
