"""Records that come one by one are fetched by a relay; whatever ends it, nothing is lost, doubled or out of order."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from kafka_nextgen.engine.reading.fetch_relaying import FetchRelaying
from kafka_nextgen.transport.relays import HAS_RELAYS, Relayed

from kafka_nextgen import AsyncConsumer, Consumer, Record
from kafka_nextgen.engine.reading import fetch_talk
from kafka_nextgen.errors import CorruptRecordError
from kafka_nextgen.fetching import FetchState
from kafka_nextgen.wire.apis import FETCH
from tests.engine.stage import PATIENCE_S, Stage, poll_until, read, tp, values
from tests.engine.test_fetch_talk import LONG_MS, fails, hang_up, one_by_one
from tests.support.signals import handled_by, shower

THROTTLE_MS = 300

pytestmark = pytest.mark.skipif(not HAS_RELAYS, reason="there are no relays here")


class Relays:
    """Counts relays that have begun and ended, and the answers they noted."""

    def __init__(self) -> None:
        self.begun = self.ended = self.answers = 0

    @property
    def is_on(self) -> bool:
        return self.begun > self.ended

    def watch(self, monkeypatch: pytest.MonkeyPatch) -> None:
        begin, note, end = FetchRelaying.__init__, FetchRelaying.note, FetchRelaying.end

        def begun(*what: object) -> None:
            self.begun += 1
            begin(*what)  # type: ignore[arg-type]

        def noted(relaying: FetchRelaying, counted: Relayed) -> None:
            self.answers += counted.answers
            note(relaying, counted)

        def ended(relaying: FetchRelaying) -> bool:
            self.ended += 1
            return end(relaying)

        monkeypatch.setattr(FetchRelaying, "__init__", begun)
        monkeypatch.setattr(FetchRelaying, "note", noted)
        monkeypatch.setattr(FetchRelaying, "end", ended)


@pytest.fixture
def relays(monkeypatch: pytest.MonkeyPatch) -> Relays:
    monkeypatch.setattr(fetch_talk, "SMALL_BEFORE_RELAY", 3)
    relays = Relays()
    relays.watch(monkeypatch)
    return relays


def reading(stage: Stage, relays: Relays, **config: object) -> Consumer:
    """A consumer that has read some records of the first partition, and reads on by a relay."""
    stage.create(partitions=2)
    consumer = stage.consumer(group_id=None, fetch_max_wait_ms=LONG_MS, **config)
    consumer.assign([tp(0), tp(1)])
    go_on(stage, consumer, relays)
    return consumer


def go_on(stage: Stage, consumer: Consumer, relays: Relays) -> None:
    """Read one by one until a relay does it."""
    for offset in range(next_of(consumer), next_of(consumer) + 100):
        assert one_by_one(stage, consumer, 1) == [offset]
        if relays.is_on:
            return
    raise AssertionError("no relay has begun")


def next_of(consumer: Consumer) -> int:
    """The offset, and so the value, of the next record of the first partition."""
    return consumer.position(tp(0))


def reads_on(stage: Stage, consumer: Consumer, count: int) -> bool:
    """Whether so many records more of it are read one by one, each of them."""
    first = next_of(consumer)
    return one_by_one(stage, consumer, count) == list(range(first, first + count))


def until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_they_are(stage: Stage, relays: Relays) -> None:
    with reading(stage, relays) as consumer:
        assert reads_on(stage, consumer, 40)
        until(lambda: relays.answers >= 30)


def test_what_they_did_is_in_the_metrics_before_long(stage: Stage, relays: Relays) -> None:
    with reading(stage, relays) as consumer:
        first = next_of(consumer)
        before = consumer.metrics()
        assert reads_on(stage, consumer, 40)
        until(lambda: consumer.metrics().reading.fetched_records == first + 40)
        after = consumer.metrics()
        assert after.reading.fetches - before.reading.fetches >= 30
        assert after.connections.answers - before.connections.answers >= 30
        assert after.connections.requests - before.connections.requests >= 30
        assert after.connections.bytes_in - before.connections.bytes_in > 30 * 60
        assert after.connections.bytes_out - before.connections.bytes_out > 30 * 60
        assert after.reading.fetch_latency.total_ms > before.reading.fetch_latency.total_ms


def test_where_reading_stands_is_known_meanwhile(stage: Stage, relays: Relays) -> None:
    with reading(stage, relays) as consumer:
        first = next_of(consumer)
        stage.write(0, 3)
        until(lambda: consumer.lag()[tp(0)] == 3)
        assert next_of(consumer) == first
        assert values(read(consumer, 3)) == [first, first + 1, first + 2]
        assert consumer.lag() == {tp(0): 0, tp(1): 0}
        assert consumer.health().problem is None


def test_iterating(stage: Stage, relays: Relays) -> None:
    with reading(stage, relays) as consumer:
        first, seen = next_of(consumer), list[Record]()
        stage.write(0, 1)
        for record in consumer:
            seen.append(record)
            if len(seen) == 30:
                break
            stage.write(0, 1)
        assert values(seen) == list(range(first, first + 30))
        until(lambda: relays.answers >= 20)


def test_asyncio(stage: Stage, relays: Relays) -> None:
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
            until(lambda: relays.answers >= 20)

    asyncio.run(scene())


# ---- what ends one


def larger(stage: Stage, consumer: Consumer) -> None:
    first = next_of(consumer)
    stage.write_batch(0, 3000)
    assert values(read(consumer, 3000)) == list(range(first, first + 3000))


def compressed(stage: Stage, consumer: Consumer) -> None:
    stage.write_zeros(0, 100)
    read(consumer, 1)


def seek(stage: Stage, consumer: Consumer) -> None:
    consumer.seek(tp(0), 1)
    assert values(read(consumer, 2)) == [1, 2]


def seek_behind_what_was_kept(stage: Stage, consumer: Consumer) -> None:
    first = next_of(consumer)
    stage.write(0, 5)
    until(lambda: consumer.lag()[tp(0)] == 5)
    consumer.seek(tp(0), first + 3)
    assert values(read(consumer, 2)) == [first + 3, first + 4]


def pause_and_resume(stage: Stage, consumer: Consumer) -> None:
    first = next_of(consumer)
    consumer.pause([tp(0)])
    stage.write(0, 2)
    stage.write(1, 1)
    assert [(record.partition, record.offset) for record in read(consumer, 1)] == [(1, 0)]
    consumer.resume([tp(0)])
    assert values(read(consumer, 2)) == [first, first + 1]
    stage.write(1, 1)  # ends a question in which the other one was not
    assert values(read(consumer, 1)) == [1]


def other_partitions(stage: Stage, consumer: Consumer) -> None:
    consumer.assign([tp(0)])
    stage.write(1, 1)


ENDS: dict[str, Callable[[Stage, Consumer], None]] = {
    "an answer that is larger": larger,
    "compressed records": compressed,
    "a seek": seek,
    "a seek with records waiting": seek_behind_what_was_kept,
    "a pause": pause_and_resume,
    "another assignment": other_partitions,
}


@pytest.mark.parametrize("happens", ENDS.values(), ids=ENDS)
def test_what_ends_one_is_gone_through_and_another_begins(
    stage: Stage, relays: Relays, happens: Callable[[Stage, Consumer], None]
) -> None:
    with reading(stage, relays) as consumer:
        ended = relays.ended
        happens(stage, consumer)
        assert reads_on(stage, consumer, 5)
        until(lambda: relays.ended > ended)
        go_on(stage, consumer, relays)


def questions(stage: Stage, consumer: Consumer) -> None:
    assert consumer.end_offsets([tp(0)]) == {tp(0): next_of(consumer)}
    assert len(consumer.partitions_for("orders")) == 2


def nothing_for_a_while(stage: Stage, consumer: Consumer) -> None:
    """A long poll that brings nothing."""
    assert not consumer.poll(LONG_MS / 1000 + 0.5)


@pytest.mark.parametrize("happens", [questions, nothing_for_a_while])
def test_what_does_not_concern_it_is_no_matter(
    stage: Stage, relays: Relays, happens: Callable[[Stage, Consumer], None]
) -> None:
    with reading(stage, relays) as consumer:
        happens(stage, consumer)
        assert reads_on(stage, consumer, 5)
        go_on(stage, consumer, relays)


@pytest.mark.parametrize("how", [hang_up, lambda: None], ids=["it hangs up", "it refuses"])
def test_a_broker_that_fails_in_the_midst_of_it(stage: Stage, relays: Relays, how: Callable[[], object]) -> None:
    with reading(stage, relays) as consumer:
        fails(stage, how)
        assert reads_on(stage, consumer, 5)
        assert consumer.metrics().reading.failed_fetches == 1
        go_on(stage, consumer, relays)


def once(stage: Stage, change: Callable[[Any], Any]) -> None:
    """Have the next answer to a fetch changed."""
    fetch = stage.original(FETCH)

    async def changed(*question: object) -> object:
        stage.handle(FETCH, fetch)
        return change(await fetch(*question))

    stage.handle(FETCH, changed)


def damage(answer: Any) -> Any:
    topic, *topics = answer.responses
    part, *parts = topic.partitions
    damaged = part.replaced(records=bytes(part.records)[:-1] + b"\x07")
    return answer.replaced(responses=[topic.replaced(partitions=[damaged, *parts]), *topics])


def throttle(answer: Any) -> Any:
    return answer.replaced(throttle_time_ms=THROTTLE_MS)


def test_corrupt_records_are_told_of_where_they_are(stage: Stage, relays: Relays) -> None:
    with reading(stage, relays) as consumer:
        once(stage, damage)
        with pytest.raises(CorruptRecordError) as caught:
            assert reads_on(stage, consumer, 3)  # what is asked already is not damaged
        assert next_of(consumer) == caught.value.offset
        assert values(read(consumer, 1)) == [caught.value.offset]
        go_on(stage, consumer, relays)


def test_a_broker_that_asks_to_be_left_alone_is(stage: Stage, relays: Relays) -> None:
    with reading(stage, relays) as consumer:
        once(stage, throttle)
        began = time.monotonic()
        assert reads_on(stage, consumer, 4)
        assert time.monotonic() - began > THROTTLE_MS / 1000
        assert consumer.metrics().connections.throttled_ms == THROTTLE_MS
        go_on(stage, consumer, relays)


def test_an_application_that_stays_away_ends_it_and_finds_everything(stage: Stage, relays: Relays) -> None:
    """As much as may be kept is, then as much as may be buffered, and no more is asked for."""
    with reading(stage, relays, fetch_buffer_bytes=1_000_000) as consumer:
        first = next_of(consumer)
        for _ in range(1500):
            stage.write(0, 10)
        until(lambda: relays.ended > 0)
        assert values(read(consumer, 15_000)) == list(range(first, first + 15_000))
        go_on(stage, consumer, relays)


def test_closing_in_the_midst_of_it_commits_what_was_handed_over(stage: Stage, relays: Relays) -> None:
    stage.create(partitions=1)
    with stage.consumer(fetch_max_wait_ms=LONG_MS, enable_auto_commit=True) as consumer:
        consumer.subscribe(["orders"])
        poll_until(consumer, lambda: bool(consumer.assignment()))
        go_on(stage, consumer, relays)
        first = next_of(consumer)
        stage.write(0, 5)
        until(lambda: consumer.lag()[tp(0)] == 5)
    assert not relays.is_on
    assert stage.committed() == {0: first}


def test_a_rebalance_in_the_midst_of_it(stage: Stage, relays: Relays) -> None:
    """What each of two partitions has is read in order, none of it twice, whoever reads it."""
    stage.create(partitions=2)
    with stage.consumer(fetch_max_wait_ms=LONG_MS) as one, stage.consumer(fetch_max_wait_ms=LONG_MS) as other:
        one.subscribe(["orders"])
        poll_until(one, lambda: len(one.assignment()) == 2)
        go_on(stage, one, relays)
        one.commit()
        seen: dict[int, list[int]] = {0: list(range(next_of(one))), 1: []}
        other.subscribe(["orders"])
        deadline = time.monotonic() + PATIENCE_S
        while not (one.assignment() and other.assignment()) or min(map(len, seen.values())) < 40:
            assert time.monotonic() < deadline
            for partition in seen:
                stage.write(partition, 1)
            for consumer in (one, other):
                for record in consumer.poll(0.05):
                    seen[record.partition].append(record.offset)
                consumer.commit()
        assert all(offsets == list(range(len(offsets))) for offsets in seen.values())


# ---- in the midst of taking answers in


def interrupted(monkeypatch: pytest.MonkeyPatch, by: Callable[[], object]) -> Callable[[], bool]:
    """Have this happen once, where a signal handler may: when an answer's step is prepared and not done."""
    read_along = FetchState.read_along
    todo = [by]

    def interrupted_once(state: FetchState, *what: object) -> object:
        prepared = read_along(state, *what)  # type: ignore[arg-type]
        if todo:
            todo.pop()()
        return prepared

    monkeypatch.setattr(FetchState, "read_along", interrupted_once)
    return lambda: not todo


def test_nothing_is_lost_when_a_handler_raises_there(
    stage: Stage, relays: Relays, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop() -> None:
        raise KeyboardInterrupt

    with reading(stage, relays) as consumer:
        has_happened = interrupted(monkeypatch, stop)
        stage.write(0, 1)
        with pytest.raises(KeyboardInterrupt):
            poll_until(consumer, lambda: False)
        assert has_happened()
        first = next_of(consumer)
        assert values(read(consumer, 1)) == [first]
        assert reads_on(stage, consumer, 10)


HANDLERS: dict[str, Callable[[Consumer], object]] = {
    "looks": lambda consumer: consumer.lag(),
    "asks for health": lambda consumer: consumer.health(),
    "commits what it has": lambda consumer: consumer._core.fetches.hand_over(()),
    "seeks": lambda consumer: consumer.seek(tp(0), consumer.position(tp(0))),
    "pauses": lambda consumer: (consumer.pause([tp(1)]), consumer.resume([tp(1)])),
}


@pytest.mark.parametrize("handler", HANDLERS.values(), ids=HANDLERS)
def test_nothing_is_lost_or_doubled_when_a_handler_does_something_there(
    stage: Stage, relays: Relays, monkeypatch: pytest.MonkeyPatch, handler: Callable[[Consumer], object]
) -> None:
    with reading(stage, relays) as consumer:
        has_happened = interrupted(monkeypatch, lambda: handler(consumer))
        assert reads_on(stage, consumer, 10)
        assert has_happened()
        go_on(stage, consumer, relays)


class InterruptionError(Exception):
    """What the handler of a signal raises."""


@pytest.mark.parametrize("raises", [True, False], ids=["it raises", "it looks"])
def test_nothing_is_missing_or_twice_in_a_shower_of_signals(stage: Stage, relays: Relays, raises: bool) -> None:
    """Wherever it is interrupted, the next record is always the one at the position."""
    is_armed = False

    def handle(*_: object) -> None:
        if is_armed and raises:
            raise InterruptionError
        if is_armed:
            consumer.lag()
            consumer.health()

    with handled_by(handle), shower(0.01), reading(stage, relays) as consumer, written_all_the_time(stage):
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
        assert relays.answers > 50


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
