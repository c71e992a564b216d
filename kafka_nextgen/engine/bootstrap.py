"""Connects to the first broker, retrying until it succeeds. The log and ``health()`` report the last error.

Polls raise the error too, but only once ``unreachable_timeout_s`` seconds have passed since the first attempt, so that
a single lost connection, or a broker that is still starting, does not end the program. If the broker refuses the login,
polls raise the error without this delay, because the next attempt will most likely be refused as well.
"""

from __future__ import annotations

import asyncio

from kafka_nextgen.engine.application.wakeup import Wakeup
from kafka_nextgen.errors import AuthenticationError, NoBrokersError, TransportError
from kafka_nextgen.logs import logger_of
from kafka_nextgen.transport.cluster import ClusterClient
from kafka_nextgen.transport.retrying import FailureLog
from kafka_nextgen.transport.settings import TransportSettings

__all__ = ["Bootstrap"]

logger = logger_of("kafka_nextgen.engine")


class Bootstrap:
    """Tries to reach a cluster, once every ``retry.backoff.max.ms``."""

    def __init__(self, cluster: ClusterClient, wakeup: Wakeup, settings: TransportSettings) -> None:
        self._cluster = cluster
        self._wakeup = wakeup
        self._pause_s = settings.retry_backoff.longest_s
        self._now = asyncio.get_running_loop().time  # may be called on any thread
        self._patient_until = self._now() + settings.unreachable_timeout_s
        self._failure_log = FailureLog(logger, "connecting to the first broker")
        self._error: TransportError | None = None

    @property
    def is_made(self) -> bool:
        """Whether a broker has been reached."""
        return bool(self._cluster.metadata.brokers)

    @property
    def error(self) -> TransportError | None:
        """The last error; None once a broker has been reached."""
        return None if self.is_made else self._error

    @property
    def is_overdue(self) -> bool:
        """Whether a poll should raise the error when it times out."""
        return isinstance(self._error, AuthenticationError) or self._now() >= self._patient_until

    async def make(self) -> None:
        """Retry until a broker is reached."""
        while True:
            try:
                await self._cluster.start()
            except (NoBrokersError, AuthenticationError) as error:
                self._error = error
                if isinstance(error, NoBrokersError):  # a refused login was logged already
                    self._failure_log.failed(error)
                self._wakeup.notify()
                await asyncio.sleep(self._pause_s)
            else:
                self._error = None
                self._failure_log.recovered()
                return
