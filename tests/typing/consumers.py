"""What type checkers make of consumers: the types of keys and values follow from the deserializers. Never run."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Mapping
from typing import TYPE_CHECKING, Any

from kafka_nextgen import (
    AsyncConsumer,
    Consumer,
    ConsumerConfig,
    ConsumerSettings,
    DeserializationContext,
    IsolationLevel,
    Record,
    Records,
    TopicPartition,
)
from kafka_nextgen.values import Avro, Json

if TYPE_CHECKING:
    from typing_extensions import assert_type

SERVERS = "localhost:9092"


class Order: ...


class OrderInContext:
    def __call__(self, data: bytes | None, ctx: object | None = None) -> Order:
        raise NotImplementedError


class OrderOfKafkaPython:
    def deserialize(self, topic: str, headers: list[tuple[str, bytes]], data: bytes) -> Order:
        raise NotImplementedError


class OrderOfOldKafkaPython:
    def deserialize(self, topic: str, data: bytes) -> Order:
        raise NotImplementedError


class AwaitedOrder:
    def __call__(self, data: bytes | None, ctx: object | None = None) -> Awaitable[Order]:
        raise NotImplementedError


def to_order(data: bytes) -> Order:
    raise NotImplementedError


def to_order_in_context(data: bytes, context: DeserializationContext) -> Order:
    raise NotImplementedError


async def await_order(data: bytes) -> Order:
    raise NotImplementedError


async def await_text(data: bytes, context: DeserializationContext) -> str:
    raise NotImplementedError


def plain_consumers(config: Mapping[str, object], parsed: ConsumerConfig) -> None:
    assert_type(Consumer(bootstrap_servers=SERVERS), Consumer[bytes, bytes])
    assert_type(Consumer(bootstrap_servers=SERVERS, value_deserializer=to_order), Consumer[bytes, Order])
    assert_type(Consumer(bootstrap_servers=SERVERS, value_deserializer=to_order_in_context), Consumer[bytes, Order])
    assert_type(Consumer(bootstrap_servers=SERVERS, value_deserializer=OrderInContext()), Consumer[bytes, Order])
    assert_type(Consumer(bootstrap_servers=SERVERS, value_deserializer=OrderOfKafkaPython()), Consumer[bytes, Order])
    assert_type(Consumer(bootstrap_servers=SERVERS, value_deserializer=OrderOfOldKafkaPython()), Consumer[bytes, Order])
    assert_type(Consumer(bootstrap_servers=SERVERS, key_deserializer=bytes.decode), Consumer[str, bytes])
    assert_type(Consumer(config, key_deserializer=int, value_deserializer=to_order), Consumer[int, Order])
    assert_type(
        Consumer(bootstrap_servers=SERVERS, key_deserializer=int, value_deserializer=float), Consumer[int, float]
    )
    assert_type(Consumer(bootstrap_servers=SERVERS, value_deserializer=json.loads), Consumer[bytes, Any])
    assert_type(Consumer(config, key_deserializer=int), Consumer[int, Any])
    assert_type(Consumer(config, value_deserializer=to_order), Consumer[Any, Order])
    assert_type(Consumer(config), Consumer[Any, Any])  # a mapping may have deserializers, too
    assert_type(Consumer(parsed), Consumer[Any, Any])
    annotated: Consumer[str, Order] = Consumer(config)
    assert_type(annotated, Consumer[str, Order])


def settings_of(level: IsolationLevel, any_of_them: dict[str, Any], some: ConsumerSettings) -> None:
    Consumer(bootstrap_servers=["a:9092", "b:9092"], group_id="billing", max_poll_records=10, enable_auto_commit=False)
    Consumer(bootstrap_servers=SERVERS, isolation_level=level, auto_offset_reset="by_duration:PT1H", client_rack=None)
    Consumer(bootstrap_servers=SERVERS, isolation_level="read_committed", on_deserialization_error=print)
    assert_type(Consumer(**some), Consumer[bytes, bytes])
    assert_type(Consumer(**some, value_deserializer=to_order), Consumer[bytes, Order])
    Consumer(**any_of_them)
    AsyncConsumer(**some, key_deserializer=int)
    Consumer(ConsumerConfig.parse(**some, value_deserializer=to_order))
    ConsumerConfig.parse({"bootstrap.servers": SERVERS}, sasl_password=lambda: "secret", group_protocol="auto")


def records_of(consumer: Consumer[str, Order]) -> None:
    for record in consumer:
        assert_type(record, Record[str, Order])
        assert_type(record.key, str | None)
        assert_type(record.value, Order | None)
        assert_type(record.offset, int)
    assert_type(next(consumer), Record[str, Order])
    assert_type(consumer.poll(), Records[str, Order])
    for records in consumer.batches():
        assert_type([record.value for record in records], list[Order | None])
        assert_type([record.value for batch in records.batches() for record in batch], list[Order | None])
        assert_type([record.value for record in records.raw()], list[bytes | None])
    for records in consumer.batches(value=Avro("int"), key=Json({"type": "integer"}), on_error="skip"):
        assert_type(records, Records[str, Order])
    with consumer as entered:
        assert_type(entered, Consumer[str, Order])


def handle(record: Record[str, Order]) -> None: ...


def handle_any(record: Record) -> None: ...


def handle_lost(record: Record[bytes, bytes], error: Exception) -> None: ...


def value_of(record: Record[str, Order]) -> object:
    return record.value


async def await_handling(record: Record[str, Order]) -> None: ...


def handled(consumer: Consumer[str, Order], config: Mapping[str, object]) -> None:
    consumer.run(handle)
    consumer.run(handle_any)
    consumer.run(value_of, dead_letter=handle_lost)
    consumer.run(lambda record: assert_type(record.value, Order | None))
    consumer.run(handle, dead_letter=lambda record, error: assert_type(record.value, bytes | None))
    Consumer(bootstrap_servers=SERVERS, key_deserializer=bytes.decode, value_deserializer=to_order).run(handle)
    Consumer(config).run(handle)  # the mapping may contain deserializers, so any handler is accepted
    for record in consumer:
        handle(record)
        handle_any(record)


async def async_consumers(config: Mapping[str, object]) -> None:
    assert_type(AsyncConsumer(bootstrap_servers=SERVERS), AsyncConsumer[bytes, bytes])
    assert_type(AsyncConsumer(bootstrap_servers=SERVERS, value_deserializer=to_order), AsyncConsumer[bytes, Order])
    assert_type(AsyncConsumer(bootstrap_servers=SERVERS, value_deserializer=await_order), AsyncConsumer[bytes, Order])
    assert_type(AsyncConsumer(value_deserializer=AwaitedOrder()), AsyncConsumer[bytes, Order])
    assert_type(AsyncConsumer(bootstrap_servers=SERVERS, key_deserializer=int), AsyncConsumer[int, bytes])
    assert_type(AsyncConsumer(config, key_deserializer=int, value_deserializer=await_order), AsyncConsumer[int, Order])
    assert_type(AsyncConsumer(config, key_deserializer=int, value_deserializer=to_order), AsyncConsumer[int, Order])
    assert_type(AsyncConsumer(config, key_deserializer=int), AsyncConsumer[int, Any])
    assert_type(AsyncConsumer(config, value_deserializer=await_order), AsyncConsumer[Any, Order])
    assert_type(AsyncConsumer(config, value_deserializer=to_order), AsyncConsumer[Any, Order])
    assert_type(AsyncConsumer(config), AsyncConsumer[Any, Any])
    both = AsyncConsumer(config, key_deserializer=await_text, value_deserializer=await_order)
    assert_type(both, AsyncConsumer[str, Order])
    async for record in both:
        assert_type(record.value, Order | None)
    assert_type(await anext(both), Record[str, Order])
    assert_type(await both.getone(TopicPartition("orders", 0)), Record[str, Order])
    assert_type(await both.getone(timeout=1), Record[str, Order] | None)
    assert_type(await both.poll(), Records[str, Order])
    async for records in both.batches():
        assert_type([record.key for record in records], list[str | None])
    async for records in both.batches(value=Avro("int"), on_error="null"):
        assert_type(records, Records[str, Order])
    await both.run(await_handling)
    await both.run(handle)
    await both.run(lambda record: assert_type(record.key, str | None))
    async with both as entered:
        assert_type(entered, AsyncConsumer[str, Order])
