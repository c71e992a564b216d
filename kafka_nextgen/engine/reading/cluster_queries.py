"""Questions to the cluster: where partitions begin and end, and which topics there are."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Collection, Iterable, Mapping

from attrs import frozen

from kafka_nextgen.bridge import list_offsets as bridge
from kafka_nextgen.bridge.cluster_image import LOOKS, ClusterImage, TopicInfo
from kafka_nextgen.bridge.list_offsets import number_of
from kafka_nextgen.codes import ErrorCode, is_retriable, name_of
from kafka_nextgen.config import ConsumerConfig
from kafka_nextgen.engine.failures import error_from_code
from kafka_nextgen.errors import DecodeError, OutageError, UnknownTopicError
from kafka_nextgen.transport.cluster import ClusterClient, Node
from kafka_nextgen.transport.deadline import Deadline
from kafka_nextgen.types import OffsetAndMetadata, TopicDescription, TopicPartition, format_partitions
from kafka_nextgen.wire import messages as m
from kafka_nextgen.wire.apis import LIST_OFFSETS

__all__ = ["ClusterQueries", "OffsetAndTimestamp"]


@frozen
class OffsetAndTimestamp:
    """An offset found by time: -1 where no record is as young; ``timestamp`` is the record's, in milliseconds."""

    offset: int
    timestamp: int = -1
    leader_epoch: int = -1


class Looks:
    """How often partitions were looked up and not there."""

    def __init__(self) -> None:
        self._in_vain: Counter[TopicPartition] = Counter()

    def note(self, partitions: Iterable[TopicPartition], image: ClusterImage) -> None:
        """Take in what the cluster says. Raises UnknownTopicError if one is not there again, and that is enough."""
        for tp in partitions:
            why = image.why_missing(tp)
            self._in_vain[tp] = 0 if why is None else self._in_vain[tp] + 1
            if self._in_vain[tp] >= LOOKS:
                code = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
                raise UnknownTopicError(f"{tp} has no offsets: {why}", code=code, partition=tp)


class ClusterQueries:
    """Asks partition leaders for offsets and any broker for topics."""

    def __init__(self, cluster: ClusterClient, config: ConsumerConfig) -> None:
        self._cluster = cluster
        self._config = config

    async def list_offsets(
        self, timestamps: Mapping[TopicPartition, int], timeout_s: float
    ) -> dict[TopicPartition, OffsetAndTimestamp]:
        """The offsets at these timestamps (milliseconds; -1 the end, -2 the beginning).

        Retries what may pass. Raises RequestTimeoutError when the time is over, UnknownTopicError if there is no such
        partition, looked up a few times, and another BrokerError for what won't pass.
        """
        deadline = Deadline(timeout_s, f"offsets of {format_partitions(timestamps)}")
        failures = 0
        found: dict[TopicPartition, OffsetAndTimestamp] = {}
        missing = dict(timestamps)
        looks = Looks()
        if missing and not self._by_leader(missing):
            await self._look_up(missing, looks, deadline)
        while missing:
            failure = await self._ask_leaders(missing, found, deadline)
            missing = {tp: at for tp, at in missing.items() if tp not in found}
            if missing:
                failures += 1
                await deadline.pause(self._cluster.retry_backoff_s(failures), failure)
                await self._look_up(missing, looks, deadline)
        return found

    async def lag(
        self, committed: Mapping[TopicPartition, OffsetAndMetadata | None], timeout_s: float
    ) -> dict[TopicPartition, int | None]:
        """How far committed offsets are behind the ends of their partitions; None where there is none."""
        ends = await self.list_offsets(dict.fromkeys(committed, bridge.LATEST), timeout_s)
        return {tp: None if at is None else max(0, ends[tp].offset - at.offset) for tp, at in committed.items()}

    async def _ask_leaders(
        self,
        missing: Mapping[TopicPartition, int],
        found: dict[TopicPartition, OffsetAndTimestamp],
        deadline: Deadline,
    ) -> object:
        """Ask every leader for its share; what was found goes into ``found``, the last failure is returned."""
        asked = [self._ask(node, share, deadline) for node, share in self._by_leader(missing).items()]
        failure: object = "no leader is known"
        for answer in await asyncio.gather(*asked, return_exceptions=True):
            if isinstance(answer, (OutageError, DecodeError)):
                failure = answer
            elif isinstance(answer, BaseException):
                raise answer
            else:
                failure = _collect_offsets(answer, found) or failure
        return failure

    def _by_leader(self, missing: Mapping[TopicPartition, int]) -> dict[int, dict[TopicPartition, int]]:
        by_leader: dict[int, dict[TopicPartition, int]] = {}
        for tp, timestamp in missing.items():
            info = self._cluster.metadata.partition(tp)
            if info is not None and info.leader >= 0:
                by_leader.setdefault(info.leader, {})[tp] = timestamp
        return by_leader

    async def _ask(
        self, node: int, share: Mapping[TopicPartition, int], deadline: Deadline
    ) -> dict[TopicPartition, bridge.ListedOffset]:
        timeout_s = min(deadline.left_s(), self._config.request_timeout_ms / 1000)
        isolation, epochs = number_of(self._config.isolation_level), self._leader_epochs(share)
        answer = await self._cluster.call(
            Node(node),
            LIST_OFFSETS,
            lambda version: bridge.to_request(share, epochs, isolation, int(timeout_s * 1000)),
            timeout_s,
        )
        assert isinstance(answer, m.ListOffsetsResponse)
        return bridge.from_response(answer, share)

    def _leader_epochs(self, partitions: Iterable[TopicPartition]) -> dict[TopicPartition, int]:
        """At which epochs they are led, so that a node refuses that led them before: its log may end earlier."""
        known = ((tp, self._cluster.metadata.partition(tp)) for tp in partitions)
        return {tp: info.leader_epoch for tp, info in known if info is not None}

    async def _look_up(self, partitions: Mapping[TopicPartition, int], looks: Looks, deadline: Deadline) -> None:
        topics = frozenset(tp.topic for tp in partitions)
        try:
            await self._cluster.refresh_metadata(topics=topics, timeout_s=deadline.left_s())
        except (OutageError, DecodeError) as failure:
            if deadline.left_s() <= 0:
                raise deadline.missed(failure) from failure
        else:
            looks.note(partitions, self._cluster.metadata)

    async def partitions_for(self, topic: str, timeout_s: float) -> tuple[int, ...]:
        """The partitions of a topic, empty if there is no such topic."""
        described = await self.describe_topics([topic], timeout_s)
        return described[topic].partitions if topic in described else ()

    async def describe_topics(self, names: Collection[str] | None, timeout_s: float) -> dict[str, TopicDescription]:
        """These topics, or all, by name; those that are not there are left out."""
        if names is None:
            topics = (await self._cluster.all_topics(timeout_s)).topics_by_name
        else:
            await self._cluster.refresh_metadata(topics=frozenset(names), timeout_s=timeout_s)
            found = self._cluster.metadata.topics_by_name
            topics = {name: found[name] for name in sorted(set(names)) if name in found}
        for topic in topics.values():
            if topic.error == ErrorCode.TOPIC_AUTHORIZATION_FAILED:
                raise error_from_code(topic.error, f"topic {topic.name}")
        return {name: _description_of(topic) for name, topic in topics.items() if not topic.error}

    async def topics(self, timeout_s: float) -> tuple[str, ...]:
        """The names of the topics there are, internal ones left out."""
        image = await self._cluster.all_topics(timeout_s)
        return tuple(sorted(t.name for t in image.topics_by_name.values() if not t.error and not t.is_internal))


def _description_of(topic: TopicInfo) -> TopicDescription:
    return TopicDescription(topic.name, topic.topic_id, tuple(sorted(topic.partitions)), topic.is_internal)


def _collect_offsets(
    answer: Mapping[TopicPartition, bridge.ListedOffset], found: dict[TopicPartition, OffsetAndTimestamp]
) -> str | None:
    failure = None
    for tp, listed in answer.items():
        if not listed.error:
            found[tp] = OffsetAndTimestamp(listed.offset, listed.timestamp, listed.leader_epoch)
        elif is_retriable(listed.error):
            failure = f"{tp}: {name_of(listed.error)}"
        else:
            raise error_from_code(listed.error, f"offset of {tp}")
    return failure
