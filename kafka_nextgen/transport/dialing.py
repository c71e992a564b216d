"""Opening a connection to a server: every address its name has, IPv6 and IPv4, until one answers.

A server counts as reached once it proved who it is (TLS), said which versions it speaks and took our login (SASL), so
that a port where something else listens, or nothing answers, is found out here and not by the first request. Each
address has ``setup_timeout_s`` for all of it. Who refuses us, or is not who it should be, is not asked again at another
of its addresses.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from typing import TypeVar

from attrs import frozen

from kafka_nextgen.errors import (
    BrokerError,
    DecodeError,
    DisconnectedError,
    KafkaNextgenError,
    OutageError,
    TransportError,
)
from kafka_nextgen.properties import ServerAddress
from kafka_nextgen.transport.connection import Connection
from kafka_nextgen.transport.deadline import Deadline
from kafka_nextgen.transport.negotiation import learn_versions
from kafka_nextgen.transport.resolving import Resolver
from kafka_nextgen.transport.security.exchanges import Login
from kafka_nextgen.transport.security.tls_errors import tls_failure
from kafka_nextgen.transport.settings import TransportSettings
from kafka_nextgen.transport.traffic import Traffic

__all__ = ["dial"]

T = TypeVar("T")


async def dial(
    address: ServerAddress,
    settings: TransportSettings,
    traffic: Traffic | None = None,
    chance: Callable[[], float] = random.random,
    resolver: Resolver | None = None,
) -> Connection:
    """Connect to a server, learn what it speaks and log in; ``traffic`` counts what goes over it.

    Raises nothing but ``AuthenticationError``, ``OutageError``, ``DecodeError`` or ``BrokerError``: the failure of the
    only address, or ``DisconnectedError`` that tells what happened at each. ``chance`` gives numbers in [0, 1), for
    when a login is renewed.
    """
    opening = _Opening(address, settings, traffic or Traffic(), chance)
    failures: list[KafkaNextgenError] = []
    for host in await (resolver or Resolver()).look_up(address, settings.setup_timeout_s):
        try:
            return await opening.at(host)
        except (OutageError, DecodeError, BrokerError) as failure:
            failures.append(failure)
    if len(failures) == 1:
        raise failures[0]
    raise DisconnectedError("; ".join(str(failure) for failure in failures))


@frozen
class _Opening:
    """One server, and how connections to it are opened."""

    address: ServerAddress
    settings: TransportSettings
    traffic: Traffic
    chance: Callable[[], float]

    async def at(self, host: str) -> Connection:
        """Open one at this address of the server. Raises ``KafkaNextgenError``."""
        deadline = Deadline(self.settings.setup_timeout_s, f"{self.address}: connecting to {host}")
        connection = Connection(self.address, self.settings, self.traffic)
        connecting = asyncio.get_running_loop().create_task(self._connect(connection, host))
        try:
            await deadline.wait(connecting)
            await self._introduce(connection, deadline)
        except BaseException as error:
            await _drop(connecting)
            await connection.close()
            if isinstance(error, KafkaNextgenError) or not isinstance(error, Exception):
                raise
            raise self._failure(error, host) from error
        return connection

    async def _connect(self, connection: Connection, host: str) -> None:
        context = self.settings.security.context
        name = None if context is None else self.address.host  # the certificate is for the name, not for its address
        await asyncio.get_running_loop().create_connection(
            lambda: connection, host, self.address.port, ssl=context, server_hostname=name
        )

    async def _introduce(self, connection: Connection, deadline: Deadline) -> None:
        login = self.settings.security.login
        if login is None:
            await learn_versions(connection, deadline)
            return
        from kafka_nextgen.transport.security.authentication import MAX_TOKEN_FRAME_BYTES

        connection.limit_frames(MAX_TOKEN_FRAME_BYTES, "the limit before the login")
        await learn_versions(connection, deadline)
        await self._log_in(connection, login, deadline)
        connection.limit_frames(self.settings.receive_max_bytes, "receive.message.max.bytes")

    async def _log_in(self, connection: Connection, login: Login, deadline: Deadline) -> None:
        from kafka_nextgen.transport.security.authentication import authenticate, renewal_delay_s

        session_s = await authenticate(connection, login, deadline)
        if session_s > 0:
            at = asyncio.get_running_loop().time() + renewal_delay_s(session_s, self.chance())
            connection.renew_at(at, lambda: self._log_in_again(connection, login))

    async def _log_in_again(self, connection: Connection, login: Login) -> None:
        deadline = Deadline(self.settings.setup_timeout_s, f"{self.address}: renewing the login")
        await self._log_in(connection, login, deadline)

    def _failure(self, error: Exception, host: str) -> TransportError:
        tls = None
        if isinstance(error, OSError) and self.settings.security.context is not None:
            tls = tls_failure(self.address, error, in_handshake=True)
        return tls or DisconnectedError(f"{self.address}: {_reason(error)} at {host}")


async def _drop(task: asyncio.Task[T]) -> None:
    """Let nothing of a task be left, whatever it came to."""
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


def _reason(error: Exception) -> str:
    if isinstance(error, ConnectionRefusedError):
        return "connection refused"
    if not isinstance(error, OSError):  # a login, or how this server is called, does what was not foreseen
        return f"an unexpected {type(error).__name__}"
    return (error.strerror or str(error) or type(error).__name__).lower()
