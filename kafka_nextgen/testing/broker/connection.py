"""One connection: reads request frames and writes response frames, in order.

The next frame is read only after the last one was answered, so answers keep the order of the requests, and a slow
reader or a fetch that waits for records delays only its own connection. The length of a frame may not exceed
``socket.request.max.bytes``, or the much smaller ``sasl.server.max.receive.size`` until the client has authenticated.

The connection is closed if the client takes more than ``connections.max.idle.ms`` to send a whole request, or to
receive a response. The time in which the broker works on the request, or waits for records, does not count.

A client that exceeds a quota is answered immediately, but nothing more is read from it for its throttle time (KIP-219).

A client that fails to authenticate gets the error after a delay, which slows down guessing (KIP-306); then the
connection is closed.

Large requests are charged to ``queued.max.request.bytes`` before they are read (KIP-72). A request may be read as soon
as any bytes are free, even if it is larger than that, so that the largest requests are read too; while none are free,
large requests wait. Small requests are not counted, since every connection buffers that much anyway.
"""

from __future__ import annotations

import asyncio
from math import inf
from struct import Struct

from attrs import field

from kafka_nextgen.lazy_attrs import define
from kafka_nextgen.logs import logger_of
from kafka_nextgen.testing.broker.dispatch import Dispatcher, Reply
from kafka_nextgen.testing.broker.peer import Peer
from kafka_nextgen.testing.broker.refusal import CloseConnectionError
from kafka_nextgen.testing.broker.settings import BrokerSettings
from kafka_nextgen.transport.waiting import LazyTimer

__all__ = ["SMALL_REQUEST_BYTES", "Connection", "RequestMemory"]

_log = logger_of(__name__)

_LENGTH = Struct(">i")

#: Requests up to this size (bytes) are not counted; connections read ahead that far.
SMALL_REQUEST_BYTES = 1024 * 1024


@define(eq=False)
class Connection:
    """The broker's end of one connection."""

    _dispatcher: Dispatcher
    _peer: Peer
    _reader: asyncio.StreamReader
    _writer: asyncio.StreamWriter
    _settings: BrokerSettings
    _memory: RequestMemory
    _timer: LazyTimer = field(init=False)
    _idle_until: float = field(default=inf, init=False)  # the loop's clock; infinity while the client is not waited for

    @_timer.default
    def _timer_of_an_idle_client(self) -> LazyTimer:
        return LazyTimer(self._on_timer)

    async def serve(self) -> None:
        """Answer requests until either side ends the connection; then close it."""
        try:
            while True:
                await self._serve_one()
        except CloseConnectionError as error:
            _log.warning("closing the connection from %s: %s", self._peer.host, error)
        except (asyncio.IncompleteReadError, OSError) as error:  # TLS errors are not ConnectionErrors
            _log.debug("the connection from %s ended: %r", self._peer.host, error)
        finally:
            self._timer.stop()
            self._writer.transport.abort()

    async def _serve_one(self) -> None:
        self._wait_for_client()
        length = await self._read_length()
        await self._memory.take(length)
        try:
            frame = await self._reader.readexactly(length)
            self._idle_until = inf
            await self._answer(await self._dispatcher.answer(frame, self._peer))
        finally:
            self._memory.give_back(length)

    async def _answer(self, reply: Reply) -> None:
        if self._peer.has_failed:
            await asyncio.sleep(self._settings.connection_failed_authentication_delay_ms / 1000)
        if reply.frame is not None:
            self._wait_for_client()
            self._writer.write(reply.frame)
            await self._writer.drain()
        if self._peer.has_failed:
            raise CloseConnectionError("it could not authenticate")
        if reply.is_last:
            raise CloseConnectionError("a fault of the test cuts it in the middle of an answer")
        if reply.muted_s:
            self._idle_until = inf
            await asyncio.sleep(reply.muted_s)

    async def _read_length(self) -> int:
        (length,) = _LENGTH.unpack(await self._reader.readexactly(_LENGTH.size))
        most, setting = self._limit()
        if not 0 <= length <= most:
            raise CloseConnectionError(f"a request length of {length} bytes is not between 0 and {setting}={most}")
        return int(length)

    def _limit(self) -> tuple[int, str]:
        if self._peer.is_authenticated:
            return self._settings.socket_request_max_bytes, "socket.request.max.bytes"
        return self._settings.sasl_server_max_receive_size, "sasl.server.max.receive.size"

    def _wait_for_client(self) -> None:
        self._idle_until = asyncio.get_running_loop().time() + self._settings.connections_max_idle_ms / 1000
        self._timer.fire_by(self._idle_until)

    def _on_timer(self, now: float) -> None:
        if now < self._idle_until < inf:
            self._timer.fire_by(self._idle_until)
        elif now >= self._idle_until:
            self._end_idle()

    def _end_idle(self) -> None:
        limit = f"connections.max.idle.ms={self._settings.connections_max_idle_ms}"
        _log.warning("closing the connection from %s: it was idle for %s", self._peer.host, limit)
        self._writer.transport.abort()


class RequestMemory:
    """The free part of ``queued.max.request.bytes``; unlimited if that is not positive."""

    def __init__(self, max_bytes: int) -> None:
        self._left = max_bytes if max_bytes > 0 else None
        self._given_back = asyncio.Event()

    async def take(self, size: int) -> None:
        """Wait until a request of ``size`` bytes may be read."""
        if self._left is None or size <= SMALL_REQUEST_BYTES:
            return
        while self._left <= 0:
            self._given_back.clear()
            await self._given_back.wait()
        self._left -= size

    def give_back(self, size: int) -> None:
        """Release the bytes that ``take`` reserved for a request of ``size`` bytes."""
        if self._left is not None and size > SMALL_REQUEST_BYTES:
            self._left += size
            self._given_back.set()
