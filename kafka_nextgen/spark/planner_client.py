"""What a planner asks a cluster, without a consumer: that would be a hundred more modules to import.

Spark starts a process for each batch query only to plan it, so the import counts.
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Collection, Coroutine, Iterable, Mapping
from typing import TypeVar

from kafka_nextgen.bridge.list_offsets import EARLIEST, LATEST
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
    """Each call is ``Consumer``'s of that name and raises what that raises; it has ``default.api.timeout.ms``."""

    def __init__(self, config: ConsumerConfig) -> None:
        self._timeout_s = config.default_api_timeout_ms / 1000
        self._thread = IoThread(f"kafka_nextgen planner {config.client_id}", log_failure, "planner")
        self._cluster, self._lookups = self._thread.begin_with(_made(config))
        weakref.finalize(self, _abandon, self._thread, self._cluster).atexit = False

    def describe_topics(self, topics: Collection[str] | None = None) -> dict[str, TopicDescription]:
        """These topics with their ids and partitions, or all; those that are not there are left out."""
        return self._wait(self._lookups.describe_topics(topics, self._timeout_s))

    def beginning_offsets(self, partitions: Iterable[TopicPartition]) -> dict[TopicPartition, int]:
        """The first offset there is in each partition."""
        return self._offsets(dict.fromkeys(partitions, EARLIEST))

    def end_offsets(self, partitions: Iterable[TopicPartition]) -> dict[TopicPartition, int]:
        """The offset behind the last record of each partition."""
        return self._offsets(dict.fromkeys(partitions, LATEST))

    def offsets_for_times(self, timestamps: Mapping[TopicPartition, int]) -> dict[TopicPartition, OffsetAndTimestamp]:
        """The first offset whose record is not older than the timestamp (milliseconds since the epoch)."""
        return self._wait(self._lookups.list_offsets(timestamps, self._timeout_s))

    def close(self) -> None:
        """Close the connections, within a few seconds."""
        try:
            sleep_until_ended(self._thread.submit(self._cluster.close()), _CLOSING_S)
        finally:
            self._thread.stop(_CLOSING_S)

    def _offsets(self, timestamps: Mapping[TopicPartition, int]) -> dict[TopicPartition, int]:
        return {tp: at.offset for tp, at in self.offsets_for_times(timestamps).items()}

    def _wait(self, question: Coroutine[object, object, T]) -> T:
        future = self._thread.submit(question)
        sleep_until_ended(future, math.inf)  # a question keeps its own time
        return future.result()


async def _made(config: ConsumerConfig) -> tuple[ClusterClient, ClusterQueries]:
    cluster = ClusterClient(TransportSettings.of(config))
    return cluster, ClusterQueries(cluster, config)


def _abandon(thread: IoThread, cluster: ClusterClient) -> None:
    """Close the connections of a client that was dropped: what an exception has kept from being closed."""
    if not thread.is_foreign:
        thread.end_after(cluster.close)
