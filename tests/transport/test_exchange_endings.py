"""Exchanges: time limits, endings, and counters."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine

import pytest
from attrs import evolve

from kafka_nextgen.errors import DisconnectedError, RequestTimeoutError
from kafka_nextgen.wire import frames
from kafka_nextgen.wire.apis import FETCH, Answer, Api
from kafka_nextgen.wire.frames import RequestFrame
from kafka_nextgen.wire.schema import Message
from tests.transport.numbered import (
    AN_HOUR_S,
    Line,
    Numbered,
    answer_to,
    answers,
    ask,
    begin,
    connected,
    numbers,
    order,
)
from tests.transport.scripted import HANG_UP, SILENCE, now, turns

# ---- time limits


@pytest.mark.parametrize("is_first", [True, False])
async def test_each_request_has_the_whole_time_limit(is_first: bool) -> None:
    """Also if the first request waited behind another, and so had its own timer."""
    async with connected(request_timeout_s=5.0) as (broker, connection):
        broker.script[FETCH] = answered_after(2.0)
        other = None if is_first else ask(connection)
        await turns(1)
        await begin(connection, Numbered(4), timeout_s=5.0)
        if other is not None:
            await other
        assert numbers(broker) == [1, 2, 3, 4]


def answered_after(seconds: float) -> Callable[[RequestFrame], Coroutine[object, object, Message]]:
    async def late(request: RequestFrame) -> Message:
        await asyncio.sleep(seconds)  # of turned time
        return answer_to(request)

    return late


async def test_a_request_that_is_not_answered_in_its_time_fails() -> None:
    async with connected(request_timeout_s=2.0) as (broker, connection):
        broker.script[FETCH] = answers(ends=SILENCE)
        exchange = Numbered(3)
        with pytest.raises(RequestTimeoutError, match=r"Fetch v12 was not answered within"):
            await begin(connection, exchange, timeout_s=5.0)
        assert exchange.heard == ["answer 1", "sent 2"]
        assert not connection.is_open


async def test_a_caller_in_a_hurry_does_not_end_the_connection_for_others() -> None:
    async with connected() as (broker, connection):
        broker.script[FETCH] = answers(ends=SILENCE)
        with pytest.raises(RequestTimeoutError, match="the request: timed out after"):
            await begin(connection, Numbered(3), timeout_s=5.0)
        assert numbers(broker) == [1, 2]
        assert connection.is_open


# ---- what ends it


async def test_it_ends_with_its_connection(line: Line) -> None:
    async with connected(line) as (broker, connection):
        broker.script[FETCH] = answers(ends=HANG_UP, after=2)
        exchange = Numbered(4)
        with pytest.raises(DisconnectedError, match=r"closed the connection|broke"):
            await begin(connection, exchange)
        assert exchange.heard[-1] == "sent 3"
        assert connection.load == 0


async def test_so_does_one_whose_next_request_waits_to_be_sent() -> None:
    async with connected() as (broker, connection):
        last = begin(connection, Numbered(3))
        connection.throttle.extend(now() + AN_HOUR_S, now())
        while connection._pipeline.oldest is not None:
            await turns(1)
        broker.drop_connections()
        with pytest.raises(DisconnectedError, match=r"closed the connection|broke|reset"):
            await last


async def test_who_does_not_want_it_any_more_has_nothing_asked() -> None:
    async with connected() as (broker, connection):
        exchange = Numbered(2)
        last = begin(connection, exchange)
        await turns(1)
        last.cancel()
        await ask(connection)
        assert (numbers(broker), exchange.heard, connection.load) == ([1], [], 0)


async def test_who_leaves_while_the_next_request_waits_has_it_never_sent() -> None:
    async with connected() as (broker, connection):
        exchange = Numbered(3)
        last = begin(connection, exchange)
        connection.throttle.extend(now() + 5.0, now())
        while len(exchange.heard) < 2:
            await turns(1)
        last.cancel()
        await ask(connection)
        assert order(broker) == ["1", "Metadata"]
        assert exchange.heard == ["answer 1", "sent 2"]


async def test_a_bug_is_for_the_caller_and_all_others_go_on(line: Line) -> None:
    async with connected(line) as (broker, connection):
        exchange = Numbered(2, has_bug=True)
        last, other, another = begin(connection, exchange), ask(connection), Numbered(2)
        beside = begin(connection, another)
        with pytest.raises(AssertionError, match="a bug"):
            await last
        await other
        assert (await beside).session_id == 2
        assert numbers(broker) == [1, 1, 2]
        assert connection.is_open


async def test_so_is_a_bug_where_the_last_answer_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    decode = frames.decode_response

    def stumble(api: Api, version: int, frame: memoryview) -> tuple[int, Answer]:
        if api is FETCH:
            raise ZeroDivisionError("a bug")
        return decode(api, version, frame)

    monkeypatch.setattr(frames, "decode_response", stumble)
    async with connected() as (broker, connection):
        last = begin(connection, Numbered(2))
        other = ask(connection)
        with pytest.raises(ZeroDivisionError, match="a bug"):
            await last
        await other
        assert numbers(broker) == [1, 2]
        assert connection.is_open


# ---- what is counted


async def test_each_request_and_answer_is_counted_as_any_other() -> None:
    async with connected() as (_, connection):
        before, latencies = evolve(connection._traffic), connection._traffic.latency.count
        await begin(connection, Numbered(20))
        after = connection._traffic
        assert (after.requests - before.requests, after.answers - before.answers) == (20, 20)
        assert after.latency.count - latencies == 20
        assert after.bytes_out - before.bytes_out > 20 * 40
        assert after.bytes_in - before.bytes_in > 20 * 20


async def test_a_connection_that_is_used_is_not_idle() -> None:
    async with connected(max_idle_s=10.0) as (broker, connection):
        broker.script[FETCH] = answered_after(2.0)
        await begin(connection, Numbered(10))
        assert connection.is_open
        await connection.wait_closed()
