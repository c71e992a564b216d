"""Reaching any broker at all: which servers are tried, in which order, and when to start from the beginning.

As long as metadata has told of no broker, the bootstrap servers are tried; after that the brokers it told of, the
least busy first. If none of those gave an answer for ``metadata.recovery.rebootstrap.trigger.ms``, because none can be
reached or they keep silent, or if a broker asks for it (error 129), they are forgotten and the bootstrap servers are
tried again (KIP-899, KIP-1102): a cluster may have moved altogether while this client was away. If no broker that
metadata told of has a host name that can be one, the bootstrap servers are tried at once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping

from kafka_nextgen.errors import (
    BrokerError,
    DecodeError,
    KafkaNextgenError,
    NoBrokersError,
    OutageError,
)
from kafka_nextgen.logs import logger_of
from kafka_nextgen.properties import ServerAddress, can_be_host
from kafka_nextgen.transport.connection import Connection
from kafka_nextgen.transport.deadline import ClosedError, Deadline
from kafka_nextgen.transport.pool import Pool
from kafka_nextgen.transport.settings import TransportSettings
from kafka_nextgen.transport.targets import Purpose
from kafka_nextgen.transport.throttling import throttle_in
from kafka_nextgen.wire.apis import Answer, Api, negotiate
from kafka_nextgen.wire.schema import Message

__all__ = ["Reach"]

logger = logger_of(__name__)


class Reach:
    """The way to any broker. ``brokers`` are those that metadata told of, by node id."""

    def __init__(self, settings: TransportSettings, pool: Pool, chance: Callable[[], float]) -> None:
        self.brokers: Mapping[int, ServerAddress] = {}
        self._settings = settings
        self._pool = pool
        self._chance = chance
        self._no_answer_since: float | None = None

    async def connect(
        self, deadline: Deadline, failed: Mapping[ServerAddress, KafkaNextgenError] | None = None
    ) -> Connection:
        """A connection to the least busy server that can be reached, leaving out those that ``failed`` already.

        Raises ``NoBrokersError``, which tells what happened to each, ``RequestTimeoutError`` if the time is over before
        that is known of all, or ``AuthenticationError``.
        """
        failures = dict(failed or {})
        servers = self._in_order()
        for address in servers:
            if address in failures or deadline.left_s() <= 0:
                continue
            try:
                connection = await self._pool.get(address, Purpose.GENERAL, deadline)
            except ClosedError:
                raise
            except (OutageError, DecodeError, BrokerError) as failure:
                failures[address] = failure
            else:
                return connection
        self._note_no_answer()
        unreachable = _no_brokers(servers, failures)
        raise unreachable if deadline.left_s() > 0 else deadline.missed(unreachable)

    def node_at(self, address: ServerAddress) -> int | None:
        """The id of the broker that has this address, if metadata told of it; may be asked from any thread."""
        return next((node_id for node_id, each in self.brokers.items() if each == address), None)

    async def ask(self, api: Api, build: Callable[[int], Message], deadline: Deadline) -> Answer:
        """Put a question that may be put twice to one server after the other until one answers.

        Raises as ``connect`` does, or ``UnsupportedProtocolError`` if the broker lacks ``api``.
        """
        failed: dict[ServerAddress, KafkaNextgenError] = {}
        while True:
            connection = await self.connect(deadline, failed)
            version = negotiate(api, connection.ranges)
            try:
                answer = await connection.request(api, version, build(version), deadline)
            except (OutageError, DecodeError) as failure:
                failed[connection.address] = failure
            else:
                self._no_answer_since = None
                return answer

    def start_over(self) -> None:
        """Forget the brokers: the bootstrap servers are next."""
        logger.warning("starting again from the bootstrap servers")
        self.brokers = {}
        self._no_answer_since = None

    def _in_order(self) -> list[ServerAddress]:
        known: Iterable[ServerAddress] = self.brokers.values()
        if self._settings.rebootstraps:
            known = [address for address in known if can_be_host(address.host)]
        servers: Iterable[ServerAddress] = known or self._settings.bootstrap_servers
        return sorted(dict.fromkeys(servers), key=self._rank)

    def _rank(self, address: ServerAddress) -> tuple[int, bool, bool, int, float]:
        load = self._pool.load(address)
        return self._pool.failures(address), self._pool.is_mute(address), load is None, load or 0, self._chance()

    def _note_no_answer(self) -> None:
        now = asyncio.get_running_loop().time()
        if self._no_answer_since is None:
            self._no_answer_since = now
        waited_s = now - self._no_answer_since
        if self.brokers and self._settings.rebootstraps and waited_s >= self._settings.rebootstrap_trigger_s:
            self.start_over()


def _no_brokers(
    servers: Iterable[ServerAddress], failures: Mapping[ServerAddress, KafkaNextgenError]
) -> NoBrokersError:
    def of(address: ServerAddress) -> str:
        reason = str(failures.get(address, "not tried, no time was left"))
        return reason if reason.startswith(f"{address}: ") else f"{address}: {reason}"

    throttles = [throttle for failure in failures.values() if (throttle := throttle_in(failure)) is not None]
    if not throttles or len(throttles) < len(failures):
        return NoBrokersError(f"no broker could be reached: {'; '.join(map(of, servers))}")
    throttled = NoBrokersError("; ".join(map(str, throttles)))  # they were reached
    throttled.__cause__ = throttles[0]
    return throttled
