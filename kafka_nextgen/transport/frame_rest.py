"""Receiving the rest of a frame in one go, where the extension in C can: a plain socket, and not on Windows.

A loop waits for the GIL twice for each piece that it receives, and a thread of the application's that never rests lets
go of it every 5 ms only (``sys.getswitchinterval``). Megabytes would come in pieces with milliseconds between them,
while the application waits for the records in them. And a broker writes what stands around records on its own: a small
answer may come in pieces as well, of which the next is there before the loop has turned. Meanwhile no other connection
is looked at, but for no longer than the application's thread makes them all wait anyway.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable

from kafka_nextgen.compiled import ACCELERATED, accelerator

__all__ = ["Receive", "receiver_of"]

#: How long (milliseconds) it goes on before the other connections have their turn.
MOST_MS = 5

#: Receives into a buffer what comes soon; returns how many bytes that was.
Receive = Callable[[memoryview], int]


def receiver_of(transport: asyncio.Transport) -> Receive | None:
    """What receives the rest of a frame from this connection's socket; None where only its loop can."""
    plain: socket.socket | None = transport.get_extra_info("socket")
    if plain is None or transport.get_extra_info("sslcontext") is not None:
        return None
    if not ACCELERATED or not hasattr(accelerator, "receive"):
        return None
    return lambda to: accelerator.receive(plain.fileno(), to, MOST_MS)
