"""Conversations: each answer brings the next question, and whoever awaits one hears of its end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest
from attrs import evolve

from kafka_nextgen.errors import DisconnectedError, RequestTimeoutError
from kafka_nextgen.transport.cluster import ClusterClient, Node
from kafka_nextgen.transport.connection import Connection
from kafka_nextgen.transport.deadline import Deadline
from kafka_nextgen.transport.dialing import dial
from kafka_nextgen.wire.apis import API_VERSIONS, FETCH, METADATA, Answer
from kafka_nextgen.wire.frames import RequestFrame
from kafka_nextgen.wire.messages import FetchResponse, MetadataRequest
from kafka_nextgen.wire.schema import Message
from tests.transport.talk import Talk, numbers

from .scripted import HANG_UP, SILENCE, Act, ScriptedBroker, client_of, in_loop, scripted, settings

AN_HOUR_MS = 3_600_000


def answers(*, throttle_ms: int = 0, ends: Act | None = None, after: int = 1) -> Callable[[RequestFrame], object]:
    """What a broker says to each question; from that many on it may be something else."""

    def answer(request: RequestFrame) -> object:
        if ends is not None and request.message is not None and request.message.max_bytes > after:
            return ends
        return FetchResponse(throttle_time_ms=throttle_ms, responses=[])

    return answer


def begin(connection: Connection, talk: Talk, timeout_s: float = 20.0) -> asyncio.Task[Answer]:
    """The first question is out at once; the task brings the last answer."""
    version, deadline = 12, Deadline(timeout_s, "the question")
    reply = connection.send(FETCH, version, talk.begin(version), deadline, conversation=talk)

    async def hear() -> Answer:
        return await reply

    return asyncio.create_task(hear())


async def ask(connection: Connection) -> Answer:
    question = MetadataRequest(topics=[], allow_auto_topic_creation=False)
    return await connection.request(METADATA, 13, question, Deadline(20.0, "another question"))


@asynccontextmanager
async def connected(**changes: object) -> AsyncIterator[tuple[ScriptedBroker, Connection]]:
    async with scripted() as (broker,):
        broker.script[FETCH] = answers()
        connection = await dial(broker.address, settings(**changes))
        try:
            yield broker, connection
        finally:
            await connection.close()


@in_loop
async def test_each_answer_brings_the_next_question_and_the_last_one_is_heard() -> None:
    async with connected() as (broker, connection):
        talk = Talk(3)
        last = await begin(connection, talk)
        assert last.throttle_time_ms == 0
        assert talk.heard == ["answer 1", "asked 2", "answer 2", "asked 3", "answer 3"]
        assert numbers(broker) == [1, 2, 3]
        assert connection.load == 0


@in_loop
async def test_one_may_have_to_connect_first() -> None:
    async with scripted() as (broker,), client_of(broker) as client:
        broker.script[FETCH] = answers()
        await client.start()
        talk = Talk(2)
        assert begin_at_once(client, talk) is None
        await client.converse(Node(0), FETCH, talk, 20.0)
        assert numbers(broker) == [1, 2]
        reply = begin_at_once(client, Talk(2))
        assert reply is not None
        await reply
        assert len(broker.asked(API_VERSIONS)) == 2  # the first connection was for metadata


def begin_at_once(client: ClusterClient, talk: Talk) -> object:
    return client.begin(Node(0), FETCH, talk, 20.0)


@in_loop
async def test_what_waits_goes_first() -> None:
    async with connected(max_in_flight=1) as (broker, connection):
        last, other = begin(connection, Talk(2)), asyncio.ensure_future(ask(connection))
        await asyncio.gather(last, other)
        assert [request.api for request in broker.seen][-3:] == [FETCH, METADATA, FETCH]


@in_loop
async def test_a_broker_that_asks_to_be_left_alone_is() -> None:
    async with connected() as (broker, connection):
        broker.script[FETCH] = answers(throttle_ms=100)
        until = asyncio.get_running_loop().time() + 0.09
        talk = Talk(2)
        await begin(connection, talk)
        assert asyncio.get_running_loop().time() >= until
        assert talk.heard == ["answer 1", "asked 2", "answer 2"]


@in_loop
async def test_a_question_that_may_not_be_sent_in_its_time_fails() -> None:
    async with connected() as (broker, connection):
        broker.script[FETCH] = answers(throttle_ms=AN_HOUR_MS)
        with pytest.raises(RequestTimeoutError, match="the question: not done within"):
            await begin(connection, Talk(2), timeout_s=0.05)
        assert numbers(broker) == [1]
        assert connection.is_open


@in_loop
async def test_each_question_has_the_whole_time_limit() -> None:
    """Also where the first one had another in front of it: then it had a timer of its own."""

    async def late(request: RequestFrame) -> Message:
        await asyncio.sleep(0.2)
        return FetchResponse(throttle_time_ms=0, responses=[])

    async with connected() as (broker, connection):
        broker.script[FETCH] = late
        other = asyncio.ensure_future(ask(connection))
        await asyncio.sleep(0)
        talk = Talk(4)
        await begin(connection, talk, timeout_s=0.5)
        await other
        assert numbers(broker) == [1, 2, 3, 4]


@in_loop
async def test_a_question_that_is_not_answered_in_its_time_fails() -> None:
    async with connected(request_timeout_s=0.05) as (broker, connection):
        broker.script[FETCH] = answers(ends=SILENCE)
        talk = Talk(3)
        with pytest.raises(RequestTimeoutError, match=r"Fetch v12 was not answered within"):
            await begin(connection, talk, timeout_s=0.1)
        assert talk.heard == ["answer 1", "asked 2"]


@in_loop
async def test_it_ends_with_its_connection() -> None:
    async with connected() as (broker, connection):
        broker.script[FETCH] = answers(ends=HANG_UP, after=2)
        talk = Talk(4)
        with pytest.raises(DisconnectedError, match=r"closed the connection|broke"):
            await begin(connection, talk)
        assert talk.heard[-1] == "asked 3"


@in_loop
async def test_whoever_does_not_want_it_any_more_has_nothing_asked() -> None:
    async with connected() as (broker, connection):
        last = begin(connection, Talk(2))
        await asyncio.sleep(0)
        last.cancel()
        await ask(connection)
        assert numbers(broker) == [1]
        assert connection.load == 0


@in_loop
async def test_a_bug_is_for_whoever_has_the_conversation_and_all_others_go_on() -> None:
    async with connected() as (broker, connection):
        last, other = begin(connection, Talk(2, has_bug=True)), asyncio.ensure_future(ask(connection))
        with pytest.raises(AssertionError, match="a bug"):
            await last
        await other
        assert numbers(broker) == [1]
        assert connection.is_open


@in_loop
async def test_so_is_a_bug_where_its_answers_are_read() -> None:
    def stumble(version: int, body: memoryview) -> Answer:
        raise ZeroDivisionError("a bug")

    async with connected() as (_, connection):
        api, deadline = evolve(FETCH, read=stumble), Deadline(20.0, "the question")
        talk = Talk(2)
        last = connection.send(api, 12, talk.begin(12), deadline, conversation=talk)
        other = asyncio.ensure_future(ask(connection))
        with pytest.raises(ZeroDivisionError, match="a bug"):
            await last
        await other
        assert connection.is_open
