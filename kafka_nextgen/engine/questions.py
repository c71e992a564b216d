"""What an application asks the cluster: each question a future, answered on the I/O thread, within its time."""

from __future__ import annotations

from collections.abc import Callable, Collection, Coroutine, Mapping
from concurrent.futures import Future
from typing import TypeVar

from kafka_nextgen.engine.io_thread import InFlight, IoThread
from kafka_nextgen.engine.offsets.group_offsets import GroupOffsets
from kafka_nextgen.engine.reading.cluster_queries import ClusterQueries, OffsetAndTimestamp
from kafka_nextgen.engine.reading.fetcher import Fetcher
from kafka_nextgen.types import OffsetAndMetadata, TopicDescription, TopicPartition

__all__ = ["Questions"]

T = TypeVar("T")


class Questions:
    """May be asked from any thread; every ``timeout_s`` is in seconds."""

    def __init__(self, thread: IoThread, offsets: GroupOffsets, lookups: ClusterQueries, fetcher: Fetcher) -> None:
        self._thread = thread
        self._offsets = offsets
        self._lookups = lookups
        self._fetcher = fetcher
        self._asked = InFlight()

    def committed(
        self, partitions: Collection[TopicPartition], timeout_s: float
    ) -> Future[dict[TopicPartition, OffsetAndMetadata | None]]:
        """The committed offsets of these partitions, None where there is none or no such partition."""
        return self._ask(lambda: self._committed(partitions, timeout_s))

    async def _committed(
        self, partitions: Collection[TopicPartition], timeout_s: float
    ) -> dict[TopicPartition, OffsetAndMetadata | None]:
        found = await self._offsets.committed(partitions, timeout_s)
        return {tp: found.get(tp) for tp in partitions}

    def find_position(self, partition: TopicPartition, timeout_s: float) -> Future[int]:
        """The position of a partition, as soon as it is known."""
        return self._ask(lambda: self._fetcher.find_position(partition, timeout_s))

    def list_offsets(
        self, timestamps: Mapping[TopicPartition, int], timeout_s: float
    ) -> Future[dict[TopicPartition, OffsetAndTimestamp]]:
        """The offsets at these timestamps (milliseconds; -1 the end, -2 the beginning)."""
        return self._ask(lambda: self._lookups.list_offsets(timestamps, timeout_s))

    def partitions_for(self, topic: str, timeout_s: float) -> Future[tuple[int, ...]]:
        """The partitions of a topic, empty if there is no such topic."""
        return self._ask(lambda: self._lookups.partitions_for(topic, timeout_s))

    def describe_topics(self, topics: Collection[str] | None, timeout_s: float) -> Future[dict[str, TopicDescription]]:
        """These topics, or all; those that are not there are left out."""
        return self._ask(lambda: self._lookups.describe_topics(topics, timeout_s))

    def topics(self, timeout_s: float) -> Future[tuple[str, ...]]:
        """The topics of the cluster that may be seen."""
        return self._ask(lambda: self._lookups.topics(timeout_s))

    def cancel_pending(self) -> None:
        """Answer nothing any more that was asked until now; only on the I/O thread."""
        self._asked.cancel()

    def _ask(self, question: Callable[[], Coroutine[object, object, T]]) -> Future[T]:
        return self._thread.submit(self._asked.do(question))
