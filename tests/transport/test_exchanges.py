"""Exchanges: the next request is sent as soon as one is answered, unless something delays it."""

from __future__ import annotations

import asyncio

import pytest
from attrs import evolve

from kafka_nextgen.errors import DecodeError, RequestTimeoutError
from kafka_nextgen.transport.cluster import ClusterClient, Node
from kafka_nextgen.transport.throttling import ThrottledError
from kafka_nextgen.transport.waiting import Deadline, EagerFuture
from kafka_nextgen.wire.apis import API_VERSIONS, FETCH, METADATA, Answer
from kafka_nextgen.wire.frames import RequestFrame
from tests.transport.numbered import (
    ALL_OF_THREE,
    AN_HOUR_S,
    VERSION,
    Line,
    Numbered,
    answer_to,
    answers,
    ask,
    awaited,
    begin,
    connected,
    numbers,
    order,
)
from tests.transport.scripted import SILENCE, client_of, encoded, framed, now, scripted, turns

# ---- what follows


async def test_each_answer_is_followed_by_the_next_request_and_the_last_one_is_heard(line: Line) -> None:
    async with connected(line) as (broker, connection):
        exchange = Numbered(3)
        last = await begin(connection, exchange)
        assert last.session_id == 3
        assert exchange.heard == ALL_OF_THREE
        assert numbers(broker) == [1, 2, 3]
        first, second, third = [request.correlation_id for request in broker.asked(FETCH)]
        assert (second, third) == (first + 1, first + 2)
        await ask(connection)
        assert broker.asked(METADATA)[-1].correlation_id == third + 1
        assert connection.load == 0
        assert broker.connections == 1


async def test_who_awaits_it_runs_at_no_answer_but_the_last() -> None:
    async with connected() as (_, connection):
        exchange = Numbered(50)
        reply = connection.send(FETCH, VERSION, exchange.begin(VERSION), Deadline(20.0, "it"), exchange=exchange)
        last = awaited(reply)
        while exchange.so_far < 40:
            await turns(1)
            assert not reply.done()
        assert (await last).session_id == 50


async def test_one_may_have_to_connect_first() -> None:
    async with scripted() as (broker,), client_of(broker) as client:
        broker.script[FETCH] = answers()
        await client.start()
        exchange = Numbered(2)
        assert begin_at_once(client, exchange) is None
        await client.run_exchange(Node(0), FETCH, exchange, 20.0)
        assert numbers(broker) == [1, 2]
        reply = begin_at_once(client, Numbered(2))
        assert reply is not None
        await reply
        assert len(broker.asked(API_VERSIONS)) == 2  # the first connection was for metadata


def begin_at_once(client: ClusterClient, exchange: Numbered) -> EagerFuture[Answer] | None:
    return client.try_exchange(Node(0), FETCH, exchange, 20.0)


# ---- how answers arrive


@pytest.mark.parametrize("piece_bytes", [1, 7])
async def test_answers_may_come_in_pieces(line: Line, piece_bytes: int) -> None:
    async with connected(line) as (broker, connection):
        broker.piece_bytes = piece_bytes
        exchange = Numbered(3)
        assert (await begin(connection, exchange)).session_id == 3
        assert exchange.heard == ALL_OF_THREE


@pytest.mark.parametrize("size", [100, 300_000], ids=["small", "larger than what is received at once"])
async def test_what_the_caller_gets_stays_as_it_came(line: Line, size: int) -> None:
    async with connected(line) as (broker, connection):
        broker.script[FETCH] = lambda request: answer_to(request, bytes([request.message.max_bytes]) * size)
        exchange = Numbered(3)
        last = await begin(connection, exchange)
        assert exchange.heard == ALL_OF_THREE
        (topic,) = last.responses
        assert bytes(topic.partitions[0].records) == b"\x03" * size
        await asyncio.gather(ask(connection), ask(connection))
        assert bytes(topic.partitions[0].records) == b"\x03" * size


async def test_two_answers_may_come_at_once(line: Line) -> None:
    async with connected(line) as (broker, connection):
        together: list[bytes] = []

        def keep(request: RequestFrame) -> object:
            if request.message is not None and request.message.max_bytes > 1:
                return answer_to(request)
            together.append(encoded(request, answer_to(request)))
            return SILENCE

        broker.script[FETCH] = keep
        broker.script[METADATA] = lambda request: b"".join([*together, encoded(request, broker.metadata(request))])
        exchange = Numbered(2)
        last = begin(connection, exchange)
        assert (await ask(connection)).cluster_id == "scripted"
        assert (await last).session_id == 2
        assert exchange.heard == ["answer 1", "sent 2", "answer 2"]


async def test_an_answer_to_another_request_ends_the_connection() -> None:
    async with connected() as (broker, connection):
        broker.script[FETCH] = framed(b"\x00\x00\x12\x34" + bytes(40))
        exchange = Numbered(3)
        with pytest.raises(DecodeError, match="correlation id 4660"):
            await begin(connection, exchange)
        assert exchange.heard == []
        assert not connection.is_open


async def test_so_does_one_to_a_request_that_followed() -> None:
    def second_is_for_another(request: RequestFrame) -> object:
        is_second = request.message is not None and request.message.max_bytes == 2
        return encoded(evolve(request, correlation_id=4660), answer_to(request)) if is_second else answer_to(request)

    async with connected() as (broker, connection):
        broker.script[FETCH] = second_is_for_another
        exchange = Numbered(3)
        with pytest.raises(DecodeError, match="correlation id 4660 arrived instead of"):
            await begin(connection, exchange)
        assert exchange.heard == ["answer 1", "sent 2"]
        assert not connection.is_open


# ---- other requests, and what delays the next one


async def test_other_requests_go_out_in_between_and_all_are_answered_in_order() -> None:
    async with connected() as (broker, connection):
        exchange = Numbered(30)
        last = begin(connection, exchange)
        for _ in range(5):
            await asyncio.gather(ask(connection), ask(connection))
        others = Numbered(4)
        assert (await begin(connection, others)).session_id == 4
        assert (await last).session_id == 30
        assert len(broker.asked(METADATA)) == 10
        assert exchange.heard == heard_of(30)
        assert others.heard == heard_of(4)


def heard_of(length: int) -> list[str]:
    each = [(f"answer {number}", f"sent {number + 1}") for number in range(1, length)]
    return [what for both in each for what in both] + [f"answer {length}"]


async def test_what_waits_goes_first() -> None:
    """The pipeline is full: the next request goes behind those that wait already."""
    async with connected(max_in_flight=1) as (broker, connection):
        exchange = Numbered(3)
        last = begin(connection, exchange)
        await asyncio.gather(last, ask(connection), ask(connection))
        assert order(broker) == ["1", "Metadata", "Metadata", "2", "3"]
        assert exchange.heard == ALL_OF_THREE


async def test_a_broker_that_asks_to_be_left_alone_is(line: Line) -> None:
    """The throttle may be in the answer to another request, or on another connection."""
    async with connected(line) as (broker, connection):
        began, exchange = now(), Numbered(3)
        last = begin(connection, exchange)
        connection.throttle.extend(began + 5.0, began)
        await asyncio.sleep(4.0)  # of turned time
        assert (numbers(broker), exchange.heard) == ([1], ["answer 1", "sent 2"])
        await last
        assert now() - began == pytest.approx(5.0)
        assert (numbers(broker), exchange.heard) == ([1, 2, 3], ALL_OF_THREE)


async def test_a_request_that_may_not_be_sent_in_its_time_fails() -> None:
    async with connected() as (broker, connection):
        last = begin(connection, Numbered(2), timeout_s=5.0)
        connection.throttle.extend(now() + AN_HOUR_S, now())
        with pytest.raises(RequestTimeoutError, match="the request: timed out after") as caught:
            await last
        assert isinstance(caught.value.__cause__, ThrottledError)
        assert numbers(broker) == [1]
        assert connection.is_open


async def test_the_last_answer_may_ask_to_be_left_alone() -> None:
    async with connected() as (broker, connection):
        broker.script[FETCH] = lambda request: answer_to(request).replaced(throttle_time_ms=5_000)
        began = now()
        await begin(connection, Numbered(1))
        await ask(connection)
        assert now() - began == pytest.approx(5.0)
        assert connection._traffic.throttled_ms == 5_000
