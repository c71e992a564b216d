"""What ``test_callbacks`` shows of ``Consumer``, shown of ``AsyncConsumer``: callbacks that are awaited.

Heartbeats come from a thread of their own. So a callback may take longer than the session, whether it awaits or, being
a plain method, blocks the event loop with everything in it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence

import pytest
from attrs import define, field

from kafka_nextgen import (
    AsyncConsumer,
    AsyncRebalanceConsumer,
    AsyncRebalanceListener,
    CommitFailedError,
    MisuseError,
    RebalanceConsumer,
    RebalanceListener,
    TopicPartition,
)
from tests.endtoend.reading import config_of, numbers, read_async
from tests.support.clients import create_topic, members_of, produce, stored_offsets, unique
from tests.support.kafka_server import SESSION_TIMEOUT_S, KafkaServer

PARTITIONS = 2
LONGEST_S = 60.0

Action = Callable[[AsyncRebalanceConsumer, Sequence[TopicPartition]], Awaitable[None]]


@define
class Does(AsyncRebalanceListener):
    """Keeps what it hears, then does the action of that name."""

    actions: Mapping[str, Action] = field(factory=dict)
    events: list[tuple[str, set[int]]] = field(factory=list)

    async def _do(self, what: str, view: AsyncRebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
        if partitions:
            self.events.append((what, {tp.partition for tp in partitions}))
        if what in self.actions:
            await self.actions[what](view, partitions)

    async def on_partitions_assigned(
        self, consumer: AsyncRebalanceConsumer, partitions: Sequence[TopicPartition]
    ) -> None:
        await self._do("assigned", consumer, partitions)

    async def on_partitions_revoked(
        self, consumer: AsyncRebalanceConsumer, partitions: Sequence[TopicPartition]
    ) -> None:
        await self._do("revoked", consumer, partitions)

    async def on_partitions_lost(self, consumer: AsyncRebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
        await self._do("lost", consumer, partitions)


class Blocks(RebalanceListener):
    """Blocks the event loop for longer than the session."""

    def on_partitions_assigned(self, consumer: RebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
        time.sleep(SESSION_TIMEOUT_S + 1)


@pytest.fixture
def group() -> str:
    return unique("callbacks")


@pytest.fixture(scope="module")
def topic(kafka: KafkaServer) -> str:
    """Return a topic with records 0 to 19, for tests that write nothing to it."""
    topic = create_topic(kafka.bootstrap_servers, "callbacks", PARTITIONS)
    produce(kafka.bootstrap_servers, topic, 20, partitions=PARTITIONS)
    return topic


def play(scene: Coroutine[object, object, None]) -> None:
    asyncio.run(asyncio.wait_for(scene, LONGEST_S))


async def members(kafka: KafkaServer, group: str) -> dict[str, set[int]]:
    return await asyncio.to_thread(members_of, kafka.bootstrap_servers, group)


async def until(consumer: AsyncConsumer, is_so: Callable[[], bool]) -> None:
    while not is_so():
        assert list(await consumer.poll(timeout=0.1)) == []


async def fail(_: AsyncRebalanceConsumer, partitions: object) -> None:
    raise ZeroDivisionError(f"with {partitions}")


async def sleep_past_the_session(*_: object) -> None:
    await asyncio.sleep(SESSION_TIMEOUT_S + 1)


@pytest.mark.parametrize(
    "listener", [Does({"assigned": sleep_past_the_session}), Blocks()], ids=["awaits", "blocks the loop"]
)
def test_a_callback_longer_than_the_session_costs_nothing(
    kafka: KafkaServer, topic: str, group: str, listener: AsyncRebalanceListener | RebalanceListener
) -> None:
    async def scene() -> None:
        async with AsyncConsumer(**config_of(kafka, group)) as consumer:
            await consumer.subscribe([topic], listener=listener)
            assert numbers(await read_async(consumer, 20)) == list(range(20))
            await until(consumer, lambda: bool(consumer.rebalances()))  # it ends when the coordinator has heard of it
            (rebalance,) = consumer.rebalances()
            assert rebalance.epoch_after == consumer.group_metadata().member_epoch, "it was never out"
            assert list((await members(kafka, group)).values()) == [{0, 1}]

    play(scene())


def test_nobody_gets_a_partition_before_the_callback_that_gives_it_up_has_returned(
    kafka: KafkaServer, topic: str, group: str
) -> None:
    order: list[str] = []

    async def give_up_slowly(*_: object) -> None:
        await sleep_past_the_session()
        order.append("given up")

    async def take(_: object, partitions: object) -> None:
        if partitions:
            order.append("taken")

    async def scene() -> None:
        first_heard, second_heard = Does({"revoked": give_up_slowly}), Does({"assigned": take})
        async with AsyncConsumer(**config_of(kafka, group)) as first:
            await first.subscribe([topic], listener=first_heard)
            await read_async(first, 20)
            await first.commit()
            async with AsyncConsumer(**config_of(kafka, group)) as second:
                await second.subscribe([topic], listener=second_heard)
                half = (lambda: len(first.assignment()) == 1, lambda: len(second.assignment()) == 1)
                await asyncio.gather(until(first, half[0]), until(second, half[1]))
            first_heard.actions = {}
        assert [what for what, _ in first_heard.events[:2]] == ["assigned", "revoked"]
        assert order == ["given up", "taken"]

    play(scene())


def test_a_failed_assignment_is_tried_again_at_each_poll_and_nothing_is_handed_out_before(
    kafka: KafkaServer, topic: str, group: str
) -> None:
    async def scene() -> None:
        heard = Does({"assigned": fail})
        async with AsyncConsumer(**config_of(kafka, group)) as consumer:
            await consumer.subscribe([topic], listener=heard)
            for _ in range(2):
                with pytest.raises(ZeroDivisionError, match=topic):
                    await until(consumer, lambda: False)
            assert list((await members(kafka, group)).values()) == [{0, 1}]
            heard.actions = {}
            assert numbers(await read_async(consumer, 20)) == list(range(20))
        assert [what for what, _ in heard.events] == ["assigned", "assigned", "assigned", "revoked"]

    play(scene())


def test_after_a_failed_loss_the_member_returns(kafka: KafkaServer, topic: str, group: str) -> None:
    async def scene() -> None:
        heard = Does({"lost": fail})
        async with AsyncConsumer(**config_of(kafka, group, max_poll_interval_ms=1000)) as consumer:
            await consumer.subscribe([topic], listener=heard)
            await read_async(consumer, 20)
            while await members(kafka, group):
                await asyncio.sleep(0.1)
            with pytest.raises(ZeroDivisionError, match=topic):
                await consumer.poll(timeout=5)
            await read_async(consumer, 20)
        assert [what for what, _ in heard.events] == ["assigned", "lost", "assigned", "revoked"]

    play(scene())


def test_after_a_failed_revocation_the_partitions_are_given_up_all_the_same(
    kafka: KafkaServer, topic: str, group: str
) -> None:
    async def scene() -> None:
        heard = Does({"revoked": fail})
        async with (
            AsyncConsumer(**config_of(kafka, group)) as first,
            AsyncConsumer(**config_of(kafka, group)) as second,
        ):
            await first.subscribe([topic], listener=heard)
            await read_async(first, 20)
            await first.commit()
            await second.subscribe([topic])

            def is_shared() -> bool:
                return len(first.assignment()) == len(second.assignment()) == PARTITIONS // 2

            polling = asyncio.ensure_future(until(second, is_shared))
            with pytest.raises(ZeroDivisionError, match=topic):
                await until(first, lambda: False)
            heard.actions = {}
            await asyncio.gather(until(first, is_shared), polling)
            assert "lost" not in {what for what, _ in heard.events}

    play(scene())


def test_a_callback_may_commit_seek_and_pause_by_its_view_while_it_runs(
    kafka: KafkaServer, topic: str, group: str
) -> None:
    views: list[AsyncRebalanceConsumer] = []
    sought, paused = TopicPartition(topic, 0), TopicPartition(topic, 1)

    async def arrange(view: AsyncRebalanceConsumer, _: object) -> None:
        views.append(view)
        await view.commit({sought: 5})
        view.seek(sought, 7)
        view.pause([paused])
        assert await view.position(sought) == 7

    async def scene() -> None:
        async with AsyncConsumer(**config_of(kafka, group)) as consumer:
            await consumer.subscribe([topic], listener=Does({"assigned": arrange}))
            records = await read_async(consumer, 3)
            assert [(record.partition, record.offset) for record in records] == [(0, 7), (0, 8), (0, 9)]
            assert consumer.paused() == {paused}
            with pytest.raises(MisuseError, match="ended with the rebalance callback"):
                await views[0].commit()
        assert stored_offsets(kafka.bootstrap_servers, group) == {0: 5}

    play(scene())


def test_a_callback_may_not_await_what_would_wait_for_it(kafka: KafkaServer, topic: str, group: str) -> None:
    refused: list[str] = []

    async def scene() -> None:
        async def misuse(*_: object) -> None:
            for call in (consumer.unsubscribe, consumer.poll):
                with pytest.raises(MisuseError, match="callback"):
                    await call()
                refused.append(call.__name__)

        async with AsyncConsumer(**config_of(kafka, group)) as consumer:
            await consumer.subscribe([topic], listener=Does({"assigned": misuse}))
            assert numbers(await read_async(consumer, 20)) == list(range(20))
        assert refused == ["unsubscribe", "poll"]

    play(scene())


def test_a_callback_may_close_its_consumer_which_is_done_when_it_returns(
    kafka: KafkaServer, topic: str, group: str
) -> None:
    async def scene() -> None:
        async def close(*_: object) -> None:
            await consumer.close()
            assert consumer.assignment()

        consumer = AsyncConsumer(**config_of(kafka, group))
        await consumer.subscribe([topic], listener=Does({"assigned": close}))
        with pytest.raises(MisuseError, match="closed during the call"):
            await read_async(consumer, 1)
        with pytest.raises(MisuseError, match="closed"):
            consumer.assignment()

    play(scene())


def test_what_is_lost_can_not_be_committed(kafka: KafkaServer, topic: str, group: str) -> None:
    refused: list[str] = []

    async def commit(view: AsyncRebalanceConsumer, _: object) -> None:
        with pytest.raises(CommitFailedError) as caught:
            await view.commit(timeout=5)
        refused.append(str(caught.value))

    async def scene() -> None:
        async with AsyncConsumer(**config_of(kafka, group, max_poll_interval_ms=1000)) as consumer:
            await consumer.subscribe([topic], listener=Does({"lost": commit}))
            await read_async(consumer, 20)
            while await members(kafka, group):
                await asyncio.sleep(0.1)
            await read_async(consumer, 20)
        assert len(refused) == 1
        assert stored_offsets(kafka.bootstrap_servers, group) == {}

    play(scene())
