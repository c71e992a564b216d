"""Opens a connection to a server: name lookup, TCP connect, TLS, ApiVersions, login.

Every address of the name is tried, IPv6 and IPv4, until one succeeds; each has ``setup_timeout_s`` for all steps. So a
port where something other than Kafka listens is detected here, before the first request. A server that refuses our
credentials, or is not trusted, is not tried at its other addresses.
"""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Callable
from ipaddress import ip_address
from socket import SOCK_STREAM, getaddrinfo
from typing import TypeVar

from kafka_nextgen.codes import ErrorCode, name_of
from kafka_nextgen.errors import (
    BrokerError,
    DecodeError,
    DisconnectedError,
    KafkaNextgenError,
    OutageError,
    TransportError,
)
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.properties.value_types import ServerAddress, can_be_host
from kafka_nextgen.requests import api_versions
from kafka_nextgen.requests.api_versions import MeantBroker
from kafka_nextgen.transport.background import in_daemon_thread
from kafka_nextgen.transport.concurrency import SingleFlight
from kafka_nextgen.transport.connection import Connection
from kafka_nextgen.transport.connection_errors import tls_error
from kafka_nextgen.transport.security.settings import SaslLogin
from kafka_nextgen.transport.settings import TransportSettings
from kafka_nextgen.transport.traffic import Traffic
from kafka_nextgen.transport.waiting import Deadline
from kafka_nextgen.version import VERSION
from kafka_nextgen.wire.apis import API_VERSIONS
from kafka_nextgen.wire.messages import ApiVersionsResponse

__all__ = [
    "Resolver",
    "WrongBrokerError",
    "checks_whom_we_mean",
    "learn_versions",
    "open_connection",
    "software_version",
]

T = TypeVar("T")


async def open_connection(
    address: ServerAddress,
    settings: TransportSettings,
    traffic: Traffic | None = None,
    chance: Callable[[], float] = random.random,
    resolver: Resolver | None = None,
    meant: MeantBroker | None = None,
) -> Connection:
    """Connect to a server, learn its API versions and log in. ``meant`` is the broker expected there, if known.

    Raises only ``AuthenticationError``, ``OutageError``, ``DecodeError`` or ``BrokerError``: the failure of the only
    address, or a ``DisconnectedError`` that lists the failures of all. ``chance`` returns numbers in [0, 1) that spread
    login renewals over time.
    """
    opening = _Opening(address, settings, traffic or Traffic(), chance, meant)
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
    """Opens connections to one server."""

    address: ServerAddress
    settings: TransportSettings
    traffic: Traffic
    chance: Callable[[], float]
    meant: MeantBroker | None = None

    async def at(self, host: str) -> Connection:
        """Open a connection to this address of the server. Raises ``KafkaNextgenError``."""
        deadline = Deadline(self.settings.setup_timeout_s, f"{self.address}: connecting to {host}")
        connection = Connection(self.address, self.settings, self.traffic)
        connecting = asyncio.get_running_loop().create_task(self._connect(connection, host))
        try:
            await deadline.wait(connecting)
            await self._set_up(connection, deadline)
        except BaseException as error:
            await _cancel(connecting)
            await connection.close()
            if isinstance(error, KafkaNextgenError) or not isinstance(error, Exception):
                raise
            raise self._failure(error, host) from error
        return connection

    async def _connect(self, connection: Connection, host: str) -> None:
        contexts = self.settings.security.contexts
        context = None if contexts is None else await in_daemon_thread(contexts, "kafka_nextgen certificates")
        name = None if context is None else self.address.host  # the certificate is for the name, not for the address
        await asyncio.get_running_loop().create_connection(
            lambda: connection, host, self.address.port, ssl=context, server_hostname=name
        )

    async def _set_up(self, connection: Connection, deadline: Deadline) -> None:
        login = self.settings.security.login
        if login is None:
            await learn_versions(connection, deadline, self.meant)
            return
        from kafka_nextgen.transport.security.authentication import MAX_TOKEN_FRAME_BYTES

        connection.limit_frames(MAX_TOKEN_FRAME_BYTES, "the size limit before login")
        await learn_versions(connection, deadline, self.meant)
        await self._log_in(connection, login, deadline)
        connection.limit_frames(self.settings.receive_max_bytes, "receive.message.max.bytes")

    async def _log_in(self, connection: Connection, login: SaslLogin, deadline: Deadline) -> None:
        from kafka_nextgen.transport.security.authentication import authenticate, reauthentication_delay_s

        session_s = await authenticate(connection, login, deadline)
        if session_s > 0:
            at = asyncio.get_running_loop().time() + reauthentication_delay_s(session_s, self.chance())
            connection.reauthenticate_at(at, lambda: self._log_in_again(connection, login))

    async def _log_in_again(self, connection: Connection, login: SaslLogin) -> None:
        deadline = Deadline(self.settings.setup_timeout_s, f"{self.address}: renewing the login")
        await self._log_in(connection, login, deadline)

    def _failure(self, error: Exception, host: str) -> TransportError:
        tls = None
        if isinstance(error, OSError) and self.settings.security.contexts is not None:
            tls = tls_error(self.address, error, in_handshake=True)
        return tls or DisconnectedError(f"{self.address}: {_reason(error)} at {host}")


async def _cancel(task: asyncio.Task[T]) -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


def _reason(error: Exception) -> str:
    if isinstance(error, ConnectionRefusedError):
        return "connection refused"
    if not isinstance(error, OSError):
        return f"an unexpected {type(error).__name__}"
    return (error.strerror or str(error) or type(error).__name__).lower()


# ---- API versions (KIP-35)

#: Version 5 only adds the expected broker (KIP-1242); with brokers before Kafka 4.4 it would cost a second request.
_ASKED_IN = 4
_WITH_MEANT_BROKER = 5


class WrongBrokerError(DisconnectedError):
    """A different broker than the expected one answers at this address."""


def checks_whom_we_mean(connection: Connection) -> bool:
    """Whether the broker can report that it is not the expected one. Usually all brokers of a cluster can, or none."""
    return connection.ranges.get(API_VERSIONS.key, (0, 0))[1] >= _WITH_MEANT_BROKER


async def learn_versions(connection: Connection, deadline: Deadline, meant: MeantBroker | None = None) -> None:
    """Ask which versions the broker supports, and store them in ``connection.ranges``.

    A broker that lacks our version of ApiVersions answers UNSUPPORTED_VERSION in version 0, with its own range
    (KIP-511). The next request uses the highest version of that range, or 0 if there is none. Raises
    ``WrongBrokerError`` if the broker is not ``meant``, the expected one, another ``TransportError``, ``DecodeError``
    or ``BrokerError``.
    """
    asked_in = _ASKED_IN if meant is None else _WITH_MEANT_BROKER
    versions = await _ask_versions(connection, asked_in, deadline, meant)
    if versions.error == ErrorCode.UNSUPPORTED_VERSION:
        _, theirs = versions.ranges.get(API_VERSIONS.key, (0, 0))
        versions = await _ask_versions(connection, min(theirs, asked_in - 1), deadline)
    if versions.error == ErrorCode.REBOOTSTRAP_REQUIRED and meant is not None:
        who = f"node {meant.node_id} of cluster {meant.cluster_id}"
        raise WrongBrokerError(f"{connection.address}: the broker that answers is not {who} (REBOOTSTRAP_REQUIRED)")
    if versions.error != ErrorCode.NONE:
        text = f"{connection.address}: the broker did not report its supported versions ({name_of(versions.error)})"
        raise BrokerError(text, code=versions.error)
    connection.ranges = versions.ranges


async def _ask_versions(
    connection: Connection, version: int, deadline: Deadline, meant: MeantBroker | None = None
) -> api_versions.BrokerVersions:
    message = api_versions.to_request(software_version(VERSION), meant)
    answer = await connection.send(API_VERSIONS, version, message, deadline)
    assert isinstance(answer, ApiVersionsResponse)
    return api_versions.from_response(answer)


def software_version(version: str) -> str:
    """This client's version in the characters that brokers accept (KIP-511): letters, digits, dots and hyphens."""
    return re.sub(r"[^a-zA-Z0-9.]+", "-", version).strip("-.") or "unknown"


# ---- names


class Resolver:
    """Looks up host names in daemon threads, at most one for each server.

    A lookup can't be interrupted: it continues after its caller's deadline, and the next caller waits for the same
    lookup.
    """

    def __init__(self) -> None:
        self._looking_up: SingleFlight[ServerAddress, list[str]] = SingleFlight()

    async def look_up(self, address: ServerAddress, timeout_s: float) -> list[str]:
        """The addresses of a name, without duplicates, in the system's order of preference for IPv6 and IPv4.

        Raises ``DisconnectedError``, or ``RequestTimeoutError`` after ``timeout_s`` seconds.
        """
        if _is_numeric(address.host):
            return [address.host]
        deadline = Deadline(timeout_s, f"{address}: looking up the name")
        return await self._looking_up.get(address, lambda: _look_up(address), deadline)

    async def close(self) -> None:
        """Stop waiting for lookups."""
        await self._looking_up.close()


async def _look_up(address: ServerAddress) -> list[str]:
    if not can_be_host(address.host):
        raise DisconnectedError(f"{address}: this is not a valid host name")
    try:
        found = await in_daemon_thread(
            lambda: getaddrinfo(address.host, address.port, type=SOCK_STREAM), f"kafka_nextgen resolver {address}"
        )
    except OSError as error:
        raise DisconnectedError(f"{address}: the name can't be looked up ({error.strerror or error})") from error
    except Exception as error:  # a broker may advertise a name that getaddrinfo can't encode
        raise DisconnectedError(f"{address}: the name can't be looked up ({type(error).__name__})") from error
    return list(dict.fromkeys(str(sockaddr[0]) for *_, sockaddr in found))


def _is_numeric(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True
