"""A connection that is lent to the waiting thread: every record comes once, in order, whatever happens meanwhile."""

from __future__ import annotations

import errno
import gc
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from kafka_nextgen import Consumer, TopicPartition
from kafka_nextgen.compiled import ACCELERATED
from kafka_nextgen.engine.application.arriving_run import ArrivingRun
from kafka_nextgen.engine.application.wakeup import ThreadWakeup
from kafka_nextgen.engine.reading import fetch_exchange
from kafka_nextgen.engine.reading.lent_sockets import CAN_LEND, ThreadLentSockets
from kafka_nextgen.errors import ConcurrentUseError, MisuseError
from tests.engine.lent import (
    hold_back,
    is_lent,
    is_waiting,
    lend_soon,
    lent_reader,
    once_waiting,
    records_of,
    sockets_of,
)
from tests.engine.stage import Stage, poll_until, read, tp, values
from tests.engine.steady import next_of, once
from tests.support.descriptors import open_descriptors
from tests.support.garbage import no_collections
from tests.support.signals import handled_by
from tests.support.waiting import eventually

pytestmark = pytest.mark.skipif(not (ACCELERATED and CAN_LEND), reason="nothing can be lent")


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    lend_soon(monkeypatch)


def by_polls(stage: Stage, consumer: Consumer, count: int = 1) -> list[int]:
    """Poll for records that arrive once it waits."""
    with once_waiting(consumer, lambda: stage.write(0, count)):
        return values(read(consumer, count))


def by_next(stage: Stage, consumer: Consumer, count: int = 1) -> list[int]:
    """The same, one by one."""
    with once_waiting(consumer, lambda: stage.write(0, count)):
        return [int(next(consumer).value) for _ in range(count)]


WAYS = pytest.mark.parametrize("way", [by_polls, by_next])
Way = Callable[[Stage, Consumer, int], list[int]]


def reads_on(stage: Stage, consumer: Consumer, way: Way = by_polls, times: int = 4) -> bool:
    """Whether what comes next is what is written now."""
    first = next_of(consumer)
    seen = [value for _ in range(times) for value in way(stage, consumer, 1)]
    return seen == list(range(first, first + times))


# ---- what is handed over


@WAYS
def test_records_are_received_by_the_thread_that_waits_for_them(stage: Stage, way: Way) -> None:
    with lent_reader(stage) as consumer:
        (lent,) = sockets_of(consumer).by_fd.values()
        first, before = next_of(consumer), consumer.metrics()
        seen = [value for count in (1, 3, 1, 12) for value in way(stage, consumer, count)]
        assert seen == list(range(first, first + 17))
        assert not lent.socket.is_over, "it was lent all the time"
        after = consumer.metrics()
        assert after.reading.records - before.reading.records == 17
        assert after.reading.fetched_records - before.reading.fetched_records == 17
        assert after.connections.answers > before.connections.answers


def test_nothing_is_lent_unless_the_application_waits_for_each_answer(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetch_exchange, "AWAITED_BEFORE_LENT", 1)
    stage.create(partitions=2)
    with stage.reader(0, 1, fetch_max_wait_ms=5_000) as consumer:
        sockets = sockets_of(consumer)
        for number in range(1, 10):
            stage.write(0, 1)
            eventually("it is fetched ahead", lambda n=number: consumer.lag()[tp(0)] == n)  # type: ignore[misc]
            assert not sockets.by_fd
        assert values(read(consumer, 9)) == list(range(9))
        while not sockets.by_fd:
            assert reads_on(stage, consumer, by_polls, 1)


def test_polls_after_iteration_leave_out_nothing(stage: Stage) -> None:
    """The rest of what was fetched together comes first."""
    with lent_reader(stage) as consumer:
        first = next_of(consumer)
        with once_waiting(consumer, lambda: stage.write_batch(0, 5)):
            assert [int(next(consumer).value) for _ in range(2)] == [first, first + 1]
        assert values(read(consumer, 3)) == [first + 2, first + 3, first + 4]
        assert reads_on(stage, consumer)


def test_iteration_after_polls_leaves_out_nothing(stage: Stage) -> None:
    with lent_reader(stage) as consumer:
        for _ in range(3):
            assert reads_on(stage, consumer, by_polls, 2)
            assert reads_on(stage, consumer, by_next, 2)


def test_a_poll_returns_no_more_than_it_may(stage: Stage) -> None:
    with lent_reader(stage) as consumer:
        first, seen = next_of(consumer), list[int]()
        with once_waiting(consumer, lambda: stage.write_batch(0, 5)):
            while len(seen) < 5:
                records = values(consumer.poll(5.0, max_records=2))
                assert len(records) <= 2
                seen += records
        assert seen == list(range(first, first + 5))


def test_a_poll_ends_in_time(stage: Stage) -> None:
    with lent_reader(stage) as consumer:
        for timeout in (0, 0.001, 0.01):
            assert len(consumer.poll(timeout)) == 0
        assert reads_on(stage, consumer)


def test_polls_are_still_reported_to_the_member(stage: Stage) -> None:
    """However few records arrive: otherwise it would be thrown out of its group."""
    with lent_reader(stage) as consumer:
        consumer._core.note_interval_s = 0.01
        consumer.poll(0.02)
        before = consumer._core.note_at_s
        eventually("it is reported", lambda: not consumer.poll(0.02) and consumer._core.note_at_s > before)


# ---- calls in the midst of it

CALLS: dict[str, Callable[[Consumer], object]] = {
    "seek": lambda consumer: consumer.seek(tp(0), next_of(consumer)),
    "pause and resume": lambda consumer: (consumer.pause([tp(0)]), consumer.resume([tp(0)])),
    "lag": lambda consumer: consumer.lag(),
    "end_offsets": lambda consumer: consumer.end_offsets([tp(0)]),
    "assign": lambda consumer: consumer.assign([tp(0)]),
    "a hook": lambda consumer: consumer.hooks.add(Hears()),
}


class Hears:
    def __getattr__(self, name: str) -> Callable[..., None]:
        return lambda *_: None


@WAYS
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_reading_goes_on_after_a_call(stage: Stage, way: Way, call: Callable[[Consumer], object]) -> None:
    with lent_reader(stage) as consumer:
        first = next_of(consumer)
        assert way(stage, consumer, 2) == [first, first + 1]
        if call is CALLS["assign"]:
            consumer.assign([tp(0)])
            consumer.seek(tp(0), first + 2)
        else:
            call(consumer)
        assert next_of(consumer) == first + 2
        assert reads_on(stage, consumer, way)


def test_what_is_paused_does_not_come(stage: Stage) -> None:
    with lent_reader(stage) as consumer:
        first = next_of(consumer)
        consumer.pause([tp(0)])
        stage.write(0, 1)
        stage.write(1, 1)
        assert [(record.partition, record.offset) for record in read(consumer, 1)] == [(1, 0)]
        consumer.resume([tp(0)])
        assert values(read(consumer, 1)) == [first]


def test_a_seek_back_brings_the_same_again(stage: Stage) -> None:
    with lent_reader(stage) as consumer:
        first = next_of(consumer)
        assert by_next(stage, consumer, 3) == [first, first + 1, first + 2]
        consumer.seek(tp(0), first + 1)
        assert values(read(consumer, 2)) == [first + 1, first + 2]
        assert reads_on(stage, consumer)


# ---- the broker and the connection


def hang_up() -> None:
    raise ConnectionResetError("the broker has had enough")


def large(stage: Stage, consumer: Consumer) -> None:
    first = next_of(consumer)
    stage.write_batch(0, 3000)
    assert values(read(consumer, 3000)) == list(range(first, first + 3000))


def throttled(stage: Stage, consumer: Consumer) -> None:
    once(stage, lambda answer: answer.replaced(throttle_time_ms=50))


def lost(stage: Stage, consumer: Consumer) -> None:
    once(stage, lambda answer: hang_up())


def forgotten(stage: Stage, consumer: Consumer) -> None:
    (sessions,) = stage.cluster._broker._cluster.fetch_sessions.values()
    stage.run(sessions.clear)


@WAYS
@pytest.mark.parametrize("happens", [large, throttled, lost, forgotten])
def test_what_is_not_plain_is_left_to_the_other_thread(
    stage: Stage, way: Way, happens: Callable[[Stage, Consumer], None]
) -> None:
    with lent_reader(stage, fetch_max_wait_ms=400) as consumer:
        happens(stage, consumer)
        assert reads_on(stage, consumer, way, 10)


def test_a_connection_is_taken_back_from_an_application_that_is_away(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    with lent_reader(stage) as consumer:
        sockets, first = sockets_of(consumer), next_of(consumer)
        consumer._core.engine.thread.call(sockets._look).result()
        consumer._core.engine.thread.call(sockets._look).result()
        assert not sockets.by_fd
        stage.write(0, 3)
        eventually("they are fetched ahead", lambda: consumer.lag()[tp(0)] == 3, saw=consumer.lag)
        assert values(read(consumer, 3)) == [first, first + 1, first + 2]


@WAYS
def test_nobody_waits_for_a_connection_that_is_to_be_taken_back(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, way: Way
) -> None:
    """That would keep the GIL from the thread that takes it back, and delay all records that have come meanwhile."""
    with lent_reader(stage) as consumer, ThreadPoolExecutor(1) as thread:
        first, goes_on = next_of(consumer), hold_back(monkeypatch, consumer)
        stage.write(0, 1)
        reading = thread.submit(lambda: way_once(way, consumer))
        try:
            eventually("it waits", lambda: waits_for_the_other_thread(consumer) or reading.done())
        finally:
            goes_on.set()
        assert values(records_of(reading.result())) == [first]
        assert reads_on(stage, consumer, way)


def waits_for_the_other_thread(consumer: Consumer) -> bool:
    return sockets_of(consumer).rows is None and consumer._core.wakeup.is_awaited


def test_a_connection_is_taken_back_while_the_broker_throttles(stage: Stage) -> None:
    """Another connection to it may have been told so."""
    with lent_reader(stage) as consumer:
        sockets = sockets_of(consumer)
        (lent,) = sockets.by_fd.values()
        connection = lent.take_back.__self__  # type: ignore[attr-defined]
        connection.throttle.until = connection._loop.time() + 0.05
        assert lent.is_throttled()
        assert reads_on(stage, consumer)


def test_a_forked_child_does_not_touch_the_connection(stage: Stage) -> None:
    with lent_reader(stage) as consumer:
        consumer.poll(0)
        consumer._core.cursor.note_fork()  # what the child does first
        assert not is_lent(consumer)
        assert reads_on(stage, consumer), "the parent, if it did the same"


def test_two_brokers_lend_theirs(monkeypatch: pytest.MonkeyPatch) -> None:
    from kafka_nextgen.testing import Cluster
    from tests.engine.stage import SETTINGS

    with Cluster(brokers=2, config=SETTINGS) as cluster:
        stage = Stage(cluster, monkeypatch)
        stage.create(partitions=4)
        with stage.reader(0, 1, 2, 3, fetch_max_wait_ms=5_000) as consumer:
            seen: dict[int, list[int]] = {number: [] for number in range(4)}
            for turn in range(60):
                with once_waiting(consumer, lambda turn=turn: stage.write(turn % 4, 1)):  # type: ignore[misc]
                    for record in read(consumer, 1):
                        seen[record.partition].append(record.offset)
            assert seen == {number: list(range(15)) for number in range(4)}


# ---- other threads, and signals


def test_a_second_caller_is_refused_while_the_first_one_waits(stage: Stage) -> None:
    refused: list[BaseException] = []

    def intrude(consumer: Consumer) -> None:
        for call in (lambda: consumer.poll(0), lambda: next(consumer), lambda: consumer.commit()):
            try:
                call()
            except ConcurrentUseError as error:
                refused.append(error)
        stage.write(0, 1)

    with lent_reader(stage) as consumer:
        first = next_of(consumer)
        consumer.poll(0)  # from here on, it waits outside of any poll
        with once_waiting(consumer, lambda: intrude(consumer)):
            assert values(read(consumer, 1)) == [first]
        assert len(refused) == 3
        assert "inside poll()" in str(refused[0])


def test_another_thread_may_close_it(stage: Stage) -> None:
    consumer = lent_reader(stage)
    consumer.poll(0)
    with once_waiting(consumer, consumer.close), pytest.raises(MisuseError, match="closed"):
        consumer.poll(600)


class InterruptionError(Exception):
    """What a signal handler raises."""


def interrupt(consumer: Consumer) -> Callable[[], None]:
    """Send the main thread a signal; ``once_waiting`` calls it."""
    main = threading.main_thread().ident
    assert main is not None
    return lambda: signal.pthread_kill(main, signal.SIGUSR1)


def raising(*_: object) -> None:
    raise InterruptionError


@WAYS
def test_a_signal_handler_that_raises_loses_nothing(stage: Stage, way: Way) -> None:
    with lent_reader(stage) as consumer, handled_by(raising):
        assert reads_on(stage, consumer, way, 2)
        with once_waiting(consumer, interrupt(consumer)), pytest.raises(InterruptionError):
            way_once(way, consumer)
        assert reads_on(stage, consumer, way)


def way_once(way: Way, consumer: Consumer) -> Any:
    return consumer.poll(600) if way is by_polls else next(consumer)


HANDLERS: dict[str, Callable[[Stage, Consumer, list[int]], object]] = {
    "looks": lambda stage, consumer, seen: (consumer.lag(), consumer.health(), stage.write(0, 1)),
    "polls": lambda stage, consumer, seen: (
        stage.write(0, 1),
        seen.extend(values(read(consumer, 1))),
        stage.write(0, 1),
    ),
    "iterates": lambda stage, consumer, seen: (
        stage.write(0, 1),
        seen.append(int(next(consumer).value)),
        stage.write(0, 1),
    ),
    "seeks": lambda stage, consumer, seen: (consumer.seek(tp(0), next_of(consumer)), stage.write(0, 1)),
}


@WAYS
@pytest.mark.parametrize("name", HANDLERS)
def test_a_signal_handler_may_use_the_consumer(stage: Stage, way: Way, name: str) -> None:
    seen: list[int] = []
    with lent_reader(stage) as consumer, handled_by(lambda *_: HANDLERS[name](stage, consumer, seen)):
        assert reads_on(stage, consumer, way, 2)
        first = next_of(consumer)
        with once_waiting(consumer, interrupt(consumer)):
            taken = way_once(way, consumer)
        seen += values(taken) if way is by_polls else [int(taken.value)]
        assert seen == list(range(first, first + len(seen)))
        assert len(seen) == (2 if name in ("polls", "iterates") else 1)
        assert reads_on(stage, consumer, way)


def test_a_signal_handler_that_polls_between_an_offer_and_its_return_gets_the_records_alone(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[int] = []
    todo: list[Consumer] = []
    records_of = ArrivingRun.records_of

    def interrupted_once(offered: Any) -> Any:
        found = records_of(offered)
        if todo and offered:
            seen.extend(values(todo.pop().poll(0)))
        return found

    with lent_reader(stage) as consumer:
        first = next_of(consumer)
        consumer.poll(0)
        monkeypatch.setattr(ArrivingRun, "records_of", staticmethod(interrupted_once))
        todo.append(consumer)
        with once_waiting(
            consumer, lambda: (stage.write(0, 1), eventually("polled", lambda: not todo), stage.write(0, 1))
        ):
            seen += values(read(consumer, 1))
        assert seen == [first, first + 1]


@pytest.mark.parametrize("act", ["seek", "close"])
def test_an_offer_is_withdrawn_by_a_call_before_its_return(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, act: str
) -> None:
    todo: list[Callable[[], object]] = []
    records_of = ArrivingRun.records_of

    def interrupted_once(offered: Any) -> Any:
        found = records_of(offered)
        if todo and offered:
            todo.pop()()
        return found

    consumer = lent_reader(stage)
    first = next_of(consumer)
    consumer.poll(0)
    monkeypatch.setattr(ArrivingRun, "records_of", staticmethod(interrupted_once))
    todo.append(consumer.close if act == "close" else lambda: consumer.seek(tp(0), first))
    with once_waiting(consumer, lambda: stage.write(0, 1)):
        if act == "close":
            with pytest.raises(MisuseError, match="closed"):
                consumer.poll(600)
        else:
            assert values(read(consumer, 1)) == [first]
            assert reads_on(stage, consumer)
    consumer.close()


# ---- groups and commits


@pytest.fixture
def member(stage: Stage) -> Iterator[Consumer]:
    import asyncio

    from tests.engine.lent import lend

    stage.create(partitions=1)
    consumer = stage.subscribed(fetch_max_wait_ms=5_000, enable_auto_commit=True, auto_commit_interval_ms=3_600_000)
    poll_until(consumer, lambda: bool(consumer.assignment()))
    asyncio.run(lend(stage, consumer, consumer.poll))
    yield consumer
    consumer.close()


@WAYS
def test_a_commit_covers_what_was_handed_over(stage: Stage, member: Consumer, way: Way) -> None:
    for count in (1, 2, 12):
        seen = way(stage, member, count)
        member.commit()
        assert stage.committed() == {0: seen[-1] + 1}


@WAYS
def test_a_close_commits_what_was_handed_over(stage: Stage, member: Consumer, way: Way) -> None:
    seen = way(stage, member, 5)
    member.close()
    assert stage.committed() == {0: seen[-1] + 1}


@pytest.mark.parametrize(("way", "processed"), [(by_polls, 2), (by_next, 4)])
def test_what_an_error_interrupts_does_not_count_as_processed(
    stage: Stage, member: Consumer, way: Way, processed: int
) -> None:
    """The records of the last poll, or the last record of iteration."""
    first = next_of(member)
    way(stage, member, 2)

    def read_and_fail() -> None:
        with member, once_waiting(member, lambda: stage.write_batch(0, 3)):
            for _ in range(3 if way is by_next else 1):
                way_once(way, member)
            raise InterruptionError

    with pytest.raises(InterruptionError):
        read_and_fail()
    assert stage.committed() == {0: first + processed}


@WAYS
def test_what_was_handed_over_before_an_interrupted_wait_counts_as_processed(
    stage: Stage, member: Consumer, way: Way
) -> None:
    seen = way(stage, member, 2)
    with handled_by(raising), pytest.raises(InterruptionError), member, once_waiting(member, interrupt(member)):
        way_once(way, member)
    assert stage.committed() == {0: seen[-1] + 1}


@WAYS
def test_a_signal_handler_may_close_it_while_it_waits(stage: Stage, member: Consumer, way: Way) -> None:
    seen = way(stage, member, 2)
    closed = pytest.raises(MisuseError, match="closed")
    with handled_by(lambda *_: member.close()), once_waiting(member, interrupt(member)), closed:
        way_once(way, member)
    assert stage.committed() == {0: seen[-1] + 1}


@WAYS
def test_a_rebalance_commits_and_hands_over_each_record_once(stage: Stage, member: Consumer, way: Way) -> None:
    """The other member continues where this one was."""
    stage.cluster.create_topic("other", 1)
    seen = way(stage, member, 3)
    done = threading.Event()
    with stage.consumer(fetch_max_wait_ms=50) as other:
        other.subscribe(["orders"])

        def stay() -> None:
            while not done.is_set():
                seen.extend(values(other.poll(0.05)))

        thread = threading.Thread(target=stay)
        thread.start()
        try:
            member.subscribe(["other"])
            poll_until(member, lambda: member.assignment() == {TopicPartition("other", 0)})
            stage.write(0, 3)
            eventually("the other reads", lambda: len(seen) >= 6, saw=lambda: seen)
        finally:
            done.set()
            thread.join()
    assert seen == list(range(seen[0], seen[0] + 6))


def test_a_consumer_that_is_not_lent_is_waited_for_in_the_usual_way(stage: Stage) -> None:
    stage.create(partitions=1)
    with stage.reader(value_deserializer=int) as consumer:
        assert not is_waiting(consumer)
        assert not is_lent(consumer)


@WAYS
def test_a_closed_consumer_leaves_no_descriptor(stage: Stage, way: Way) -> None:
    """It does not depend on garbage collection, which may be far away."""
    gc.collect()
    with no_collections():
        before = set(open_descriptors())
        with lent_reader(stage, fetch_max_wait_ms=50) as consumer:
            assert reads_on(stage, consumer, way)
        eventually("all are closed", lambda: set(open_descriptors()) <= before, saw=open_descriptors)


def test_nor_does_one_that_was_dropped(stage: Stage) -> None:
    """The garbage collection that ends it has no second part."""

    def read_and_drop() -> threading.Thread:
        consumer = lent_reader(stage, fetch_max_wait_ms=50)
        assert reads_on(stage, consumer)
        thread: threading.Thread = consumer._core.engine.thread._thread
        return thread

    def collected() -> threading.Thread:
        thread = read_and_drop()
        gc.collect()
        return thread

    gc.collect()
    before = set(open_descriptors())
    with pytest.warns(ResourceWarning, match=r"close\(\)"):
        thread = collected()
    with no_collections():
        thread.join()
        eventually("all are closed", lambda: set(open_descriptors()) <= before, saw=open_descriptors)


def test_a_wait_for_which_there_are_no_descriptors_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    def none_left() -> None:
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(socket, "socketpair", none_left)
    with pytest.raises(OSError, match="Too many"):
        ThreadLentSockets(ThreadWakeup(), lambda _: None).begin_rows(0, 0.0)
