"""Records that come one by one are fetched in a steady state: each in order, none twice, counted as any other."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import pytest

from kafka_nextgen import Consumer, Record
from kafka_nextgen.compiled import ACCELERATED
from kafka_nextgen.engine.reading import fetch_exchange, fetcher
from kafka_nextgen.engine.reading.locked_fetches import LockedFetches
from kafka_nextgen.errors import DeserializationError
from kafka_nextgen.fetching import decode_answer, fast_path
from kafka_nextgen.fetching.handing_over import Handover
from kafka_nextgen.metrics.consumer_metrics import ReadingMetrics
from tests.engine.stage import Stage, poll_for, read, tp, values
from tests.engine.steady import LONG_MS, PATIENT, Steadiness, go_on, next_of, one_by_one, reading, reads_on
from tests.support.signals import handled_by, shower
from tests.support.waiting import eventually

compiled = pytest.mark.skipif(not ACCELERATED, reason="without the accelerator nothing is steady")


@compiled
def test_each_of_many_partitions_is_read(stage: Stage, steady: Steadiness) -> None:
    stage.create(partitions=20)
    with stage.reader(*range(20), fetch_max_wait_ms=LONG_MS) as consumer:
        seen: dict[int, list[int]] = {number: [] for number in range(20)}
        for turn in range(40):
            written = [turn % 20, (turn * 7) % 20, (turn * 3) % 20]
            for partition in written:
                stage.write(partition, 1)
            for record in read(consumer, len(written)):
                seen[record.partition].append(record.offset)
        assert all(offsets == list(range(len(offsets))) for offsets in seen.values())
        assert sum(map(len, seen.values())) == 120
        assert steady.answers > 20


def test_without_the_accelerator_all_goes_the_long_way(
    stage: Stage, steady: Steadiness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetch_exchange, "ACCELERATED", False)
    stage.create(partitions=2)
    with stage.reader(0, 1, fetch_max_wait_ms=LONG_MS) as consumer:
        assert one_by_one(stage, consumer, 10) == list(range(10))
    assert (steady.begun, steady.answers) == (0, 0)


# ---- what is counted


def read_and_count(stage: Stage, partition: int) -> ReadingMetrics:
    """Read 40 records one by one; what was counted."""
    with stage.reader(partition, **PATIENT) as consumer:
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
def test_nearly_every_answer_is_followed_and_each_is_in_the_metrics(stage: Stage, steady: Steadiness) -> None:
    with reading(stage, steady, **PATIENT) as consumer:
        before, answers, begun = consumer.metrics(), steady.answers, steady.begun
        assert reads_on(stage, consumer, 40)
        after, answers = consumer.metrics(), steady.answers - answers
        assert answers >= 30
        assert steady.begun - begun <= 2, "nothing ends it, unless metadata is refreshed in the midst of it"
        assert after.reading.fetches - before.reading.fetches == 40
        assert after.reading.fetched_records - before.reading.fetched_records == 40
        assert after.connections.answers - before.connections.answers >= 40
        assert after.connections.requests - before.connections.requests >= 40
        assert after.connections.bytes_in - before.connections.bytes_in > 40 * 60
        assert after.connections.bytes_out - before.connections.bytes_out > 40 * 60


@compiled
def test_where_no_answer_is_plain_fewer_and_fewer_steady_states_begin(stage: Stage, steady: Steadiness) -> None:
    """Each beginning visits all partitions, and compressed records always go the long way."""
    stage.create()
    with stage.reader(**PATIENT) as consumer:
        for _ in range(40):
            stage.write_zeros(0, 10)
            assert len(read(consumer, 1)) == 1
    assert steady.answers == 0
    assert 2 <= steady.begun <= 4, "after 4, 8 and 16 more answers"


@compiled
def test_each_fetch_has_a_latency_of_its_own(timed: Stage, steady: Steadiness) -> None:
    """There is one fetch at a time, so that all of them together take no longer than the clock says."""
    with reading(timed, steady) as consumer:
        before = consumer.metrics().reading.fetch_latency.total_ms
        timed.cluster.advance(seconds=4)
        assert reads_on(timed, consumer, 40)
        assert 4_000 <= consumer.metrics().reading.fetch_latency.total_ms - before < 40 * 4_000


def test_an_answer_counts_when_it_comes_and_not_when_it_is_decoded(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that its latency is that of the broker."""
    monkeypatch.setattr(fetch_exchange, "ACCELERATED", False)
    stage.create()
    with stage.reader(**PATIENT) as consumer:
        one_by_one(stage, consumer, 1)
        counted: list[int] = []
        before = consumer.metrics().reading.fetches

        def watched(*what: Any) -> Any:
            counted.append(consumer.metrics().reading.fetches - before)
            return decode_answer(*what)

        monkeypatch.setattr(fetcher, "decode_answer", watched)
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
@pytest.mark.parametrize(
    ("owner", "name"), [(LockedFetches, "take_steady"), (fast_path, "note_ends"), (fast_path, "note_records")]
)
def test_a_bug_reaches_the_application_and_reading_goes_on(
    stage: Stage, steady: Steadiness, monkeypatch: pytest.MonkeyPatch, owner: object, name: str
) -> None:
    """Where records are kept, the next request was made already and is not sent: what was answered is fetched again."""
    with reading(stage, steady) as consumer:
        first, called, stumbles = next_of(consumer), getattr(owner, name), [MemoryError("a bug")]

        def stumble(*what: Any) -> Any:
            if stumbles:
                raise stumbles.pop()
            return called(*what)

        monkeypatch.setattr(owner, name, stumble)
        stage.write(0, 1)
        with pytest.raises(MemoryError, match="a bug"):
            poll_for(consumer)
        assert values(read(consumer, 1)) == [first]
        assert reads_on(stage, consumer, 5)
        go_on(stage, consumer, steady)


# ---- signal handlers


class InterruptionError(Exception):
    """What the handler of a signal raises."""


def stop(_: Consumer) -> None:
    raise InterruptionError


HANDLERS: list[Callable[[Consumer], object]] = [
    lambda consumer: (consumer.lag(), consumer.position(tp(0)), consumer.health()),
    lambda consumer: consumer._core.fetches.hand_over(()),
    lambda consumer: consumer.seek(tp(0), consumer.position(tp(0))),
    lambda consumer: (consumer.pause([tp(1)]), consumer.resume([tp(1)])),
    stop,
]


@compiled
@pytest.mark.parametrize("name", ["peek", "hand_over"])
def test_nothing_is_lost_or_twice_when_a_handler_acts_inside_of_a_poll_while_the_fetch_state_is_locked(
    stage: Stage, steady: Steadiness, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    called, todo = getattr(Handover, name), list[Callable[[Consumer], object]]()

    def interrupted_once(handover: Handover, *what: object) -> object:
        result = called(handover, *what)
        if todo:
            todo.pop()(consumer)
        return result

    monkeypatch.setattr(Handover, name, interrupted_once)
    with reading(stage, steady) as consumer:
        for handler in HANDLERS:
            first, seen = next_of(consumer), list[Record]()
            todo.append(handler)
            stage.write(0, 1)
            with pytest.raises(InterruptionError) if handler is stop else nullcontext():
                poll_into(seen, consumer, lambda: not todo)  # what was given out is handed over by the next poll
            poll_into(seen, consumer, lambda seen=seen: bool(seen))  # type: ignore[misc]
            assert values(seen) == [first]
            assert reads_on(stage, consumer, 5)
            go_on(stage, consumer, steady)


def poll_into(seen: list[Record], consumer: Consumer, is_so: Callable[[], bool]) -> None:
    while not is_so():
        seen += consumer.poll(0)


@compiled
@pytest.mark.parametrize("raises", [True, False], ids=["it raises", "it looks"])
def test_nothing_is_missing_or_twice_in_a_shower_of_signals(stage: Stage, steady: Steadiness, raises: bool) -> None:
    """Wherever it is interrupted, the next record is always the one at the position."""
    is_armed = False

    def handle(*_: object) -> None:
        nonlocal is_armed
        if is_armed and raises:
            is_armed = False  # the next signal may come before the first line of the except clause
            raise InterruptionError
        if is_armed:
            consumer.lag()
            consumer.health()

    with handled_by(handle), shower(0.01), reading(stage, steady) as consumer, written_all_the_time(stage):
        end, interruptions = next_of(consumer) + 1500, 0
        while (position := next_of(consumer)) < end or (raises and interruptions <= 10):
            try:
                is_armed = True
                records = consumer.poll(0.1)
                is_armed = False
            except InterruptionError:
                interruptions += 1
            else:
                assert values(records) == list(range(position, position + len(records)))
        assert steady.answers > 20


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
