"""The thread that polls, poll by poll: what it commits, pauses, gives up, and leaves behind."""

from __future__ import annotations

import signal
import threading
from collections.abc import Collection

import pytest

from kafka_nextgen import Record, TopicPartition
from kafka_nextgen.errors import CommitFailedError, GroupAuthorizationError, MisuseError, NoBrokersError
from kafka_nextgen.processing import StopHandle
from kafka_nextgen.processing.work import Work
from kafka_nextgen.processing.worker_pool import WorkerPool
from tests.processing.scripted import ScriptedConsumer, records_of
from tests.processing.stage import P0, P1
from tests.support.signals import handled_by
from tests.support.waiting import GUARD_S

ALWAYS = {"auto_commit_interval_ms": 1}
STALE = CommitFailedError("stale", code=113, failed={P0: "STALE_MEMBER_EPOCH"})


def run_to_the_end(consumer: ScriptedConsumer, handler: object, **options: object) -> None:
    """Run the script, and stop with the poll after it."""
    handle = StopHandle()
    consumer.script.append(lambda _: handle.stop())
    consumer.run(handler, stop=handle, **options)  # type: ignore[arg-type]


class Gate:
    """A handler that says when it has begun, and waits until it is let through; its methods are steps of scripts."""

    def __init__(self) -> None:
        self.begun = threading.Event()
        self.opened = threading.Event()
        self.handled: list[tuple[int, int]] = []

    def __call__(self, record: Record) -> None:
        self.begun.set()
        assert self.opened.wait(GUARD_S), "nobody opened the gate"
        self.handled.append((record.partition, record.offset))

    def has_begun(self, _: object) -> None:
        assert self.begun.wait(GUARD_S)

    def open(self, _: object) -> None:
        self.opened.set()


@pytest.fixture
def gate() -> Gate:
    return Gate()


def test_what_is_committed_is_committed_again_on_the_interval() -> None:
    consumer = ScriptedConsumer(records_of(P0, 5), **ALWAYS)
    consumer.poll_until(lambda: consumer.commits.count({P0: 6}) >= 3)
    run_to_the_end(consumer, lambda record: None)
    assert consumer.commits.count({P0: 6}) > 3, "at the end once more"


def test_so_is_the_position_of_a_partition_that_brings_nothing_but_none_behind_a_record_in_work(gate: Gate) -> None:
    consumer = ScriptedConsumer(records_of(P0, 5), **ALWAYS)
    consumer.positions = {P0: 6, P1: 10}
    consumer.poll_until(lambda: consumer.commits.count({P1: 10}) >= 2)
    consumer.script.append(gate.open)
    consumer.poll_until(lambda: {P0: 6, P1: 10} in consumer.commits)
    run_to_the_end(consumer, gate)
    assert consumer.commits[:2] == [{P1: 10}, {P1: 10}]
    assert consumer.commits[-1] == {P0: 6}


def test_what_is_raised_while_run_waits_at_the_end_keeps_nothing_from_being_put_down(
    gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> None:
        gate.opened.set()
        raise InterruptedError

    consumer = ScriptedConsumer(records_of(P0, *range(100)), gate.has_begun, max_poll_records=20)
    consumer.script.append(lambda _: None)  # by then it has paused what it has enough of
    consumer.script.append(interrupt)
    monkeypatch.setattr(WorkerPool, "wait_until_drained", interrupt)  # as a signal handler may, once more
    with pytest.raises(InterruptedError):
        consumer.run(gate, concurrency=1)
    assert consumer.paused == set()
    assert consumer.sought.keys() == {P0}
    workers = [each for each in threading.enumerate() if each.name.startswith("kafka_nextgen worker")]
    for each in workers:  # one may have a handler to return from
        each.join(GUARD_S)
    assert not any(each.is_alive() for each in workers)


def test_records_that_run_was_about_to_take_over_when_it_was_interrupted_are_read_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def interrupt(*_: object) -> None:
        raise InterruptedError

    monkeypatch.setattr(WorkerPool, "add", interrupt)
    consumer = ScriptedConsumer(records_of(P0, 3, 4))
    with pytest.raises(InterruptedError):
        consumer.run(print)
    assert consumer.sought == {P0: 3}


def test_polls_and_commits_go_on_while_a_handler_works_but_not_beyond_it(gate: Gate) -> None:
    consumer = ScriptedConsumer(records_of(P0, 5), gate.has_begun, records_of(P1, 8), **ALWAYS)
    consumer.owned = {P0, P1}
    handled: list[int] = []

    def handle(record: Record) -> None:
        if record.partition == 0:
            gate(record)
        handled.append(record.partition)

    def open_at_last(consumer: ScriptedConsumer) -> None:
        assert all(P0 not in commit for commit in consumer.commits)
        gate.opened.set()

    consumer.poll_until(lambda: {P1: 9} in consumer.commits)
    consumer.script.append(open_at_last)
    run_to_the_end(consumer, handle)
    assert handled == [1, 0]
    assert consumer.commits[-1] == {P0: 6, P1: 9}


def test_a_partition_that_is_slow_is_paused_and_resumed_at_the_end(gate: Gate) -> None:
    paused_at_some_time: list[set[TopicPartition]] = []

    def look(consumer: ScriptedConsumer) -> None:
        paused_at_some_time.append(set(consumer.paused))
        gate.opened.set()

    consumer = ScriptedConsumer(records_of(P0, *range(40)), look, max_poll_records=8)
    run_to_the_end(consumer, gate, concurrency=1)
    assert paused_at_some_time == [{P0}]
    assert consumer.paused == set()


def test_what_was_not_begun_is_read_again_by_whoever_polls_next() -> None:
    handle = StopHandle()
    consumer = ScriptedConsumer(records_of(P0, 5, 6, 7))
    consumer.run(lambda _: handle.stop(), stop=handle, concurrency=1)
    last = consumer.commits[-1][P0]
    assert last in (6, 7, 8)  # as many as began before the stop was noticed
    assert consumer.sought == ({P0: last} if last < 8 else {})


def test_of_lost_partitions_nothing_is_committed(gate: Gate) -> None:
    def lose(consumer: ScriptedConsumer) -> None:
        consumer.owned.clear()
        consumer.listener.on_partitions_lost(consumer, [P0])  # type: ignore[arg-type]

    consumer = ScriptedConsumer(records_of(P0, 5, 6), gate.has_begun, lose, gate.open)
    run_to_the_end(consumer, gate)
    assert (consumer.commits, consumer.sought) == ([], {})


def test_revoked_partitions_are_committed_when_what_was_begun_has_ended(
    gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_drained = Work.is_drained

    def open_once_asked(work: Work, partitions: Collection[TopicPartition] | None = None) -> bool:
        found = is_drained(work, partitions)
        gate.opened.set()
        return found

    def revoke(consumer: ScriptedConsumer) -> None:
        monkeypatch.setattr(Work, "is_drained", open_once_asked)
        consumer.revoke()
        assert gate.handled == [(0, 5)]
        assert consumer.commits == [{P0: 6}]

    run_to_the_end(ScriptedConsumer(records_of(P0, 5, 6), gate.has_begun, revoke), gate)
    assert gate.handled == [(0, 5)]


def test_what_does_not_end_in_time_is_given_up_uncommitted(gate: Gate, caplog: pytest.LogCaptureFixture) -> None:
    consumer = ScriptedConsumer(records_of(P0, 5), gate.has_begun, ScriptedConsumer.revoke)
    run_to_the_end(consumer, gate, drain_timeout_s=0.01)
    gate.opened.set()
    assert consumer.commits == []
    assert "timed out waiting for records in progress, which are not committed: orders[0] offset 5" in caplog.text


def test_a_signal_that_another_thread_took_is_handled_while_a_revocation_waits_for_tasks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun, looked, opened = threading.Event(), threading.Event(), threading.Event()
    pools: list[WorkerPool] = []
    drain, is_drained = WorkerPool.wait_until_drained, Work.is_drained

    async def keep_and_drain(pool: WorkerPool, partitions: Collection[TopicPartition] | None, timeout_s: float) -> None:
        pools.append(pool)
        await drain(pool, partitions, timeout_s)

    def look(work: Work, partitions: Collection[TopicPartition] | None = None) -> bool:
        if pools:
            looked.set()
        return is_drained(work, partitions)

    def handle(record: Record) -> None:
        begun.set()
        assert looked.wait(GUARD_S)
        with pools[0].lock:  # which the main thread holds until it waits
            signal.pthread_kill(threading.get_ident(), signal.SIGUSR1)
        assert opened.wait(GUARD_S), "no thread has handled the signal"

    monkeypatch.setattr(WorkerPool, "wait_until_drained", keep_and_drain)
    monkeypatch.setattr(Work, "is_drained", look)
    consumer = ScriptedConsumer(records_of(P0, 5), lambda _: begun.wait(GUARD_S), ScriptedConsumer.revoke)
    with handled_by(lambda *_: opened.set()):
        run_to_the_end(consumer, handle, attempts=1, drain_timeout_s=2 * GUARD_S)
    assert consumer.commits == [{P0: 6}]


def test_the_end_waits_no_longer_than_the_drain_timeout(gate: Gate) -> None:
    consumer = ScriptedConsumer(records_of(P0, 5), gate.has_begun)
    run_to_the_end(consumer, gate, drain_timeout_s=0.01)
    gate.opened.set()
    assert (consumer.commits, consumer.sought) == ([], {P0: 5})


def test_a_commit_that_fails_does_not_keep_partitions_from_being_given_up(
    gate: Gate, caplog: pytest.LogCaptureFixture
) -> None:
    consumer = ScriptedConsumer(records_of(P0, 5), gate.has_begun, ScriptedConsumer.revoke)
    gate.opened.set()
    consumer.refusal = STALE
    run_to_the_end(consumer, gate)
    assert "orders[0]: revoked without a commit" in caplog.text


def test_a_last_commit_that_fails_is_raised() -> None:
    consumer, handle = ScriptedConsumer(records_of(P0, 5)), StopHandle()
    consumer.refusal = STALE
    with pytest.raises(CommitFailedError):
        consumer.run(lambda _: handle.stop(), stop=handle)


def test_a_commit_that_will_never_be_allowed_ends_the_run() -> None:
    consumer = ScriptedConsumer(records_of(P0, 5), **ALWAYS)
    consumer.refusal = GroupAuthorizationError("not for you", code=30)
    with pytest.raises(GroupAuthorizationError):
        consumer.run(lambda _: None)


def test_weather_is_waited_out_by_the_commits_on_the_way() -> None:
    consumer = ScriptedConsumer(records_of(P0, 5), **ALWAYS)
    consumer.refusal = NoBrokersError("all away")
    consumer.poll_until(lambda: consumer.refused > 1)
    consumer.script.append(lambda _: setattr(consumer, "refusal", None))
    run_to_the_end(consumer, lambda _: None)
    assert consumer.commits[-1] == {P0: 6}


def test_what_a_poll_raises_ends_the_run_after_what_is_finished_was_committed(gate: Gate) -> None:
    def break_down(_: object) -> None:
        gate.opened.set()
        raise MisuseError("broken")

    consumer = ScriptedConsumer(records_of(P0, 5), gate.has_begun, break_down)
    with pytest.raises(MisuseError, match="broken"):
        consumer.run(gate)
    assert consumer.commits == [{P0: 6}]


def test_a_failing_last_commit_does_not_hide_the_first_error() -> None:
    consumer = ScriptedConsumer(records_of(P0, 5, 6))
    consumer.refusal = STALE

    def handle(record: Record) -> None:
        if record.offset == 6:
            raise ValueError("no such order")

    with pytest.raises(ValueError, match="no such order"):
        consumer.run(handle, attempts=1)


def test_an_exit_in_a_handler_ends_the_program() -> None:
    def leave(record: Record) -> None:
        raise SystemExit(3)

    with pytest.raises(SystemExit) as left:
        ScriptedConsumer(records_of(P0, 5)).run(leave)
    assert left.value.code == 3


def test_after_the_end_the_listener_has_nothing_more_to_say() -> None:
    consumer, handle = ScriptedConsumer(records_of(P0, 5)), StopHandle()
    consumer.run(lambda _: handle.stop(), stop=handle)
    commits = list(consumer.commits)
    consumer.revoke()
    assert consumer.commits == commits


def test_a_record_that_keeps_failing_goes_to_the_dead_letters_once_and_one_that_fails_once_is_tried_again() -> None:
    tries, dead, handle = list[int](), list[tuple[int, str]](), StopHandle()

    def fail(record: Record) -> None:
        tries.append(record.offset)
        if record.offset == 5 or tries == [5, 5, 5, 6]:
            raise ValueError("no such order")
        handle.stop()

    consumer = ScriptedConsumer(records_of(P0, 5, 6), retry_backoff_ms=1)
    bury = lambda record, error: dead.append((record.offset, str(error)))  # noqa: E731
    consumer.run(fail, dead_letter=bury, attempts=3, stop=handle)
    assert tries == [5, 5, 5, 6, 6]
    assert dead == [(5, "no such order")]
    assert consumer.commits[-1] == {P0: 7}


def test_a_dead_letter_that_is_refused_ends_the_run_and_is_not_committed() -> None:
    def handle(record: Record) -> None:
        if record.offset == 6:
            raise ValueError("no such order")

    def bury(record: Record, error: Exception) -> None:
        raise OSError("the dead letter topic is gone") from error

    consumer = ScriptedConsumer(records_of(P0, 5, 6))
    with pytest.raises(OSError, match="the dead letter topic is gone"):
        consumer.run(handle, dead_letter=bury, attempts=1)
    assert consumer.commits[-1] == {P0: 6}


def test_values_are_deserialized_for_the_handler_and_bytes_for_the_dead_letter() -> None:
    handled: list[object] = []
    dead: list[object] = []
    consumer = ScriptedConsumer(
        records_of(P0, 5, value=b"17"), records_of(P0, 6, value=b"many"), records_of(P0, 7), value_deserializer=int
    )
    handle = StopHandle()

    def bury(record: Record, error: Exception) -> None:
        dead.append((record.offset, record.value, type(error).__name__))
        if record.offset == 7:
            handle.stop()

    consumer.run(lambda record: handled.append(record.value), dead_letter=bury, stop=handle)
    assert handled == [17]
    assert dead == [(6, b"many", "DeserializationError"), (7, b"", "DeserializationError")]
    assert consumer.commits[-1] == {P0: 8}


def test_async_handlers_need_the_async_consumer() -> None:
    async def handle(record: Record) -> None: ...

    with pytest.raises(TypeError, match="an async handler needs AsyncConsumer"):
        ScriptedConsumer().run(handle)
