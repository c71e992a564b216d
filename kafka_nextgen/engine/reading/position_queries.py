"""Queries brokers for everything that fetching needs in addition to records: start offsets, leaders, log divergence."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from kafka_nextgen import clocks
from kafka_nextgen.config import ConsumerConfig
from kafka_nextgen.engine.offsets.group_offsets import Found, GroupOffsets
from kafka_nextgen.engine.reading.locked_fetches import LockedFetches
from kafka_nextgen.engine.settings import fetch_settings
from kafka_nextgen.errors import UnsupportedProtocolError
from kafka_nextgen.fetching import NeedCommittedOffset, NeedEpochEnds, NeedMetadata, NeedOffsetReset
from kafka_nextgen.fetching.resets import SkippedOffsets
from kafka_nextgen.logs import logger_of
from kafka_nextgen.requests import list_offsets, offset_for_leader_epoch
from kafka_nextgen.requests.list_offsets import number_of
from kafka_nextgen.requests.offset_for_leader_epoch import EpochEnd
from kafka_nextgen.transport.cluster import ClusterClient, Node
from kafka_nextgen.types import TopicPartition
from kafka_nextgen.wire import messages as m
from kafka_nextgen.wire.apis import LIST_OFFSETS, OFFSET_FOR_LEADER_EPOCH

__all__ = ["PositionQueries"]

logger = logger_of(__name__)

#: Earlier versions of OffsetForLeaderEpoch require the ClusterAction permission, which consumers do not have.
_FIRST_FOR_CONSUMERS = 3


class PositionQueries:
    """Gets the answers that the fetch state needs; a query that fails as a whole raises ``KafkaNextgenError``."""

    def __init__(
        self, config: ConsumerConfig, cluster: ClusterClient, offsets: GroupOffsets, fetches: LockedFetches
    ) -> None:
        self._config = config
        self._cluster = cluster
        self._offsets = offsets
        self._fetches = fetches
        self._settings = fetch_settings(config)
        self._told: set[TopicPartition] = set()  # new partitions whose skipped records have been logged
        self._isolation = number_of(config.isolation_level)

    async def ask(self, need: NeedCommittedOffset | NeedOffsetReset | NeedEpochEnds | NeedMetadata) -> None:
        """Carry out a query, and apply its answer."""
        if isinstance(need, NeedCommittedOffset):
            await self._look_up_committed(need)
        elif isinstance(need, NeedOffsetReset):
            await self._look_up_reset(need)
        elif isinstance(need, NeedEpochEnds):
            await self._validate(need)
        else:
            await self._refresh(need)

    async def _look_up_committed(self, need: NeedCommittedOffset) -> None:
        timeout_s = self._config.default_api_timeout_ms / 1000
        if self._config.group_id is None:
            offsets: Found = dict.fromkeys(need.partitions)
            new: frozenset[TopicPartition] = frozenset()
        else:
            found = await self._offsets.committed(need.partitions, timeout_s)
            offsets, new = await self._find_new(need.fences.keys(), found, timeout_s)
        with self._fetches as state:
            state.results.committed_found(need, offsets, clocks.monotonic(), new)

    async def _find_new(
        self, asked: Collection[TopicPartition], found: Found, timeout_s: float
    ) -> tuple[Found, frozenset[TopicPartition]]:
        """Find the new partitions: the group has committed offsets only for other partitions of their topic.

        Partitions for which this can't be determined now are left out of ``found``, so they are queried again.
        """
        doubtful = frozenset(tp.topic for tp in found) - _committed_topics(found)
        others: Collection[TopicPartition] = ()
        if doubtful and self._settings.treats_new_apart:
            others = await self._others_of(doubtful, asked)
        told = {**found, **await self._offsets.committed(others, timeout_s)} if others else found
        committed = _committed_topics(told)
        unclear = frozenset(tp.topic for tp in others if tp not in told) - committed
        new = frozenset(tp for tp, offset in found.items() if offset is None and tp.topic in committed)
        return {tp: offset for tp, offset in found.items() if tp.topic not in unclear}, new

    async def _others_of(self, topics: frozenset[str], but: Collection[TopicPartition]) -> list[TopicPartition]:
        """Return all partitions of these topics except ``but``."""
        if not topics <= self._cluster.metadata.topics_by_name.keys():
            await self._cluster.refresh_metadata(topics=topics)
        images = [image for name, image in self._cluster.metadata.topics_by_name.items() if name in topics]
        every = (TopicPartition(image.name, number) for image in images for number in image.partitions)
        return [tp for tp in every if tp not in but]

    async def _look_up_reset(self, need: NeedOffsetReset) -> None:
        timeout_ms = self._config.request_timeout_ms
        timestamps = need.timestamps(int(clocks.time() * 1000))
        message = await self._cluster.call(
            Node(need.node_id),
            LIST_OFFSETS,
            lambda version: list_offsets.to_request(timestamps, need.leader_epochs, self._isolation, timeout_ms),
            timeout_ms / 1000,
        )
        assert isinstance(message, m.ListOffsetsResponse)
        found = list_offsets.from_response(message, timestamps)
        with self._fetches as state:
            skipped = state.results.reset_found(need, found, clocks.monotonic())
        self._tell_of(skipped)

    def _tell_of(self, skipped: Iterable[SkippedOffsets]) -> None:
        for one in skipped:
            if one.partition not in self._told:
                self._told.add(one.partition)
                logger.warning("group %s: %s", self._config.group_id, one)

    async def _validate(self, need: NeedEpochEnds) -> None:
        ends = await self._epoch_ends(need)
        with self._fetches as state:
            state.results.epoch_ends_found(need, ends, clocks.monotonic())

    async def _epoch_ends(self, need: NeedEpochEnds) -> dict[TopicPartition, EpochEnd] | None:
        """Query where these epochs end in the leader's log (KIP-320); None if the broker does not support it."""
        api = OFFSET_FOR_LEADER_EPOCH.at_least(_FIRST_FOR_CONSUMERS)
        timeout_s = self._config.request_timeout_ms / 1000
        node, questions = Node(need.node_id), need.questions
        try:
            message = await self._cluster.call(
                node, api, lambda _: offset_for_leader_epoch.to_request(questions), timeout_s
            )
        except UnsupportedProtocolError:
            return None
        assert isinstance(message, m.OffsetForLeaderEpochResponse)
        return offset_for_leader_epoch.from_response(message, questions)

    async def _refresh(self, need: NeedMetadata) -> None:
        await self._cluster.refresh_metadata(topics=need.topics)
        with self._fetches as state:
            state.results.metadata_refreshed(need, clocks.monotonic())


def _committed_topics(found: Found) -> frozenset[str]:
    return frozenset(tp.topic for tp, offset in found.items() if offset is not None and offset.offset >= 0)
