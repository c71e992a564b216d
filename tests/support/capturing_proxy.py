"""A way to a broker that looks at what goes by: every request, and every answer beside the request it belongs to.

It listens on a port of its own, which the broker has to name as its address, or clients would go on without it. Frames
are passed on whole and unchanged, and told of before they are.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from struct import Struct

from attrs import frozen

_HEAD = Struct(">hhi")  # API key, version, correlation id
_INT32 = Struct(">i")


@frozen
class Captured:
    """A frame without its length, and the API and version of the request it is or answers."""

    is_request: bool
    api_key: int
    version: int
    frame: bytes


class CapturingProxy:
    """Runs in a thread of its own from the beginning to ``stop``; ``tell`` is called there."""

    def __init__(self, tell: Callable[[Captured], None]) -> None:
        self._tell = tell
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="capturing proxy", daemon=True)
        self._thread.start()

    def listen(self, target_port: int, port: int = 0) -> int:
        """Pass on what comes to ``port`` (0 for any) to ``target_port`` of this machine; return the port."""

        async def start() -> int:
            server = await asyncio.start_server(
                lambda reader, writer: self._connected(target_port, reader, writer), "127.0.0.1", port
            )
            return int(server.sockets[0].getsockname()[1])

        return asyncio.run_coroutine_threadsafe(start(), self._loop).result(10)

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    async def _connected(self, port: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            broker_reader, broker_writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            writer.close()
            return
        asked: dict[int, tuple[int, int]] = {}
        await asyncio.gather(
            self._pass_on(reader, broker_writer, lambda frame: self._request(frame, asked)),
            self._pass_on(broker_reader, writer, lambda frame: self._response(frame, asked)),
        )

    async def _pass_on(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, look: Callable[[bytes], None]
    ) -> None:
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                size = await reader.readexactly(_INT32.size)
                frame = await reader.readexactly(_INT32.unpack(size)[0])
                look(frame)
                writer.write(size + frame)
                await writer.drain()
        writer.close()

    def _request(self, frame: bytes, asked: dict[int, tuple[int, int]]) -> None:
        key, version, correlation_id = _HEAD.unpack_from(frame)
        asked[correlation_id] = (key, version)
        self._tell(Captured(True, key, version, frame))

    def _response(self, frame: bytes, asked: dict[int, tuple[int, int]]) -> None:
        key, version = asked.pop(_INT32.unpack_from(frame)[0])
        self._tell(Captured(False, key, version, frame))
