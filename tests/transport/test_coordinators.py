"""Finding a group's coordinator, keeping it, and losing it."""

from __future__ import annotations

import asyncio

import pytest

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import DisconnectedError, GroupAuthorizationError, RequestTimeoutError
from kafka_nextgen.properties import ServerAddress
from kafka_nextgen.transport.cluster import ClusterClient, Coordinator, Node
from kafka_nextgen.wire.apis import FETCH, FIND_COORDINATOR, HEARTBEAT, METADATA
from kafka_nextgen.wire.frames import RequestFrame
from kafka_nextgen.wire.messages import FetchRequest, HeartbeatRequest, HeartbeatResponse
from kafka_nextgen.wire.schema import Message

from .scripted import HANG_UP, SILENCE, Script, ScriptedBroker, client_of, dead_server, in_loop, scripted

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


@in_loop
async def test_a_coordinator_is_looked_up_once_also_for_calls_at_the_same_time() -> None:
    async with scripted() as (broker,), client_of(broker) as client:
        broker.script[HEARTBEAT] = FINE
        await asyncio.gather(heartbeat(client), heartbeat(client))
        await heartbeat(client)
        assert len(broker.asked(FIND_COORDINATOR)) == 1
        client.forget_coordinator("billing")
        await heartbeat(client)
        assert len(broker.asked(FIND_COORDINATOR)) == 2


@in_loop
async def test_a_coordinator_that_is_not_available_yet_is_asked_for_again() -> None:
    async with scripted() as (broker,), client_of(broker) as client:
        weather = [ErrorCode.COORDINATOR_NOT_AVAILABLE, ErrorCode.COORDINATOR_LOAD_IN_PROGRESS]
        broker.script[FIND_COORDINATOR] = refusing(broker, *weather)
        broker.script[HEARTBEAT] = FINE
        assert (await heartbeat(client)).error_code == 0
        assert len(broker.asked(FIND_COORDINATOR)) == 3


@in_loop
async def test_one_that_never_becomes_available_ends_with_the_calls_time() -> None:
    async with scripted() as (broker,), client_of(broker) as client:
        broker.script[FIND_COORDINATOR] = refusing(broker, *[ErrorCode.COORDINATOR_NOT_AVAILABLE] * 10_000)
        with pytest.raises(RequestTimeoutError, match=r"coordinator of group billing.*COORDINATOR_NOT_AVAILABLE"):
            await heartbeat(client, timeout_s=0.5)


@in_loop
async def test_a_look_for_it_that_gets_no_answer_is_repeated_until_the_calls_time_is_over() -> None:
    async with scripted() as (broker,), client_of(broker, request_timeout_s=0.05) as client:
        await client.start()
        answers = iter([SILENCE])
        broker.script[FIND_COORDINATOR] = lambda request: next(answers, None) or refusing(broker)(request)
        broker.script[HEARTBEAT] = FINE
        assert (await heartbeat(client)).error_code == 0
        assert len(broker.asked(FIND_COORDINATOR)) > 1


@in_loop
async def test_a_group_that_may_not_be_read_is_an_error_at_once() -> None:
    async with scripted() as (broker,), client_of(broker) as client:
        broker.script[FIND_COORDINATOR] = refusing(broker, ErrorCode.GROUP_AUTHORIZATION_FAILED)
        with pytest.raises(GroupAuthorizationError, match="group billing") as caught:
            await heartbeat(client)
        assert (caught.value.group, caught.value.retriable) == ("billing", False)


@in_loop
async def test_a_coordinator_that_hangs_up_is_looked_up_again_and_may_have_moved() -> None:
    async with scripted(2) as (first, second), client_of(first) as client:
        first.script[HEARTBEAT] = HANG_UP
        second.script[HEARTBEAT] = FINE
        with pytest.raises(DisconnectedError):
            await heartbeat(client)
        first.coordinator = second.coordinator = second.address
        assert (await heartbeat(client)).error_code == 0
        assert len(second.asked(HEARTBEAT)) == 1


@in_loop
async def test_a_coordinator_that_never_answers_is_looked_up_again() -> None:
    async with scripted(2) as (first, second), client_of(first) as client:
        first.script[HEARTBEAT] = SILENCE
        second.script[HEARTBEAT] = FINE
        with pytest.raises(RequestTimeoutError, match="Heartbeat to the coordinator of group billing"):
            await heartbeat(client, timeout_s=0.05)
        first.coordinator = second.coordinator = second.address
        assert (await heartbeat(client)).error_code == 0


@in_loop
async def test_while_the_named_coordinator_is_down_the_question_is_put_again() -> None:
    async with scripted(2) as (first, second), client_of(first) as client:
        gone, named = await dead_server(), []

        def answer(request: RequestFrame) -> Message:
            named.append(gone if len(named) < 2 else second.address)
            first.coordinator = named[-1]
            return first.names_coordinator("billing", request.version)

        first.script[FIND_COORDINATOR] = answer
        second.script[HEARTBEAT] = FINE
        assert (await heartbeat(client)).error_code == 0
        assert named == [gone, gone, second.address]


@in_loop
async def test_a_heartbeat_does_not_wait_behind_a_fetch_to_the_same_broker() -> None:
    async with scripted() as (broker,), client_of(broker) as client:
        await client.start()
        broker.script[FETCH] = SILENCE
        broker.script[HEARTBEAT] = FINE

        def build(version: int) -> Message:
            return FetchRequest(replica_id=-1, max_wait_ms=500, min_bytes=1, topics=[], forgotten_topics_data=[])

        fetching = asyncio.get_running_loop().create_task(client.call(Node(0), FETCH, build, 20.0))
        await broker.heard(FETCH)
        assert (await heartbeat(client)).error_code == 0
        assert not fetching.done()
        fetching.cancel()
        await asyncio.wait({fetching})


@in_loop
async def test_nor_behind_any_other_question_to_it() -> None:
    async with scripted() as (broker,), client_of(broker) as client:
        await client.start()
        broker.script[METADATA] = SILENCE
        broker.script[HEARTBEAT] = FINE
        assert (await heartbeat(client)).error_code == 0
        asking = asyncio.ensure_future(client.refresh_metadata())
        await broker.heard(METADATA, times=2)
        assert (await heartbeat(client)).error_code == 0
        assert not asking.done()
        asking.cancel()
        await asyncio.wait({asking})


@in_loop
async def test_closing_ends_a_call_that_looks_for_its_coordinator() -> None:
    async with scripted() as (broker,), client_of(broker) as client:
        broker.script[FIND_COORDINATOR] = SILENCE
        calling = asyncio.get_running_loop().create_task(heartbeat(client))
        await broker.heard(FIND_COORDINATOR)
        await client.close()
        with pytest.raises(DisconnectedError, match="closed"):
            await calling


@in_loop
async def test_a_coordinator_whose_host_can_t_be_one_is_looked_up_again() -> None:
    async with scripted() as (broker,), client_of(broker) as client:
        broker.script[HEARTBEAT] = FINE
        broker.coordinator = ServerAddress("a..b", 9092)
        asking = asyncio.ensure_future(heartbeat(client))
        await broker.heard(FIND_COORDINATOR, 2)
        assert "can't be the name of a host" in str(client.coordinator_trouble("billing"))
        broker.coordinator = broker.address
        assert (await asking).error_code == 0
        assert client.coordinator_trouble("billing") is None
