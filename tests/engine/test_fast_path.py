"""Records that come one by one are fetched in a steady state: each in order, none twice, counted as any other."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from kafka_nextgen import AsyncConsumer, Consumer, Record
from kafka_nextgen.compiled import ACCELERATED
from kafka_nextgen.engine.reading import fetch_exchange
from kafka_nextgen.engine.reading.record_decoder import RecordDecoder
from kafka_nextgen.errors import DeserializationError
from kafka_nextgen.fetching import fast_path
from kafka_nextgen.fetching.handing_over import Handover
from kafka_nextgen.metrics.consumer_metrics import ReadingMetrics
from kafka_nextgen.testing import Cluster
from tests.engine.stage import SETTINGS, Stage, poll_until, read, tp, values
from tests.engine.steady import LONG_MS, Steadiness, go_on, next_of, one_by_one, reading, reads_on
from tests.support.signals import handled_by, shower
from tests.support.waiting import eventually

compiled = pytest.mark.skipif(not ACCELERATED, reason="without the accelerator nothing is steady")


@compiled
def test_nearly_every_answer_is_followed(stage: Stage, steady: Steadiness) -> None:
    with reading(stage, steady) as consumer:
        before, begun = steady.answers, steady.begun
        assert reads_on(stage, consumer, 40)
        assert steady.answers - before >= 30
        assert steady.begun - begun <= 2, "nothing ends it, unless metadata is refreshed in the midst of it"


@compiled
def test_each_of_many_partitions_is_read(stage: Stage, steady: Steadiness) -> None:
    stage.create(partitions=20)
    with stage.consumer(group_id=None, fetch_max_wait_ms=LONG_MS) as consumer:
        consumer.assign([tp(number) for number in range(20)])
        seen: dict[int, list[int]] = {number: [] for number in range(20)}
        for turn in range(100):
            written = [turn % 20, (turn * 7) % 20, (turn * 3) % 20]
            for partition in written:
                stage.write(partition, 1)
            for record in read(consumer, len(written)):
                seen[record.partition].append(record.offset)
        assert all(offsets == list(range(len(offsets))) for offsets in seen.values())
        assert sum(map(len, seen.values())) == 300
        assert steady.answers > 50


@compiled
def test_each_of_two_nodes_is_read(monkeypatch: pytest.MonkeyPatch, steady: Steadiness) -> None:
    with Cluster(brokers=2, config=SETTINGS) as cluster:
        stage = Stage(cluster, monkeypatch)
        with reading(stage, steady) as consumer:
            for offset in range(20):
                stage.write(1, 1)
                assert [(record.partition, record.offset) for record in read(consumer, 1)] == [(1, offset)]
                assert reads_on(stage, consumer, 1)
            assert steady.answers > 20
            consumer.seek(tp(0), 0)
            assert values(read(consumer, 3)) == [0, 1, 2]
            stage.write(1, 1)
            consumer.pause([tp(0)])
            assert [(record.partition, record.offset) for record in read(consumer, 1)] == [(1, 20)]


def test_without_the_accelerator_all_goes_the_long_way(
    stage: Stage, steady: Steadiness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetch_exchange, "ACCELERATED", False)
    stage.create(partitions=2)
    with stage.consumer(group_id=None, fetch_max_wait_ms=LONG_MS) as consumer:
        consumer.assign([tp(0), tp(1)])
        assert one_by_one(stage, consumer, 30) == list(range(30))
    assert (steady.begun, steady.answers) == (0, 0)


# ---- what is counted


def read_and_count(stage: Stage, partition: int) -> ReadingMetrics:
    """Read 40 records one by one; what was counted."""
    with stage.consumer(group_id=None, fetch_max_wait_ms=60_000, request_timeout_ms=90_000) as consumer:
        consumer.assign([tp(partition)])
        assert one_by_one(stage, consumer, 40, partition) == list(range(40))
        return consumer.metrics().reading


@compiled
def test_fetches_count_alike_on_both_ways(stage: Stage, steady: Steadiness, monkeypatch: pytest.MonkeyPatch) -> None:
    stage.create(partitions=2)
    fast = read_and_count(stage, 0)
    assert steady.answers >= 30
    monkeypatch.setattr(fetch_exchange, "ACCELERATED", False)
    slow = read_and_count(stage, 1)
    for name in ("fetches", "failed_fetches", "fetched_records", "fetched_bytes", "records", "bytes"):
        assert getattr(fast, name) == getattr(slow, name), name


@compiled
def test_each_answer_is_in_the_metrics(stage: Stage, steady: Steadiness) -> None:
    with reading(stage, steady) as consumer:
        before, answers = consumer.metrics(), steady.answers
        assert reads_on(stage, consumer, 40)
        after, answers = consumer.metrics(), steady.answers - answers
        assert answers >= 30
        assert after.reading.fetches - before.reading.fetches == 40
        assert after.reading.fetched_records - before.reading.fetched_records == 40
        assert after.connections.answers - before.connections.answers >= 40
        assert after.connections.requests - before.connections.requests >= 40
        assert after.connections.bytes_in - before.connections.bytes_in > 40 * 60
        assert after.connections.bytes_out - before.connections.bytes_out > 40 * 60


@compiled
def test_each_fetch_has_a_latency_of_its_own(stage: Stage, steady: Steadiness) -> None:
    """There is one fetch at a time, so that all of them together take no longer than the clock says."""
    with reading(stage, steady) as consumer:
        began, before = time.monotonic(), consumer.metrics().reading.fetch_latency.total_ms
        time.sleep(0.5)
        assert reads_on(stage, consumer, 40)
        waited_ms = consumer.metrics().reading.fetch_latency.total_ms - before
        assert 500 <= waited_ms < (time.monotonic() - began) * 1000 + 500


def test_an_answer_counts_when_it_comes_and_not_when_it_is_decoded(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that its latency is that of the broker."""
    monkeypatch.setattr(fetch_exchange, "ACCELERATED", False)
    stage.create()
    with stage.consumer(group_id=None, fetch_max_wait_ms=LONG_MS) as consumer:
        consumer.assign([tp(0)])
        one_by_one(stage, consumer, 1)
        counted: list[int] = []
        before, decode = consumer.metrics().reading.fetches, RecordDecoder.decode_at_once

        def watched(*what: Any) -> Any:
            counted.append(consumer.metrics().reading.fetches - before)
            return decode(*what)

        monkeypatch.setattr(RecordDecoder, "decode_at_once", watched)
        one_by_one(stage, consumer, 3)
        assert counted == [1, 2, 3]


# ---- what the application does meanwhile


@compiled
def test_where_reading_stands_is_known_meanwhile(stage: Stage, steady: Steadiness) -> None:
    with reading(stage, steady) as consumer:
        first = next_of(consumer)
        stage.write(0, 3)
        eventually("the lag is 3", lambda: consumer.lag()[tp(0)] == 3, saw=consumer.lag)
        assert next_of(consumer) == first
        assert values(read(consumer, 3)) == [first, first + 1, first + 2]
        assert consumer.lag() == {tp(0): 0, tp(1): 0}
        assert consumer.health().problem is None
        assert consumer.end_offsets([tp(0)]) == {tp(0): next_of(consumer)}


@compiled
def test_partitions_that_bring_nothing_are_not_silent_as_long_as_their_node_answers(
    stage: Stage, steady: Steadiness
) -> None:
    with reading(stage, steady) as consumer:
        answers, later = steady.answers, time.monotonic() + 1000

        def silence_s() -> float:
            return consumer._core.fetches.under_lock(lambda state: state.planning.silence_s(later))[tp(1)]

        before = silence_s()
        assert reads_on(stage, consumer, 5)
        assert steady.answers > answers
        assert silence_s() < before


@compiled
def test_iterating(stage: Stage, steady: Steadiness) -> None:
    with reading(stage, steady) as consumer:
        first, before, seen = next_of(consumer), steady.answers, list[Record]()
        stage.write(0, 1)
        for record in consumer:
            seen.append(record)
            if len(seen) == 30:
                break
            stage.write(0, 1)
        assert values(seen) == list(range(first, first + 30))
        assert steady.answers - before >= 20


@compiled
def test_asyncio(stage: Stage, steady: Steadiness) -> None:
    async def scene() -> None:
        stage.create(partitions=2)
        async with AsyncConsumer(**stage.config(group_id=None, fetch_max_wait_ms=LONG_MS)) as consumer:
            await consumer.assign([tp(0), tp(1)])
            seen: list[Record] = []
            stage.write(0, 1)
            async for record in consumer:
                seen.append(record)
                if len(seen) == 40:
                    break
                await asyncio.to_thread(stage.write, 0, 1)
            assert values(seen) == list(range(40))
            assert steady.answers >= 20

    asyncio.run(scene())


@compiled
def test_records_that_are_put_back_come_again(stage: Stage, steady: Steadiness) -> None:
    refused: list[bytes] = []

    def deserialize(data: bytes) -> bytes:
        if data in refused:
            refused.remove(data)
            raise ValueError("not now")
        return data

    with reading(stage, steady, value_deserializer=deserialize) as consumer:
        for _ in range(5):
            first, answers = next_of(consumer), steady.answers
            refused.append(b"%d" % (first + 1))
            for _ in range(3):
                stage.write(0, 1)
            eventually("the lag is 3", lambda: consumer.lag()[tp(0)] == 3, saw=consumer.lag)
            assert values(read(consumer, 1)) == [first]
            with pytest.raises(DeserializationError, match="not now"):
                list(consumer.poll(1.0))
            assert next_of(consumer) == first + 1
            assert values(read(consumer, 2)) == [first + 1, first + 2]
            assert steady.answers > answers


# ---- bugs


@compiled
def test_a_bug_reaches_the_application_and_reading_goes_on(stage: Stage, steady: Steadiness) -> None:
    with reading(stage, steady) as consumer:
        first = next_of(consumer)
        steady.stumbles = 1
        stage.write(0, 1)
        with pytest.raises(ZeroDivisionError, match="a bug"):
            poll_until(consumer, lambda: False)
        assert values(read(consumer, 1)) == [first]
        assert reads_on(stage, consumer, 5)
        go_on(stage, consumer, steady)


@compiled
@pytest.mark.parametrize("where", ["note_ends", "note_columns"])
def test_so_does_one_where_records_are_kept(
    stage: Stage, steady: Steadiness, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    """The next request was made already, and is not sent: what was answered is fetched again."""
    with reading(stage, steady) as consumer:
        first, note, stumbles = next_of(consumer), getattr(fast_path, where), [True]

        def watched(*what: Any) -> None:
            if stumbles and stumbles.pop():
                raise MemoryError("no room for columns")
            note(*what)

        monkeypatch.setattr(fast_path, where, watched)
        stage.write(0, 1)
        with pytest.raises(MemoryError, match="no room for columns"):
            poll_until(consumer, lambda: False)
        assert values(read(consumer, 1)) == [first]
        assert reads_on(stage, consumer, 5)
        go_on(stage, consumer, steady)


# ---- signal handlers


HANDLERS: dict[str, Callable[[Consumer], object]] = {
    "looks": lambda consumer: (consumer.lag(), consumer.position(tp(0))),
    "asks for health": lambda consumer: consumer.health(),
    "commits what it has": lambda consumer: consumer._core.fetches.hand_over(()),
    "seeks": lambda consumer: consumer.seek(tp(0), consumer.position(tp(0))),
    "pauses": lambda consumer: (consumer.pause([tp(1)]), consumer.resume([tp(1)])),
}


def interrupted(monkeypatch: pytest.MonkeyPatch, name: str, by: Callable[[], object]) -> Callable[[], bool]:
    """Have this happen once, where a signal handler may: inside of a poll, when the fetch state is locked."""
    called, todo = getattr(Handover, name), [by]

    def interrupted_once(handover: Handover, *what: object) -> object:
        result = called(handover, *what)
        if todo:
            todo.pop()()
        return result

    monkeypatch.setattr(Handover, name, interrupted_once)
    return lambda: not todo


@compiled
@pytest.mark.parametrize("name", ["peek", "hand_over"])
@pytest.mark.parametrize("handler", HANDLERS.values(), ids=HANDLERS)
def test_nothing_is_lost_or_twice_when_a_handler_does_something_inside_of_a_poll(
    stage: Stage,
    steady: Steadiness,
    monkeypatch: pytest.MonkeyPatch,
    handler: Callable[[Consumer], object],
    name: str,
) -> None:
    with reading(stage, steady) as consumer:
        first = next_of(consumer)
        has_happened = interrupted(monkeypatch, name, lambda: handler(consumer))
        assert one_by_one(stage, consumer, 10) == list(range(first, first + 10))
        assert has_happened()
        go_on(stage, consumer, steady)


@compiled
@pytest.mark.parametrize("name", ["peek", "hand_over"])
def test_nothing_is_lost_when_a_handler_raises_there(
    stage: Stage, steady: Steadiness, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    def stop() -> None:
        raise KeyboardInterrupt

    with reading(stage, steady) as consumer:
        assert reads_on(stage, consumer, 1)
        first = next_of(consumer)
        has_happened = interrupted(monkeypatch, name, stop)
        stage.write(0, 1)
        seen: list[Record] = []
        with pytest.raises(KeyboardInterrupt):
            poll_on(consumer, seen)
        assert has_happened()
        assert values([*seen, *read(consumer, 1 - len(seen))]) == [first]
        assert reads_on(stage, consumer, 10)


def poll_on(consumer: Consumer, seen: list[Record]) -> None:
    for _ in range(3):
        seen += consumer.poll(1.0)


class InterruptionError(Exception):
    """What the handler of a signal raises."""


@compiled
@pytest.mark.parametrize("raises", [True, False], ids=["it raises", "it looks"])
def test_nothing_is_missing_or_twice_in_a_shower_of_signals(stage: Stage, steady: Steadiness, raises: bool) -> None:
    """Wherever it is interrupted, the next record is always the one at the position."""
    is_armed = False

    def handle(*_: object) -> None:
        if is_armed and raises:
            raise InterruptionError
        if is_armed:
            consumer.lag()
            consumer.health()

    with handled_by(handle), shower(0.01), reading(stage, steady) as consumer, written_all_the_time(stage):
        end, interruptions = next_of(consumer) + 3000, 0
        while (position := next_of(consumer)) < end:
            try:
                is_armed = True
                records = consumer.poll(0.1)
                is_armed = False
            except InterruptionError:
                is_armed = False
                interruptions += 1
            else:
                assert values(records) == list(range(position, position + len(records)))
        assert interruptions > 10 or not raises
        assert steady.answers > 50


@contextmanager
def written_all_the_time(stage: Stage) -> Iterator[None]:
    """Write records to the first partition, a few at a time."""
    is_over = threading.Event()

    def write() -> None:
        while not is_over.is_set():
            stage.write(0, 3)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        yield
    finally:
        is_over.set()
        writer.join()
