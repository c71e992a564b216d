"""The known brokers, and requests to any of them.

Until metadata lists brokers, the bootstrap servers are tried; after that the listed brokers, least loaded first.

If no listed broker answers for ``metadata.recovery.rebootstrap.trigger.ms``, or one requests it (REBOOTSTRAP_REQUIRED),
they are forgotten and the bootstrap servers are tried again (KIP-899, KIP-1102): the whole cluster may have moved. The
bootstrap servers are tried without that wait if no broker has a valid host name.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Mapping

from kafka_nextgen.errors import BrokerError, DecodeError, KafkaNextgenError, NoBrokersError, OutageError, TlsError
from kafka_nextgen.logs import logger_of
from kafka_nextgen.properties.value_types import ServerAddress, can_be_host
from kafka_nextgen.transport.connection import Connection
from kafka_nextgen.transport.pool import ConnectionPool
from kafka_nextgen.transport.retrying import REPEAT_S
from kafka_nextgen.transport.settings import TransportSettings
from kafka_nextgen.transport.targets import Purpose
from kafka_nextgen.transport.throttling import throttle_in
from kafka_nextgen.transport.waiting import ClosedError, Deadline
from kafka_nextgen.wire.apis import Answer, Api, negotiate
from kafka_nextgen.wire.schema import Message

__all__ = ["KnownBrokers"]

logger = logger_of(__name__)


class KnownBrokers:
    """``by_id`` contains the brokers from metadata; the dict is replaced, never modified."""

    def __init__(self, settings: TransportSettings, pool: ConnectionPool, chance: Callable[[], float]) -> None:
        self.by_id: Mapping[int, ServerAddress] = {}
        self._settings = settings
        self._pool = pool
        self._chance = chance
        self._no_answer_since: float | None = None
        self._told_at: float | None = None

    def id_at(self, address: ServerAddress) -> int | None:
        """The id of the broker with this address; None if it is unknown. May be called from any thread."""
        return next((node_id for node_id, each in self.by_id.items() if each == address), None)

    async def connect_to_any(
        self, deadline: Deadline, failed: Mapping[ServerAddress, KafkaNextgenError] | None = None
    ) -> Connection:
        """A connection to the least loaded server that can be reached, except those in ``failed``.

        Raises ``NoBrokersError`` with the failure of each, ``RequestTimeoutError`` if the deadline passes before all
        were tried, or ``AuthenticationError``: immediately for a refused login, for a ``TlsError`` only if no other
        server can be reached.
        """
        failures = dict(failed or {})
        servers = self._in_order()
        for address in servers:
            if address in failures or deadline.left_s() <= 0:
                continue
            try:
                return await self._pool.get(address, Purpose.GENERAL, deadline)
            except ClosedError:
                raise
            except (OutageError, DecodeError, BrokerError, TlsError) as failure:
                failures[address] = failure
        self._note_no_answer()
        refusal = next((each for each in failures.values() if isinstance(each, TlsError)), None)
        if refusal is not None:
            raise refusal.with_traceback(None)
        unreachable = _no_brokers_error(servers, failures)
        raise unreachable if deadline.left_s() > 0 else deadline.missed(unreachable)

    async def request_any(self, api: Api, build: Callable[[int], Message], deadline: Deadline) -> Answer:
        """Send an idempotent request to one server after the other until one answers.

        Raises the same errors as ``connect_to_any``, or ``UnsupportedProtocolError`` if the broker lacks ``api``.
        """
        failed: dict[ServerAddress, KafkaNextgenError] = {}
        while True:
            connection = await self.connect_to_any(deadline, failed)
            version = negotiate(api, connection.ranges)
            try:
                answer = await connection.send(api, version, build(version), deadline)
            except (OutageError, DecodeError) as failure:
                failed[connection.address] = failure
            else:
                self._no_answer_since = None
                return answer

    def rebootstrap(self) -> None:
        """Forget the brokers, so that the bootstrap servers are tried next."""
        self._tell(asyncio.get_running_loop().time())
        self.by_id = {}
        self._no_answer_since = None

    def _tell(self, now: float) -> None:
        """Warn at most once a minute: a broker behind a wrong address may request a rebootstrap on each connection."""
        is_new = self._told_at is None or now - self._told_at >= REPEAT_S
        logger.log(logging.WARNING if is_new else logging.DEBUG, "starting again from the bootstrap servers")
        self._told_at = now if is_new else self._told_at

    def _in_order(self) -> list[ServerAddress]:
        known: Iterable[ServerAddress] = self.by_id.values()
        if self._settings.rebootstraps:
            known = [address for address in known if can_be_host(address.host)]
        servers: Iterable[ServerAddress] = known or self._settings.bootstrap_servers
        return sorted(dict.fromkeys(servers), key=lambda address: (self._pool.load_rank(address), self._chance()))

    def _note_no_answer(self) -> None:
        now = asyncio.get_running_loop().time()
        if self._no_answer_since is None:
            self._no_answer_since = now
        waited_s = now - self._no_answer_since
        if self.by_id and self._settings.rebootstraps and waited_s >= self._settings.rebootstrap_trigger_s:
            self.rebootstrap()


def _no_brokers_error(
    servers: Iterable[ServerAddress], failures: Mapping[ServerAddress, KafkaNextgenError]
) -> NoBrokersError:
    def of(address: ServerAddress) -> str:
        reason = str(failures.get(address, "not tried: no time was left"))
        return reason if reason.startswith(f"{address}: ") else f"{address}: {reason}"

    throttles = [throttle for failure in failures.values() if (throttle := throttle_in(failure)) is not None]
    if not throttles or len(throttles) < len(failures):
        return NoBrokersError(f"no broker could be reached: {'; '.join(map(of, servers))}")
    throttled = NoBrokersError("; ".join(map(str, throttles)))  # all servers were reached
    throttled.__cause__ = throttles[0]
    return throttled
