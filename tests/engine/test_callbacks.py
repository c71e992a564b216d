"""Rebalance callbacks: what they may do, what they may not, and what becomes of what they raise."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Sequence

import pytest

from kafka_nextgen import CommitFailedError, Consumer, MisuseError, RebalanceConsumer, RebalanceListener, TopicPartition
from kafka_nextgen.wire.apis import CONSUMER_GROUP_HEARTBEAT
from kafka_nextgen.wire.messages import ConsumerGroupHeartbeatRequest
from tests.engine.stage import Stage, poll_until, read, tp, values
from tests.support.waiting import eventually


class Does(RebalanceListener):
    """Does ``work`` in the callback of that name, once; what it returns or raises is kept."""

    def __init__(self, name: str, work: Callable[[RebalanceConsumer], object]) -> None:
        self.name, self.work = name, work
        self.calls: list[tuple[str, tuple[TopicPartition, ...]]] = []
        self.results: list[object] = []

    def _call(self, name: str, consumer: RebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
        self.calls.append((name, tuple(partitions)))
        if name == self.name:
            self.results.append(self.work(consumer))

    def on_partitions_assigned(self, consumer: RebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
        self._call("assigned", consumer, partitions)

    def on_partitions_revoked(self, consumer: RebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
        self._call("revoked", consumer, partitions)

    def on_partitions_lost(self, consumer: RebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
        self._call("lost", consumer, partitions)


def fail(error: BaseException) -> Callable[[RebalanceConsumer], object]:
    def work(_: RebalanceConsumer) -> None:
        raise error

    return work


def test_the_position_of_a_new_partition_is_known_in_its_callback(stage: Stage) -> None:
    stage.create(records=5)
    listener = Does("assigned", lambda view: (view.position(tp()), view.assignment(), view.paused()))
    with stage.consumer() as consumer:
        consumer.subscribe(["orders"], listener)
        assert values(read(consumer, 5)) == [0, 1, 2, 3, 4]
    assert listener.results == [(0, {tp()}, frozenset())]


def test_a_view_can_seek_pause_resume_and_commit(stage: Stage) -> None:
    stage.create(records=5)

    def work(view: RebalanceConsumer) -> int:
        view.seek_to_end([tp()])
        end = view.position(tp())
        view.seek_to_beginning([tp()])
        view.seek(tp(), 3)
        view.pause([tp()])
        view.resume([tp()])
        view.commit()
        return end

    listener = Does("assigned", work)
    with stage.consumer() as consumer:
        consumer.subscribe(["orders"], listener)
        assert values(read(consumer, 2)) == [3, 4]
        assert stage.committed() == {0: 3}
    assert listener.results == [5]


def test_no_partitions_given_means_none_in_a_callback_not_all(stage: Stage) -> None:
    stage.create(records=5)
    with stage.consumer() as consumer:
        consumer.subscribe(["orders"])
        read(consumer, 5)
        consumer.seek_to_beginning([])
        assert consumer.position(tp()) == 5
        consumer.seek_to_beginning()
        assert consumer.position(tp()) == 0


def test_a_listener_may_use_the_consumer_itself_also_while_it_closes(stage: Stage) -> None:
    stage.create(records=5)
    consumer = stage.consumer()
    listener = Does("revoked", lambda _: (consumer.commit(), consumer.position(tp()), consumer.assignment()))
    consumer.subscribe(["orders"], listener)
    read(consumer, 5)
    consumer.close()
    assert listener.results == [(None, 5, {tp()})]
    assert stage.committed() == {0: 5}


@pytest.mark.parametrize(
    "call", [Consumer.poll, Consumer.unsubscribe, Consumer.__next__], ids=lambda call: call.__name__
)
def test_a_callback_may_not_wait_for_itself(stage: Stage, call: Callable[[Consumer], object]) -> None:
    stage.create(records=5)
    with stage.consumer() as consumer:
        listener = Does("assigned", lambda _: call(consumer))
        consumer.subscribe(["orders"], listener)
        with pytest.raises(MisuseError, match="rebalance callback"):
            poll_until(consumer, lambda: False)


def test_a_callback_may_close_the_consumer_once_it_has_returned(stage: Stage) -> None:
    stage.create(records=5)
    consumer = stage.consumer()
    listener = Does("assigned", lambda _: (consumer.close(), stage.members()))
    consumer.subscribe(["orders"], listener)
    with pytest.raises(MisuseError, match="closed"):
        poll_until(consumer, lambda: False)
    assert listener.results == [(None, 1)]
    assert stage.members() == 0


def test_a_view_ends_with_its_callback(stage: Stage) -> None:
    stage.create(records=1)
    listener = Does("assigned", lambda view: view)
    with stage.consumer() as consumer:
        consumer.subscribe(["orders"], listener)
        read(consumer, 1)
        (view,) = listener.results
        assert isinstance(view, RebalanceConsumer)
        with pytest.raises(MisuseError, match="ended"):
            view.commit()


@pytest.mark.parametrize("error", [ZeroDivisionError("mine"), KeyboardInterrupt()], ids=["error", "interrupt"])
def test_what_on_assigned_raises_reaches_poll_and_nothing_is_read_before_it_returns(
    stage: Stage, error: BaseException
) -> None:
    stage.create(records=5)
    listener = Does("assigned", fail(error))
    with stage.consumer() as consumer:
        consumer.subscribe(["orders"], listener)
        for _ in range(2):
            with pytest.raises(type(error)) as caught:
                poll_until(consumer, lambda: False)
            assert caught.value is error
        listener.work = lambda _: None
        assert values(read(consumer, 5)) == [0, 1, 2, 3, 4]
    assert listener.calls == [("assigned", (tp(),))] * 3 + [("revoked", (tp(),))]
    assert stage.members() == 0


def test_what_on_revoked_raises_is_raised_by_close_when_all_is_done(stage: Stage) -> None:
    stage.create(records=5)
    consumer = stage.consumer()
    consumer.subscribe(["orders"], Does("revoked", fail(ZeroDivisionError("mine"))))
    read(consumer, 5)
    with pytest.raises(ZeroDivisionError, match="mine"):
        consumer.close()
    assert stage.members() == 0
    with pytest.raises(MisuseError, match="closed"):
        consumer.poll()


def test_what_on_lost_raises_reaches_poll_and_the_member_joins_again(stage: Stage) -> None:
    stage.create(records=5)
    listener = Does("lost", fail(ZeroDivisionError("mine")))
    with stage.consumer() as consumer:
        consumer.subscribe(["orders"], listener)
        read(consumer, 5)
        stage.fence(consumer)
        with pytest.raises(ZeroDivisionError, match="mine"):
            poll_until(consumer, lambda: False)
        assert values(read(consumer, 5)) == [0, 1, 2, 3, 4]
    assert [name for name, partitions in listener.calls if partitions] == ["assigned", "lost", "assigned", "revoked"]


def test_unsubscribing_revokes_leaves_and_may_be_undone(stage: Stage) -> None:
    stage.create(records=5)
    listener = Does("revoked", lambda view: view.assignment())
    with stage.consumer(enable_auto_commit=True) as consumer:
        consumer.subscribe(["orders"], listener)
        read(consumer, 5)
        consumer.unsubscribe()
        assert (stage.members(), listener.results, consumer.assignment()) == (0, [{tp()}], frozenset())
        assert stage.committed() == {}
        with pytest.raises(MisuseError, match="subscribe"):
            consumer.poll()
        consumer.subscribe(["orders"], listener)
        assert values(read(consumer, 5)) == [0, 1, 2, 3, 4]


def test_callbacks_run_in_the_thread_that_polls(stage: Stage) -> None:
    stage.create(records=1)
    listener = Does("assigned", lambda _: threading.get_ident())
    with stage.consumer() as consumer:
        consumer.subscribe(["orders"], listener)
        read(consumer, 1)
    assert listener.results == [threading.get_ident()]


def test_a_listener_that_must_be_awaited_is_refused(stage: Stage) -> None:
    class Awaited(RebalanceListener):
        async def on_partitions_revoked(  # type: ignore[override]
            self, consumer: RebalanceConsumer, partitions: Sequence[TopicPartition]
        ) -> None: ...

    with stage.consumer() as consumer, pytest.raises(TypeError, match="AsyncConsumer"):
        consumer.subscribe(["orders"], Awaited())


def test_who_subscribes_while_it_leaves_is_no_stranger_to_the_group_after_that(stage: Stage) -> None:
    stage.create(records=5)
    answer, joins, is_rejoining = stage.original(CONSUMER_GROUP_HEARTBEAT), [], threading.Event()

    async def keep_out(request: ConsumerGroupHeartbeatRequest, context: object) -> object:
        joins.append(request.member_epoch == 0)
        if joins.count(True) > 1:
            is_rejoining.set()
            await asyncio.sleep(3600)
        return await answer(request, context)

    stage.handle(CONSUMER_GROUP_HEARTBEAT, keep_out)
    with stage.consumer() as consumer:
        consumer.subscribe(["orders"], Does("revoked", lambda _: consumer.subscribe(["orders"])))
        read(consumer, 5)
        consumer.unsubscribe()
        assert is_rejoining.wait(10)
        with pytest.raises(CommitFailedError, match="has not joined its group"):
            consumer.commit({tp(): 5})
        assert stage.committed() == {}
        consumer.close(timeout=0.2)


@pytest.mark.parametrize("protocol", ["consumer", "classic"])
def test_what_on_revoked_raises_reaches_poll_and_the_partitions_are_given_up_all_the_same(
    stage: Stage, protocol: str
) -> None:
    stage.create(partitions=2, records=5)
    listener = Does("revoked", fail(ZeroDivisionError("mine")))
    with stage.consumer(group_protocol=protocol) as first, stage.consumer(group_protocol=protocol) as second:
        first.subscribe(["orders"], listener)
        read(first, 10)
        second.subscribe(["orders"])

        def has_half() -> bool:
            second.poll(timeout=0)
            return len(second.assignment()) == len(first.assignment()) == 1

        with pytest.raises(ZeroDivisionError, match="mine"):
            poll_until(first, has_half)
        poll_until(first, has_half)
        assert [name for name, _ in listener.calls if name == "lost"] == []
        assert first.health().problem is None
        listener.work = lambda _: None


@pytest.mark.parametrize("protocol", ["consumer", "classic"])
def test_a_callback_that_outlasts_the_leave_does_not_commit_as_a_stranger(stage: Stage, protocol: str) -> None:
    """Its partitions may have been another's since: an empty group would take what it read, and be set back."""
    stage.create(records=5)

    def work(view: RebalanceConsumer) -> None:
        eventually("the member does not wait any longer", lambda: not consumer.assignment())
        time.sleep(0.1)  # for whatever follows on that
        with pytest.raises(CommitFailedError, match="takes commits from its members only"):
            view.commit({tp(): 3})

    listener = Does("revoked", work)
    with stage.consumer(group_protocol=protocol) as consumer:
        consumer.subscribe(["orders"], listener)
        read(consumer, 5)
        consumer.unsubscribe(timeout=0.2)
        assert stage.committed() == {}
        consumer.commit({tp(): 4})
        assert stage.committed() == {0: 4}
    assert listener.results == [None]
