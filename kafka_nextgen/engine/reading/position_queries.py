"""Asks brokers what fetching has to know beside the records: where to begin, who leads, and where logs diverge."""

from __future__ import annotations

from kafka_nextgen import clocks
from kafka_nextgen.bridge import list_offsets, offset_for_leader_epoch
from kafka_nextgen.bridge.list_offsets import number_of
from kafka_nextgen.bridge.offset_for_leader_epoch import EpochEnd
from kafka_nextgen.config import ConsumerConfig
from kafka_nextgen.engine.offsets.group_offsets import GroupOffsets
from kafka_nextgen.engine.reading.locked_fetches import LockedFetches
from kafka_nextgen.errors import UnsupportedProtocolError
from kafka_nextgen.fetching import NeedCommittedOffset, NeedEpochEnds, NeedMetadata, NeedOffsetReset
from kafka_nextgen.transport.cluster import ClusterClient, Node
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition
from kafka_nextgen.wire import messages as m
from kafka_nextgen.wire.apis import LIST_OFFSETS, OFFSET_FOR_LEADER_EPOCH

__all__ = ["PositionQueries"]

#: Earlier versions of OffsetForLeaderEpoch need the right to act for the cluster, which consumers do not have.
_FIRST_FOR_CONSUMERS = 3


class PositionQueries:
    """Gives the fetch state the answers it needs; a query that fails as a whole raises ``KafkaNextgenError``."""

    def __init__(
        self, config: ConsumerConfig, cluster: ClusterClient, offsets: GroupOffsets, fetches: LockedFetches
    ) -> None:
        self._config = config
        self._cluster = cluster
        self._offsets = offsets
        self._fetches = fetches
        self._isolation = number_of(config.isolation_level)

    async def ask(self, need: NeedCommittedOffset | NeedOffsetReset | NeedEpochEnds | NeedMetadata) -> None:
        """Find out what is wanted."""
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
        has_group = self._config.group_id is not None
        nothing: dict[TopicPartition, OffsetAndMetadata | None] = dict.fromkeys(need.partitions)
        offsets = await self._offsets.committed(need.partitions, timeout_s) if has_group else nothing
        with self._fetches.locked() as state:
            state.results.committed_found(need, offsets, clocks.monotonic())

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
        with self._fetches.locked() as state:
            state.results.reset_found(need, found, clocks.monotonic())

    async def _validate(self, need: NeedEpochEnds) -> None:
        ends = await self._epoch_ends(need)
        with self._fetches.locked() as state:
            state.results.epoch_ends_found(need, ends, clocks.monotonic())

    async def _epoch_ends(self, need: NeedEpochEnds) -> dict[TopicPartition, EpochEnd] | None:
        """Where the leader's log ends these epochs (KIP-320); None if the broker does not tell consumers."""
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
        with self._fetches.locked() as state:
            state.results.metadata_refreshed(need, clocks.monotonic())
