"""Calls that are cancelled, late or lost, and what the next call finds."""

from __future__ import annotations

import asyncio

import pytest

from kafka_nextgen.errors import DisconnectedError, RequestTimeoutError
from kafka_nextgen.transport.cluster import ANY, ClusterClient, Node, Target
from kafka_nextgen.wire.apis import API_VERSIONS, METADATA
from kafka_nextgen.wire.frames import RequestFrame
from kafka_nextgen.wire.schema import Message

from .scripted import HANG_UP, SILENCE, client_of, question, scripted, started


def ask(client: ClusterClient, target: Target = ANY, timeout_s: float = 20.0) -> asyncio.Task[Message]:
    return asyncio.get_running_loop().create_task(client.call(target, METADATA, question, timeout_s))


async def test_calls_at_the_same_time_share_one_connection() -> None:
    async with scripted() as (broker,), client_of(broker) as client:
        await asyncio.gather(*(ask(client) for _ in range(10)))
        assert (broker.connections, len(broker.asked(API_VERSIONS))) == (1, 1)


async def test_a_call_cancelled_while_connecting_leaves_the_connection_to_the_others() -> None:
    async with scripted() as (broker,), client_of(broker) as client:
        may_answer = asyncio.Event()
        by_default = broker._by_default

        async def late(request: RequestFrame) -> object:
            await may_answer.wait()
            return by_default(request)

        broker.script[API_VERSIONS] = late
        cancelled, patient = ask(client), ask(client)
        await broker.heard(API_VERSIONS)
        cancelled.cancel()
        await asyncio.wait({cancelled})
        may_answer.set()
        assert (await patient).cluster_id == "scripted"
        assert (cancelled.cancelled(), broker.connections) == (True, 1)


async def test_a_lost_connection_is_opened_again_for_the_next_call_and_what_went_out_is_not_sent_twice() -> None:
    async with started() as (client, broker):
        broker.script[METADATA] = HANG_UP
        with pytest.raises(DisconnectedError):
            await ask(client, Node(0))
        assert len(broker.asked(METADATA)) == 2  # the first one was the client's own
        del broker.script[METADATA]
        assert (await ask(client, Node(0))).cluster_id == "scripted"


@pytest.mark.parametrize("silent", [API_VERSIONS, METADATA], ids=["while connecting", "while waiting"])
async def test_a_calls_time_covers_everything(silent: object) -> None:
    async with scripted() as (broker,), client_of(broker) as client:
        broker.script[silent] = SILENCE  # type: ignore[index]
        with pytest.raises(RequestTimeoutError, match=r"timed out after 5 s"):
            await ask(client, timeout_s=5.0)


async def test_any_means_the_least_busy_broker() -> None:
    async with scripted(2) as brokers, client_of(*brokers) as client:
        await client.start()
        await asyncio.gather(ask(client, Node(0)), ask(client, Node(1)))
        busy, free = brokers
        asked_before = len(free.asked(METADATA))
        busy.script[METADATA] = SILENCE
        heard = len(busy.asked(METADATA)) + 1
        waiting = ask(client, Node(0))
        await busy.heard(METADATA, times=heard)
        await ask(client)
        assert len(free.asked(METADATA)) == asked_before + 1
        waiting.cancel()
        await asyncio.wait({waiting})
