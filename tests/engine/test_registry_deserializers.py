"""confluent-kafka's deserializers, unchanged, and formats with a registry, on records of a topic."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator

import pytest
from confluent_kafka.schema_registry import Schema, SchemaReference, SchemaRegistryClient, header_schema_id_serializer
from confluent_kafka.schema_registry.avro import AsyncAvroDeserializer, AvroDeserializer, AvroSerializer
from confluent_kafka.schema_registry.json_schema import JSONDeserializer, JSONSerializer
from confluent_kafka.schema_registry.protobuf import ProtobufDeserializer, ProtobufSerializer
from confluent_kafka.schema_registry.schema_registry_client import AsyncSchemaRegistryClient
from confluent_kafka.serialization import MessageField, SerializationContext

from kafka_nextgen import AsyncConsumer, ConfigError, Consumer
from kafka_nextgen.errors import RegistryError
from kafka_nextgen.testing import SchemaRegistry as StandIn
from kafka_nextgen.values import Avro, SchemaRegistry
from tests.engine.stage import TOPIC, Stage, read, read_async, tp
from tests.engine.stage_values import write
from tests.support.messages import order_class
from tests.support.waiting import eventually

ORDER = json.dumps({"type": "record", "name": "Order", "fields": [{"name": "id", "type": "long"}]})
JSON_ORDER = json.dumps({"title": "Order", "type": "object", "properties": {"id": {"type": "integer"}}})
IN_HEADERS = {"schema.id.serializer": header_schema_id_serializer}


@pytest.fixture
def registry() -> Iterator[StandIn]:
    with StandIn() as registry:
        yield registry


@pytest.fixture
def client(registry: StandIn) -> SchemaRegistryClient:
    return SchemaRegistryClient({"url": registry.url, "max.retries": 0})


def context() -> SerializationContext:
    return SerializationContext(TOPIC, MessageField.VALUE, [])


def write_orders(stage: Stage, client: SchemaRegistryClient) -> None:
    serialize = AvroSerializer(client, ORDER)
    write(stage, *(serialize({"id": number}, context()) for number in range(3)))


def member_lives_on(consumer: AsyncConsumer, is_asked: Callable[[], bool]) -> None:
    eventually("the registry is asked", is_asked)
    heartbeats = consumer.metrics().group.heartbeats
    eventually("three more heartbeats", lambda: consumer.metrics().group.heartbeats >= heartbeats + 3)


@pytest.mark.parametrize("in_headers", [False, True])
def test_confluents_avro_deserializer_works_unchanged(
    stage: Stage, client: SchemaRegistryClient, in_headers: bool
) -> None:
    where = context()
    serialize = AvroSerializer(client, json.dumps({"type": "string"}), conf=IN_HEADERS if in_headers else None)
    write(stage, serialize("a long text", where), None, headers=where.headers)
    with stage.reader(value_deserializer=AvroDeserializer(client)) as consumer:
        assert [record.value for record in read(consumer, 2)] == ["a long text", None]


def test_confluents_json_deserializer_works_unchanged(stage: Stage, client: SchemaRegistryClient) -> None:
    write(stage, JSONSerializer(JSON_ORDER, client)({"id": 7}, context()))
    with stage.reader(value_deserializer=JSONDeserializer(JSON_ORDER, schema_registry_client=client)) as consumer:
        assert read(consumer, 1)[0].value == {"id": 7}


def test_confluents_protobuf_deserializer_works_unchanged(stage: Stage, client: SchemaRegistryClient) -> None:
    order = order_class()
    write(stage, ProtobufSerializer(order, client)(order(id=7, at={"seconds": 1}), context()))
    deserializer = ProtobufDeserializer(order, schema_registry_client=client)
    with stage.reader(value_deserializer=deserializer) as consumer:
        assert read(consumer, 1)[0].value == order(id=7, at={"seconds": 1})


async def test_confluents_async_deserializer_is_awaited(
    stage: Stage, registry: StandIn, client: SchemaRegistryClient
) -> None:
    write_orders(stage, client)
    own = AsyncSchemaRegistryClient({"url": registry.url})
    deserializer = await AsyncAvroDeserializer(own)
    with pytest.raises(ConfigError, match="use AsyncConsumer"):
        Consumer(**stage.config(value_deserializer=deserializer))
    async with AsyncConsumer(**stage.config(value_deserializer=deserializer)) as consumer:
        await consumer.assign([tp()])
        assert [record.value for record in await read_async(consumer, 3)] == [{"id": 0}, {"id": 1}, {"id": 2}]


@pytest.mark.parametrize("is_async", [False, True])
async def test_a_registry_that_hangs_holds_up_neither_the_event_loop_nor_the_member(
    stage: Stage, registry: StandIn, client: SchemaRegistryClient, is_async: bool
) -> None:
    write_orders(stage, client)
    own = SchemaRegistryClient({"url": registry.url})
    deserializer = await AsyncAvroDeserializer(AsyncSchemaRegistryClient({"url": registry.url}))
    with registry.hanging():
        count = len(registry.requests)
        given = deserializer if is_async else AvroDeserializer(own)
        async with AsyncConsumer(**stage.config(value_deserializer=given)) as consumer:
            await consumer.subscribe([TOPIC])
            reading = asyncio.ensure_future(anext(consumer))
            await asyncio.to_thread(member_lives_on, consumer, lambda: len(registry.requests) > count)
            assert not reading.done()
            reading.cancel()


# ---- typed columns


def test_columns_of_avro_with_our_own_client(stage: Stage, registry: StandIn, client: SchemaRegistryClient) -> None:
    write_orders(stage, client)
    for source in (SchemaRegistry(registry.url), client):
        avro = Avro(registry=source, reader_schema=ORDER)
        with stage.reader() as consumer:
            assert consumer.poll().to_arrow(value=avro)["id"].to_pylist() == [0, 1, 2]


async def test_a_table_that_waits_for_a_registry_in_a_thread_holds_up_neither_the_event_loop_nor_the_member(
    stage: Stage, registry: StandIn, client: SchemaRegistryClient
) -> None:
    write_orders(stage, client)
    avro = Avro(registry=SchemaRegistry(registry.url), reader_schema=ORDER)
    async with AsyncConsumer(**stage.config()) as consumer:
        await consumer.subscribe([TOPIC])
        while not (records := await consumer.poll(timeout=0.1)):
            pass
        with registry.hanging():
            count = len(registry.requests)
            making = asyncio.ensure_future(asyncio.to_thread(records.to_arrow, value=avro))
            await asyncio.to_thread(member_lives_on, consumer, lambda: len(registry.requests) > count)
            assert not making.done()
        assert (await making)["id"].to_pylist() == [0, 1, 2]


def test_columns_of_schemas_that_refer_to_others(stage: Stage, registry: StandIn, client: SchemaRegistryClient) -> None:
    registry.register("item", '{"type": "fixed", "name": "Item", "size": 1}')
    text = json.dumps({"type": "record", "name": "Order", "fields": [{"name": "item", "type": "Item"}]})
    schema = Schema(text, "AVRO", [SchemaReference("Item", "item", 1)])
    write(stage, AvroSerializer(client, schema)({"item": b"x"}, context()))
    reader = text.replace('"Item"', '{"type": "fixed", "name": "Item", "size": 1}')
    for source in (SchemaRegistry(registry.url), client):
        with stage.reader() as consumer:
            table = consumer.poll().to_arrow(value=Avro(registry=source, reader_schema=reader))
            assert table["item"].to_pylist() == [b"x"]


def test_columns_of_schemas_named_in_headers(stage: Stage, registry: StandIn, client: SchemaRegistryClient) -> None:
    where = context()
    serialize = AvroSerializer(client, ORDER, conf=IN_HEADERS)
    write(stage, serialize({"id": 7}, where), None, headers=where.headers)
    write_orders(stage, client)
    by_guid = {registry.guid_of(1): ORDER, 1: ORDER}
    for source in (SchemaRegistry(registry.url), client, by_guid):
        avro = Avro(registry=source, reader_schema=ORDER)
        seen: list[int | None] = []
        with stage.reader() as consumer:
            while len(seen) < 5:
                seen += consumer.poll().to_arrow(value=avro)["id"].to_pylist()
        assert seen == [7, None, 0, 1, 2]


def test_an_unknown_guid_is_a_bad_value_and_an_outage_is_not(
    stage: Stage, registry: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kafka_nextgen.values.registry.client._PAUSE_S", 1e6)  # no time for another attempt
    write(stage, b"\2", headers=[("__value_schema_id", b"\1" + bytes(16))])
    avro = Avro(registry=SchemaRegistry(registry.url), reader_schema=ORDER)
    with stage.reader() as consumer:
        records = consumer.poll()
    (reason,) = records.to_arrow(value=avro, on_error="null")["value_error"].to_pylist()
    assert "the registry has no schema 00000000-0000-0000-0000-000000000000" in reason
    registry.fail(503)
    avro = Avro(registry=SchemaRegistry(registry.url), reader_schema=ORDER)
    with pytest.raises(RegistryError, match="status 503"):
        records.to_arrow(value=avro, on_error="null")
