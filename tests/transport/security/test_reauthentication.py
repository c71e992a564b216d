"""A login that expires is renewed between two requests, and nothing else is sent meanwhile (KIP-368)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import AuthenticationError, DisconnectedError
from kafka_nextgen.testing.broker.security.sasl import SaslAnswer
from kafka_nextgen.transport.connecting import open_connection
from kafka_nextgen.transport.connection import Connection
from kafka_nextgen.transport.security import authentication
from kafka_nextgen.transport.waiting import Deadline
from kafka_nextgen.wire.apis import FETCH, METADATA, SASL_AUTHENTICATE, SASL_HANDSHAKE
from kafka_nextgen.wire.frames import RequestFrame
from kafka_nextgen.wire.schema import Message
from tests.transport.numbered import VERSION, Numbered, answer_to, ask, numbers
from tests.transport.scripted import SILENCE, ScriptedBroker, scripted, settings, turns
from tests.transport.security.sasl_script import asks_for_login, security, told


@asynccontextmanager
async def logged_in() -> AsyncIterator[tuple[ScriptedBroker, Connection]]:
    """A connection whose login has just become due for renewal."""
    async with scripted() as (broker,):
        asks_for_login(broker, int(1000 * SESSION_S))
        connection = await open_connection(broker.address, settings(security=security("PLAIN")), chance=lambda: 0.0)
        await asyncio.sleep(SESSION_S)  # of turned time
        broker.seen.clear()
        try:
            yield broker, connection
        finally:
            await connection.close()


SESSION_S = 10.0


def names(broker: ScriptedBroker) -> list[str]:
    return [request.api.name for request in broker.seen]


async def test_the_next_request_waits_for_a_new_login() -> None:
    async with logged_in() as (broker, connection):
        assert names(broker) == []  # an idle connection is left in peace
        await asyncio.gather(ask(connection), ask(connection))
        assert names(broker) == ["SaslHandshake", "SaslAuthenticate", "Metadata", "Metadata"]
        assert connection.is_open


async def test_a_renewed_login_is_renewed_again() -> None:
    async with logged_in() as (broker, connection):
        for _ in range(2):
            await ask(connection)
            await asyncio.sleep(SESSION_S)
        assert names(broker) == ["SaslHandshake", "SaslAuthenticate", "Metadata"] * 2


async def test_what_is_under_way_is_answered_first() -> None:
    async with scripted() as (broker,):
        asks_for_login(broker, int(1000 * SESSION_S))
        connection = await open_connection(broker.address, settings(security=security("PLAIN")), chance=lambda: 0.0)
        may_answer = asyncio.Event()

        async def later(request: RequestFrame) -> Message:
            await may_answer.wait()
            return broker.metadata(request)

        broker.script[METADATA] = later
        first = ask(connection)
        await broker.heard(METADATA)
        await asyncio.sleep(SESSION_S)
        second = ask(connection)
        await turns(1)
        may_answer.set()
        await asyncio.gather(first, second)
        order = ["Metadata", "SaslHandshake", "SaslAuthenticate", "Metadata"]
        assert names(broker)[-4:] == order
        await connection.close()


async def test_an_exchange_waits_for_it_and_goes_on() -> None:
    async with scripted() as (broker,):
        asks_for_login(broker, int(1000 * SESSION_S))

        async def late_once(request: RequestFrame) -> Message:
            if len(broker.asked(FETCH)) == 2:
                await asyncio.sleep(SESSION_S)
            return answer_to(request)

        broker.script[FETCH] = late_once
        connection = await open_connection(broker.address, settings(security=security("PLAIN")), chance=lambda: 0.0)
        broker.seen.clear()
        exchange, deadline = Numbered(3), Deadline(20, "the exchange")
        await connection.send(FETCH, VERSION, exchange.begin(VERSION), deadline, exchange=exchange)
        order = names(broker)
        assert order[order.index("Fetch") :][-4:] == ["Fetch", "SaslHandshake", "SaslAuthenticate", "Fetch"]
        assert numbers(broker) == [1, 2, 3]
        await connection.close()


async def test_a_refused_renewal_ends_the_connection_with_the_brokers_words() -> None:
    async with logged_in() as (broker, connection):
        words = "Authentication failed during re-authentication"
        broker.script[SASL_AUTHENTICATE] = told(SaslAnswer(ErrorCode.SASL_AUTHENTICATION_FAILED, words))
        waiting = ask(connection)
        with pytest.raises(AuthenticationError, match=words):
            await waiting
        assert not connection.is_open
        assert "Metadata" not in names(broker)


async def test_a_renewal_is_called_off_with_its_connection() -> None:
    async with logged_in() as (broker, connection):
        broker.script[SASL_HANDSHAKE] = SILENCE
        waiting = ask(connection)
        await broker.heard(SASL_HANDSHAKE)
        await connection.close()
        with pytest.raises(DisconnectedError, match="closed by this client"):
            await waiting


async def test_a_renewal_that_fails_as_nobody_expected_ends_the_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    async def fails(*_: object) -> float:
        raise RuntimeError("nobody expected this")

    async with logged_in() as (_, connection):
        monkeypatch.setattr(authentication, "authenticate", fails)
        with pytest.raises(DisconnectedError, match="an unexpected RuntimeError"):
            await ask(connection)
        assert not connection.is_open
