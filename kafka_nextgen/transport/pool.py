"""A client's connections: at most one per server and purpose, opened on demand.

A server that can't be reached, or that drops a connection, is not tried again during a backoff
(``reconnect.backoff.ms``); callers wait for the backoff to end, up to their deadline.

After an ``AuthenticationError`` the backoff is longer and applies to other servers, too (see ``refusals.py``). Open
connections stay open.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from kafka_nextgen.errors import AuthenticationError, KafkaNextgenError, RequestTimeoutError
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.logs import logger_of
from kafka_nextgen.properties.value_types import ServerAddress
from kafka_nextgen.requests.api_versions import MeantBroker
from kafka_nextgen.transport.concurrency import SingleFlight
from kafka_nextgen.transport.connecting import Resolver, WrongBrokerError, checks_whom_we_mean, open_connection
from kafka_nextgen.transport.connection import Connection
from kafka_nextgen.transport.refusals import Refusals
from kafka_nextgen.transport.settings import TransportSettings
from kafka_nextgen.transport.targets import Purpose
from kafka_nextgen.transport.throttling import Throttles
from kafka_nextgen.transport.traffic import Traffic
from kafka_nextgen.transport.waiting import Deadline

__all__ = ["ConnectionPool"]

logger = logger_of(__name__)


@frozen
class _Backoff:
    """A server's consecutive failures, the last of them, and the time before which it is not tried again."""

    failures: int
    last: KafkaNextgenError
    until: float


class ConnectionPool:
    """Connections by server and purpose.

    ``on_lost`` is called for each connection that was lost, not for those this client closed. ``node_of`` returns the
    node id of a server, None if it is unknown. Two attributes are optional: ``meant_at`` returns the broker expected at
    an address, and ``on_wrong_broker`` is called when another broker answers there.
    """

    def __init__(
        self,
        settings: TransportSettings,
        chance: Callable[[], float],
        on_lost: Callable[[ServerAddress], None] = lambda address: None,
        node_of: Callable[[ServerAddress], int | None] = lambda address: None,
    ) -> None:
        self.traffic = Traffic()
        self.throttles = Throttles(node_of)
        self.meant_at: Callable[[ServerAddress], MeantBroker | None] = lambda address: None
        self.on_wrong_broker: Callable[[], None] = lambda: None
        self.refusals = Refusals(settings.login_backoff, chance)
        self._cluster_checks = False
        self._settings = settings
        self._chance = chance
        self._on_lost = on_lost
        self._open: dict[tuple[ServerAddress, Purpose], Connection] = {}
        self._opening: SingleFlight[tuple[ServerAddress, Purpose], Connection] = SingleFlight()
        self._resolver = Resolver()
        self._backoffs: dict[ServerAddress, _Backoff] = {}

    async def get(self, address: ServerAddress, purpose: Purpose, deadline: Deadline) -> Connection:
        """The open connection, or a new one.

        Raises ``TransportError``, ``DecodeError`` or ``BrokerError``. If the deadline passes in the backoff of an
        ``AuthenticationError``, that is raised again.
        """
        connection = self.get_open(address, purpose)
        if connection is not None:
            return connection
        backoff = self._backoffs.get(address)
        last = None if backoff is None else backoff.last
        try:
            return await self._opening.get((address, purpose), lambda: self._connect(address, purpose), deadline, last)
        except RequestTimeoutError:
            refusal = self.refusals.in_the_way(address) if deadline.left_s() <= 0 else None
            if refusal is None:
                raise
        raise refusal.with_traceback(None)

    def get_open(self, address: ServerAddress, purpose: Purpose) -> Connection | None:
        """The open connection for this purpose, if there is one."""
        connection = self._open.get((address, purpose))
        return connection if connection is not None and connection.is_open else None

    def load_rank(self, address: ServerAddress) -> tuple[int, bool, bool, int]:
        """Rank for general requests, lowest first: few failures, not throttled, connected, few in flight."""
        connection = self.get_open(address, Purpose.GENERAL)
        is_throttled = self.throttles.of(address, Purpose.GENERAL).until > asyncio.get_running_loop().time()
        return self._failures(address), is_throttled, connection is None, 0 if connection is None else connection.load

    def _failures(self, address: ServerAddress) -> int:
        backoff = self._backoffs.get(address)
        return 0 if backoff is None else backoff.failures

    def lift_throttles(self) -> None:
        """Ignore throttles from now on, and send requests that are waiting for one to end."""
        self.throttles.lift()
        for connection in tuple(self._open.values()):
            connection.send_waiting()

    async def close(self) -> None:
        """Close every connection, including those being opened."""
        await self._opening.close()
        await self._resolver.close()
        await asyncio.gather(*(connection.close() for connection in list(self._open.values())))
        self._backoffs.clear()

    async def _open_connection(self, address: ServerAddress) -> Connection:
        try:
            meant = self.meant_at(address) if self._cluster_checks else None
            return await open_connection(address, self._settings, self.traffic, self._chance, self._resolver, meant)
        except KafkaNextgenError as failure:
            self.traffic.failed += 1
            self._failed(address, failure)
            if isinstance(failure, WrongBrokerError):
                self.on_wrong_broker()
            raise

    async def _connect(self, address: ServerAddress, purpose: Purpose) -> Connection:
        backoff = self._backoffs.get(address)
        if backoff is not None:
            await asyncio.sleep(backoff.until - asyncio.get_running_loop().time())
        connection = await self.refusals.attempt(address, lambda: self._open_connection(address))
        self._cluster_checks = checks_whom_we_mean(connection)
        self._backoffs.pop(address, None)
        self.traffic.opened += 1
        throttle = self.throttles.of(address, purpose)
        throttle.extend(connection.throttle.until, asyncio.get_running_loop().time())  # set by ApiVersions or the login
        connection.throttle = throttle
        self._open[address, purpose] = connection
        connection.on_closed = lambda closed, error: self._closed(closed, purpose, error)
        logger.debug("%s: connected for %s", address, purpose.value)
        return connection

    def _closed(self, connection: Connection, purpose: Purpose, error: KafkaNextgenError) -> None:
        if self._open.get((connection.address, purpose)) is connection:
            del self._open[connection.address, purpose]
        self.traffic.closed += 1
        if connection.was_lost:
            self.traffic.lost += 1
            logger.info("%s (%s connection)", error, purpose.value)
            self._failed(connection.address, error)
            self._on_lost(connection.address)

    def _failed(self, address: ServerAddress, error: KafkaNextgenError) -> None:
        if isinstance(error, AuthenticationError):
            self.refusals.note(address, error)
        failures = self._failures(address) + 1
        delay_s = self._settings.reconnect_backoff.delay_s(failures, self._chance())
        self._backoffs[address] = _Backoff(failures, error, asyncio.get_running_loop().time() + delay_s)
