"""Close ends everything within its time, whoever is inside and whatever never answers; then nothing works any more."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

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
from tests.engine.stage import ONE_ATTEMPT, Stage, poll_for, read, tp
from tests.support.signals import handled_by
from tests.support.waiting import GUARD_S, eventually


class Slow(RebalanceListener):
    """Says when it is in ``on_partitions_revoked``, and stays there until it may leave."""

    def __init__(self) -> None:
        self.inside, self.may_leave = threading.Event(), threading.Event()

    def on_partitions_revoked(self, consumer: RebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
        self.inside.set()
        self.may_leave.wait(GUARD_S)


def in_a_thread(work: Callable[[], object]) -> Future[object]:
    thread = ThreadPoolExecutor(1)
    done = thread.submit(work)
    thread.shutdown(wait=False)
    return done


def inside(consumer: Consumer) -> None:
    eventually("somebody is inside a call", lambda: consumer._guard.is_held)


def has_ended(consumer: Consumer) -> bool:
    return not consumer._core.engine.thread._thread.is_alive()


def has_left(stage: Stage) -> None:
    eventually("it left", lambda: stage.members() == 0)


# ---- what is open, and what is closed


@pytest.mark.parametrize("call", sorted(CALLS.keys() - ALWAYS_OPEN))
def test_a_closed_consumer_refuses_every_call(call: str) -> None:
    consumer = Consumer(bootstrap_servers="127.0.0.1:1", group_id="billing")
    consumer.close()
    consumer.close()
    with pytest.raises(MisuseError, match="closed"):
        CALLS[call](consumer)
    assert has_ended(consumer)


@pytest.mark.parametrize("call", sorted(CALLS))
def test_another_process_is_refused_every_call(call: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """``tests/sockets/test_fork.py`` forks one."""
    with Consumer(bootstrap_servers="127.0.0.1:1", group_id="billing") as consumer, monkeypatch.context() as forked:
        forked.setattr(consumer._core.engine.thread, "_pid", os.getpid() + 1)
        with pytest.raises(MisuseError, match="created before a fork"):
            CALLS[call](consumer)


def test_a_second_thread_is_refused_every_call_but_those_that_only_look(stage: Stage) -> None:
    stage.create()
    with stage.subscribed() as consumer:
        polling = in_a_thread(lambda: consumer.poll(timeout=3600))
        inside(consumer)
        for call in sorted(CALLS.keys() - SHARED - MADE_OF_OTHERS):
            with pytest.raises(ConcurrentUseError, match=rf"{call}\(\).*poll\(\)"):
                CALLS[call](consumer)
        consumer.close()
        assert isinstance(polling.exception(GUARD_S), MisuseError)
    assert stage.members() == 0


# ---- who is inside


def test_a_second_close_waits_for_the_first_but_not_longer_than_it_may(stage: Stage) -> None:
    listener = Slow()
    consumer = stage.after_reading(5, listener)
    first = in_a_thread(consumer.close)
    assert listener.inside.wait(GUARD_S)
    consumer.close(timeout=0.01)
    assert not has_ended(consumer)
    second = in_a_thread(consumer.close)
    listener.may_leave.set()
    second.result(GUARD_S)
    assert has_ended(consumer)
    first.result(GUARD_S)


def test_close_cuts_a_call_short_that_does_not_end(stage: Stage) -> None:
    consumer = stage.after_reading(5)
    asked = stage.busy(OFFSET_FETCH)
    waiting = in_a_thread(lambda: consumer.committed([tp()], timeout=3600))
    assert asked.wait(GUARD_S)
    with pytest.raises(ConcurrentUseError, match=r"close\(\)"):
        consumer.close(timeout=0.1)
    assert isinstance(waiting.exception(GUARD_S), KafkaNextgenError)
    assert has_ended(consumer)
    has_left(stage)


def test_a_callback_that_outlasts_the_close_does_not_keep_the_member_in_its_group(stage: Stage) -> None:
    listener = Slow()
    consumer = stage.after_reading(5, listener)
    closing = in_a_thread(lambda: consumer.close(timeout=0.1))
    assert listener.inside.wait(GUARD_S)
    has_left(stage)
    listener.may_leave.set()
    closing.result(GUARD_S)
    assert has_ended(consumer)


def test_an_interrupt_in_a_poll_leaves_the_consumer_usable(stage: Stage) -> None:
    with stage.after_reading(1) as consumer:
        interrupting = in_a_thread(lambda: (inside(consumer), os.kill(os.getpid(), signal.SIGINT)))
        # A shell's background processes begin with SIGINT ignored, and so do these tests then.
        with handled_by(signal.default_int_handler, signal.SIGINT), pytest.raises(KeyboardInterrupt):
            poll_for(consumer)
        interrupting.result(GUARD_S)
        stage.write(0, 5)
        assert len(read(consumer, 5)) == 5


def test_the_error_that_ends_a_with_block_is_the_one_to_be_seen(stage: Stage) -> None:
    class Broken(RebalanceListener):
        def on_partitions_revoked(self, consumer: RebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
            raise ValueError("of the callback")

    consumer = stage.after_reading(5, Broken())
    with pytest.raises(ZeroDivisionError), consumer:
        raise ZeroDivisionError
    assert stage.members() == 0


# ---- who does not answer


def test_a_coordinator_that_does_not_answer_the_leave_holds_up_nobody(stage: Stage) -> None:
    consumer = stage.after_reading(5)
    asked = stage.never(CONSUMER_GROUP_HEARTBEAT)
    consumer.close(timeout=0.1)
    assert asked.wait(GUARD_S)
    assert has_ended(consumer)


def test_a_coordinator_that_never_was_found_is_not_waited_for(stage: Stage) -> None:
    stage.create()
    asked = stage.never(FIND_COORDINATOR)
    consumer = stage.subscribed()
    assert asked.wait(GUARD_S)
    consumer.close(timeout=3600)


def test_a_join_that_is_on_its_way_is_left_all_the_same(stage: Stage) -> None:
    stage.create()
    original, came, may_join = stage.original(CONSUMER_GROUP_HEARTBEAT), threading.Event(), threading.Event()

    async def join_late(request: ConsumerGroupHeartbeatRequest, context: object) -> object:
        if request.member_epoch == 0:
            came.set()
            await asyncio.to_thread(may_join.wait)
        return await original(request, context)

    stage.handle(CONSUMER_GROUP_HEARTBEAT, join_late)
    consumer = stage.subscribed()
    assert came.wait(GUARD_S)
    closing = in_a_thread(consumer.close)
    may_join.set()
    closing.result(GUARD_S)
    assert stage.members() == 0


def test_a_commit_that_is_not_answered_is_given_up_and_the_leave_still_sent(stage: Stage) -> None:
    asked = stage.busy(OFFSET_COMMIT)
    stage.after_reading(5, enable_auto_commit=True).close(timeout=0.2)
    assert asked.is_set()
    has_left(stage)


def test_close_without_time_ends_all_the_same(stage: Stage) -> None:
    consumer = stage.after_reading(5)
    consumer.close(timeout=0)
    assert has_ended(consumer)
    has_left(stage)


def test_close_lets_a_commit_end_that_nobody_waited_for(stage: Stage) -> None:
    with stage.after_reading(5) as consumer:
        commit = consumer.commit_async()
    assert commit.result(0) is None
    assert stage.committed() == {0: 5}


# ---- calls whose time is over


def test_a_call_says_what_it_waited_for_when_its_time_is_over(stage: Stage) -> None:
    stage.create(partitions=1)
    with stage.consumer(**ONE_ATTEMPT) as consumer, pytest.raises(RequestTimeoutError, match=r"orders\[5\].*0\.1 s"):
        consumer.end_offsets([tp(5)], timeout=0.1)


def test_a_commit_that_is_refused_until_its_time_is_over_says_why(stage: Stage) -> None:
    stage.busy(OFFSET_COMMIT)
    with stage.after_reading(5, **ONE_ATTEMPT) as consumer:
        with pytest.raises(CommitFailedError, match="COORDINATOR_LOAD_IN_PROGRESS") as caught:
            consumer.commit(timeout=GUARD_S)
        assert set(caught.value.failed) == {tp()}
