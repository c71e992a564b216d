"""Opening a connection to a server: every address its name has, IPv6 and IPv4, until one answers.

A server counts as reached once it said which versions it speaks, so that a port where something else listens, or
nothing answers, is found out here and not by the first request. Each address has ``setup_timeout_s`` for all of it.
"""

from __future__ import annotations

import asyncio
import socket
from typing import TypeVar

from kafka_nextgen.errors import DisconnectedError, KafkaNextgenError
from kafka_nextgen.properties import ServerAddress
from kafka_nextgen.transport.connection import Connection
from kafka_nextgen.transport.deadline import Deadline
from kafka_nextgen.transport.negotiation import learn_versions
from kafka_nextgen.transport.settings import TransportSettings
from kafka_nextgen.transport.traffic import Traffic

__all__ = ["dial"]

T = TypeVar("T")


async def dial(address: ServerAddress, settings: TransportSettings, traffic: Traffic | None = None) -> Connection:
    """Connect to a server and learn what it speaks; ``traffic`` counts what goes over it.

    Raises ``DisconnectedError`` that tells what happened at each address, or whatever went wrong at the only one.
    """
    failures: list[KafkaNextgenError] = []
    for host in await _resolve(address, settings.setup_timeout_s):
        try:
            return await _open(address, host, settings, traffic or Traffic())
        except KafkaNextgenError as failure:
            failures.append(failure)
    if len(failures) == 1:
        raise failures[0]
    raise DisconnectedError("; ".join(str(failure) for failure in failures))


async def _resolve(address: ServerAddress, timeout_s: float) -> list[str]:
    """The addresses of a name, each once and in the system's order (which weighs IPv6 against IPv4)."""
    loop = asyncio.get_running_loop()
    lookup = loop.create_task(loop.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM))
    try:
        found = await Deadline(timeout_s, f"{address}: looking up the name").wait(lookup)
    except OSError as error:
        raise DisconnectedError(f"{address}: the name can't be looked up ({error.strerror or error})") from error
    finally:
        await _drop(lookup)
    return list(dict.fromkeys(str(sockaddr[0]) for *_, sockaddr in found))


async def _open(address: ServerAddress, host: str, settings: TransportSettings, traffic: Traffic) -> Connection:
    deadline = Deadline(settings.setup_timeout_s, f"{address}: connecting to {host}")
    connection = Connection(address, settings, traffic)
    loop = asyncio.get_running_loop()
    connecting = loop.create_task(loop.create_connection(lambda: connection, host, address.port))
    try:
        await deadline.wait(connecting)
        await learn_versions(connection, deadline)
    except OSError as error:
        raise DisconnectedError(f"{address}: {_reason(error)} at {host}") from error
    except BaseException:
        await _drop(connecting)
        await connection.close()
        raise
    return connection


async def _drop(task: asyncio.Task[T]) -> None:
    """Let nothing of a task be left, whatever it came to."""
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


def _reason(error: OSError) -> str:
    if isinstance(error, ConnectionRefusedError):
        return "connection refused"
    return (error.strerror or str(error)).lower()
