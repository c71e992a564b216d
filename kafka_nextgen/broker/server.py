"""The connections of one node: frames in, frames out, in order.

A connection is one task. It reads a frame, answers it, and only then reads the next, so answers keep the order of
the requests and a slow reader holds up nobody but itself; a fetch that waits for records holds up its own
connection only. The length of a frame is compared with ``socket.request.max.bytes`` before anything is read.
"""

from __future__ import annotations

import asyncio
import logging
from struct import Struct

from kafka_nextgen.broker.closing import CloseConnectionError
from kafka_nextgen.broker.dispatch import Dispatcher

__all__ = ["Server"]

_log = logging.getLogger(__name__)

_LENGTH = Struct(">i")
_READ_AHEAD = 1024 * 1024  # bytes that are taken in before the peer is held up


class Server:
    """Listens for one node and serves its connections.

    ``max_frame_bytes`` is ``socket.request.max.bytes``, ``max_connections`` is ``max.connections``.
    """

    def __init__(self, dispatcher: Dispatcher, max_frame_bytes: int, max_connections: int) -> None:
        self._dispatcher = dispatcher
        self._max_frame_bytes = max_frame_bytes
        self._max_connections = max_connections
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()

    async def start(self, host: str, port: int) -> int:
        """Listen; return the port, which the system chooses if ``port`` is 0. Raises ``OSError``."""
        self._server = await asyncio.start_server(self._accept, host, port, limit=_READ_AHEAD)
        listening: int = self._server.sockets[0].getsockname()[1]
        return listening

    async def close(self) -> None:
        """Stop listening, and close every connection."""
        if self._server is None:
            return
        self._server.close()
        for task in tuple(self._connections):
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)
        await self._server.wait_closed()
        self._server = None

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            await self._serve(reader, writer)
        except asyncio.CancelledError:
            pass  # only close() cancels, and asks no more of this task than to end
        finally:
            self._connections.discard(task)
            writer.transport.abort()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        peer = writer.get_extra_info("peername")
        host = str(peer[0]) if peer else ""
        try:
            self._admit()
            while True:
                answer = await self._dispatcher.answer(await self._read_frame(reader), f"/{host}")
                if answer is not None:
                    writer.write(answer)
                    await writer.drain()
        except CloseConnectionError as error:
            _log.warning("closing the connection from %s: %s", peer, error)
        except (asyncio.IncompleteReadError, ConnectionError) as error:
            _log.debug("the connection from %s ended: %r", peer, error)

    def _admit(self) -> None:
        if len(self._connections) > self._max_connections:
            raise CloseConnectionError(f"there are max.connections={self._max_connections} connections already")

    async def _read_frame(self, reader: asyncio.StreamReader) -> bytes:
        (length,) = _LENGTH.unpack(await reader.readexactly(_LENGTH.size))
        if not 0 <= length <= self._max_frame_bytes:
            raise CloseConnectionError(
                f"a request of {length} bytes is not within socket.request.max.bytes={self._max_frame_bytes}"
            )
        return await reader.readexactly(length)
