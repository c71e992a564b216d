"""Starting again from the bootstrap servers (KIP-899, KIP-1102)."""

from __future__ import annotations

import asyncio
import logging

import pytest

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import BrokerError, DisconnectedError, NoBrokersError, TransportError
from kafka_nextgen.properties.value_types import ServerAddress
from kafka_nextgen.requests.api_versions import BrokerVersions
from kafka_nextgen.testing.messages import api_versions
from kafka_nextgen.transport.retrying import Backoff
from kafka_nextgen.transport.targets import Node
from kafka_nextgen.wire.apis import API_VERSIONS, METADATA
from kafka_nextgen.wire.frames import RequestFrame
from kafka_nextgen.wire.messages import ApiVersionsRequest
from kafka_nextgen.wire.schema import Message

from .scripted import (
    ALL_VERSIONS,
    SILENCE,
    Script,
    ScriptedBroker,
    client_of,
    question,
    scripted,
)

WRONG_BROKER = BrokerVersions(error=ErrorCode.REBOOTSTRAP_REQUIRED)


async def test_when_no_known_broker_can_be_reached_the_bootstrap_servers_are_asked_again(
    dead_server: ServerAddress,
) -> None:
    async with scripted() as (seed,), client_of(seed, rebootstrap_trigger_s=0.0) as client:
        seed.brokers = {5: dead_server}
        await client.start()
        with pytest.raises(NoBrokersError, match="refused"):
            await client.refresh_metadata()
        seed.brokers = {6: seed.address}
        await client.refresh_metadata()
        assert set(client.metadata.brokers) == {6}


@pytest.mark.parametrize("settings", [{"rebootstrap_trigger_s": 3600.0}, {"rebootstraps": False}])
async def test_not_before_the_trigger_time_is_over_and_never_if_the_strategy_is_none(
    dead_server: ServerAddress, settings: dict[str, object]
) -> None:
    async with scripted() as (seed,), client_of(seed, **{"rebootstrap_trigger_s": 0.0, **settings}) as client:
        seed.brokers = {5: dead_server}
        await client.start()
        for _ in range(3):
            with pytest.raises(NoBrokersError, match="refused"):
                await client.refresh_metadata()
        assert len(seed.asked(METADATA)) == 1


async def test_a_broker_may_ask_for_it() -> None:
    async with scripted(2) as (seed, other), client_of(seed, rebootstrap_trigger_s=3600.0) as client:
        seed.brokers = {1: other.address}
        await client.start()
        other.script[METADATA] = asks_to_start_again(other)
        with pytest.raises(BrokerError, match="REBOOTSTRAP_REQUIRED"):
            await client.refresh_metadata()
        seed.brokers = {0: seed.address}
        await client.refresh_metadata()
        assert set(client.metadata.brokers) == {0}


async def test_the_client_comes_back_by_itself() -> None:
    async with scripted(2) as (seed, other), client_of(seed, rebootstrap_trigger_s=0.0) as client:
        seed.brokers = {1: other.address}
        await client.start()
        found = asyncio.Event()
        client.on_metadata(lambda image: found.set() if set(image.brokers) == {0} else None)
        await client.refresh_metadata()
        seed.brokers = {0: seed.address}
        await other.stop()
        await found.wait()


async def test_brokers_that_can_be_reached_but_keep_silent_are_not_waited_for_longer() -> None:
    timing = {"rebootstrap_trigger_s": 20.0, "request_timeout_s": 5.0}
    async with scripted(2) as (seed, other), client_of(seed, **timing) as client:
        seed.brokers = other.brokers = {1: other.address}
        await client.start()
        found = asyncio.Event()
        client.on_metadata(lambda image: found.set() if set(image.brokers) == {0} else None)
        await client.refresh_metadata()
        other.script[METADATA] = SILENCE
        seed.brokers = {0: seed.address}
        with pytest.raises(TransportError):
            await client.refresh_metadata()
        await found.wait()


def asks_to_start_again(broker: ScriptedBroker) -> Script:
    def answer(request: RequestFrame) -> Message:
        return broker.metadata(request).replaced(error_code=ErrorCode.REBOOTSTRAP_REQUIRED)

    return answer


async def test_at_once_if_metadata_tells_of_no_host_that_can_be_one() -> None:
    async with scripted() as (seed,), client_of(seed, rebootstrap_trigger_s=3600.0) as client:
        seed.brokers = {5: ServerAddress("a..b", 9092)}
        await client.start()
        seed.brokers = {6: seed.address}
        await client.refresh_metadata()
        assert set(client.metadata.brokers) == {6}


def asks_in_version_5(broker: ScriptedBroker) -> list[tuple[str | None, int]]:
    messages = [request.message for request in broker.asked(API_VERSIONS) if request.version == 5]
    return [(message.cluster_id, message.node_id) for message in messages if isinstance(message, ApiVersionsRequest)]


@pytest.mark.parametrize(
    ("settings", "nodes", "is_meant"),
    [
        ({}, [1], True),
        ({}, [1, 2], False),
        ({"checks_cluster": False}, [1], False),
        ({"rebootstraps": False}, [1], False),
    ],
    ids=["once that is known", "not where several are behind a proxy", "not without the check", "nor the strategy"],
)
async def test_a_broker_is_told_who_is_meant(settings: dict[str, object], nodes: list[int], is_meant: bool) -> None:
    async with scripted(2) as (seed, other), client_of(seed, **settings) as client:
        seed.brokers = {0: seed.address, **dict.fromkeys(nodes, other.address)}
        await client.start()
        await client.call(Node(1), METADATA, question)
        meant = [(client.metadata.cluster_id, 1)] if is_meant else []
        assert (asks_in_version_5(seed), asks_in_version_5(other)) == ([], meant)


async def test_where_another_broker_answers_the_bootstrap_servers_are_asked_again() -> None:
    async with scripted(2) as (seed, other), client_of(seed, rebootstrap_trigger_s=3600.0) as client:
        seed.brokers = {1: other.address}
        other.script[API_VERSIONS] = lambda request: api_versions.to_response(WRONG_BROKER)
        await client.start()
        found = asyncio.Event()
        client.on_metadata(lambda image: found.set() if set(image.brokers) == {0} else None)
        seed.brokers = {0: seed.address}
        with pytest.raises(
            DisconnectedError, match=r"the broker that answers is not node 1 of cluster .* \(REBOOTSTRAP_REQUIRED\)"
        ):
            await client.call(Node(1), METADATA, question)
        await asyncio.wait_for(found.wait(), 60)  # which is before the next refresh of the metadata


async def test_none_is_meant_in_a_cluster_without_an_id() -> None:
    async with scripted(2) as (seed, other), client_of(seed) as client:
        seed.script[METADATA] = lambda request: seed.metadata(request).replaced(cluster_id=None)
        await client.start()
        await client.call(Node(1), METADATA, question)
        assert asks_in_version_5(other) == []


async def test_another_broker_than_is_meant_is_not_asked_again_before_the_backoff_is_over() -> None:
    async with scripted(2) as (seed, other), client_of(seed, reconnect_backoff=Backoff(3600.0, 3600.0)) as client:
        seed.brokers = {1: other.address}
        other.script[API_VERSIONS] = lambda request: api_versions.to_response(WRONG_BROKER)
        await client.start()
        found = asyncio.Event()
        client.on_metadata(lambda image: found.set() if set(image.brokers) == {0, 1} else None)
        seed.brokers = {0: seed.address, 1: other.address}
        with pytest.raises(DisconnectedError, match="REBOOTSTRAP_REQUIRED"):
            await client.call(Node(1), METADATA, question)
        await found.wait()
        with pytest.raises(TransportError):
            await client.call(Node(1), METADATA, question, 60)
        assert len(asks_in_version_5(other)) == 1


async def test_brokers_before_kafka_4_4_are_asked_once_without_who_is_meant() -> None:
    def answers_up_to_version_4(request: RequestFrame) -> Message:
        ranges = {**ALL_VERSIONS, API_VERSIONS.key: (0, 4)}
        return api_versions.to_response(BrokerVersions(ranges=ranges))

    async with scripted(2) as (seed, other), client_of(seed) as client:
        for broker in (seed, other):
            broker.script[API_VERSIONS] = answers_up_to_version_4
        await client.start()
        await client.call(Node(1), METADATA, question)
        assert [request.version for request in other.asked(API_VERSIONS)] == [4]


async def test_a_broker_that_is_never_the_one_that_is_meant_does_not_fill_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with scripted(2) as (seed, other), client_of(seed) as client:
        seed.brokers = {1: other.address}
        other.script[API_VERSIONS] = lambda request: api_versions.to_response(WRONG_BROKER)
        await client.start()
        with caplog.at_level(logging.WARNING, "kafka_nextgen.transport.known_brokers"):
            for _ in range(3):
                with pytest.raises(DisconnectedError, match="REBOOTSTRAP_REQUIRED"):
                    await client.call(Node(1), METADATA, question)
                await client.refresh_metadata()
    assert [record.message for record in caplog.records].count("starting again from the bootstrap servers") == 1
