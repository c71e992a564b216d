"""Patterns matched on the client, for a coordinator that can't.

Version 0 of ConsumerGroupHeartbeat, all there is before Kafka 4.0, has names only (KIP-848, "ConsumerGroupHeartbeat
API"). So the names that match take the pattern's place in the member's subscription, and are looked up anew every
``metadata.max.age.ms``, as by a classic consumer. It stays that way until the application subscribes again, also if
the coordinator moves to a newer broker.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from kafka_nextgen.engine.member.topic_descriptions import matching_topics
from kafka_nextgen.engine.tasks import TaskSet
from kafka_nextgen.errors import KafkaNextgenError
from kafka_nextgen.logs import logger_of
from kafka_nextgen.patterns import matching
from kafka_nextgen.transport.cluster import ClusterClient

__all__ = ["PatternWatch"]

logger = logger_of("kafka_nextgen.member")


class PatternWatch:
    """Tells ``on_names`` the pattern and which topics match it, at first and whenever that has changed.

    Lives on the I/O thread.
    """

    def __init__(
        self, cluster: ClusterClient, tasks: TaskSet, max_age_s: float, on_names: Callable[[str, frozenset[str]], None]
    ) -> None:
        self._cluster = cluster
        self._tasks = tasks
        self.max_age_s = max_age_s
        self._on_names = on_names
        self._watching: asyncio.Task[None] | None = None

    def start(self, pattern: str) -> bool:
        """Watch from now on; False if that is so already. Raises ConfigError for what google-re2 can't read."""
        if self._watching is not None:
            return False
        matching(pattern, ())
        self._watching = self._tasks.keep(lambda: self._watch(pattern))
        return True

    def stop(self) -> None:
        """Watch no longer; nothing is told after this."""
        if self._watching is not None:
            self._watching.cancel()
            self._watching = None

    async def _watch(self, pattern: str) -> None:
        told: frozenset[str] | None = None
        while True:
            names = await self._look_up(pattern)
            if names != told:
                logger.info("pattern %r matches %s", pattern, ", ".join(sorted(names)) or "no topic")
                told = names
                self._on_names(pattern, names)
            await asyncio.sleep(self.max_age_s)

    async def _look_up(self, pattern: str) -> frozenset[str]:
        failures = 0
        while True:
            try:
                return await matching_topics(self._cluster, pattern)
            except KafkaNextgenError as weather:
                logger.info("pattern %r not matched just now: %s", pattern, weather)
                failures += 1
            await asyncio.sleep(self._cluster.retry_backoff_s(failures))
