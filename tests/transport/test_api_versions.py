"""Version negotiation on new connections."""

from __future__ import annotations

from importlib.metadata import version

import pytest

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import BrokerError, UnsupportedProtocolError
from kafka_nextgen.requests.api_versions import BrokerVersions
from kafka_nextgen.testing.messages import api_versions
from kafka_nextgen.transport.cluster import ANY, Coordinator
from kafka_nextgen.transport.connecting import open_connection, software_version
from kafka_nextgen.wire.apis import API_VERSIONS, CONSUMER_GROUP_HEARTBEAT, METADATA
from kafka_nextgen.wire.frames import RequestFrame
from kafka_nextgen.wire.messages import MetadataRequest
from kafka_nextgen.wire.schema import Message

from .scripted import ALL_VERSIONS, Script, client_of, scripted, settings, started


def speaks(**changes: object) -> Message:
    return api_versions.to_response(BrokerVersions(**{"ranges": ALL_VERSIONS, **changes}))  # type: ignore[arg-type]


def only_up_to(version: int, told: dict[int, tuple[int, int]]) -> Script:
    """A broker that lacks later versions of ApiVersions, and answers those in version 0."""

    def answer(request: RequestFrame) -> Message:
        if request.version > version:
            return speaks(ranges=told, error=ErrorCode.UNSUPPORTED_VERSION)
        return speaks()

    return answer


@pytest.mark.parametrize(
    ("highest", "told", "asked"),
    [(0, {}, [4, 0]), (2, {18: (0, 2)}, [4, 2]), (3, {18: (0, 3)}, [4, 3])],
    ids=["does not say what it has", "has up to 2", "has up to 3"],
)
async def test_a_broker_with_an_older_api_versions_is_asked_again(
    highest: int, told: dict[int, tuple[int, int]], asked: list[int]
) -> None:
    async with scripted() as (broker,):
        broker.script[API_VERSIONS] = only_up_to(highest, told)
        connection = await open_connection(broker.address, settings())
        assert connection.ranges == ALL_VERSIONS
        assert [request.version for request in broker.asked(API_VERSIONS)] == asked
        await connection.close()


async def test_a_broker_is_told_which_client_this_is_in_which_version() -> None:
    async with started() as (_client, broker):
        told = broker.asked(API_VERSIONS)[0].message
    assert (told.client_software_name, told.client_software_version) == ("kafka-nextgen", version("kafka-nextgen"))


@pytest.mark.parametrize(
    ("installed", "told"),
    [("1.2.3", "1.2.3"), ("1.2.3+dirty.4", "1.2.3-dirty.4"), ("1.2.3rc1.dev0+", "1.2.3rc1.dev0"), ("+", "unknown")],
)
def test_a_version_is_sent_in_characters_that_brokers_accept(installed: str, told: str) -> None:
    assert software_version(installed) == told


async def test_a_broker_that_will_not_say_is_not_used() -> None:
    async with scripted() as (broker,):
        broker.script[API_VERSIONS] = speaks(error=ErrorCode.CLUSTER_AUTHORIZATION_FAILED)
        with pytest.raises(BrokerError, match="CLUSTER_AUTHORIZATION_FAILED"):
            await open_connection(broker.address, settings())


async def test_a_request_goes_out_in_the_highest_version_both_have() -> None:
    async with scripted() as (broker,), client_of(broker) as client:
        broker.script[API_VERSIONS] = speaks(ranges={**ALL_VERSIONS, METADATA.key: (0, 9)})
        given: list[int] = []

        def build(version: int) -> Message:
            given.append(version)
            return MetadataRequest(topics=[], allow_auto_topic_creation=False)

        answer = await client.call(ANY, METADATA, build, 20.0)
        assert (given, answer.version, broker.asked(METADATA)[-1].version) == ([9], 9, 9)


async def test_a_broker_without_the_consumer_group_protocol_is_one_clear_error() -> None:
    async with scripted() as (broker,), client_of(broker) as client:
        without = {key: spoken for key, spoken in ALL_VERSIONS.items() if key != CONSUMER_GROUP_HEARTBEAT.key}
        broker.script[API_VERSIONS] = speaks(ranges=without)
        with pytest.raises(UnsupportedProtocolError, match=r"group\.protocol=classic"):
            await client.call(Coordinator("billing"), CONSUMER_GROUP_HEARTBEAT, _never, 20.0)


def _never(version: int) -> Message:
    raise AssertionError("there is no version to build a request in")
