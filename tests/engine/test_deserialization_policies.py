"""What ``on.deserialization.error`` makes of records that can't be deserialized."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from itertools import islice

import pytest

from kafka_nextgen import AsyncConsumer, Consumer, DeserializationError, Hooks, MisuseError, Record, StopHandle
from kafka_nextgen.engine.application.records import Records
from kafka_nextgen.wire.records import NewRecord, encode_batch
from tests.engine.bad_records import ALL_BUT_BAD, BAD, consuming, consuming_async, told
from tests.engine.stage import Stage, read, tp


def by_poll(consumer: Consumer) -> Iterator[Record]:
    while True:
        yield from consumer.poll()


def by_batches(consumer: Consumer) -> Iterator[Record]:
    for records in consumer.batches(max_records=7):
        for batch in records.batches():
            yield from batch


WAYS = pytest.mark.parametrize("way", [by_poll, by_batches, iter], ids=["poll", "batches", "iteration"])
Way = Callable[[Consumer], Iterator[Record]]


def bad_values(records: list[Record]) -> list[int]:
    """The offsets of records whose value is an error."""
    return [record.offset for record in records if isinstance(record.value, DeserializationError)]


class FailsAtFirst:
    """Buries no record at first."""

    def __init__(self) -> None:
        self.outages = [ConnectionError("no dead letters")]

    def __call__(self, error: DeserializationError) -> None:
        if self.outages:
            raise self.outages.pop()


@WAYS
def test_skip_leaves_the_record_out_and_says_so_in_the_log(
    orders: Stage, way: Way, caplog: pytest.LogCaptureFixture
) -> None:
    with consuming(orders, on_deserialization_error="skip") as consumer:
        seen = list(islice(way(consumer), 39))
        consumer.commit()
        assert (told(seen), orders.committed()) == (ALL_BUT_BAD, {0: 10, 1: 20, 2: 10})
    assert "orders[1]: skipped the record at offset 12: ValueError: twelve" in caplog.messages


@WAYS
def test_value_puts_the_error_in_its_place(orders: Stage, way: Way) -> None:
    with consuming(orders, on_deserialization_error="value") as consumer:
        (bad,) = [record for record in islice(way(consumer), 40) if not isinstance(record.value, int)]
        assert isinstance(bad.value, DeserializationError)
        assert (bad.partition, bad.offset, bad.value.record.value) == (1, BAD, b"12")
        assert isinstance(bad.value.__cause__, ValueError)


@WAYS
def test_a_function_gets_the_error_and_the_record_is_skipped_once_it_returned(orders: Stage, way: Way) -> None:
    dead: list[DeserializationError] = []
    with consuming(orders, on_deserialization_error=dead.append) as consumer:
        seen = list(islice(way(consumer), 39))
    assert told(seen) == ALL_BUT_BAD
    assert [(error.partition, error.offset, error.record.value) for error in dead] == [(tp(1), BAD, b"12")]
    assert str(dead[0]).endswith("ValueError: twelve; the record is skipped")


@WAYS
def test_what_the_function_raises_is_raised_and_positions_stop_at_the_record(orders: Stage, way: Way) -> None:
    seen: list[Record] = []
    with consuming(orders, on_deserialization_error=FailsAtFirst()) as consumer:
        with pytest.raises(ConnectionError):
            seen.extend(way(consumer))
        assert consumer.position(tp(1)) == BAD
        seen += islice(way(consumer), 39 - len(seen))
    assert told(seen) == ALL_BUT_BAD


@pytest.mark.parametrize("policy", ["skip", "value"])
async def test_policies_hold_for_asynchronous_loops(orders: Stage, policy: str) -> None:
    seen: list[Record] = []
    async with consuming_async(orders, on_deserialization_error=policy) as consumer:
        async for record in consumer:
            seen.append(record)
            if len(seen) == (39 if policy == "skip" else 40):
                break
    assert bad_values(seen) == ([] if policy == "skip" else [BAD])


async def test_an_asynchronous_loop_in_which_all_is_skipped_lets_other_tasks_run(stage: Stage) -> None:
    stage.create(records=2000)
    config = stage.config(value_deserializer=bytes.fromhex, on_deserialization_error=lambda _: None)
    async with AsyncConsumer(**config) as consumer:
        await consumer.assign([tp()])
        reading = asyncio.ensure_future(anext(consumer))
        while consumer.metrics().reading.records < 2000:
            await asyncio.sleep(0)
        reading.cancel()


# ---- run


class Handler:
    """Keeps what is handled, and stops the run with the last."""

    def __init__(self, until: int) -> None:
        self.until, self.handled, self.stop = until, list[Record](), StopHandle()

    def __call__(self, record: Record) -> None:
        self.handled.append(record)
        if len(self.handled) == self.until:
            self.stop.stop()

    async def awaited(self, record: Record) -> None:
        self(record)


@pytest.mark.parametrize("is_async", [False, True], ids=["threads", "tasks"])
@pytest.mark.parametrize("policy", ["skip", "value", "a function"])
async def test_run_handles_by_the_policy_and_what_is_skipped_is_done(
    orders: Stage, policy: str, is_async: bool
) -> None:
    dead: list[DeserializationError] = []
    given = dead.append if policy == "a function" else policy
    handler = Handler(40 if policy == "value" else 39)
    if is_async:
        async with consuming_async(orders, on_deserialization_error=given) as consumer:
            await consumer.run(handler.awaited, stop=handler.stop, stop_on_signals=False)
    else:
        with consuming(orders, on_deserialization_error=given) as blocking:
            blocking.run(handler, stop=handler.stop, stop_on_signals=False)
    assert orders.committed() == {0: 10, 1: 20, 2: 10}
    assert bad_values(handler.handled) == ([BAD] if policy == "value" else [])
    assert [error.offset for error in dead] == ([BAD] if policy == "a function" else [])


def test_run_raises_the_error_and_the_next_poll_begins_at_the_record(orders: Stage) -> None:
    with consuming(orders) as consumer:
        with pytest.raises(DeserializationError):
            consumer.run(Handler(40), attempts=1, stop_on_signals=False)
        assert consumer.position(tp(1)) == BAD
        assert orders.committed().get(1) == BAD


def test_run_tries_again_while_the_function_raises(orders: Stage) -> None:
    bury, handler = FailsAtFirst(), Handler(39)
    with consuming(orders, on_deserialization_error=bury) as consumer:
        consumer.run(handler, stop=handler.stop, stop_on_signals=False)
    assert (orders.committed(), bury.outages) == ({0: 10, 1: 20, 2: 10}, [])


# ---- the error, and who else meets it


def test_key_and_value_fail_for_themselves(stage: Stage) -> None:
    def refuse(data: bytes) -> int:
        raise ValueError(data)

    stage.create()
    stage.append(0, encode_batch([NewRecord(b"v", key=b"k")]))
    dead: list[str] = []
    deserializers = {"key_deserializer": refuse, "value_deserializer": refuse}
    with stage.reader(**deserializers, on_deserialization_error="value") as consumer:
        record = next(consumer)
        assert [getattr(record.key, "field", ""), getattr(record.value, "field", "")] == ["key", "value"]
    with stage.reader(**deserializers, on_deserialization_error=lambda error: dead.append(error.field)) as consumer:
        while consumer.position(tp()) < 1:
            assert list(consumer.poll(timeout=0.1)) == []
            assert dead in ([], ["key"]), "once for each record"
    assert dead == ["key"]


def test_a_function_that_turns_out_to_be_async_skips_nothing(orders: Stage) -> None:
    async def bury(error: DeserializationError) -> None: ...

    with consuming(orders, on_deserialization_error=lambda error: bury(error)) as consumer:
        with pytest.raises(MisuseError, match="can't be async"):
            list(consumer.poll())
        assert consumer.position(tp(1)) == BAD


def test_a_deserializer_that_gives_a_coroutine_is_told_apart_from_a_value(orders: Stage) -> None:
    """Only what says that it is async is told apart before it is called."""

    async def deserialize(data: bytes) -> bytes:
        return data

    wrong = pytest.raises(DeserializationError, match="await where you process the record")
    with orders.reader(value_deserializer=lambda data: deserialize(data)) as consumer, wrong as caught:
        read(consumer, 1)
    assert isinstance(caught.value.__cause__, MisuseError)


def test_columns_have_no_bad_records(orders: Stage) -> None:
    with consuming(orders) as consumer:
        assert consumer.poll().to_arrow().num_rows == 40


def test_hooks_that_look_at_records_meet_errors_as_values(orders: Stage) -> None:
    class Watches(Hooks):
        def received(self, records: Records, began_at: float, took_s: float) -> None:
            watched.extend(records)

    watched: list[Record] = []
    dead: list[DeserializationError] = []
    with consuming(orders, on_deserialization_error=dead.append) as consumer:
        consumer.hooks.add(Watches())
        consumer.poll()
    assert (len(watched), dead) == (40, [])


def test_the_error_says_that_reading_stops_only_where_it_does(orders: Stage) -> None:
    with consuming(orders) as consumer, pytest.raises(DeserializationError, match="reading stops there: seek to 13"):
        list(islice(iter(consumer), 39))
