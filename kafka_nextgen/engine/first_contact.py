"""Reaching a first broker, however long it takes; meanwhile polls can say what stands in the way.

A broker that refuses who we are is the end of it: it would refuse us again.
"""

from __future__ import annotations

import asyncio

from kafka_nextgen.engine.application.signals import Signal
from kafka_nextgen.errors import AuthenticationError, NoBrokersError, TransportError
from kafka_nextgen.transport.cluster import ClusterClient

__all__ = ["FirstContact"]


class FirstContact:
    """The way to a cluster that may not be there yet; tried again every ``pause_s`` seconds."""

    def __init__(self, cluster: ClusterClient, signal: Signal, pause_s: float) -> None:
        self._cluster = cluster
        self._signal = signal
        self._pause_s = pause_s
        self._error: TransportError | None = None

    @property
    def is_made(self) -> bool:
        """Whether a broker is known, on whatever occasion it was reached."""
        return bool(self._cluster.metadata.brokers)

    @property
    def error(self) -> TransportError | None:
        """What keeps the consumer from its first broker; None once it knows one, on whatever occasion."""
        return None if self.is_made else self._error

    async def make(self) -> None:
        """Try until it succeeds, or a broker refuses."""
        while True:
            try:
                await self._cluster.start()
            except AuthenticationError as refusal:
                self._error = refusal
                return
            except NoBrokersError as error:
                self._error = error
                self._signal.ring()
                await asyncio.sleep(self._pause_s)
            else:
                self._error = None
                return
