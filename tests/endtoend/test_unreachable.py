"""Servers that are not there, or that say nothing: every call ends with a typed error within its timeout."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator

import pytest

from kafka_nextgen import AsyncConsumer, Consumer, NoBrokersError, TopicPartition, TransportError
from kafka_nextgen.testing.broker import Broker
from kafka_nextgen.testing.real_kafka.single_node import free_ports
from kafka_nextgen.transport import settings as transport_settings
from tests.support.clients import members_of

PARTITION = TopicPartition("orders", 0)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have polls say after a moment that no broker can be reached, and not after ten seconds."""
    monkeypatch.setattr(transport_settings, "UNREACHABLE_TIMEOUT_S", 0.0)


@pytest.fixture
def nobody(impatient: None) -> str:
    """Return an address where nobody listens."""
    return f"127.0.0.1:{free_ports(1)[0]}"


@pytest.fixture
def mute() -> Iterator[str]:
    """Return the address of a server that accepts connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"127.0.0.1:{server.getsockname()[1]}"


def test_poll_says_that_no_broker_can_be_reached(nobody: str) -> None:
    with Consumer(bootstrap_servers=nobody, group_id="billing") as consumer:
        consumer.subscribe(["orders"])
        with pytest.raises(NoBrokersError, match=nobody):
            consumer.poll(timeout=2)


def test_a_lookup_does_not_wait_for_servers_that_are_away_or_mute(nobody: str, mute: str) -> None:
    async def look_up(server: str) -> None:
        async with AsyncConsumer(bootstrap_servers=server, group_id="billing") as consumer:
            await consumer.end_offsets([PARTITION], timeout=1)

    for server in (nobody, mute):
        with Consumer(bootstrap_servers=server, group_id="billing") as consumer, pytest.raises(TransportError):
            consumer.end_offsets([PARTITION], timeout=1)
        with pytest.raises(TransportError):
            asyncio.run(look_up(server))


def test_close_does_not_wait_for_a_mute_server(mute: str) -> None:
    consumer = Consumer(bootstrap_servers=mute, group_id="billing")
    consumer.subscribe(["orders"])
    consumer.close(timeout=1)


@pytest.mark.parametrize("protocol", ["consumer", "classic", "auto"])
@pytest.mark.parametrize("polls", [False, True], ids=["at once", "after a poll"])
def test_close_waits_for_nobody_if_nobody_can_have_heard_of_the_member(nobody: str, protocol: str, polls: bool) -> None:
    consumer = Consumer(bootstrap_servers=nobody, group_id="billing", group_protocol=protocol)
    consumer.subscribe(["orders"])
    if polls:
        with pytest.raises(NoBrokersError):
            consumer.poll(timeout=1)
    consumer.close(timeout=3600)


def test_close_waits_for_no_commit_of_what_nobody_can_have_read(nobody: str) -> None:
    consumer = Consumer(bootstrap_servers=nobody, group_id="billing")
    consumer.assign([PARTITION])
    consumer.seek(PARTITION, 5)
    consumer.close(timeout=3600)


@pytest.mark.parametrize("protocol", ["consumer", "classic"])
def test_who_unsubscribes_does_not_join_when_a_broker_comes(nobody: str, protocol: str) -> None:
    broker = Broker(port=int(nobody.rpartition(":")[2]))

    async def main() -> None:
        async with AsyncConsumer(bootstrap_servers=nobody, group_id="billing", group_protocol=protocol) as consumer:
            await consumer.subscribe(["orders"])
            with pytest.raises(NoBrokersError):
                await consumer.poll(timeout=2)
            await consumer.unsubscribe(timeout=5)
            await broker.start()
            while consumer.health().status.value != "unsubscribed":
                await consumer.topics(timeout=10)
            assert await asyncio.to_thread(members_of, broker.bootstrap_servers, "billing") == {}

    async def with_a_broker() -> None:
        try:
            await main()
        finally:
            await broker.close()

    asyncio.run(with_a_broker())


def test_partitions_assigned_by_hand_can_be_given_up_again(nobody: str) -> None:
    with Consumer(bootstrap_servers=nobody) as consumer:
        consumer.assign([PARTITION])
        with pytest.raises(NoBrokersError):
            consumer.poll(timeout=2)
        consumer.unsubscribe(timeout=5)
        assert consumer.assignment() == frozenset()
