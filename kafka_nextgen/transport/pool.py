"""The open connections: at most one per server and purpose, opened when first wanted and again when lost.

A server that could not be reached, or that dropped a connection, is left alone for a pause that grows with every
failure (``reconnect.backoff.ms``); whoever wants it meanwhile waits, and no longer than its deadline.

A server that refused our login, or is not who it should be, ends the opening of connections for good: other servers
would be shown the same credentials, and asking again and again is how accounts get locked. What is open stays open.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from attrs import frozen

from kafka_nextgen.errors import AuthenticationError, KafkaNextgenError
from kafka_nextgen.logs import logger_of
from kafka_nextgen.properties import ServerAddress
from kafka_nextgen.transport.connection import Connection
from kafka_nextgen.transport.deadline import Deadline, Shared
from kafka_nextgen.transport.dialing import dial
from kafka_nextgen.transport.resolving import Resolver
from kafka_nextgen.transport.settings import TransportSettings
from kafka_nextgen.transport.targets import Purpose
from kafka_nextgen.transport.throttling import Mutes
from kafka_nextgen.transport.traffic import Traffic

__all__ = ["Pool"]

logger = logger_of(__name__)


@frozen
class _Trouble:
    """A server's failures in a row, the last of them, and until when it is left alone."""

    failures: int
    last: KafkaNextgenError
    until: float


class Pool:
    """Connections by server and purpose; ``on_lost`` hears of each that was lost, not of those closed.

    ``node_of`` tells which broker a server is, as far as that is known.
    """

    def __init__(
        self,
        settings: TransportSettings,
        chance: Callable[[], float],
        on_lost: Callable[[ServerAddress], None] = lambda address: None,
        node_of: Callable[[ServerAddress], int | None] = lambda address: None,
    ) -> None:
        self.traffic = Traffic()
        self.on_refused: Callable[[AuthenticationError], None] = lambda refusal: None
        self._refusal: AuthenticationError | None = None
        self._settings = settings
        self._chance = chance
        self._on_lost = on_lost
        self._open: dict[tuple[ServerAddress, Purpose], Connection] = {}
        self._dialing: Shared[tuple[ServerAddress, Purpose], Connection] = Shared()
        self._resolver = Resolver()
        self._trouble: dict[ServerAddress, _Trouble] = {}
        self._mutes = Mutes(node_of)

    async def get(self, address: ServerAddress, purpose: Purpose, deadline: Deadline) -> Connection:
        """The open connection, or a new one.

        Raises ``TransportError``, ``DecodeError`` or ``BrokerError`` with what happened while opening it; after an
        ``AuthenticationError`` nothing else.
        """
        known = self.known(address, purpose)
        if known is not None:
            return known
        if self._refusal is not None:
            raise self._refusal.with_traceback(None)
        trouble = self._trouble.get(address)
        last = None if trouble is None else trouble.last
        return await self._dialing.get((address, purpose), lambda: self._dial(address, purpose), deadline, last)

    def known(self, address: ServerAddress, purpose: Purpose) -> Connection | None:
        """The connection for this purpose, if one is open."""
        known = self._open.get((address, purpose))
        return known if known is not None and known.is_open else None

    def load(self, address: ServerAddress) -> int | None:
        """How many general requests a server owes answers to; None without a connection for them."""
        known = self.known(address, Purpose.GENERAL)
        return None if known is None else known.load

    def is_mute(self, address: ServerAddress) -> bool:
        """Whether a server is to be left alone with general requests for now."""
        return self._mutes.of(address, Purpose.GENERAL).until > asyncio.get_running_loop().time()

    def failures(self, address: ServerAddress) -> int:
        """How often in a row a server failed."""
        trouble = self._trouble.get(address)
        return 0 if trouble is None else trouble.failures

    def throttle(self, now: float) -> str | None:
        """Which broker asked to be left alone for long, and until when; may be asked from any thread."""
        mute = self._mutes.long_one(now)
        return None if mute is None else str(mute)

    def lift_throttles(self) -> None:
        """Send to every broker again, also to those that throttle this client."""
        self._mutes.lift()
        for connection in tuple(self._open.values()):
            connection.send_what_waits()

    async def close(self) -> None:
        """Close every connection, those being opened too."""
        await self._dialing.close()
        await self._resolver.close()
        await asyncio.gather(*(connection.close() for connection in list(self._open.values())))
        self._trouble.clear()

    async def _dial(self, address: ServerAddress, purpose: Purpose) -> Connection:
        trouble = self._trouble.get(address)
        if trouble is not None:
            await asyncio.sleep(trouble.until - asyncio.get_running_loop().time())
        try:
            connection = await dial(address, self._settings, self.traffic, self._chance, self._resolver)
        except KafkaNextgenError as failure:
            self.traffic.failed += 1
            self._failed(address, failure)
            raise
        self._trouble.pop(address, None)
        self.traffic.opened += 1
        mute = self._mutes.of(address, purpose)
        now = asyncio.get_running_loop().time()
        mute.extend(connection.mute.until, now)  # negotiating may have been too much already
        connection.mute = mute
        self._open[address, purpose] = connection
        connection.on_closed = lambda ended, error: self._ended(ended, purpose, error)
        logger.debug("%s: connected for %s", address, purpose.value)
        return connection

    def _ended(self, connection: Connection, purpose: Purpose, error: KafkaNextgenError) -> None:
        if self._open.get((connection.address, purpose)) is connection:
            del self._open[connection.address, purpose]
        self.traffic.closed += 1
        if connection.was_lost:
            self.traffic.lost += 1
            logger.info("%s (%s connection)", error, purpose.value)
            self._failed(connection.address, error)
            self._on_lost(connection.address)

    def _failed(self, address: ServerAddress, error: KafkaNextgenError) -> None:
        if isinstance(error, AuthenticationError) and self._refusal is None:
            self._refusal = error
            self.on_refused(error)
        failures = self.failures(address) + 1
        delay_s = self._settings.reconnect_backoff.delay_s(failures, self._chance())
        self._trouble[address] = _Trouble(failures, error, asyncio.get_running_loop().time() + delay_s)
