"""An exchange with numbered requests, and the broker that answers it."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from attrs import Factory, define, frozen

from kafka_nextgen.transport.connecting import open_connection
from kafka_nextgen.transport.connection import Connection
from kafka_nextgen.transport.security.settings import Security
from kafka_nextgen.transport.waiting import Deadline, EagerFuture
from kafka_nextgen.wire.apis import API_VERSIONS, FETCH, METADATA, Answer
from kafka_nextgen.wire.frames import RequestFrame, decode_response, encode_request
from kafka_nextgen.wire.messages import FetchRequest, FetchResponse
from kafka_nextgen.wire.schema import Message
from tests.transport.scripted import Act, ScriptedBroker, question, request, scripted, settings

AN_HOUR_S = 3600.0
VERSION = 12


@define
class Numbered:
    """An exchange of ``length`` requests; ``max_bytes`` is the number of each, ``session_id`` that of its answer."""

    length: int
    so_far: int = 1
    heard: list[str] = Factory(list)
    has_bug: bool = False
    version: int = VERSION

    wants_lending = False

    def begin(self, version: int) -> Message:
        self.version = version
        return self._request()

    def _request(self) -> Message:
        return FetchRequest(max_bytes=self.so_far, topics=[], forgotten_topics_data=[])

    def follow(self, frame: memoryview, correlation_id: int) -> bytes | None:
        _, answer = decode_response(FETCH, self.version, frame)
        self.heard.append(f"answer {answer.session_id}")
        assert not self.has_bug, "a bug"
        if self.so_far == self.length:
            return None
        self.so_far += 1
        return encode_request(self._request(), self.version, correlation_id, None)

    def sent(self) -> None:
        self.heard.append(f"sent {self.so_far}")


#: What a ``Numbered`` of three requests hears.
ALL_OF_THREE = ["answer 1", "sent 2", "answer 2", "sent 3", "answer 3"]


def answer_to(request: RequestFrame, records: bytes = b"") -> FetchResponse:
    assert request.message is not None
    topic = FetchResponse.FetchableTopicResponse
    part = topic.PartitionData(partition_index=0, high_watermark=0, records=records)
    return FetchResponse(
        throttle_time_ms=0,
        session_id=request.message.max_bytes,
        responses=[topic(topic="orders", partitions=[part])] if records else [],
    )


def answers(*, ends: Act | None = None, after: int = 1) -> Callable[[RequestFrame], object]:
    """A script that answers each request, or does ``ends`` to those numbered above ``after``."""

    def answer(request: RequestFrame) -> object:
        if ends is not None and request.message is not None and request.message.max_bytes > after:
            return ends
        return answer_to(request)

    return answer


def numbers(broker: ScriptedBroker) -> list[int]:
    """The numbers of the requests that a broker received."""
    return [request.message.max_bytes for request in broker.asked(FETCH) if request.message is not None]


def order(broker: ScriptedBroker) -> list[str]:
    """All requests but ApiVersions that a broker received: numbers of fetches, names of others."""
    return [
        str(request.message.max_bytes) if request.api is FETCH and request.message else request.api.name
        for request in broker.seen
        if request.api is not API_VERSIONS
    ]


def begin(connection: Connection, exchange: Numbered, timeout_s: float = 20.0) -> asyncio.Task[Answer]:
    """Send the first request now; the task returns the last answer."""
    deadline = Deadline(timeout_s, "the request")
    return awaited(connection.send(FETCH, VERSION, exchange.begin(VERSION), deadline, exchange=exchange))


def ask(connection: Connection, timeout_s: float = 20.0) -> asyncio.Task[Answer]:
    """Ask another question, now."""
    asking = request(connection, METADATA, 13, question(), Deadline(timeout_s, "the question"))
    return asyncio.get_running_loop().create_task(asking)


def awaited(reply: EagerFuture[Answer]) -> asyncio.Task[Answer]:
    async def hear() -> Answer:
        return await reply

    return asyncio.create_task(hear())


@frozen
class Line:
    """The TLS settings of both ends of a connection."""

    server: ssl.SSLContext | None = None
    changes: dict[str, Security] = Factory(dict)


@asynccontextmanager
async def connected(line: Line | None = None, **changes: object) -> AsyncIterator[tuple[ScriptedBroker, Connection]]:
    line = line or Line()
    async with scripted(server=line.server) as (broker,):
        broker.script[FETCH] = answers()
        connection = await open_connection(broker.address, settings(**line.changes, **changes))
        try:
            yield broker, connection
        finally:
            await connection.close()
