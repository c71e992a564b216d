"""The connections of a planner. A consumer would import a hundred more modules.

Spark starts a process only to plan each batch query, so the time of imports counts.
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Collection, Coroutine, Mapping
from typing import TypeVar

from kafka_nextgen.config import ConsumerConfig
from kafka_nextgen.engine.futures import sleep_until_ended
from kafka_nextgen.engine.io_thread import IoThread
from kafka_nextgen.engine.reading.cluster_queries import ClusterQueries, OffsetAndTimestamp
from kafka_nextgen.transport.background import log_failure
from kafka_nextgen.transport.cluster import ClusterClient
from kafka_nextgen.transport.settings import TransportSettings
from kafka_nextgen.types import TopicDescription, TopicPartition

__all__ = ["PlannerClient"]

T = TypeVar("T")

_CLOSING_S = 5.0


class PlannerClient:
    """Each call takes up to ``default.api.timeout.ms`` and raises what ``Consumer`` raises."""

    def __init__(self, config: ConsumerConfig) -> None:
        self._timeout_s = config.default_api_timeout_ms / 1000
        self._thread = IoThread(f"kafka_nextgen planner {config.client_id}", log_failure, "planner")
        self._cluster, self._queries = self._thread.begin_with(_made(config))
        weakref.finalize(self, _abandon, self._thread, self._cluster).atexit = False

    def describe_topics(self, topics: Collection[str] | None = None) -> dict[str, TopicDescription]:
        """Return these topics, or all, with their ids and partitions; topics that don't exist are left out."""
        return self._wait(self._queries.describe_topics(topics, self._timeout_s))

    def list_offsets(self, timestamps: Mapping[TopicPartition, int]) -> dict[TopicPartition, OffsetAndTimestamp]:
        """Return the first offset with this timestamp (ms since the epoch) or a later one, or a special offset."""
        return self._wait(self._queries.list_offsets(timestamps, self._timeout_s))

    def close(self) -> None:
        """Close the connections, within a few seconds."""
        try:
            sleep_until_ended(self._thread.submit(self._cluster.close()), _CLOSING_S)
        finally:
            self._thread.stop(_CLOSING_S)

    def _wait(self, call: Coroutine[object, object, T]) -> T:
        future = self._thread.submit(call)
        sleep_until_ended(future, math.inf)  # each call has its own timeout
        return future.result()


async def _made(config: ConsumerConfig) -> tuple[ClusterClient, ClusterQueries]:
    cluster = ClusterClient(TransportSettings.of(config))
    return cluster, ClusterQueries(cluster, config)


def _abandon(thread: IoThread, cluster: ClusterClient) -> None:
    """Close the connections of a client that was dropped without ``close``, for example after an exception."""
    if not thread.is_foreign:
        thread.end_after(cluster.close)
