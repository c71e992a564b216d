"""The driver's requests to Kafka: partitions, their earliest and latest offsets, and a group's committed offsets.

The first request connects. Requests are retried ``fetchOffset.numRetries`` times in these cases:

- A topic does not exist yet, or a latest offset is smaller than before (KAFKA-7703). The built-in source does the same.
- A partition that was read is missing. The broker's metadata may be outdated, and a partition that is considered
  deleted would be read from its beginning when it reappears.
- A topic that matches a pattern is deleted between two requests.
"""

from __future__ import annotations

import math
import time
import weakref
from collections.abc import Callable, Collection, Coroutine, Iterator, Mapping
from functools import cached_property
from typing import TypeVar

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.config import ConsumerConfig
from kafka_nextgen.errors import UnknownTopicError
from kafka_nextgen.requests.list_offsets import EARLIEST, LATEST
from kafka_nextgen.spark.admission import receded
from kafka_nextgen.spark.consumer_strategy import AssignStrategy, SubscribePatternStrategy
from kafka_nextgen.spark.limits import GroupOffsets, OffsetLimit
from kafka_nextgen.spark.options import SourceOptions
from kafka_nextgen.spark.resolving import timestamps_to_look_up
from kafka_nextgen.spark.values import ClusterOffsets, PartitionOffsets, TopicIds, first_few
from kafka_nextgen.transport.background import log_failure
from kafka_nextgen.transport.cluster import ClusterClient
from kafka_nextgen.transport.cluster_queries import ClusterQueries
from kafka_nextgen.transport.futures import sleep_until_ended
from kafka_nextgen.transport.io_thread import IoThread
from kafka_nextgen.transport.offset_lookup import OffsetAndTimestamp
from kafka_nextgen.transport.settings import TransportSettings
from kafka_nextgen.types import TopicDescription, TopicId, TopicPartition

__all__ = ["Cluster", "PlannerClient"]

T = TypeVar("T")

_CLOSING_S = 5.0


class Cluster:
    """The cluster of a query, from the driver's side. Methods raise the errors of ``Consumer``'s methods."""

    def __init__(self, options: SourceOptions) -> None:
        self._options = options

    @cached_property
    def _client(self) -> PlannerClient:
        return PlannerClient(self._options.kafka.consumer_config())

    def partitions(self, known: Collection[TopicPartition] = ()) -> TopicIds:
        """Return the partitions to read, sorted, with the ids of their topics; retries if a ``known`` one is missing.

        Raises ``UnknownTopicError`` if a topic or partition that an option names does not exist.
        """
        strategy = self._options.strategy
        missing, partitions = list[str](), dict[TopicPartition, TopicId | None]()
        for _ in self._tries():
            topics = self._topics()
            found = {TopicPartition(t.name, number): t.topic_id for t in topics.values() for number in t.partitions}
            wanted = set(strategy.partitions if isinstance(strategy, AssignStrategy) else found)
            missing = sorted(self._named() - topics.keys()) or [str(tp) for tp in sorted(wanted - found.keys())]
            partitions = {tp: found[tp] for tp in sorted(wanted & found.keys())}
            if not missing and partitions.keys() >= set(known):
                break
        if missing:
            raise UnknownTopicError(
                f"the query reads {first_few(missing)}, which Kafka does not have: create the topic, or correct the "
                "option",
                code=ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
            )
        return partitions

    def earliest(self, partitions: Collection[TopicPartition]) -> PartitionOffsets:
        """Return the offset of the first record of each partition."""
        return self._special_offsets(partitions, EARLIEST)

    def latest(self, partitions: Collection[TopicPartition], known: PartitionOffsets | None = None) -> PartitionOffsets:
        """Return the offset after the last record of each partition; retries if one is below its ``known`` offset."""
        offsets: PartitionOffsets = {}
        for _ in self._tries():
            offsets = self._special_offsets(partitions, LATEST)
            if not receded(known or {}, offsets):
                break
        return offsets

    def offsets(self, partitions: TopicIds, known: PartitionOffsets | None = None) -> ClusterOffsets:
        """Return the earliest and latest offsets of partitions; ``known`` as for ``latest``."""
        return ClusterOffsets(self.earliest(partitions), self.latest(partitions, known), partitions)

    def find_offsets(
        self, limit: OffsetLimit, partitions: Collection[TopicPartition]
    ) -> dict[TopicPartition, int | None]:
        """Return the offsets needed to resolve a limit: those found by timestamp, or a group's committed offsets."""
        if isinstance(limit, GroupOffsets):
            return self._committed(partitions)
        asked = timestamps_to_look_up(limit, partitions)
        return self.offsets_for_times(asked) if asked else {}

    def offsets_for_times(self, timestamps: Mapping[TopicPartition, int]) -> dict[TopicPartition, int | None]:
        """Return the first offset with a timestamp (ms) or a later one; None if there is none."""
        found = self._client.list_offsets(timestamps)
        return {tp: None if at.offset < 0 else at.offset for tp, at in found.items()}

    def retry_unknown_topics(self, ask: Callable[[], T]) -> T:
        """Return the result of ``ask``, which requests partitions and then their offsets.

        Retries if the query uses a pattern. Raises ``UnknownTopicError`` if a topic does not exist.
        """
        for is_last in self._tries():
            try:
                return ask()
            except UnknownTopicError:
                if is_last or not isinstance(self._options.strategy, SubscribePatternStrategy):
                    raise
        raise AssertionError("the last try returns or raises")

    def close(self) -> None:
        """Close the connections. The next request opens new ones."""
        client: PlannerClient | None = self.__dict__.pop("_client", None)
        if client is not None:
            client.close()

    def _special_offsets(self, partitions: Collection[TopicPartition], special: int) -> PartitionOffsets:
        return {tp: at.offset for tp, at in self._client.list_offsets(dict.fromkeys(partitions, special)).items()}

    def _committed(self, partitions: Collection[TopicPartition]) -> dict[TopicPartition, int | None]:
        from kafka_nextgen.consumer import Consumer  # imported only if a query starts at group offsets

        group = {"enable_auto_commit": False, "group_id": self._options.group_id}
        with Consumer(self._options.kafka.consumer_config(**group)) as consumer:
            committed = consumer.committed(partitions)
        return {tp: None if at is None else at.offset for tp, at in committed.items()}

    def _named(self) -> frozenset[str]:
        strategy = self._options.strategy
        if isinstance(strategy, SubscribePatternStrategy):
            return frozenset()
        if isinstance(strategy, AssignStrategy):
            return frozenset(tp.topic for tp in strategy.partitions)
        return frozenset(strategy.topics)

    def _topics(self) -> dict[str, TopicDescription]:
        strategy = self._options.strategy
        if not isinstance(strategy, SubscribePatternStrategy):
            return self._client.describe_topics(self._named())
        topics = {name: topic for name, topic in self._client.describe_topics().items() if not topic.is_internal}
        return {name: topics[name] for name in strategy.matching(topics)}

    def _tries(self) -> Iterator[bool]:
        """For each try, yield whether it is the last one; pauses between tries."""
        retries = self._options.fetch_offset_num_retries
        yield retries == 0
        for retry in range(1, retries + 1):
            time.sleep(self._options.fetch_offset_retry_interval_ms / 1000)
            yield retry == retries


class PlannerClient:
    """The connections of a planner. Calls take up to ``default.api.timeout.ms`` and raise the errors of ``Consumer``.

    Spark starts a process just to plan each batch query, so import time matters. A consumer would import a
    hundred more modules.
    """

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
