"""Where one node listens, and the connections it has.

Connections are accepted here rather than by ``asyncio.start_server``, whose server loses one that comes while it
closes: every connection is known from its first moment, and ``close`` leaves none behind.
"""

from __future__ import annotations

import asyncio
import logging
import socket

from kafka_nextgen.broker.connection import serve
from kafka_nextgen.broker.dispatch import Dispatcher

__all__ = ["Server"]

_log = logging.getLogger(__name__)

_BACKLOG = 128  # connections the system keeps for us until they are accepted
_READ_AHEAD = 1024 * 1024  # bytes that are taken in before the peer is held up
_PAUSE_S = 1.0  # after the system could not give us another connection


class Server:
    """Listens for one node and serves its connections, each in its task.

    ``max_frame_bytes`` is ``socket.request.max.bytes``, ``max_connections`` is ``max.connections``.
    """

    def __init__(self, dispatcher: Dispatcher, max_frame_bytes: int, max_connections: int) -> None:
        self._dispatcher = dispatcher
        self._max_frame_bytes = max_frame_bytes
        self._max_connections = max_connections
        self._listener: socket.socket | None = None
        self._accepting: asyncio.Task[None] | None = None
        self._connections: dict[asyncio.Task[None], asyncio.StreamWriter] = {}

    async def start(self, host: str, port: int) -> int:
        """Listen; return the port, which the system chooses if ``port`` is 0. Raises ``OSError``."""
        loop = asyncio.get_running_loop()
        flags = socket.AI_PASSIVE
        addresses = await loop.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=flags)
        family, _, _, _, address = addresses[0]
        self._listener = socket.create_server(address, family=family, backlog=_BACKLOG)
        self._listener.setblocking(False)
        self._accepting = loop.create_task(self._accept_all(self._listener))
        listening: int = self._listener.getsockname()[1]
        return listening

    async def close(self) -> None:
        """Stop listening, and close every connection."""
        if self._listener is None or self._accepting is None:
            return
        self._accepting.cancel()
        await asyncio.gather(self._accepting, return_exceptions=True)
        self._listener.close()
        connections = dict(self._connections)
        for task, writer in connections.items():
            writer.transport.abort()
            task.cancel()
        await asyncio.gather(*connections, return_exceptions=True)

    async def _accept_all(self, listener: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        while True:
            try:
                connected, _ = await loop.sock_accept(listener)
                await self._accept(connected)
            except ConnectionError as error:  # the peer is gone already
                _log.debug("a connection ended before it was accepted: %s", error)
            except OSError as error:  # too many open files
                _log.warning("a connection could not be accepted: %s", error)
                await asyncio.sleep(_PAUSE_S)

    async def _accept(self, connected: socket.socket) -> None:
        reader, writer = await asyncio.open_connection(sock=connected, limit=_READ_AHEAD)
        if len(self._connections) >= self._max_connections:
            _log.warning("a connection is refused: there are max.connections=%d already", self._max_connections)
            writer.transport.abort()
            return
        serving = serve(self._dispatcher, reader, writer, self._max_frame_bytes)
        task = asyncio.get_running_loop().create_task(serving)
        self._connections[task] = writer
        task.add_done_callback(self._connections.pop)
