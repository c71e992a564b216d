"""One connection: frames in, frames out, in order.

A frame is read, answered, and only then the next one is read, so answers keep the order of the requests and a slow
reader holds up nobody but itself; a fetch that waits for records holds up its own connection only. The length of a
frame is compared with ``socket.request.max.bytes`` before anything is read, and with the much smaller
``sasl.server.max.receive.size`` as long as nobody knows who sends it.

A client that exceeds a quota is answered at once, but nothing more is read from it for as long as it was told
(KIP-219).

A client that could not authenticate is told so a little later than it could be, which slows down those who guess
(KIP-306), and is then hung up on.
"""

from __future__ import annotations

import asyncio
from struct import Struct

from kafka_nextgen.broker.closing import CloseConnectionError
from kafka_nextgen.broker.dispatch import Dispatcher
from kafka_nextgen.broker.peer import Peer
from kafka_nextgen.broker.settings import BrokerSettings
from kafka_nextgen.logs import logger_of

__all__ = ["serve"]

_log = logger_of(__name__)

_LENGTH = Struct(">i")


async def serve(
    dispatcher: Dispatcher,
    peer: Peer,
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    settings: BrokerSettings,
) -> None:
    """Answer what comes until the peer leaves, or has to; then close."""
    try:
        while True:
            frame = await _read_frame(reader, *_limit(peer, settings))
            reply = await dispatcher.answer(frame, peer)
            if peer.has_failed:
                await asyncio.sleep(settings.connection_failed_authentication_delay_ms / 1000)
            if reply.frame is not None:
                writer.write(reply.frame)
                await writer.drain()
            if peer.has_failed:
                raise CloseConnectionError("it could not authenticate")
            if reply.muted_s:
                await asyncio.sleep(reply.muted_s)
    except CloseConnectionError as error:
        _log.warning("closing the connection from %s: %s", peer.host, error)
    except (asyncio.IncompleteReadError, OSError) as error:  # those of TLS are no ConnectionError
        _log.debug("the connection from %s ended: %r", peer.host, error)
    finally:
        writer.transport.abort()


def _limit(peer: Peer, settings: BrokerSettings) -> tuple[int, str]:
    if peer.is_authenticated:
        return settings.socket_request_max_bytes, "socket.request.max.bytes"
    return settings.sasl_server_max_receive_size, "sasl.server.max.receive.size"


async def _read_frame(reader: asyncio.StreamReader, most: int, setting: str) -> bytes:
    (length,) = _LENGTH.unpack(await reader.readexactly(_LENGTH.size))
    if not 0 <= length <= most:
        raise CloseConnectionError(f"a request of {length} bytes is not within {setting}={most}")
    return await reader.readexactly(length)
