"""The watchdog: says in the log, and to hooks, which partitions make no progress, once when they stall.

A partition is stalled if it should bring records, or at least the news that there are none, and its leader has not
answered a fetch for longer than that may take. Retries go on meanwhile; whoever watches may want to know.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from kafka_nextgen.engine.seeing.health import Health
from kafka_nextgen.engine.seeing.hooks import HookList
from kafka_nextgen.logs import logger_of
from kafka_nextgen.types import TopicPartition, format_partitions

__all__ = ["Watchdog"]

logger = logger_of("kafka_nextgen.fetch")


class Watchdog:
    """Looks at a consumer's ``health`` now and then; ``name`` says in the log whose it is."""

    def __init__(self, name: str, health: Callable[[], Health], hooks: HookList) -> None:
        self._name = name
        self._health = health
        self._hooks = hooks
        self._stalled: frozenset[TopicPartition] = frozenset()

    async def run(self, interval_s: float) -> None:
        """Look every ``interval_s`` seconds, for ever."""
        while True:
            await asyncio.sleep(interval_s)
            self.look()

    def look(self) -> None:
        """Say what has changed since the last look."""
        health = self._health()
        stalled = frozenset(health.stalled)
        fresh, over = stalled - self._stalled, self._stalled - stalled
        self._stalled = stalled
        if over:
            logger.info("%s: %s not stalled any more", self._name, format_partitions(over))
        if fresh:
            longest_s = max(health.silence_s[tp] for tp in fresh)
            text = "%s: %s stalled: no leader has answered a fetch for %.0f s; tried again all the while"
            logger.warning(text, self._name, format_partitions(fresh), longest_s)
            self._hooks.stalled(tuple(sorted(fresh)), longest_s)
