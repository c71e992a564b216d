"""Slow retries after a server refused the login, or TLS failed permanently.

Credentials are rotated and certificates renewed, and not all brokers receive them at the same time, so a refusal is not
final. But repeated attempts can lock accounts. After a refusal the next attempt waits for a separate backoff, longer
than the one for unreachable servers, and all calls that need a connection share that attempt.

A refused login holds back connections to every server, since others would get the same credentials, until any server
accepts them. A TLS failure concerns only the server where it happened.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar

from kafka_nextgen.errors import AuthenticationError, TlsError
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.logs import logger_of
from kafka_nextgen.properties.value_types import ServerAddress
from kafka_nextgen.transport.retrying import Backoff, FailureLog

__all__ = ["Refusals"]

logger = logger_of(__name__)

T = TypeVar("T")

#: How long (seconds) a refusal counts after the last attempt: unused connections are not retried.
_RECENT_S = 60.0


@frozen
class _Refusal:
    """The latest of one server's consecutive refusals, and the time before which there is no new attempt."""

    error: AuthenticationError
    failures: int
    at: float
    until: float

    @property
    def is_of_one_server(self) -> bool:
        return isinstance(self.error, TlsError)


class Refusals:
    """The current refusals. ``on_refused``, if set, is called for the first of consecutive refusals."""

    def __init__(self, backoff: Backoff, chance: Callable[[], float]) -> None:
        self.on_refused: Callable[[AuthenticationError], None] = lambda error: None
        self._backoff = backoff
        self._chance = chance
        self._by_server: dict[ServerAddress, _Refusal] = {}
        self._of_login: _Refusal | None = None  # the last one, unless any login has succeeded since
        self._turns: dict[ServerAddress | None, asyncio.Lock] = {}
        self._log = FailureLog(logger, "connecting")

    def newest(self, now: float) -> AuthenticationError | None:
        """The latest refusal that is valid at ``now`` (the loop's clock). May be called from any thread."""
        recent = [each for each in tuple(self._by_server.values()) if now - each.at < _RECENT_S]
        return max(recent, key=lambda each: each.at).error if recent else None

    def in_the_way(self, address: ServerAddress) -> AuthenticationError | None:
        """The refusal that still blocks connections to ``address``."""
        refusal = self._find(address)
        return None if refusal is None else refusal.error

    async def attempt(self, address: ServerAddress, connect: Callable[[], Awaitable[T]]) -> T:
        """Call ``connect`` immediately, or when the backoff of a refusal is over.

        Raises the errors that ``connect`` raises or, without calling it, the ``AuthenticationError`` of another
        caller's attempt for which this call waited.
        """
        refusal = self._find(address)
        if refusal is not None:
            async with self._turns.setdefault(address if refusal.is_of_one_server else None, asyncio.Lock()):
                latest = self._find(address)
                if latest is not None and latest is not refusal:
                    raise latest.error.with_traceback(None)
                if latest is not None:
                    await asyncio.sleep(latest.until - asyncio.get_running_loop().time())
                    return await self._connect(address, connect)
        return await self._connect(address, connect)

    async def _connect(self, address: ServerAddress, connect: Callable[[], Awaitable[T]]) -> T:
        connected = await connect()
        if self._by_server.pop(address, None) is not None:
            self._log.recovered()
        self._of_login = None
        return connected

    def note(self, address: ServerAddress, error: AuthenticationError) -> None:
        """Note a refusal of a connection attempt or of a login renewal."""
        now = asyncio.get_running_loop().time()
        before, is_first = self._by_server.get(address), self.newest(now) is None
        if before is not None and now < before.until:  # the attempt began before the last refusal
            return
        failures = 1 if before is None else before.failures + 1
        refusal = _Refusal(error, failures, now, now + self._backoff.delay_s(failures, self._chance()))
        self._by_server[address] = refusal
        self._of_login = self._of_login if refusal.is_of_one_server else refusal
        self._log.failed(error, logging.ERROR)
        if is_first:
            self.on_refused(error)

    def _find(self, address: ServerAddress) -> _Refusal | None:
        return self._by_server.get(address) or self._of_login
