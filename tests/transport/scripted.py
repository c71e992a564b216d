"""A TCP server that answers as a test tells it to.

By default it supports all versions of every API, reports its ``brokers`` and ``topics``, and names itself as every
group's coordinator. ``script[api]`` replaces the answer: a message, raw bytes (written as they are), ``SILENCE`` or
``HANG_UP``; or a function (or coroutine function) of the request that returns one of these.
"""

from __future__ import annotations

import asyncio
import inspect
import socket
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from enum import Enum
from struct import pack, unpack
from typing import Any

from attrs import define, field

from kafka_nextgen.properties.value_types import ServerAddress
from kafka_nextgen.requests import find_coordinator
from kafka_nextgen.requests.api_versions import BrokerVersions
from kafka_nextgen.testing.messages import api_versions
from kafka_nextgen.testing.messages import find_coordinator as broker_find_coordinator
from kafka_nextgen.transport.cluster import ClusterClient
from kafka_nextgen.transport.connection import Connection
from kafka_nextgen.transport.retrying import Backoff
from kafka_nextgen.transport.settings import TransportSettings
from kafka_nextgen.transport.waiting import Deadline
from kafka_nextgen.types import TopicId
from kafka_nextgen.wire import frames
from kafka_nextgen.wire.apis import API_VERSIONS, APIS, FIND_COORDINATOR, METADATA, Api
from kafka_nextgen.wire.frames import RequestFrame
from kafka_nextgen.wire.messages import MetadataRequest, MetadataResponse
from kafka_nextgen.wire.schema import Message

ALL_VERSIONS = {api.key: (api.min_version, api.max_version) for api in APIS.values()}


class Act(Enum):
    SILENCE = "silence"
    HANG_UP = "hang up"


SILENCE, HANG_UP = Act.SILENCE, Act.HANG_UP
Answer = Message | bytes | Act
Script = Answer | Callable[[RequestFrame], object]


def framed(payload: bytes) -> bytes:
    return pack(">i", len(payload)) + payload


def encoded(request: RequestFrame, message: Message) -> bytes:
    """The answer as a frame with its length."""
    return frames.encode_response(request.api, message, request.version, request.correlation_id)


@define(eq=False)
class ScriptedBroker:
    node_id: int = 0
    script: dict[Api, Script] = field(factory=dict)
    piece_bytes: int | None = None  # write answers in pieces of this many bytes
    brokers: dict[int, ServerAddress] = field(factory=dict)
    topics: dict[str, TopicId] = field(factory=dict)
    coordinator: ServerAddress | None = None
    tls: ssl.SSLContext | None = None
    seen: list[RequestFrame] = field(factory=list)
    connections: int = 0
    address: ServerAddress = field(init=False)
    _server: asyncio.Server = field(init=False)
    _writers: set[asyncio.StreamWriter] = field(factory=set)
    _heard: asyncio.Condition = field(factory=asyncio.Condition)

    async def start(self, at: socket.socket | None = None) -> ScriptedBroker:
        """Listen at any port, or at this socket, which is bound to one."""
        where: dict[str, Any] = {"host": "127.0.0.1", "port": 0} if at is None else {"sock": at}
        self._server = await asyncio.start_server(self._serve, **where, ssl=self.tls)
        self.address = ServerAddress("127.0.0.1", self._server.sockets[0].getsockname()[1])
        self.brokers = self.brokers or {self.node_id: self.address}
        self.coordinator = self.coordinator or self.address
        return self

    async def stop(self) -> None:
        self._server.close()
        self.drop_connections()

    def drop_connections(self) -> None:
        for writer in self._writers:
            writer.transport.abort()

    def asked(self, api: Api) -> list[RequestFrame]:
        return [request for request in self.seen if request.api is api]

    async def heard(self, api: Api, times: int = 1) -> RequestFrame:
        """Wait for that many requests of ``api``; return the last of them."""
        async with self._heard:
            await self._heard.wait_for(lambda: len(self.asked(api)) >= times)
        return self.asked(api)[times - 1]

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self._writers.add(writer)
        try:
            while True:
                (length,) = unpack(">i", await reader.readexactly(4))
                request = frames.decode_request(await reader.readexactly(length))
                async with self._heard:
                    self.seen.append(request)
                    self._heard.notify_all()
                await self._answer(request, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            self._writers.discard(writer)
            writer.close()

    async def _answer(self, request: RequestFrame, writer: asyncio.StreamWriter) -> None:
        answer: object = self.script.get(request.api, self._by_default)
        if callable(answer):
            answer = answer(request)
        if inspect.isawaitable(answer):
            answer = await answer
        if answer is HANG_UP:
            raise ConnectionResetError
        if answer is not SILENCE:
            await self._write(answer if isinstance(answer, bytes) else encoded(request, answer), writer)

    async def _write(self, data: bytes, writer: asyncio.StreamWriter) -> None:
        step = self.piece_bytes or len(data)
        for start in range(0, len(data), step):
            writer.write(data[start : start + step])
            await writer.drain()
            await asyncio.sleep(0)

    def _by_default(self, request: RequestFrame) -> Answer:
        if request.api is API_VERSIONS:
            return api_versions.to_response(BrokerVersions(ranges=ALL_VERSIONS))
        if request.api is METADATA:
            return self.metadata(request)
        if request.api is FIND_COORDINATOR:
            _, keys = broker_find_coordinator.from_request(request.message)
            return self.names_coordinator(keys[0], request.version)
        raise AssertionError(f"no script for {request.api}")

    def names_coordinator(self, group_id: str, version: int, error: int = 0) -> Message:
        assert self.coordinator is not None
        host, port = self.coordinator.host, self.coordinator.port
        found = find_coordinator.FoundCoordinator(group_id, 0, host, port, error)
        return broker_find_coordinator.to_response([found], version)

    def metadata(self, request: RequestFrame) -> MetadataResponse:
        r = MetadataResponse
        asked = request.message.topics
        names = {topic.name for topic in asked} if asked is not None else set(self.topics)
        ids = {topic.topic_id for topic in asked or ()}
        return r(
            brokers=[
                r.MetadataResponseBroker(node_id=n, host=at.host, port=at.port, rack=None)
                for n, at in self.brokers.items()
            ],
            cluster_id="scripted",
            controller_id=self.node_id,
            topics=[
                r.MetadataResponseTopic(error_code=0, name=name, topic_id=topic_id, is_internal=False, partitions=[])
                for name, topic_id in self.topics.items()
                if name in names or topic_id in ids
            ]
            + [
                r.MetadataResponseTopic(error_code=3, name=name, topic_id=None, is_internal=False, partitions=[])
                for name in sorted(names - self.topics.keys() - {None})
            ],
            error_code=0,
        )


def settings(*servers: ServerAddress, **changes: object) -> TransportSettings:
    """Settings for tests: long timeouts for slow machines, and very short backoffs."""
    values: dict[str, object] = {
        "bootstrap_servers": servers,
        "request_timeout_s": 20.0,
        "unreachable_timeout_s": 0.0,
        "retry_backoff": Backoff(0.001, 0.01),
        "reconnect_backoff": Backoff(0.001, 0.01),
        **changes,
    }
    return TransportSettings(**values)  # type: ignore[arg-type]


@asynccontextmanager
async def scripted(count: int = 1, server: ssl.SSLContext | None = None) -> AsyncIterator[list[ScriptedBroker]]:
    """``count`` brokers of one cluster; with TLS if ``server`` is given."""
    brokers = [await ScriptedBroker(node_id, tls=server).start() for node_id in range(count)]
    for broker in brokers:
        broker.brokers = {other.node_id: other.address for other in brokers}
    try:
        yield brokers
    finally:
        for broker in brokers:
            await broker.stop()


@asynccontextmanager
async def client_of(*servers: ScriptedBroker | ServerAddress, **changes: object) -> AsyncIterator[ClusterClient]:
    """A client with these bootstrap servers, not started yet."""
    addresses = [server.address if isinstance(server, ScriptedBroker) else server for server in servers]
    client = ClusterClient(settings(*addresses, **changes), chance=lambda: 0.5)
    try:
        yield client
    finally:
        await client.close()


@asynccontextmanager
async def started(count: int = 1, **changes: object) -> AsyncIterator[tuple[Any, ...]]:
    """A client that knows ``count`` brokers by the first of them, and these brokers."""
    async with scripted(count) as brokers, client_of(brokers[0], **changes) as client:
        await client.start()
        yield client, *brokers


def question(version: int = 13) -> MetadataRequest:
    """A request for no topics, in any version."""
    return MetadataRequest(topics=[], allow_auto_topic_creation=False)


async def request(connection: Connection, api: Api, version: int, message: Message, deadline: Deadline) -> Message:
    """Send a request and wait for its answer; nothing is sent before this is awaited."""
    return await connection.send(api, version, message, deadline)


async def turns(count: int = 10) -> None:
    """Let other tasks run; no time passes."""
    for _ in range(count):
        await asyncio.sleep(0)


def now() -> float:
    """Seconds of turned time."""
    return asyncio.get_running_loop().time()
