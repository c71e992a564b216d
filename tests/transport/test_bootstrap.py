"""Reaching a first broker: dead servers, names that do not exist, ports where something else listens."""

from __future__ import annotations

import asyncio
import socket
import threading
from contextlib import AsyncExitStack

import pytest

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import DisconnectedError, NoBrokersError, RequestTimeoutError
from kafka_nextgen.properties.value_types import ServerAddress
from kafka_nextgen.transport import connecting
from kafka_nextgen.transport.connection import Connection
from kafka_nextgen.transport.waiting import Deadline
from kafka_nextgen.wire.apis import API_VERSIONS, METADATA, Api
from tests.support.kafka_properties import refusing_socket

from .scripted import (
    HANG_UP,
    SILENCE,
    Script,
    ScriptedBroker,
    client_of,
    scripted,
    settings,
    started,
    turns,
)

NO_SUCH_NAME = ServerAddress("no-such-name.invalid", 9092)


async def test_one_server_that_answers_is_enough(dead_server: ServerAddress) -> None:
    async with scripted() as (broker,), client_of(dead_server, NO_SUCH_NAME, broker) as client:
        await client.start()
        assert set(client.metadata.brokers) == {0}


async def test_when_none_answers_the_error_tells_what_happened_to_each(dead_server: ServerAddress) -> None:
    async with client_of(dead_server, NO_SUCH_NAME) as client:
        with pytest.raises(NoBrokersError) as caught:
            await client.start()
    assert f"{dead_server}: connection refused" in str(caught.value)
    assert f"{NO_SUCH_NAME}: the name can't be looked up" in str(caught.value)


async def test_start_may_be_called_again_once_a_broker_is_up() -> None:
    async with AsyncExitStack() as stack:
        bound = stack.enter_context(refusing_socket())
        client = await stack.enter_async_context(client_of(ServerAddress(*bound.getsockname())))
        with pytest.raises(NoBrokersError):
            await client.start()
        broker = await ScriptedBroker().start(bound)
        await client.start()
        assert set(client.metadata.brokers) == {0}
        await broker.stop()


@pytest.mark.parametrize(
    ("api", "answer", "said"),
    [
        (API_VERSIONS, b"HTTP/1.1 400 Bad Request\r\n\r\n", "look like HTTP"),
        (API_VERSIONS, b"\xff\xff\xff\xff", "declares a length of -1 bytes"),
        (API_VERSIONS, HANG_UP, "closed the connection"),
        (API_VERSIONS, SILENCE, "timed out after|not answered within"),
        (METADATA, HANG_UP, "closed the connection"),
    ],
    ids=["speaks HTTP", "garbage", "hangs up", "says nothing", "hangs up on the request for metadata"],
)
async def test_a_port_where_something_else_listens_is_passed_over(api: Api, answer: Script, said: str) -> None:
    async with scripted(2) as (stranger, broker):
        stranger.script[api] = answer
        async with client_of(stranger) as client:
            with pytest.raises(NoBrokersError, match=said):
                await client.start()
        async with client_of(stranger, broker) as client:
            await client.start()
            assert set(client.metadata.brokers) == {0, 1}


async def test_a_broker_that_refuses_metadata_is_no_way_in() -> None:
    async with scripted() as (broker,), client_of(broker) as client:
        refusal = broker.metadata
        broker.script[METADATA] = lambda request: refusal(request).replaced(
            error_code=ErrorCode.CLUSTER_AUTHORIZATION_FAILED
        )
        with pytest.raises(NoBrokersError, match="CLUSTER_AUTHORIZATION_FAILED"):
            await client.start()


#: Peers may call a host anything: these raise UnicodeError, OSError, OverflowError and ValueError.
IMPOSSIBLE = [("a..b", 9092), ("x" * 65, 9092), ("\ud800.example", 9092), ("localhost", 1 << 20), ("a\0b", 9092)]


@pytest.mark.parametrize(("host", "port"), IMPOSSIBLE)
async def test_an_address_that_can_t_be_one_is_a_failure_of_that_server_only(host: str, port: int) -> None:
    with pytest.raises(DisconnectedError):
        await connecting.open_connection(ServerAddress(host, port), settings())
    async with scripted() as (broker,), client_of(ServerAddress(host, port), broker) as client:
        await client.start()
        assert set(client.metadata.brokers) == {0}


async def test_whatever_goes_wrong_in_connecting_is_a_failure_of_that_server(monkeypatch: pytest.MonkeyPatch) -> None:
    original = connecting.learn_versions
    asked: list[object] = []

    async def fails_once(connection: Connection, deadline: Deadline, meant: object = None) -> None:
        asked.append(connection)
        if len(asked) == 1:
            raise RuntimeError("nobody expected this")
        await original(connection, deadline)

    monkeypatch.setattr(connecting, "learn_versions", fails_once)
    async with scripted(2) as (first, second), client_of(first, second) as client:
        await client.start()
        assert set(client.metadata.brokers) == {0, 1}
    assert len(asked) == 2


async def test_a_name_that_is_looked_up_already_is_not_looked_up_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    loop, asked, ends = asyncio.get_running_loop(), asyncio.Event(), threading.Event()
    calls: list[object] = []

    def getaddrinfo(*where: object, **_: object) -> list[object]:
        calls.append(where)
        loop.call_soon_threadsafe(asked.set)
        ends.wait()
        return [(socket.AF_INET, 0, 0, "", ("127.0.0.1", 0))]

    monkeypatch.setattr(connecting, "getaddrinfo", getaddrinfo)
    resolver, slow = connecting.Resolver(), ServerAddress("slow.example", 9092)
    first = asyncio.ensure_future(resolver.look_up(slow, 20))
    await asked.wait()
    with pytest.raises(RequestTimeoutError, match="looking up the name"):
        await resolver.look_up(slow, 0)
    again = asyncio.ensure_future(resolver.look_up(slow, 20))
    await turns(1)
    ends.set()
    assert await first == await again == ["127.0.0.1"]
    assert len(calls) == 1


async def test_whatever_a_lookup_raises_is_a_failure_of_that_server(monkeypatch: pytest.MonkeyPatch) -> None:
    def getaddrinfo(*_: object, **__: object) -> list[object]:
        raise SystemError("not foreseen")

    monkeypatch.setattr(connecting, "getaddrinfo", getaddrinfo)
    with pytest.raises(DisconnectedError, match=r"the name can't be looked up \(SystemError\)"):
        await connecting.Resolver().look_up(ServerAddress("odd.example", 9092), 20)


async def test_every_address_of_a_name_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    async with scripted() as (broker,):
        two = [(socket.AF_INET6, 0, 0, "", ("::1", 0, 0, 0)), (socket.AF_INET, 0, 0, "", ("127.0.0.1", 0))]

        monkeypatch.setattr(connecting, "getaddrinfo", lambda *_, **__: two[:1] if broker.connections else two)
        name = ServerAddress("twofold", broker.address.port)
        connection = await connecting.open_connection(name, settings())
        await connection.close()
        with pytest.raises(DisconnectedError, match="twofold"):
            await connecting.open_connection(name, settings())


async def test_after_close_nothing_is_reached() -> None:
    async with started() as (client, _broker):
        await client.close()
        with pytest.raises(DisconnectedError, match="this client is closed"):
            await client.refresh_metadata()
