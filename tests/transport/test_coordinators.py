"""Finding a group's coordinator, keeping it, and losing it."""

from __future__ import annotations

import asyncio
from itertools import count

import pytest

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import DisconnectedError, GroupAuthorizationError, RequestTimeoutError
from kafka_nextgen.properties.value_types import ServerAddress
from kafka_nextgen.transport.cluster import ClusterClient, Coordinator, Node
from kafka_nextgen.wire.apis import FETCH, FIND_COORDINATOR, HEARTBEAT, METADATA, Api
from kafka_nextgen.wire.frames import RequestFrame
from kafka_nextgen.wire.messages import FetchRequest, HeartbeatRequest, HeartbeatResponse
from kafka_nextgen.wire.schema import Message

from .scripted import (
    HANG_UP,
    SILENCE,
    Script,
    ScriptedBroker,
    client_of,
    now,
    question,
    scripted,
    started,
)

GROUP = Coordinator("billing")
FINE = HeartbeatResponse(throttle_time_ms=0, error_code=0)


async def heartbeat(client: ClusterClient, timeout_s: float = 20.0) -> Message:
    def build(version: int) -> Message:
        return HeartbeatRequest(group_id="billing", generation_id=1, member_id="m", group_instance_id=None)

    return await client.call(GROUP, HEARTBEAT, build, timeout_s)


def refusing(broker: ScriptedBroker, *codes: int) -> Script:
    """Answer these errors first, then the coordinator."""
    left = list(codes)

    def answer(request: RequestFrame) -> Message:
        return broker.names_coordinator("billing", request.version, left.pop(0) if left else 0)

    return answer


async def test_a_coordinator_is_looked_up_once_also_for_calls_at_the_same_time() -> None:
    async with scripted() as (broker,), client_of(broker) as client:
        broker.script[HEARTBEAT] = FINE
        await asyncio.gather(heartbeat(client), heartbeat(client))
        await heartbeat(client)
        assert len(broker.asked(FIND_COORDINATOR)) == 1
        client.forget_coordinator("billing")
        await heartbeat(client)
        assert len(broker.asked(FIND_COORDINATOR)) == 2


async def test_a_coordinator_that_is_not_available_yet_is_asked_for_again() -> None:
    async with scripted() as (broker,), client_of(broker) as client:
        weather = [ErrorCode.COORDINATOR_NOT_AVAILABLE, ErrorCode.COORDINATOR_LOAD_IN_PROGRESS]
        broker.script[FIND_COORDINATOR] = refusing(broker, *weather)
        broker.script[HEARTBEAT] = FINE
        assert (await heartbeat(client)).error_code == 0
        assert len(broker.asked(FIND_COORDINATOR)) == 3


async def test_one_that_never_becomes_available_ends_with_the_calls_time() -> None:
    async with scripted() as (broker,), client_of(broker) as client:
        broker.script[FIND_COORDINATOR] = refusing(broker, *[ErrorCode.COORDINATOR_NOT_AVAILABLE] * 10_000)
        with pytest.raises(RequestTimeoutError, match=r"coordinator of group billing.*COORDINATOR_NOT_AVAILABLE"):
            await heartbeat(client, timeout_s=0.2)


@pytest.mark.parametrize("answers_at", [1, 3, None], ids=["the second answers", "the fourth answers", "none answers"])
async def test_a_look_for_it_that_gets_no_answer_is_repeated_until_the_calls_time_is_over(
    answers_at: int | None,
) -> None:
    """Each look has two seconds. The fourth is begun with little more than half a second left, and is in time."""
    async with started(request_timeout_s=2.0) as (client, broker):
        looks = count()
        find = refusing(broker)
        broker.script[FIND_COORDINATOR] = lambda request: find(request) if next(looks) == answers_at else SILENCE
        broker.script[HEARTBEAT] = FINE
        began = now()
        if answers_at is None:
            with pytest.raises(RequestTimeoutError, match="coordinator of group billing"):
                await heartbeat(client, timeout_s=6.6)
            assert now() - began == pytest.approx(6.6)
        else:
            assert (await heartbeat(client, timeout_s=6.6)).error_code == 0
            assert len(broker.asked(FIND_COORDINATOR)) == answers_at + 1


async def test_a_group_that_may_not_be_read_is_an_error_at_once() -> None:
    async with scripted() as (broker,), client_of(broker) as client:
        broker.script[FIND_COORDINATOR] = refusing(broker, ErrorCode.GROUP_AUTHORIZATION_FAILED)
        with pytest.raises(GroupAuthorizationError, match="group billing") as caught:
            await heartbeat(client)
        assert (caught.value.group, caught.value.retriable) == ("billing", False)


@pytest.mark.parametrize(
    ("ending", "error"),
    [(HANG_UP, DisconnectedError), (SILENCE, RequestTimeoutError)],
    ids=["hangs up", "never answers"],
)
async def test_a_coordinator_that_fails_is_looked_up_again_and_may_have_moved(
    ending: Script, error: type[Exception]
) -> None:
    async with scripted(2) as (first, second), client_of(first) as client:
        first.script[HEARTBEAT] = ending
        second.script[HEARTBEAT] = FINE
        with pytest.raises(error, match=r"Heartbeat to the coordinator of group billing|closed|broke|reset"):
            await heartbeat(client, timeout_s=5.0)
        first.coordinator = second.coordinator = second.address
        assert (await heartbeat(client)).error_code == 0
        assert len(second.asked(HEARTBEAT)) == 1


async def test_while_the_named_coordinator_is_down_the_question_is_put_again(dead_server: ServerAddress) -> None:
    async with scripted(2) as (first, second), client_of(first) as client:
        named: list[ServerAddress] = []

        def answer(request: RequestFrame) -> Message:
            named.append(dead_server if len(named) < 2 else second.address)
            first.coordinator = named[-1]
            return first.names_coordinator("billing", request.version)

        first.script[FIND_COORDINATOR] = answer
        second.script[HEARTBEAT] = FINE
        assert (await heartbeat(client)).error_code == 0
        assert named == [dead_server, dead_server, second.address]


@pytest.mark.parametrize("api", [FETCH, METADATA], ids=str)
async def test_a_heartbeat_does_not_wait_behind_another_question_to_the_same_broker(api: Api) -> None:
    async with started() as (client, broker):
        broker.script[api], broker.script[HEARTBEAT] = SILENCE, FINE
        assert (await heartbeat(client)).error_code == 0
        message = FetchRequest(topics=[], forgotten_topics_data=[]) if api is FETCH else question()
        asking = asyncio.ensure_future(client.call(Node(0), api, lambda version: message, 20.0))
        await broker.heard(api, times=1 if api is FETCH else 2)
        assert (await heartbeat(client)).error_code == 0
        assert not asking.done()
        asking.cancel()
        await asyncio.wait({asking})


async def test_closing_ends_a_call_that_looks_for_its_coordinator() -> None:
    async with scripted() as (broker,), client_of(broker) as client:
        broker.script[FIND_COORDINATOR] = SILENCE
        calling = asyncio.get_running_loop().create_task(heartbeat(client))
        await broker.heard(FIND_COORDINATOR)
        await client.close()
        with pytest.raises(DisconnectedError, match="closed"):
            await calling


async def test_a_coordinator_whose_host_can_t_be_one_is_looked_up_again() -> None:
    async with scripted() as (broker,), client_of(broker) as client:
        broker.script[HEARTBEAT] = FINE
        broker.coordinator = ServerAddress("a..b", 9092)
        asking = asyncio.ensure_future(heartbeat(client))
        await broker.heard(FIND_COORDINATOR, 2)
        assert "is not a valid host name" in str(client.coordinator_trouble("billing"))
        broker.coordinator = broker.address
        assert (await asking).error_code == 0
        assert client.coordinator_trouble("billing") is None
