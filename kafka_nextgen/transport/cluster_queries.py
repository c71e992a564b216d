"""Queries to the cluster: where partitions begin and end, and which topics exist."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import DecodeError, OutageError, RequestTimeoutError
from kafka_nextgen.groups.partition_results import PartitionResults
from kafka_nextgen.requests.list_offsets import EARLIEST, LATEST, ListedOffset, from_response, number_of, to_request
from kafka_nextgen.transport.cluster import ClusterClient, Node
from kafka_nextgen.transport.failures import error_from_code
from kafka_nextgen.transport.offset_lookup import NO_LEADER, Lookup, OffsetAndTimestamp, checked
from kafka_nextgen.transport.waiting import ClosedError, Deadline
from kafka_nextgen.types import OffsetAndMetadata, TopicDescription, TopicPartition, format_partitions, lag_of
from kafka_nextgen.wire import messages as m
from kafka_nextgen.wire.apis import LIST_OFFSETS

if TYPE_CHECKING:
    from kafka_nextgen.config import ConsumerConfig
    from kafka_nextgen.requests.cluster_image import TopicInfo

__all__ = ["ClusterQueries"]


class ClusterQueries:
    """Asks partition leaders for offsets and any broker for topics."""

    def __init__(self, cluster: ClusterClient, config: ConsumerConfig) -> None:
        self._cluster = cluster
        self._config = config

    async def list_offsets(
        self, timestamps: Mapping[TopicPartition, int], timeout_s: float
    ) -> dict[TopicPartition, OffsetAndTimestamp]:
        """The offsets of all partitions at these timestamps; waits for partitions without a leader.

        Raises the same errors as ``reachable_offsets``, and RequestTimeoutError if a partition has no result at the
        deadline.
        """
        return checked(await self.find_offsets(timestamps, timeout_s, needs_all=True)).all()

    async def reachable_offsets(
        self, timestamps: Mapping[TopicPartition, int], timeout_s: float
    ) -> PartitionResults[OffsetAndTimestamp]:
        """The offsets at these timestamps; partitions without a reachable leader are in ``failed``.

        Raises UnknownTopicError if a partition still does not exist after a few lookups, another BrokerError for
        permanent errors, and RequestTimeoutError if nothing was found before the deadline.
        """
        return checked(await self.find_offsets(timestamps, timeout_s))

    async def find_offsets(
        self, timestamps: Mapping[TopicPartition, int], timeout_s: float, *, needs_all: bool = False
    ) -> PartitionResults[OffsetAndTimestamp]:
        """The offsets at these timestamps (milliseconds; -1 the end, -2 the beginning), or the error of each.

        Retries transient errors until the deadline. Once other partitions are found, it does not wait for a partition
        that has no leader in several metadata answers, unless ``needs_all`` is set. Raises ClosedError if this client
        is closed in the meantime.
        """
        deadline = Deadline(timeout_s, f"offsets of {format_partitions(timestamps)}")
        lookup, failures = Lookup(timestamps, needs_all=needs_all), 0
        try:
            if lookup.missing and not self._by_leader(lookup.missing):
                await self._look_up(lookup, deadline)
            while lookup.missing:
                await self._ask_leaders(lookup, deadline)
                if lookup.missing:
                    failures += 1
                    await deadline.pause(self._cluster.retry_backoff_s(failures))
                    await self._look_up(lookup, deadline)
        except RequestTimeoutError:  # from the deadline
            pass
        return lookup.end(timeout_s)

    async def lag(
        self, committed: Mapping[TopicPartition, OffsetAndMetadata | None], timeout_s: float
    ) -> PartitionResults[int | None]:
        """The number of readable offsets starting at the committed one; None for a partition without one.

        Offsets below the log's start, which retention or DeleteRecords removed, can't be read. Reports failed
        partitions and raises errors like ``reachable_offsets``.
        """
        starts, ends = await asyncio.gather(
            self.reachable_offsets(dict.fromkeys(committed, EARLIEST), timeout_s),
            self.reachable_offsets(dict.fromkeys(committed, LATEST), timeout_s),
        )
        lags = {
            tp: None if at is None else lag_of(at.offset, starts[tp].offset, ends[tp].offset)
            for tp, at in committed.items()
            if tp in starts and tp in ends
        }
        return PartitionResults(lags, {**starts.failed, **ends.failed})

    async def _ask_leaders(self, lookup: Lookup, deadline: Deadline) -> None:
        """Query every leader for the offsets of its partitions."""
        shares = self._by_leader(lookup.missing)
        lookup.note_failure(lookup.missing.keys() - set().union(*shares.values()), NO_LEADER)
        asked = [self._ask(node, share, deadline) for node, share in shares.items()]
        answers = await asyncio.gather(*asked, return_exceptions=True)
        for share, answer in zip(shares.values(), answers, strict=True):
            if isinstance(answer, ClosedError) or not isinstance(answer, (dict, OutageError, DecodeError)):
                raise answer
            if isinstance(answer, dict):
                lookup.read(answer)
            else:
                lookup.note_failure(share, answer)

    def _by_leader(self, missing: Mapping[TopicPartition, int]) -> dict[int, dict[TopicPartition, int]]:
        by_leader: dict[int, dict[TopicPartition, int]] = {}
        for tp, timestamp in missing.items():
            info = self._cluster.metadata.partition(tp)
            if info is not None and info.leader >= 0:
                by_leader.setdefault(info.leader, {})[tp] = timestamp
        return by_leader

    async def _ask(
        self, node: int, share: Mapping[TopicPartition, int], deadline: Deadline
    ) -> dict[TopicPartition, ListedOffset]:
        timeout_s = min(deadline.left_s(), self._config.request_timeout_ms / 1000)
        isolation, epochs = number_of(self._config.isolation_level), self._leader_epochs(share)
        answer = await self._cluster.call(
            Node(node),
            LIST_OFFSETS,
            lambda version: to_request(share, epochs, isolation, int(timeout_s * 1000)),
            timeout_s,
        )
        assert isinstance(answer, m.ListOffsetsResponse)
        return from_response(answer, share)

    def _leader_epochs(self, partitions: Iterable[TopicPartition]) -> dict[TopicPartition, int]:
        """The leader epochs of these partitions: a former leader, whose log may end earlier, then refuses the query."""
        known = ((tp, self._cluster.metadata.partition(tp)) for tp in partitions)
        return {tp: info.leader_epoch for tp, info in known if info is not None}

    async def _look_up(self, lookup: Lookup, deadline: Deadline) -> None:
        topics = frozenset(tp.topic for tp in lookup.missing)
        try:
            await self._cluster.refresh_metadata(topics=topics, timeout_s=deadline.left_s())
        except ClosedError:
            raise
        except (OutageError, DecodeError) as failure:
            lookup.note_no_metadata(failure)
            if deadline.left_s() <= 0:
                raise deadline.missed(failure) from failure
        else:
            lookup.note_image(self._cluster.metadata)

    async def partitions_for(self, topic: str, timeout_s: float) -> tuple[int, ...]:
        """The partitions of a topic, empty if it does not exist."""
        described = await self.describe_topics([topic], timeout_s)
        return described[topic].partitions if topic in described else ()

    async def describe_topics(self, names: Collection[str] | None, timeout_s: float) -> dict[str, TopicDescription]:
        """These topics, or all, by name; topics that do not exist are left out."""
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
        """The names of all topics except internal ones."""
        image = await self._cluster.all_topics(timeout_s)
        return tuple(sorted(t.name for t in image.topics_by_name.values() if not t.error and not t.is_internal))


def _description_of(topic: TopicInfo) -> TopicDescription:
    return TopicDescription(topic.name, topic.topic_id, tuple(sorted(topic.partitions)), topic.is_internal)
