"""Rebalance listeners hear exactly what changes, where the application polls, with either kind of consumer."""

from __future__ import annotations

import asyncio

import pytest

from kafka_nextgen import AsyncConsumer, Consumer
from tests.endtoend.heard import Heard, HeardAsync
from tests.endtoend.reading import config_of, poll_until, read
from tests.support.clients import create_topic, produce, stored_offsets
from tests.support.kafka_server import KafkaServer
from tests.support.waiting import GUARD_S

COMMITS = {"revoked": lambda view, _: view.commit()}


@pytest.fixture
def topic(kafka: KafkaServer) -> str:
    """Return a topic of four partitions with records 0 to 399."""
    topic = create_topic(kafka.bootstrap_servers, "listeners", partitions=4)
    produce(kafka.bootstrap_servers, topic, 400, partitions=4)
    return topic


def check_conversation(stayed: Heard, visited: Heard) -> None:
    """Check that the first got all, gave two up and got them back, and that the second had them meanwhile."""
    assert [kind for kind, _ in stayed.moves()] == ["assigned", "revoked", "assigned", "revoked"]
    everything, given_up, got_back, at_the_end = [partitions for _, partitions in stayed.moves()]
    assert everything == at_the_end == {0, 1, 2, 3}
    assert len(given_up) == 2
    assert given_up == got_back
    assert visited.moves() == [("assigned", given_up), ("revoked", given_up)]


def test_a_listener_hears_what_comes_and_goes(kafka: KafkaServer, protocol: str, topic: str, group: str) -> None:
    first_heard, second_heard = Heard(COMMITS), Heard(COMMITS)
    with Consumer(config_of(kafka, group, protocol)) as first:
        first.subscribe([topic], listener=first_heard)
        read(first, 400)
        with Consumer(config_of(kafka, group, protocol)) as second:
            second.subscribe([topic], listener=second_heard)
            again = poll_until([first, second], lambda: len(second.assignment()) == 2)
            assert again == [], "the first committed what it gave up"
        poll_until([first], lambda: len(first.assignment()) == 4)
    check_conversation(first_heard, second_heard)
    assert stored_offsets(kafka.bootstrap_servers, group) == {0: 100, 1: 100, 2: 100, 3: 100}


def test_an_async_listener_hears_the_same(kafka: KafkaServer, protocol: str, topic: str, group: str) -> None:
    first_heard, second_heard = HeardAsync(COMMITS), HeardAsync(COMMITS)

    async def poll_until_it_has(count: int, consumer: AsyncConsumer, *others: AsyncConsumer) -> None:
        while len(consumer.assignment()) < count:
            await asyncio.gather(*(one.poll(timeout=0.2) for one in (consumer, *others)))

    async def main() -> None:
        async with AsyncConsumer(config_of(kafka, group, protocol)) as first:
            await first.subscribe([topic], listener=first_heard)
            await poll_until_it_has(4, first)
            async with AsyncConsumer(config_of(kafka, group, protocol)) as second:
                await second.subscribe([topic], listener=second_heard)
                await poll_until_it_has(2, second, first)
            await poll_until_it_has(4, first)

    asyncio.run(asyncio.wait_for(main(), GUARD_S))
    check_conversation(first_heard.heard, second_heard.heard)
