"""Close ends everything within its time, whoever is inside and whatever never answers; then nothing works any more."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from kafka_nextgen import (
    CommitFailedError,
    ConcurrentUseError,
    Consumer,
    KafkaNextgenError,
    MisuseError,
    RebalanceConsumer,
    RebalanceListener,
    RequestTimeoutError,
    TopicPartition,
)
from kafka_nextgen.wire.apis import CONSUMER_GROUP_HEARTBEAT, FIND_COORDINATOR, OFFSET_COMMIT, OFFSET_FETCH
from kafka_nextgen.wire.messages import ConsumerGroupHeartbeatRequest
from tests.engine.calls import ALWAYS_OPEN, CALLS, MADE_OF_OTHERS, SHARED
from tests.engine.stage import Stage, poll_until, read, tp
from tests.support.signals import handled_by
from tests.support.waiting import eventually


class Slow(RebalanceListener):
    """Says when it is in ``on_partitions_revoked``, and stays there until it may leave."""

    def __init__(self) -> None:
        self.inside, self.may_leave = threading.Event(), threading.Event()

    def on_partitions_revoked(self, consumer: RebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
        self.inside.set()
        self.may_leave.wait(20)


class InAThread:
    """Runs something in another thread; ``ended`` has what it raised, or None."""

    def __init__(self, work: Callable[[], object]) -> None:
        self._error: BaseException | None = None
        self._work = work
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._work()
        except BaseException as error:
            self._error = error

    def ended(self) -> BaseException | None:
        self._thread.join(20)
        assert not self._thread.is_alive()
        return self._error


def inside(consumer: Consumer) -> None:
    """Return when somebody is inside a call."""
    while not consumer._guard.is_held:
        time.sleep(0.001)


def io_thread_of(consumer: Consumer) -> threading.Thread:
    return consumer._core.engine.thread._thread


@pytest.mark.parametrize("call", sorted(CALLS.keys() - ALWAYS_OPEN))
def test_a_closed_consumer_refuses_every_call(call: str) -> None:
    consumer = Consumer(bootstrap_servers="127.0.0.1:1", group_id="billing")
    consumer.close()
    consumer.close()
    with pytest.raises(MisuseError, match="closed"):
        CALLS[call](consumer)
    assert not io_thread_of(consumer).is_alive()


def test_close_ends_a_poll_in_another_thread(stage: Stage) -> None:
    stage.create()
    consumer = stage.consumer()
    consumer.subscribe(["orders"])
    poll_until(consumer, lambda: bool(consumer.assignment()))
    polling = InAThread(lambda: consumer.poll(timeout=60))
    inside(consumer)
    consumer.close()
    assert isinstance(polling.ended(), MisuseError)
    assert stage.members() == 0


def test_a_second_close_waits_for_the_first(stage: Stage) -> None:
    stage.create(records=5)
    listener = Slow()
    consumer = stage.consumer()
    consumer.subscribe(["orders"], listener)
    read(consumer, 5)
    first = InAThread(consumer.close)
    assert listener.inside.wait(10)
    consumer.close(timeout=0.01)
    assert io_thread_of(consumer).is_alive(), "within its time only"
    second = InAThread(consumer.close)
    listener.may_leave.set()
    assert second.ended() is None
    assert not io_thread_of(consumer).is_alive()
    assert first.ended() is None


def test_close_cuts_a_call_short_that_does_not_end(stage: Stage) -> None:
    stage.create(records=5)
    consumer = stage.consumer()
    consumer.subscribe(["orders"])
    read(consumer, 5)
    asked = stage.busy(OFFSET_FETCH)
    waiting = InAThread(lambda: consumer.committed([tp()], timeout=60))
    assert asked.wait(10)
    with pytest.raises(ConcurrentUseError, match=r"close\(\)"):
        consumer.close(timeout=0.5)
    assert isinstance(waiting.ended(), KafkaNextgenError)
    assert not io_thread_of(consumer).is_alive()
    eventually("it left all the same", lambda: stage.members() == 0)


@pytest.mark.parametrize("call", sorted(CALLS.keys() - SHARED - MADE_OF_OTHERS))
def test_a_second_thread_is_refused(stage: Stage, call: str) -> None:
    stage.create()
    with stage.consumer() as consumer:
        consumer.subscribe(["orders"])
        polling = InAThread(lambda: consumer.poll(timeout=60))
        inside(consumer)
        with pytest.raises(ConcurrentUseError, match=rf"{call}\(\).*poll\(\)"):
            CALLS[call](consumer)
        consumer.close()
        polling.ended()


def test_a_coordinator_that_does_not_answer_the_leave_holds_up_nobody(stage: Stage) -> None:
    stage.create(records=5)
    consumer = stage.consumer()
    consumer.subscribe(["orders"])
    read(consumer, 5)
    asked = stage.never(CONSUMER_GROUP_HEARTBEAT)
    consumer.close(timeout=0.3)
    assert asked.wait(10)
    assert not io_thread_of(consumer).is_alive()


def test_a_coordinator_that_never_was_found_is_not_waited_for(stage: Stage) -> None:
    stage.create()
    asked = stage.never(FIND_COORDINATOR)
    consumer = stage.consumer()
    consumer.subscribe(["orders"])
    assert asked.wait(10)
    consumer.close(timeout=3600)


def test_a_join_that_is_on_its_way_is_left_all_the_same(stage: Stage) -> None:
    stage.create()
    original, came, may_join = stage.original(CONSUMER_GROUP_HEARTBEAT), threading.Event(), threading.Event()

    async def join_late(request: ConsumerGroupHeartbeatRequest, context: object) -> object:
        if request.member_epoch == 0:
            came.set()
            while not may_join.is_set():
                await asyncio.sleep(0.001)
        return await original(request, context)

    stage.handle(CONSUMER_GROUP_HEARTBEAT, join_late)
    consumer = stage.consumer()
    consumer.subscribe(["orders"])
    assert came.wait(10)
    closing = InAThread(consumer.close)
    may_join.set()
    assert closing.ended() is None
    assert stage.members() == 0


def test_a_commit_that_is_not_answered_is_given_up_and_the_leave_still_sent(stage: Stage) -> None:
    stage.create(records=5)
    asked = stage.busy(OFFSET_COMMIT)
    consumer = stage.consumer(enable_auto_commit=True)
    consumer.subscribe(["orders"])
    read(consumer, 5)
    consumer.close(timeout=0.5)
    assert asked.wait(10)
    eventually("it left", lambda: stage.members() == 0)


def test_a_callback_that_outlasts_the_close_does_not_keep_the_member_in_its_group(stage: Stage) -> None:
    stage.create(records=5)
    listener = Slow()
    consumer = stage.consumer()
    consumer.subscribe(["orders"], listener)
    read(consumer, 5)
    closing = InAThread(lambda: consumer.close(timeout=0.2))
    assert listener.inside.wait(10)
    eventually("it left", lambda: not stage.members())
    listener.may_leave.set()
    assert closing.ended() is None
    assert not io_thread_of(consumer).is_alive()


def test_close_without_time_ends_all_the_same(stage: Stage) -> None:
    stage.create(records=5)
    consumer = stage.consumer()
    consumer.subscribe(["orders"])
    read(consumer, 5)
    consumer.close(timeout=0)
    assert not io_thread_of(consumer).is_alive()
    assert stage.members() == 0


def test_close_lets_a_commit_end_that_nobody_waited_for(stage: Stage) -> None:
    stage.create(records=5)
    with stage.consumer() as consumer:
        consumer.subscribe(["orders"])
        read(consumer, 5)
        commit = consumer.commit_async()
    assert commit.result(0) is None
    assert stage.committed() == {0: 5}


def test_a_call_says_what_it_waited_for_when_its_time_is_over(stage: Stage) -> None:
    stage.create(partitions=1)
    more = {"retry_backoff_ms": 5000, "retry_backoff_max_ms": 5000}  # it is not looked up once more
    with stage.consumer(**more) as consumer, pytest.raises(RequestTimeoutError, match=r"orders\[5\].*0\.1 s"):
        consumer.end_offsets([tp(5)], timeout=0.1)


def test_a_commit_that_is_refused_until_its_time_is_over_says_why(stage: Stage) -> None:
    stage.create(records=5)
    stage.busy(OFFSET_COMMIT)
    with stage.consumer() as consumer:
        consumer.subscribe(["orders"])
        read(consumer, 5)
        with pytest.raises(CommitFailedError, match="COORDINATOR_LOAD_IN_PROGRESS") as caught:
            consumer.commit(timeout=0.5)
        assert set(caught.value.failed) == {tp()}


def test_an_interrupt_in_a_poll_leaves_the_consumer_usable(stage: Stage) -> None:
    stage.create()
    with stage.consumer() as consumer:
        consumer.subscribe(["orders"])
        poll_until(consumer, lambda: bool(consumer.assignment()))
        threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        # A shell's background processes begin with SIGINT ignored, and so do these tests then.
        with handled_by(signal.default_int_handler, signal.SIGINT), pytest.raises(KeyboardInterrupt):
            consumer.poll(timeout=20)
        stage.write(0, 5)
        assert len(read(consumer, 5)) == 5


def test_a_signal_handler_may_close_the_consumer_it_interrupts(stage: Stage) -> None:
    stage.create()
    consumer = stage.consumer()
    consumer.subscribe(["orders"])
    with handled_by(lambda *_: consumer.close()):
        threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGUSR1)).start()
        with pytest.raises(MisuseError, match="closed"):
            poll_until(consumer, lambda: False)
    assert stage.members() == 0


def test_the_error_that_ends_a_with_block_is_the_one_to_be_seen(stage: Stage) -> None:
    class Broken(RebalanceListener):
        def on_partitions_revoked(self, consumer: RebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
            raise ValueError("of the callback")

    stage.create(records=5)

    def block() -> None:
        with stage.consumer() as consumer:
            consumer.subscribe(["orders"], Broken())
            read(consumer, 5)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        block()
    assert stage.members() == 0


def test_closing_leaves_at_once_although_the_coordinator_throttles(stage: Stage) -> None:
    original, throttled = stage.original(CONSUMER_GROUP_HEARTBEAT), threading.Event()

    async def throttle(request: object, context: object) -> object:
        response: Any = await original(request, context)
        throttled.set()
        return response.replaced(throttle_time_ms=3_600_000)

    stage.create()
    consumer = stage.consumer()
    stage.handle(CONSUMER_GROUP_HEARTBEAT, throttle)
    consumer.subscribe(["orders"])
    poll_until(consumer, throttled.is_set)
    consumer.close(timeout=5.0)
    assert stage.members() == 0, "close() lifts the throttle and leaves"
