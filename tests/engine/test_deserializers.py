"""Deserializers of every form, and those that may wait: for a registry, say."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

import pytest
from kafka.serializer import JsonSerializer

from kafka_nextgen import (
    AsyncConsumer,
    AsyncRebalanceListener,
    ConfigError,
    Consumer,
    ConsumerConfig,
    DeserializationError,
    Hooks,
    MisuseError,
    Record,
    StopHandle,
)
from kafka_nextgen.engine.application import deserializing_ahead
from kafka_nextgen.engine.application.deserializing_ahead import Ahead
from kafka_nextgen.engine.application.record_run import record_rows
from kafka_nextgen.engine.application.records import Records
from kafka_nextgen.properties.deserializer_forms import DeserializationContext
from kafka_nextgen.wire.records import ColumnSlice, NewRecord, RecordLimits, decode_partition, encode_batch
from tests.engine.bad_records import ALL_BUT_BAD, BAD, PARTITIONS, refuse_twelve, told
from tests.engine.stage import TOPIC, Stage, read, read_async, tp
from tests.support.waiting import GUARD_S


def in_context(data: bytes, context: DeserializationContext) -> tuple[str, str, list[tuple[str, bytes | None]], bytes]:
    return context.topic, context.field, context.headers, data


async def awaited(data: bytes) -> int:
    await asyncio.sleep(0)
    return refuse_twelve(data)


async def at_once(data: bytes) -> int:
    return refuse_twelve(data)


def in_a_thread(data: bytes, context: object) -> int:
    assert threading.current_thread().daemon, "not the thread of the event loop"
    return refuse_twelve(data)


CALLER: ContextVar[str] = ContextVar("CALLER")
WAITING = pytest.mark.parametrize("deserializer", [awaited, at_once, in_a_thread])


class Gate:
    """A registry that answers once the gate is open; in a thread, or awaited."""

    def __init__(self) -> None:
        self.is_open = threading.Event()
        self.is_asked = threading.Event()
        self.calls: list[bytes] = []

    def ask(self, data: bytes, context: object) -> int:
        self.calls.append(data)
        self.is_asked.set()
        assert self.is_open.wait(GUARD_S)
        return int(data)

    async def ask_async(self, data: bytes) -> int:
        self.calls.append(data)
        self.is_asked.set()
        while not self.is_open.is_set():
            await asyncio.sleep(0.001)
        return int(data)


GATES = pytest.mark.parametrize("way", [Gate.ask, Gate.ask_async], ids=["in a thread", "awaited"])
Way = Callable[[Gate], Any]


async def assigned(stage: Stage, deserializer: Callable[..., object], **more: object) -> AsyncConsumer:
    consumer = AsyncConsumer(**stage.config(value_deserializer=deserializer, **more))
    await consumer.assign(PARTITIONS)
    return consumer


async def happens(event: threading.Event) -> None:
    assert await asyncio.to_thread(event.wait, GUARD_S)


async def read_until_bad(consumer: AsyncConsumer, seen: list[Record]) -> DeserializationError:
    while True:
        records = await consumer.poll()
        try:
            seen.extend(records)
        except DeserializationError as error:
            return error


# ---- what they are called with


def one_record(stage: Stage) -> None:
    stage.create()
    stage.append(0, encode_batch([NewRecord(b'"v"', key=b'"k"', headers=(("h", b"1"), ("none", None)))]))


HEADERS = [("h", b"1"), ("none", None)]


def test_a_callable_of_two_gets_topic_field_and_headers(stage: Stage) -> None:
    one_record(stage)
    with stage.reader(key_deserializer=in_context, value_deserializer=in_context) as consumer:
        (record,) = read(consumer, 1)
    assert record.key == (TOPIC, "key", HEADERS, b'"k"')
    assert record.value == (TOPIC, "value", HEADERS, b'"v"')


async def test_a_callable_of_two_gets_the_same_from_an_async_consumer(stage: Stage) -> None:
    one_record(stage)
    async with AsyncConsumer(**stage.config(key_deserializer=in_context, value_deserializer=bytes.decode)) as consumer:
        await consumer.assign([tp()])
        (record,) = await read_async(consumer, 1)
    assert (record.key, record.value) == ((TOPIC, "key", HEADERS, b'"k"'), '"v"')


def test_objects_of_kafka_python_deserialize_as_there(stage: Stage) -> None:
    class OfOldReleases:
        def deserialize(self, topic: str, data: bytes) -> object:
            return topic, data

    one_record(stage)
    with stage.reader(key_deserializer=OfOldReleases(), value_deserializer=JsonSerializer()) as consumer:
        (record,) = read(consumer, 1)
    assert (record.key, record.value) == ((TOPIC, b'"k"'), "v")


@pytest.mark.parametrize("field", ["key", "value"])
def test_a_blocking_consumer_refuses_what_is_async_and_says_what_to_use(field: str) -> None:
    with pytest.raises(ConfigError, match=f"{field}.deserializer is async.*use AsyncConsumer"):
        Consumer({"bootstrap.servers": "localhost:9092", f"{field}.deserializer": awaited})


# ---- what may wait


@WAITING
async def test_what_may_wait_is_ready_when_poll_returns(orders: Stage, deserializer: Callable[..., object]) -> None:
    seen: list[Record] = []
    async with await assigned(orders, deserializer, on_deserialization_error="skip") as consumer:
        while len(seen) < 39:
            seen += await consumer.poll()
        await consumer.commit()
    assert told(seen) == ALL_BUT_BAD
    assert all(record.value == record.offset for record in seen)
    assert orders.committed() == {0: 10, 1: 20, 2: 10}


@WAITING
async def test_what_may_wait_is_ready_when_a_loop_gets_there(
    orders: Stage, deserializer: Callable[..., object]
) -> None:
    seen: list[Record] = []
    async with await assigned(orders, deserializer, on_deserialization_error="value") as consumer:
        async for record in consumer:
            seen.append(record)
            if len(seen) == 40:
                break
    (bad,) = [record for record in seen if not isinstance(record.value, int)]
    assert isinstance(bad.value, DeserializationError)
    assert (bad.partition, bad.offset, bad.value.record.value) == (1, BAD, b"12")


@WAITING
async def test_a_failure_stops_where_it_does_for_others_and_is_tried_again(
    orders: Stage, deserializer: Callable[..., object]
) -> None:
    seen: list[Record] = []
    async with await assigned(orders, deserializer) as consumer:
        for _ in range(2):
            error = await read_until_bad(consumer, seen)
            assert (error.partition, error.offset) == (tp(1), BAD)
            assert await consumer.position(tp(1)) == BAD
        await consumer.seek(tp(1), BAD + 1)
        while len(seen) < 39:
            seen += await consumer.poll()
    assert told(seen) == ALL_BUT_BAD


@WAITING
async def test_run_deserializes_each_record_in_its_own_task(orders: Stage, deserializer: Callable[..., object]) -> None:
    handled: list[Record] = []
    stop = StopHandle()

    async def handle(record: Record) -> None:
        handled.append(record)
        if len(handled) == 39:
            stop.stop()

    async with await assigned(orders, deserializer, on_deserialization_error="skip") as consumer:
        await consumer.run(handle, stop=stop, stop_on_signals=False)
    assert told(handled) == ALL_BUT_BAD
    assert orders.committed() == {0: 10, 1: 20, 2: 10}


async def test_hooks_see_what_was_deserialized(orders: Stage) -> None:
    class Watches(Hooks):
        def received(self, records: Records, began_at: float, took_s: float) -> None:
            watched.extend(record.value for record in records)

    watched: list[object] = []
    async with await assigned(orders, in_a_thread, on_deserialization_error="skip") as consumer:
        consumer.hooks.add(Watches())
        seen = await read_async(consumer, 39)
    assert sorted(map(str, watched)) >= sorted(str(record.value) for record in seen)


async def test_a_coroutine_that_nobody_was_told_of_is_no_value(orders: Stage) -> None:
    def unannounced(data: bytes, context: object) -> object:
        return at_once(data)

    async with await assigned(orders, unannounced) as consumer:
        with pytest.raises(DeserializationError, match="make it an async function"):
            await read_async(consumer, 1)


async def test_what_failed_is_deserialized_again_when_it_is_offered_again(stage: Stage) -> None:
    calls: list[bytes] = []

    async def fails_once(data: bytes) -> int:
        calls.append(data)
        if len(calls) == 1:
            raise ValueError("no registry")
        return int(data)

    stage.create(records=1)
    async with AsyncConsumer(**stage.config(value_deserializer=fails_once)) as consumer:
        await consumer.assign([tp()])
        with pytest.raises(DeserializationError, match="no registry"):
            await read_async(consumer, 1)
        (record,) = await read_async(consumer, 1)
    assert (record.value, len(calls)) == (0, 2)


async def test_what_ends_the_process_is_raised_where_records_are_read(stage: Stage) -> None:
    class EndError(BaseException):
        """Such as KeyboardInterrupt, which no policy is for."""

    calls: list[bytes] = []

    def end(data: bytes, context: object) -> object:
        calls.append(data)
        if len(calls) == 1:
            raise EndError
        return data

    stage.create(records=1)
    async with AsyncConsumer(**stage.config(value_deserializer=end, on_deserialization_error="skip")) as consumer:
        await consumer.assign([tp()])
        with pytest.raises(EndError):
            await read_async(consumer, 1)


async def test_a_deserializer_in_a_thread_has_the_context_of_its_caller(stage: Stage) -> None:
    def named(data: bytes, context: object) -> str:
        return CALLER.get()

    stage.create(records=1)
    CALLER.set("poll")
    async with AsyncConsumer(**stage.config(value_deserializer=named)) as consumer:
        await consumer.assign([tp()])
        (record,) = await read_async(consumer, 1)
    assert record.value == "poll"


async def test_coroutines_that_never_wait_leave_time_to_other_tasks(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns = 0

    async def turn() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    async def seen(data: bytes) -> int:
        return turns

    monkeypatch.setattr(deserializing_ahead, "_BREATH_S", 0.0)
    stage.create(records=10)
    async with AsyncConsumer(**stage.config(value_deserializer=seen)) as consumer:
        await consumer.assign([tp()])
        turning = asyncio.ensure_future(turn())
        records = await read_async(consumer, 10)
        turning.cancel()
    assert len({record.value for record in records}) > 1


async def test_another_record_at_the_same_offset_is_deserialized_anew() -> None:
    """A topic can be deleted and created again."""
    config = {"bootstrap.servers": "localhost:9092", "value.deserializer": awaited}
    ahead = Ahead(ConsumerConfig.parse(config))
    for value in (b"1", b"2"):
        columns = decode_partition(encode_batch([NewRecord(value)]), tp(), 0, RecordLimits())
        part = ColumnSlice(columns, 0, 1)
        taken, deserializers = ahead.take_ready([part])
        while not taken:
            await ahead.wait(GUARD_S)
            taken, deserializers = ahead.take_ready([part])
        record = deserializers.apply(next(iter(record_rows(columns, 0, 1))))
        assert record is not None
        assert record.value == int(value)


async def test_more_records_than_are_deserialized_at_a_time_come_in_order(stage: Stage) -> None:
    stage.create(records=2500)
    seen: list[int] = []
    async with AsyncConsumer(
        **stage.config(value_deserializer=in_a_thread, on_deserialization_error="skip")
    ) as consumer:
        await consumer.assign([tp()])
        async for records in consumer.batches(max_records=2000):
            seen += [record.offset for record in records]
            if len(seen) == 2499:
                break
    assert seen == [offset for offset in range(2500) if offset != BAD]


# ---- a registry that does not answer


@GATES
async def test_polls_end_in_time_while_a_registry_hangs_and_lose_nothing(stage: Stage, way: Way) -> None:
    gate = Gate()
    stage.create(partitions=3, records=2)
    async with await assigned(stage, way.__get__(gate)) as consumer:  # type: ignore[attr-defined]
        while not gate.is_asked.is_set():
            assert len(await consumer.poll(timeout=0.01)) == 0
        assert len(await consumer.poll(timeout=0)) == 0
        assert await consumer.position(tp(0)) == 0
        gate.is_open.set()
        seen = await read_async(consumer, 6)
    assert told(seen) == [(p, n) for p in range(3) for n in range(2)]
    assert sorted(gate.calls) == [b"0", b"0", b"0", b"1", b"1", b"1"], "each once, although it was offered often"


@GATES
async def test_heartbeats_callbacks_and_other_tasks_go_on_while_a_registry_hangs(stage: Stage, way: Way) -> None:
    class Hears(AsyncRebalanceListener):
        async def on_partitions_revoked(self, consumer: object, partitions: object) -> None:
            revoked.set()

    gate, revoked = Gate(), asyncio.Event()
    stage.create(partitions=2, records=2)
    config = stage.config(value_deserializer=way.__get__(gate))  # type: ignore[attr-defined]
    async with AsyncConsumer(**config) as consumer:
        await consumer.subscribe([TOPIC], Hears())
        reading = asyncio.ensure_future(anext(consumer))
        await happens(gate.is_asked)
        with stage.subscribed() as other:
            while not revoked.is_set():
                await asyncio.to_thread(other.poll, 0.01)
            assert stage.members() == 2
        gate.is_open.set()
        assert isinstance((await reading).value, int)


@GATES
async def test_a_cancelled_poll_loses_nothing(stage: Stage, way: Way) -> None:
    gate = Gate()
    stage.create(partitions=3, records=2)
    async with await assigned(stage, way.__get__(gate)) as consumer:  # type: ignore[attr-defined]
        polling = asyncio.ensure_future(consumer.poll(timeout=None))
        await happens(gate.is_asked)
        polling.cancel()
        with pytest.raises(asyncio.CancelledError):
            await polling
        gate.is_open.set()
        assert len(await read_async(consumer, 6)) == 6


@GATES
async def test_seeking_past_a_record_that_hangs_goes_on_behind_it(stage: Stage, way: Way) -> None:
    gate = Gate()
    stage.create(records=3)
    async with AsyncConsumer(**stage.config(value_deserializer=way.__get__(gate))) as consumer:  # type: ignore[attr-defined]
        await consumer.assign([tp()])
        while not gate.is_asked.is_set():
            await consumer.poll(timeout=0.01)
        gate.is_asked.clear()
        await consumer.seek(tp(), 1)
        while not gate.is_asked.is_set():
            await consumer.poll(timeout=0.01)
        assert gate.calls == [b"0", b"1"]
        gate.is_open.set()
        assert [record.offset for record in await read_async(consumer, 2)] == [1, 2]


@GATES
async def test_close_waits_for_no_registry(stage: Stage, way: Way) -> None:
    gate = Gate()
    stage.create(records=1)
    consumer = AsyncConsumer(**stage.config(value_deserializer=way.__get__(gate)))  # type: ignore[attr-defined]
    await consumer.assign([tp()])
    while not gate.is_asked.is_set():
        await consumer.poll(timeout=0.01)
    await consumer.close()
    gate.is_open.set()


@GATES
async def test_close_ends_another_tasks_poll_that_waits_for_a_registry(stage: Stage, way: Way) -> None:
    gate = Gate()
    stage.create(records=1)
    consumer = AsyncConsumer(**stage.config(value_deserializer=way.__get__(gate)))  # type: ignore[attr-defined]
    await consumer.assign([tp()])
    polling = asyncio.ensure_future(consumer.poll(timeout=None))
    await happens(gate.is_asked)
    await consumer.close()
    with pytest.raises(MisuseError, match="closed"):
        await polling
    gate.is_open.set()


def test_a_blocking_consumer_keeps_its_partitions_while_a_registry_hangs(stage: Stage) -> None:
    gate = Gate()
    stage.create(records=1)
    with stage.subscribed(value_deserializer=gate.ask) as consumer:
        reading = threading.Thread(target=next, args=(consumer,))
        reading.start()
        assert gate.is_asked.wait(GUARD_S)
        heartbeats = consumer.metrics().group.heartbeats
        while consumer.metrics().group.heartbeats < heartbeats + 3:
            pass
        gate.is_open.set()
        reading.join()
