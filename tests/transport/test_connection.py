"""What the callers of a connection see if the broker misbehaves."""

from __future__ import annotations

import asyncio
import re
from struct import pack

import pytest

from kafka_nextgen.errors import DecodeError, DisconnectedError, FrameTooLargeError, RequestTimeoutError
from kafka_nextgen.transport.waiting import Deadline
from kafka_nextgen.wire.apis import FETCH, METADATA
from kafka_nextgen.wire.frames import RequestFrame
from kafka_nextgen.wire.messages import FetchRequest, FetchResponse, MetadataResponse
from kafka_nextgen.wire.schema import Message

from .numbered import ask, connected
from .scripted import (
    HANG_UP,
    SILENCE,
    Script,
    ScriptedBroker,
    encoded,
    framed,
    now,
    request,
)


@pytest.mark.parametrize("piece_bytes", [1, 3, None])
async def test_an_answer_may_come_in_pieces(piece_bytes: int | None) -> None:
    async with connected() as (broker, connection):
        broker.piece_bytes = piece_bytes
        answers = await asyncio.gather(ask(connection), ask(connection))
        assert [answer.cluster_id for answer in answers] == ["scripted", "scripted"]


async def test_an_answer_larger_than_the_buffer_arrives_whole() -> None:
    async with connected() as (broker, connection):
        broker.script[METADATA] = lambda request: encoded(request, long_answer(broker, request))
        answers = await asyncio.gather(ask(connection), ask(connection))
        assert [len(answer.cluster_id) for answer in answers] == [30_000, 30_000]
        assert len(answers[0].brokers) == 10


async def test_records_stay_as_they_came_while_other_answers_arrive() -> None:
    async with connected() as (broker, connection):
        values = iter([b"one" * 10, b"two" * 10, b"big" * 100_000])
        broker.script[FETCH] = lambda request: encoded(request, fetched(next(values)))
        question = FetchRequest(replica_id=-1, topics=[], forgotten_topics_data=[])
        answers = [await request(connection, FETCH, 12, question, Deadline(20, "records")) for _ in range(3)]
    records = [bytes(answer.responses[0].partitions[0].records) for answer in answers]
    assert records == [b"one" * 10, b"two" * 10, b"big" * 100_000]


def fetched(records: bytes) -> FetchResponse:
    topic = FetchResponse.FetchableTopicResponse
    return FetchResponse(responses=[topic(topic="orders", partitions=[topic.PartitionData(records=records)])])


def long_answer(broker: ScriptedBroker, request: RequestFrame) -> Message:
    brokers = [MetadataResponse.MetadataResponseBroker(node_id=n, host="h" * 30_000, port=1) for n in range(10)]
    return broker.metadata(request).replaced(cluster_id="x" * 30_000, brokers=brokers)


@pytest.mark.parametrize(
    "script", [HANG_UP, lambda request: b"\x00\x00\x01\x00only a part"], ids=["at once", "mid-frame"]
)
async def test_a_reset_fails_everything_in_flight(script: Script) -> None:
    async with connected() as (broker, connection):
        broker.script[METADATA] = script
        waiting = [ask(connection), ask(connection)]
        await broker.heard(METADATA)
        broker.drop_connections()
        for one in waiting:
            with pytest.raises(DisconnectedError, match=str(broker.address)):
                await one
        assert not connection.is_open


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (pack(">i", -5), "declares a length of -5 bytes"),
        (pack(">i", 2**31 - 1), "2147483647 bytes"),
        (framed(b""), "correlation id"),
        (framed(pack(">i", 4711) + b"\x00"), "4711 arrived instead of 1"),
        (framed(pack(">i", 1) + b"\x00" + b"garbage"), "MetadataResponse v13"),
        (framed(pack(">i", 1)), "Metadata"),
    ],
    ids=["negative length", "oversized length", "no header", "wrong correlation id", "garbage", "cut off"],
)
async def test_what_is_not_the_answer_ends_the_connection_for_all_who_wait(answer: bytes, said: str) -> None:
    async with connected() as (broker, connection):
        broker.script[METADATA] = answer
        waiting = [ask(connection), ask(connection)]
        failures = await asyncio.gather(*waiting, return_exceptions=True)
        assert all(isinstance(failure, (DecodeError, FrameTooLargeError)) for failure in failures)
        assert said in str(failures[0])
        assert str(failures[0]) == str(failures[1])
        assert not connection.is_open


async def test_an_answer_to_nothing_ends_the_connection() -> None:
    async with connected() as (broker, connection):
        broker.script[METADATA] = lambda request: encoded(request, broker.metadata(request)) * 2
        assert (await ask(connection)).cluster_id == "scripted"
        with pytest.raises(DecodeError, match="does not belong to any request"):
            await ask(connection)


async def test_a_broker_that_never_answers_is_given_up_and_all_who_wait_are_told() -> None:
    async with connected(request_timeout_s=5.0) as (broker, connection):
        broker.script[METADATA] = SILENCE
        ended, began = asyncio.Event(), now()
        connection.on_closed = lambda *_: ended.set()
        failures = await asyncio.gather(ask(connection, timeout_s=5.0), ask(connection), return_exceptions=True)
        assert [type(failure) for failure in failures] == [RequestTimeoutError, RequestTimeoutError]
        assert re.search(r"timed out after 5 s|not answered within", str(failures[0]))
        await ended.wait()
        assert (connection.is_open, now() - began) == (False, pytest.approx(5.0))


async def test_a_caller_in_a_hurry_or_cancelled_leaves_the_connection_to_the_others() -> None:
    async with connected() as (broker, connection):
        may_answer = asyncio.Event()
        broker.script[METADATA] = after(may_answer, broker)
        with pytest.raises(RequestTimeoutError):
            await ask(connection, timeout_s=1.0)
        cancelled, patient = ask(connection), ask(connection)
        await broker.heard(METADATA)
        cancelled.cancel()
        await asyncio.wait({cancelled})
        may_answer.set()
        assert (await patient).cluster_id == "scripted"
        assert cancelled.cancelled()
        assert (await ask(connection)).cluster_id == "scripted"
        assert broker.connections == 1


async def test_no_more_requests_are_out_than_allowed() -> None:
    async with connected(max_in_flight=2) as (broker, connection):
        may_answer = asyncio.Event()
        broker.script[METADATA] = after(may_answer, broker)
        asking = [ask(connection) for _ in range(6)]
        await broker.heard(METADATA)
        assert connection.load == 6
        may_answer.set()
        await asyncio.gather(*asking)
        assert [request.correlation_id for request in broker.asked(METADATA)] == [1, 2, 3, 4, 5, 6]


async def test_an_idle_connection_is_closed() -> None:
    began = now()
    async with connected(max_idle_s=540.0) as (_, connection):
        await connection.wait_closed()
        assert (connection.is_open, connection.was_lost) == (False, False)
        assert now() - began >= 540.0
        with pytest.raises(DisconnectedError, match="idle"):
            await ask(connection)


async def test_closing_fails_whoever_waits() -> None:
    async with connected() as (broker, connection):
        broker.script[METADATA] = SILENCE
        waiting = ask(connection)
        await broker.heard(METADATA)
        await connection.close()
        with pytest.raises(DisconnectedError, match="closed by this client"):
            await waiting


def after(event: asyncio.Event, broker: ScriptedBroker) -> Script:
    async def answer(request: RequestFrame) -> Message:
        await event.wait()
        return broker.metadata(request)

    return answer
