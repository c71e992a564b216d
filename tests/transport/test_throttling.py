"""Nothing is sent to a broker that throttles this client (KIP-219)."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from kafka_nextgen.errors import DisconnectedError, NoBrokersError, RequestTimeoutError
from kafka_nextgen.properties.value_types import ServerAddress
from kafka_nextgen.requests.api_versions import BrokerVersions
from kafka_nextgen.testing.messages import api_versions
from kafka_nextgen.transport.cluster import ANY, ClusterClient, Coordinator, Node, Target
from kafka_nextgen.transport.targets import Purpose
from kafka_nextgen.transport.throttling import Throttles, throttle_time_s
from kafka_nextgen.wire.apis import API_VERSIONS, CONSUMER_GROUP_HEARTBEAT, FETCH, METADATA, Api
from kafka_nextgen.wire.messages import (
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatResponse,
    FetchRequest,
    FetchResponse,
)
from kafka_nextgen.wire.schema import Message

from .numbered import ask as ask_over
from .numbered import connected
from .scripted import ALL_VERSIONS, SILENCE, ScriptedBroker, client_of, now, question, scripted, started, turns

NODE, GROUP = Node(0), Coordinator("billing")
AN_HOUR_MS = 3_600_000

QUESTIONS: dict[Api, Message] = {
    METADATA: question(),
    FETCH: FetchRequest(topics=[], forgotten_topics_data=[]),
    CONSUMER_GROUP_HEARTBEAT: ConsumerGroupHeartbeatRequest(group_id="billing", member_id="me", member_epoch=1),
}


async def ask(client: ClusterClient, api: Api, target: Target = NODE, timeout_s: float = 20.0) -> Message:
    return await client.call(target, api, lambda version: QUESTIONS[api], timeout_s)


def throttles(broker: ScriptedBroker, throttle_ms: int) -> None:
    broker.script[FETCH] = FetchResponse(throttle_time_ms=throttle_ms, responses=[])
    broker.script[CONSUMER_GROUP_HEARTBEAT] = ConsumerGroupHeartbeatResponse(throttle_time_ms=throttle_ms)


@asynccontextmanager
async def throttled(throttle_ms: int = AN_HOUR_MS, count: int = 1) -> AsyncIterator[tuple[Any, ...]]:
    """A client and its brokers, of which the first throttles it from its first fetch or heartbeat on."""
    async with started(count) as (client, *brokers):
        throttles(brokers[0], throttle_ms)
        yield client, *brokers


async def is_kept_back(client: ClusterClient, api: Api, target: Target = NODE) -> bool:
    try:
        await ask(client, api, target, timeout_s=5.0)
    except RequestTimeoutError:
        return True
    return False


@pytest.mark.parametrize(
    ("purpose", "longest_s"), [(Purpose.COORDINATOR, 10.0), (Purpose.REBALANCE, 10.0), (Purpose.GENERAL, 300.0)]
)
def test_no_throttle_is_obeyed_for_an_hour_and_none_of_a_coordinator_for_a_session(
    purpose: Purpose, longest_s: float
) -> None:
    throttle = Throttles(lambda _: None).of(ServerAddress("broker", 9092), purpose)
    throttle.extend(until=3_700.0, now=100.0)
    assert throttle.until == 100.0 + longest_s


@pytest.mark.parametrize(("told_ms", "heeded_s"), [(-1, 0), (0, 0), (1_500, 1.5), (2**31 - 1, 300)])
async def test_the_next_request_waits_until_the_time_is_over(
    told_ms: int, heeded_s: float, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    assert throttle_time_s(ConsumerGroupHeartbeatResponse(throttle_time_ms=told_ms)) == heeded_s
    async with throttled(told_ms) as (client, broker):
        began = now()
        await ask(client, FETCH)
        throttles(broker, 0)
        await ask(client, FETCH, timeout_s=400.0)
        assert now() - began == pytest.approx(heeded_s)
        assert client.traffic.throttled_ms == 1000 * heeded_s
        assert ("throttled by broker" in caplog.text) == (heeded_s > 0)


async def test_what_is_on_its_way_is_answered_and_what_cannot_wait_so_long_is_never_sent() -> None:
    async with throttled() as (client, broker):
        answers = await asyncio.gather(*(ask(client, FETCH) for _ in range(3)))
        assert [answer.throttle_time_ms for answer in answers] == [AN_HOUR_MS] * 3
        assert await is_kept_back(client, FETCH)
        assert len(broker.asked(FETCH)) == 3


async def test_other_connections_to_the_broker_keep_quiet_too_but_not_those_to_it_as_a_coordinator() -> None:
    async with throttled(0) as (client, broker):
        await ask(client, CONSUMER_GROUP_HEARTBEAT, GROUP)
        throttles(broker, AN_HOUR_MS)
        await ask(client, FETCH)
        assert await is_kept_back(client, METADATA)
        await ask(client, CONSUMER_GROUP_HEARTBEAT, GROUP)


async def test_heartbeats_are_kept_back_if_the_coordinator_asks_for_it_but_not_fetches() -> None:
    async with throttled() as (client, _):
        await ask(client, CONSUMER_GROUP_HEARTBEAT, GROUP)
        assert await is_kept_back(client, CONSUMER_GROUP_HEARTBEAT, GROUP)
        await ask(client, FETCH)


async def test_another_broker_is_not_meant_and_is_asked_what_any_can_answer() -> None:
    async with throttled(count=2) as (client, _, other):
        await ask(client, METADATA, Node(0))
        await ask(client, METADATA, Node(1))
        await ask(client, FETCH)
        for _ in range(5):
            await ask(client, METADATA, ANY)
        assert len(other.asked(METADATA)) == 6


async def test_connecting_again_does_not_end_it() -> None:
    async with throttled() as (client, broker):
        await ask(client, FETCH)
        broker.drop_connections()
        with pytest.raises((RequestTimeoutError, DisconnectedError)):
            await ask(client, FETCH, timeout_s=5.0)
        assert await is_kept_back(client, FETCH)
        assert len(broker.asked(FETCH)) == 1


async def test_a_connection_that_is_kept_quiet_still_notices_a_broker_that_does_not_answer() -> None:
    async with connected(request_timeout_s=5.0) as (broker, connection):
        broker.script[METADATA] = SILENCE
        silent = ask_over(connection, timeout_s=5.0)
        await turns()
        connection.throttle.extend(now() + AN_HOUR_MS, now())
        for one in (silent, ask_over(connection)):
            with pytest.raises(RequestTimeoutError):
                await one


async def test_closing_does_not_wait_for_the_end_of_it() -> None:
    async with throttled() as (client, _):
        await ask(client, FETCH)
        kept_back = asyncio.ensure_future(ask(client, FETCH))
        await turns()
        await client.close()
        with pytest.raises(DisconnectedError, match="closed by this client"):
            await kept_back


async def test_who_is_about_to_close_sends_at_once_what_was_kept_back_and_heeds_no_broker_any_more() -> None:
    async with throttled() as (client, _):
        began = now()
        await ask(client, FETCH)
        kept_back = asyncio.ensure_future(ask(client, FETCH))
        await turns()
        client.lift_throttles()
        await kept_back
        for _ in range(2):
            await ask(client, CONSUMER_GROUP_HEARTBEAT, GROUP)
        assert now() == began


async def test_what_fails_because_of_a_throttle_says_that_and_not_that_no_broker_could_be_reached() -> None:
    async with started() as (client, broker):
        broker.script[METADATA] = lambda request: broker.metadata(request).replaced(throttle_time_ms=AN_HOUR_MS)
        await client.refresh_metadata(topics=())
        with pytest.raises(RequestTimeoutError) as late:
            await client.refresh_metadata(topics=(), timeout_s=5.0)
    throttled = rf"throttled by broker 0 \({broker.address}\) until [0-9:]{{8}}, because of a quota"
    assert re.search(throttled, str(late.value))
    assert "reached" not in str(late.value)


async def test_nor_if_the_first_answer_is_one() -> None:
    async with scripted() as (broker,), client_of(broker, default_timeout_s=5.0) as client:
        versions = api_versions.to_response(BrokerVersions(ranges=ALL_VERSIONS))
        broker.script[API_VERSIONS] = versions.replaced(throttle_time_ms=AN_HOUR_MS)
        with pytest.raises(NoBrokersError, match=f"^throttled by broker {broker.address} until "):
            await client.start()
