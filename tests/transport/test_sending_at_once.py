"""Exchanges that start at once on an open connection."""

from __future__ import annotations

import pytest

from kafka_nextgen.errors import DisconnectedError
from kafka_nextgen.transport.cluster import ClusterClient, Node
from kafka_nextgen.transport.waiting import ClosedError, EagerFuture
from kafka_nextgen.wire.apis import METADATA, Answer
from kafka_nextgen.wire.schema import Message

from .scripted import HANG_UP, client_of, question, scripted, started


class JustOnce:
    """An exchange of one request."""

    wants_lending = False

    def begin(self, version: int) -> Message:
        return question(version)

    def follow(self, frame: memoryview, correlation_id: int) -> None:
        return None

    def sent(self) -> None:
        raise AssertionError("nothing follows")


def send(client: ClusterClient, node_id: int = 0) -> EagerFuture[Answer] | None:
    return client.try_exchange(Node(node_id), METADATA, JustOnce(), 5.0)


async def open_to(client: ClusterClient, node_id: int = 0) -> None:
    await client.call(Node(node_id), METADATA, question)


async def test_they_go_over_the_connection_there_is() -> None:
    async with scripted() as (broker,), client_of(broker) as client:
        assert send(client) is None  # nothing is known of the brokers
        await client.start()
        for _ in range(3):
            reply = send(client)
            assert reply is not None
            assert (await reply).cluster_id == "scripted"
        assert broker.connections == 1


async def test_they_do_not_go_over_one_that_was_lost() -> None:
    async with started() as (client, broker):
        broker.script[METADATA] = HANG_UP
        reply = send(client)
        assert reply is not None
        with pytest.raises(DisconnectedError):
            await reply
        assert send(client) is None
        del broker.script[METADATA]
        await open_to(client)
        assert send(client) is not None


async def test_they_go_to_where_the_broker_is_now() -> None:
    async with started(2) as (client, before, after):
        assert send(client) is not None
        before.brokers = after.brokers = {0: after.address}
        await client.refresh_metadata()
        assert send(client) is None  # although what was opened before is open still
        await open_to(client)
        seen = len(before.seen)
        reply = send(client)
        assert reply is not None
        await reply
        assert len(before.seen) == seen


async def test_who_is_closed_sends_nothing() -> None:
    async with started() as (client, _broker):
        assert send(client) is not None
        await client.close()
        assert send(client) is None
        with pytest.raises(ClosedError):
            await open_to(client)
