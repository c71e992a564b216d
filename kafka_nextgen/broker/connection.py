"""One connection: frames in, frames out, in order.

A frame is read, answered, and only then the next one is read, so answers keep the order of the requests and a slow
reader holds up nobody but itself; a fetch that waits for records holds up its own connection only. The length of a
frame is compared with ``socket.request.max.bytes`` before anything is read.
"""

from __future__ import annotations

import asyncio
import logging
from struct import Struct

from kafka_nextgen.broker.closing import CloseConnectionError
from kafka_nextgen.broker.dispatch import Dispatcher

__all__ = ["serve"]

_log = logging.getLogger(__name__)

_LENGTH = Struct(">i")


async def serve(
    dispatcher: Dispatcher, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, max_frame_bytes: int
) -> None:
    """Answer what comes until the peer leaves, or has to; then close."""
    peer = writer.get_extra_info("peername") or ("gone", 0)  # it may have left already
    try:
        while True:
            frame = await _read_frame(reader, max_frame_bytes)
            answer = await dispatcher.answer(frame, f"/{peer[0]}")
            if answer is not None:
                writer.write(answer)
                await writer.drain()
    except CloseConnectionError as error:
        _log.warning("closing the connection from %s: %s", peer, error)
    except (asyncio.IncompleteReadError, ConnectionError) as error:
        _log.debug("the connection from %s ended: %r", peer, error)
    finally:
        writer.transport.abort()


async def _read_frame(reader: asyncio.StreamReader, max_frame_bytes: int) -> bytes:
    (length,) = _LENGTH.unpack(await reader.readexactly(_LENGTH.size))
    if not 0 <= length <= max_frame_bytes:
        raise CloseConnectionError(
            f"a request of {length} bytes is not within socket.request.max.bytes={max_frame_bytes}"
        )
    return await reader.readexactly(length)
