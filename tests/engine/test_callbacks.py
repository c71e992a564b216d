"""Rebalance callbacks: what they may do, what they may not, and what becomes of what they raise."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence

import pytest

from kafka_nextgen import CommitFailedError, Consumer, MisuseError, RebalanceConsumer, RebalanceListener, TopicPartition
from kafka_nextgen.wire.apis import CONSUMER_GROUP_HEARTBEAT
from kafka_nextgen.wire.messages import ConsumerGroupHeartbeatRequest
from tests.engine.stage import TOPIC, Stage, poll_for, poll_until, read, tp, values
from tests.support.waiting import GUARD_S, eventually

Work = Callable[[RebalanceConsumer], object]
BOTH_PROTOCOLS = pytest.mark.parametrize("protocol", ["consumer", "classic"])


class Does(RebalanceListener):
    """Does ``work`` in the callback of that name; what it returns is kept."""

    def __init__(self, name: str, work: Work) -> None:
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


def fail(error: BaseException) -> Work:
    def work(_: RebalanceConsumer) -> None:
        raise error

    return work


# ---- what a callback may do


def test_the_position_of_a_new_partition_is_known_in_its_callback_on_the_thread_that_polls(stage: Stage) -> None:
    def look(view: RebalanceConsumer) -> object:
        return view.position(tp()), view.assignment(), view.paused(), threading.get_ident()

    listener = Does("assigned", look)
    stage.after_reading(5, listener).close()
    assert listener.results == [(0, {tp()}, frozenset(), threading.get_ident())]


def test_a_view_can_seek_pause_resume_and_commit_until_its_callback_ends(stage: Stage) -> None:
    def work(view: RebalanceConsumer) -> object:
        view.seek_to_end([tp()])
        end = view.position(tp())
        view.seek_to_beginning([tp()])
        beginning = view.position(tp())
        view.seek(tp(), 3)
        view.pause([tp()])
        view.resume([tp()])
        view.commit()
        return end, beginning, view

    stage.create(records=5)
    listener = Does("assigned", work)
    with stage.subscribed(listener) as consumer:
        assert values(read(consumer, 2)) == [3, 4]
        assert stage.committed() == {0: 3}
        ((end, beginning, view),) = listener.results  # type: ignore[misc]
        assert (end, beginning) == (5, 0)  # type: ignore[has-type]
        with pytest.raises(MisuseError, match="ended"):
            view.commit()  # type: ignore[has-type]


def test_a_timeout_in_a_callback_is_checked_as_elsewhere(stage: Stage) -> None:
    def work(view: RebalanceConsumer) -> None:
        with pytest.raises(TypeError, match="a timeout must be a number of seconds"):
            view.position(tp(), timeout="soon")  # type: ignore[arg-type]

    listener = Does("assigned", work)
    stage.after_reading(5, listener).close()
    assert listener.results == [None]


def test_no_partitions_given_means_none_in_a_callback_not_all(stage: Stage) -> None:
    with stage.after_reading(5) as consumer:
        consumer.seek_to_beginning([])
        assert consumer.position(tp()) == 5
        consumer.seek_to_beginning()
        assert consumer.position(tp()) == 0


def test_a_listener_may_use_the_consumer_itself_also_while_it_closes(stage: Stage) -> None:
    listener = Does("revoked", lambda _: (consumer.commit(), consumer.position(tp()), consumer.assignment()))
    with stage.after_reading(5, listener) as consumer:
        pass
    assert listener.results == [(None, 5, {tp()})]
    assert stage.committed() == {0: 5}


@pytest.mark.parametrize(
    "call",
    [Consumer.poll, Consumer.unsubscribe, Consumer.__next__, lambda consumer: consumer.assign([tp()])],
    ids=["poll", "unsubscribe", "next", "assign"],
)
def test_a_callback_may_not_wait_for_itself(stage: Stage, call: Callable[[Consumer], object]) -> None:
    stage.create(records=5)
    with (
        stage.subscribed(Does("assigned", lambda _: call(consumer))) as consumer,
        pytest.raises(MisuseError, match="rebalance callback"),
    ):
        poll_for(consumer)


def test_a_callback_may_close_the_consumer_once_it_has_returned(stage: Stage) -> None:
    stage.create(records=5)
    listener = Does("assigned", lambda _: (consumer.close(), stage.members()))
    consumer = stage.subscribed(listener)
    with pytest.raises(MisuseError, match="closed"):
        poll_for(consumer)
    assert listener.results == [(None, 1)]
    assert stage.members() == 0


def test_unsubscribing_revokes_leaves_and_may_be_undone(stage: Stage) -> None:
    listener = Does("revoked", lambda view: view.assignment())
    with stage.after_reading(5, listener, enable_auto_commit=True) as consumer:
        consumer.unsubscribe()
        assert (stage.members(), listener.results, consumer.assignment()) == (0, [{tp()}], frozenset())
        assert stage.committed() == {}
        with pytest.raises(MisuseError, match="subscribe"):
            consumer.poll()
        consumer.subscribe([TOPIC], listener)
        assert values(read(consumer, 5)) == [0, 1, 2, 3, 4]


def test_a_listener_that_must_be_awaited_is_refused(stage: Stage) -> None:
    class Awaited(RebalanceListener):
        async def on_partitions_revoked(  # type: ignore[override]
            self, consumer: RebalanceConsumer, partitions: Sequence[TopicPartition]
        ) -> None: ...

    with stage.consumer() as consumer, pytest.raises(TypeError, match="AsyncConsumer"):
        consumer.subscribe([TOPIC], Awaited())


# ---- what it raises


@pytest.mark.parametrize(
    ("protocol", "error"),
    [
        ("consumer", ZeroDivisionError("mine")),
        ("consumer", KeyboardInterrupt()),
        ("classic", ZeroDivisionError("mine")),
    ],
    ids=["error", "interrupt", "error, classic"],
)
def test_what_on_assigned_raises_reaches_poll_and_nothing_is_read_before_it_returns(
    stage: Stage, protocol: str, error: BaseException
) -> None:
    stage.create(records=5)
    listener = Does("assigned", fail(error))
    with stage.subscribed(listener, group_protocol=protocol) as consumer:
        for _ in range(2):
            with pytest.raises(type(error)) as caught:
                poll_for(consumer)
            assert caught.value is error
        listener.work = lambda _: None
        assert values(read(consumer, 5)) == [0, 1, 2, 3, 4]
        assert type(error).__name__ in (consumer.rebalances()[-1].error or "")
    assert listener.calls == [("assigned", (tp(),))] * 3 + [("revoked", (tp(),))]
    assert stage.members() == 0


def test_what_on_revoked_raises_is_raised_by_close_when_all_is_done(stage: Stage) -> None:
    consumer = stage.after_reading(5, Does("revoked", fail(ZeroDivisionError("mine"))))
    with pytest.raises(ZeroDivisionError, match="mine"):
        consumer.close()
    assert stage.members() == 0
    with pytest.raises(MisuseError, match="closed"):
        consumer.poll()


def test_what_on_lost_raises_reaches_poll_and_the_member_joins_again(stage: Stage) -> None:
    listener = Does("lost", fail(ZeroDivisionError("mine")))
    with stage.after_reading(5, listener) as consumer:
        stage.fence(consumer)
        with pytest.raises(ZeroDivisionError, match="mine"):
            poll_for(consumer)
        assert values(read(consumer, 5)) == [0, 1, 2, 3, 4]
    assert [name for name, partitions in listener.calls if partitions] == ["assigned", "lost", "assigned", "revoked"]


@BOTH_PROTOCOLS
def test_what_on_revoked_raises_reaches_poll_and_the_partitions_are_given_up_all_the_same(
    stage: Stage, protocol: str
) -> None:
    def has_half() -> bool:
        second.poll(timeout=0)
        return len(second.assignment()) == len(first.assignment()) == 1

    listener = Does("revoked", fail(ZeroDivisionError("mine")))
    first = stage.after_reading(5, listener, partitions=2, group_protocol=protocol)
    with first, stage.subscribed(group_protocol=protocol) as second:
        with pytest.raises(ZeroDivisionError, match="mine"):
            poll_until(first, has_half)
        poll_until(first, has_half)
        assert [name for name, _ in listener.calls if name == "lost"] == []
        assert first.health().problem is None
        listener.work = lambda _: None


# ---- those that outlast the membership


def test_who_subscribes_while_it_leaves_is_no_stranger_to_the_group_after_that(stage: Stage) -> None:
    answer, joins, is_rejoining = stage.original(CONSUMER_GROUP_HEARTBEAT), [], threading.Event()

    async def keep_out(request: ConsumerGroupHeartbeatRequest, context: object) -> object:
        joins.append(request.member_epoch == 0)
        if joins.count(True) > 1:
            is_rejoining.set()
            await asyncio.Event().wait()
        return await answer(request, context)

    stage.handle(CONSUMER_GROUP_HEARTBEAT, keep_out)
    with stage.after_reading(5, Does("revoked", lambda _: consumer.subscribe([TOPIC]))) as consumer:
        consumer.unsubscribe()
        assert is_rejoining.wait(GUARD_S)
        with pytest.raises(CommitFailedError, match="has not joined its group"):
            consumer.commit({tp(): 5})
        assert stage.committed() == {}
        consumer.close(timeout=0.1)


@BOTH_PROTOCOLS
def test_a_callback_that_outlasts_the_leave_does_not_commit_as_a_stranger(stage: Stage, protocol: str) -> None:
    """Its partitions may have been another's since: an empty group would take what it read, and be set back."""

    def work(view: RebalanceConsumer) -> None:
        eventually("the member does not wait any longer", lambda: not consumer.assignment())
        eventually("it has left", lambda: stage.members() == 0)
        with pytest.raises(CommitFailedError, match="accepts commits only from its members"):
            view.commit({tp(): 3})

    listener = Does("revoked", work)
    with stage.after_reading(5, listener, group_protocol=protocol) as consumer:
        consumer.unsubscribe(timeout=0.1)
        assert stage.committed() == {}
        consumer.commit({tp(): 4})
        assert stage.committed() == {0: 4}
    assert listener.results == [None]
