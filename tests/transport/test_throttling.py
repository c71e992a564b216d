"""Nothing is sent to a broker that throttles this client (KIP-219)."""

from __future__ import annotations

import asyncio
import re

import pytest

from kafka_nextgen.bridge import api_versions
from kafka_nextgen.bridge.api_versions import BrokerVersions
from kafka_nextgen.errors import DisconnectedError, NoBrokersError, RequestTimeoutError
from kafka_nextgen.properties import ServerAddress
from kafka_nextgen.transport.cluster import ANY, ClusterClient, Coordinator, Node, Target
from kafka_nextgen.transport.connecting import open_connection
from kafka_nextgen.transport.deadline import Deadline
from kafka_nextgen.transport.targets import Purpose
from kafka_nextgen.transport.throttling import Throttles, throttle_time_s
from kafka_nextgen.wire.apis import API_VERSIONS, CONSUMER_GROUP_HEARTBEAT, FETCH, METADATA, Api
from kafka_nextgen.wire.frames import RequestFrame
from kafka_nextgen.wire.messages import (
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatResponse,
    FetchRequest,
    FetchResponse,
    MetadataRequest,
    MetadataResponse,
)
from kafka_nextgen.wire.schema import Message

from .scripted import ALL_VERSIONS, SILENCE, ScriptedBroker, client_of, in_loop, request, scripted, settings

NODE, GROUP = Node(0), Coordinator("billing")
AN_HOUR_MS = 3_600_000


def heartbeat() -> Message:
    return ConsumerGroupHeartbeatRequest(group_id="billing", member_id="me", member_epoch=1)


QUESTIONS = {
    METADATA: lambda: MetadataRequest(topics=[], allow_auto_topic_creation=False),
    FETCH: lambda: FetchRequest(topics=[], forgotten_topics_data=[]),
    CONSUMER_GROUP_HEARTBEAT: heartbeat,
}


async def ask(client: ClusterClient, api: Api, target: Target = NODE, timeout_s: float = 20.0) -> Message:
    return await client.call(target, api, lambda version: QUESTIONS[api](), timeout_s)


def throttles(broker: ScriptedBroker, throttle_ms: int) -> None:
    broker.script[FETCH] = FetchResponse(throttle_time_ms=throttle_ms, responses=[])
    broker.script[CONSUMER_GROUP_HEARTBEAT] = ConsumerGroupHeartbeatResponse(throttle_time_ms=throttle_ms)


async def is_kept_back(client: ClusterClient, api: Api, target: Target = NODE) -> bool:
    try:
        await ask(client, api, target, timeout_s=0.05)
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


@in_loop
async def test_the_next_request_waits_until_the_time_is_over() -> None:
    async with scripted() as (broker,), client_of(broker) as client:
        await client.start()
        throttles(broker, 100)
        until = asyncio.get_running_loop().time() + 0.09
        await ask(client, FETCH)
        throttles(broker, 0)
        await ask(client, FETCH)
        assert asyncio.get_running_loop().time() >= until
        assert client.traffic.throttled_ms == 100


@in_loop
async def test_whoever_does_not_wait_so_long_is_not_sent_at_all() -> None:
    async with scripted() as (broker,), client_of(broker) as client:
        await client.start()
        throttles(broker, AN_HOUR_MS)
        await ask(client, FETCH)
        assert await is_kept_back(client, FETCH)
        assert len(broker.asked(FETCH)) == 1


@in_loop
async def test_what_is_on_its_way_is_answered() -> None:
    async with scripted() as (broker,), client_of(broker) as client:
        await client.start()
        throttles(broker, AN_HOUR_MS)
        answers = await asyncio.gather(*(ask(client, FETCH) for _ in range(3)))
        assert [answer.throttle_time_ms for answer in answers] == [AN_HOUR_MS] * 3


@in_loop
async def test_other_connections_to_the_broker_keep_quiet_too_but_not_those_to_it_as_a_coordinator() -> None:
    async with scripted() as (broker,), client_of(broker) as client:
        await client.start()
        throttles(broker, 0)
        await ask(client, CONSUMER_GROUP_HEARTBEAT, GROUP)
        throttles(broker, AN_HOUR_MS)
        await ask(client, FETCH)
        assert await is_kept_back(client, METADATA)
        await ask(client, CONSUMER_GROUP_HEARTBEAT, GROUP)


@in_loop
async def test_heartbeats_are_kept_back_if_the_coordinator_asks_for_it_but_not_fetches() -> None:
    async with scripted() as (broker,), client_of(broker) as client:
        await client.start()
        throttles(broker, AN_HOUR_MS)
        await ask(client, CONSUMER_GROUP_HEARTBEAT, GROUP)
        assert await is_kept_back(client, CONSUMER_GROUP_HEARTBEAT, GROUP)
        await ask(client, FETCH)


@in_loop
async def test_another_broker_is_not_meant() -> None:
    async with scripted(2) as (one, other), client_of(one) as client:
        await client.start()
        throttles(one, AN_HOUR_MS)
        throttles(other, 0)
        await ask(client, FETCH, Node(0))
        await ask(client, FETCH, Node(1))


@in_loop
async def test_connecting_again_does_not_end_it() -> None:
    async with scripted() as (broker,), client_of(broker) as client:
        await client.start()
        throttles(broker, AN_HOUR_MS)
        await ask(client, FETCH)
        broker.drop_connections()
        with pytest.raises((RequestTimeoutError, DisconnectedError)):
            await ask(client, FETCH, timeout_s=0.05)
        assert await is_kept_back(client, FETCH)
        assert len(broker.asked(FETCH)) == 1


@in_loop
async def test_a_connection_that_is_kept_quiet_still_notices_a_broker_that_does_not_answer() -> None:
    async with scripted() as (broker,):
        connection = await open_connection(broker.address, settings(request_timeout_s=0.1))
        broker.script[METADATA] = SILENCE
        question, deadline = QUESTIONS[METADATA](), Deadline(0.1, "the question")
        silent = asyncio.ensure_future(request(connection, METADATA, 13, question, deadline))
        await asyncio.sleep(0)
        now = asyncio.get_running_loop().time()
        connection.throttle.extend(now + AN_HOUR_MS, now)
        kept_back = request(connection, METADATA, 13, question, Deadline(20.0, "the question"))
        for one in (silent, kept_back):
            with pytest.raises(RequestTimeoutError):
                await one
        await connection.close()


@in_loop
async def test_whatever_any_broker_can_answer_is_asked_of_one_that_does_not_mind() -> None:
    async with scripted(2) as (one, other), client_of(one) as client:
        await client.start()
        throttles(one, AN_HOUR_MS)
        await ask(client, METADATA, Node(0))
        await ask(client, METADATA, Node(1))
        await ask(client, FETCH)
        for _ in range(5):
            await ask(client, METADATA, ANY)
        assert len(other.asked(METADATA)) == 6


@in_loop
async def test_closing_does_not_wait_for_the_end_of_it() -> None:
    async with scripted() as (broker,), client_of(broker) as client:
        await client.start()
        throttles(broker, AN_HOUR_MS)
        await ask(client, FETCH)
        kept_back = asyncio.ensure_future(ask(client, FETCH))
        await asyncio.sleep(0)
        await client.close()
        with pytest.raises(DisconnectedError, match="closed by this client"):
            await kept_back


@in_loop
async def test_who_is_about_to_close_sends_at_once_what_was_kept_back() -> None:
    async with scripted() as (broker,), client_of(broker) as client:
        await client.start()
        throttles(broker, AN_HOUR_MS)
        await ask(client, FETCH)
        kept_back = asyncio.ensure_future(ask(client, FETCH, timeout_s=5.0))
        assert await is_kept_back(client, FETCH)
        client.lift_throttles()
        await kept_back


@in_loop
async def test_nor_does_it_heed_brokers_that_throttle_it_only_then() -> None:
    async with scripted() as (broker,), client_of(broker) as client:
        await client.start()
        throttles(broker, AN_HOUR_MS)
        client.lift_throttles()
        await ask(client, CONSUMER_GROUP_HEARTBEAT, GROUP)
        await ask(client, CONSUMER_GROUP_HEARTBEAT, GROUP, timeout_s=5.0)


@in_loop
async def test_a_time_below_zero_means_nothing() -> None:
    async with scripted() as (broker,), client_of(broker) as client:
        await client.start()
        throttles(broker, -1)
        await ask(client, FETCH)
        await ask(client, FETCH)
        assert client.traffic.throttled_ms == 0


@pytest.mark.parametrize(("told_ms", "heeded_s"), [(-1, 0), (0, 0), (1_500, 1.5), (2**31 - 1, 300)])
def test_no_broker_silences_a_client_for_good(told_ms: int, heeded_s: float) -> None:
    assert throttle_time_s(ConsumerGroupHeartbeatResponse(throttle_time_ms=told_ms)) == heeded_s


@in_loop
async def test_what_fails_because_of_a_throttle_says_that_and_not_that_no_broker_could_be_reached() -> None:
    def throttling(request: RequestFrame) -> MetadataResponse:
        return broker.metadata(request).replaced(throttle_time_ms=AN_HOUR_MS)

    async with scripted() as (broker,), client_of(broker) as client:
        await client.start()
        broker.script[METADATA] = throttling
        await client.refresh_metadata(topics=())
        with pytest.raises(RequestTimeoutError) as late:
            await client.refresh_metadata(topics=(), timeout_s=0.05)
    throttled = rf"throttled by broker 0 \({broker.address}\) until [0-9:]{{8}}, because of a quota"
    assert re.search(throttled, str(late.value))
    assert "reached" not in str(late.value)


@in_loop
async def test_nor_if_the_first_answer_is_one() -> None:
    async with scripted() as (broker,), client_of(broker, default_timeout_s=0.05) as client:
        versions = api_versions.to_response(BrokerVersions(ranges=ALL_VERSIONS))
        broker.script[API_VERSIONS] = versions.replaced(throttle_time_ms=AN_HOUR_MS)
        with pytest.raises(NoBrokersError, match=f"^throttled by broker {broker.address} until "):
            await client.start()
