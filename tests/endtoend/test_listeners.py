"""Rebalance listeners hear exactly what changes, where the application polls, with either kind of consumer."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest
from attrs import define, field

from kafka_nextgen import (
    AsyncConsumer,
    AsyncRebalanceConsumer,
    AsyncRebalanceListener,
    Consumer,
    RebalanceConsumer,
    RebalanceListener,
    TopicPartition,
)
from tests.endtoend.reading import config_of, poll_until, read
from tests.support.clients import create_topic, produce, stored_offsets, unique
from tests.support.kafka_server import KafkaServer


@define
class Heard(RebalanceListener):
    """Keeps what it hears and commits what it gives up."""

    events: list[tuple[str, set[int]]] = field(factory=list)

    def on_partitions_assigned(self, consumer: RebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
        self.events.append(("assigned", {tp.partition for tp in partitions}))

    def on_partitions_revoked(self, consumer: RebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
        consumer.commit()
        self.events.append(("revoked", {tp.partition for tp in partitions}))


@define
class HeardAsync(AsyncRebalanceListener):
    """Does the same, awaiting."""

    events: list[tuple[str, set[int]]] = field(factory=list)

    async def on_partitions_assigned(
        self, consumer: AsyncRebalanceConsumer, partitions: Sequence[TopicPartition]
    ) -> None:
        await asyncio.sleep(0)
        self.events.append(("assigned", {tp.partition for tp in partitions}))

    async def on_partitions_revoked(
        self, consumer: AsyncRebalanceConsumer, partitions: Sequence[TopicPartition]
    ) -> None:
        await consumer.commit()
        self.events.append(("revoked", {tp.partition for tp in partitions}))


@pytest.fixture
def topic(kafka: KafkaServer) -> str:
    """Return a topic of four partitions with records 0 to 399."""
    topic = create_topic(kafka.bootstrap_servers, "listeners", partitions=4)
    produce(kafka.bootstrap_servers, topic, 400, partitions=4)
    return topic


def check_conversation(stayed: list[tuple[str, set[int]]], visited: list[tuple[str, set[int]]]) -> None:
    """Check that the first got all, gave two up and got them back, and that the second had them meanwhile."""
    stayed = [event for event in stayed if event[1]]
    visited = [event for event in visited if event[1]]
    kinds = [kind for kind, _ in stayed]
    assert kinds == ["assigned", "revoked", "assigned", "revoked"]
    everything, given_up, got_back, at_the_end = [partitions for _, partitions in stayed]
    assert everything == at_the_end == {0, 1, 2, 3}
    assert len(given_up) == 2
    assert given_up == got_back
    assert visited == [("assigned", given_up), ("revoked", given_up)]


def test_a_listener_hears_what_comes_and_goes(kafka: KafkaServer, protocol: str, topic: str) -> None:
    group, first_heard, second_heard = unique("listeners"), Heard(), Heard()
    with Consumer(**config_of(kafka, group, protocol)) as first:
        first.subscribe([topic], listener=first_heard)
        read(first, 400)
        with Consumer(**config_of(kafka, group, protocol)) as second:
            second.subscribe([topic], listener=second_heard)
            again = poll_until([first, second], lambda: len(second.assignment()) == 2)
            assert again == [], "the first committed what it gave up"
        poll_until([first], lambda: len(first.assignment()) == 4)
    check_conversation(first_heard.events, second_heard.events)
    assert stored_offsets(kafka.bootstrap_servers, group) == {0: 100, 1: 100, 2: 100, 3: 100}


def test_an_async_listener_hears_the_same(kafka: KafkaServer, protocol: str, topic: str) -> None:
    group, first_heard, second_heard = unique("listeners"), HeardAsync(), HeardAsync()

    async def poll_both(first: AsyncConsumer, second: AsyncConsumer) -> None:
        while len(second.assignment()) < 2:
            await asyncio.gather(first.poll(timeout=0.2), second.poll(timeout=0.2))

    async def main() -> None:
        async with AsyncConsumer(**config_of(kafka, group, protocol)) as first:
            await first.subscribe([topic], listener=first_heard)
            while len(first.assignment()) < 4:
                await first.poll(timeout=0.2)
            async with AsyncConsumer(**config_of(kafka, group, protocol)) as second:
                await second.subscribe([topic], listener=second_heard)
                await asyncio.wait_for(poll_both(first, second), 30)
            while len(first.assignment()) < 4:
                await first.poll(timeout=0.2)

    asyncio.run(asyncio.wait_for(main(), 60))
    check_conversation(first_heard.events, second_heard.events)


def test_what_a_callback_raises_reaches_the_caller_of_poll(kafka: KafkaServer, protocol: str, topic: str) -> None:
    class Broken(RebalanceListener):
        def on_partitions_assigned(self, consumer: RebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
            raise ZeroDivisionError("in the callback")

    with Consumer(**config_of(kafka, unique("listeners"), protocol)) as consumer:
        consumer.subscribe([topic], listener=Broken())
        with pytest.raises(ZeroDivisionError, match="in the callback"):
            poll_until([consumer], lambda: False)
