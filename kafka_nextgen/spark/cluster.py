"""What the driver asks Kafka: which partitions there are, where they begin and end, what a group has committed.

Nothing is connected until the first question. As with the built-in source, a question is asked again if a topic is not
there yet or an end went backwards for a moment (KAFKA-7703), ``fetchOffset.numRetries`` times. So it is if a partition
that was read is not there: a broker may hear of it late, and one that is taken for deleted is read anew later. Several
questions are asked again if a topic that a pattern found is deleted between two of them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cached_property
from typing import TypeVar

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import UnknownTopicError
from kafka_nextgen.spark.admission import receded
from kafka_nextgen.spark.consumer_strategy import AssignStrategy, SubscribePatternStrategy
from kafka_nextgen.spark.limits import GroupOffsets, OffsetLimit
from kafka_nextgen.spark.options import SourceOptions
from kafka_nextgen.spark.planner_client import PlannerClient
from kafka_nextgen.spark.resolving import timestamps_to_ask
from kafka_nextgen.spark.values import ClusterOffsets, PartitionOffsets, TopicIds, first_few
from kafka_nextgen.types import TopicDescription, TopicId, TopicPartition

__all__ = ["Cluster", "Topics"]

#: Topics by name, with their ids and partitions.
Topics = Mapping[str, TopicDescription]

T = TypeVar("T")


class Cluster:
    """The driver's questions to the cluster of a query. Every question raises what ``Consumer``'s do."""

    def __init__(self, options: SourceOptions) -> None:
        self._options = options

    @cached_property
    def _client(self) -> PlannerClient:
        return PlannerClient(self._options.kafka.consumer_config())

    def partitions(self, known: Collection[TopicPartition] = ()) -> TopicIds:
        """The partitions that are read, sorted, with the ids of their topics; asked again while a ``known`` one lacks.

        Raises ``UnknownTopicError`` if a topic or partition that is named is not there, also after some retries.
        """
        missing, partitions = list[str](), dict[TopicPartition, TopicId | None]()
        for _ in self._tries():
            topics = self._topics()
            found = {TopicPartition(t.name, number): t.topic_id for t in topics.values() for number in t.partitions}
            wanted = self._wanted(found)
            missing = sorted(self._named() - topics.keys()) or [str(tp) for tp in sorted(wanted - found.keys())]
            partitions = {tp: found[tp] for tp in sorted(wanted & found.keys())}
            if not missing and partitions.keys() >= set(known):
                break
        if missing:
            raise UnknownTopicError(
                f"Kafka has no {first_few(missing)}, which the query reads: create the topic, or correct the option",
                code=ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
            )
        return partitions

    def earliest(self, partitions: Collection[TopicPartition]) -> PartitionOffsets:
        """The offset of the first record of each partition."""
        return self._client.beginning_offsets(partitions)

    def latest(self, partitions: Collection[TopicPartition], known: PartitionOffsets | None = None) -> PartitionOffsets:
        """The offset after the last record of each partition; asked again while one is less than what is ``known``."""
        offsets: PartitionOffsets = {}
        for _ in self._tries():
            offsets = self._client.end_offsets(partitions)
            if not receded(known or {}, offsets):
                break
        return offsets

    def offsets(self, partitions: TopicIds, known: PartitionOffsets | None = None) -> ClusterOffsets:
        """The first and the latest offsets of partitions, of which ``known`` are offsets as for ``latest``."""
        return ClusterOffsets(self.earliest(partitions), self.latest(partitions, known), partitions)

    def answers(self, limit: OffsetLimit, partitions: Collection[TopicPartition]) -> dict[TopicPartition, int | None]:
        """What a limit needs to be resolved: offsets found by timestamp, or those that a group has committed."""
        if isinstance(limit, GroupOffsets):
            return self._committed(partitions)
        asked = timestamps_to_ask(limit, partitions)
        return self.found_by_time(asked) if asked else {}

    def found_by_time(self, timestamps: Mapping[TopicPartition, int]) -> dict[TopicPartition, int | None]:
        """The offset of the first record that is not older than a timestamp in milliseconds; None if there is none."""
        found = self._client.offsets_for_times(timestamps)
        return {tp: None if at.offset < 0 else at.offset for tp, at in found.items()}

    def together(self, ask: Callable[[], T]) -> T:
        """Return what ``ask`` returns, which asks for partitions and then about them.

        Raises ``UnknownTopicError`` if a topic that is named is not there, or one that a pattern found, in every try.
        """
        error: UnknownTopicError | None = None
        for _ in self._tries():
            try:
                return ask()
            except UnknownTopicError as unknown:
                if not isinstance(self._options.strategy, SubscribePatternStrategy):
                    raise
                error = unknown
        assert error is not None, "there is a first try"
        raise error

    def close(self) -> None:
        """Close the connections, if there are any. The next question makes new ones."""
        client: PlannerClient | None = self.__dict__.pop("_client", None)
        if client is not None:
            client.close()

    def _committed(self, partitions: Collection[TopicPartition]) -> dict[TopicPartition, int | None]:
        from kafka_nextgen.consumer import Consumer  # most queries start elsewhere and need none

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

    def _topics(self) -> Topics:
        strategy = self._options.strategy
        if not isinstance(strategy, SubscribePatternStrategy):
            return self._client.describe_topics(self._named())
        topics = {name: topic for name, topic in self._client.describe_topics().items() if not topic.is_internal}
        return {name: topics[name] for name in strategy.matching(topics)}

    def _wanted(self, found: Collection[TopicPartition]) -> set[TopicPartition]:
        strategy = self._options.strategy
        return set(strategy.partitions if isinstance(strategy, AssignStrategy) else found)

    def _tries(self) -> Iterator[None]:
        yield
        for _ in range(self._options.fetch_offset_num_retries):
            time.sleep(self._options.fetch_offset_retry_interval_ms / 1000)
            yield
