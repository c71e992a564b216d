"""Drives fetching: asks what the fetch state wants to know and gives it the answers.

The state has no thread of its own. Two use it: the I/O thread, which plans and stores, and the application's,
which takes records, seeks and pauses. One lock makes each of their calls whole; none of them waits for anything
while it holds it, and decoding happens outside.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Collection, Iterable, Mapping

from kafka_nextgen.bridge import fetch as bridge
from kafka_nextgen.bridge import list_offsets
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.config import ConsumerConfig
from kafka_nextgen.engine.failures import error_from_code
from kafka_nextgen.engine.mailbox import Mailbox, Signal
from kafka_nextgen.engine.offsets import OffsetClient
from kafka_nextgen.engine.tasks import TaskSet
from kafka_nextgen.errors import KafkaNextgenError
from kafka_nextgen.fetching import (
    Fetch,
    FetchSettings,
    FetchState,
    Need,
    NeedCommittedOffset,
    NeedMetadata,
    NeedOffsetReset,
    OffsetReset,
    decode_answer,
)
from kafka_nextgen.transport.cluster import ClusterClient, Node
from kafka_nextgen.types import OffsetAndMetadata, TopicId, TopicPartition
from kafka_nextgen.wire.apis import FETCH, LIST_OFFSETS
from kafka_nextgen.wire.messages import FetchResponse, ListOffsetsResponse
from kafka_nextgen.wire.records import ColumnSlice, RecordLimits

__all__ = ["Fetcher"]

logger = logging.getLogger("kafka_nextgen.fetch")

READ_UNCOMMITTED = 0


class Fetcher:
    """The fetch state between the two threads that use it."""

    def __init__(
        self,
        config: ConsumerConfig,
        cluster: ClusterClient,
        offsets: OffsetClient,
        mailbox: Mailbox,
        tasks: TaskSet,
        signal: Signal,
        call_soon: Callable[[Callable[[], object]], None],
    ) -> None:
        self._config = config
        self._cluster = cluster
        self._offsets = offsets
        self._mailbox = mailbox
        self._tasks = tasks
        self._signal = signal
        self._call_soon = call_soon
        self._lock = threading.Lock()
        self._state = FetchState(_settings(config))
        self._limits = RecordLimits()
        self._topic_ids: Mapping[str, TopicId] = {}
        self._timer: asyncio.TimerHandle | None = None
        self.stops = 0  # how often partitions were stopped: what was peeked at before may be handed over no more

    # ---- for the application's thread

    def assignment(self) -> frozenset[TopicPartition]:
        """Every partition that is assigned, also those being given up."""
        with self._lock:
            return self._state.assignment()

    def has_records(self) -> bool:
        """Whether taking would bring records, or raise."""
        with self._lock:
            return self._state.has_records()

    def take(self, max_records: int) -> list[ColumnSlice]:
        """Hand records over; the positions advance with it. Raises what stands in a partition's way."""
        with self._lock:
            taken = self._state.take(max_records)
        if taken:
            self._call_soon(self.pump)
        return taken

    def peek(self, max_records: int) -> list[ColumnSlice]:
        """What ``take`` would hand over, without doing so."""
        with self._lock:
            return self._state.peek(max_records)

    def hand_over(self, parts: Iterable[ColumnSlice]) -> None:
        """Advance the positions behind these runs of records."""
        with self._lock:
            for part in parts:
                self._state.hand_over(part)
        self._call_soon(self.pump)

    def position(self, partition: TopicPartition) -> int | None:
        """The offset of the next record to be handed over, None while it is being looked up."""
        with self._lock:
            return self._state.position(partition)

    def seek(self, partition: TopicPartition, offset: int, leader_epoch: int) -> None:
        """Go on at ``offset``."""
        with self._lock:
            self._state.seek(partition, offset, leader_epoch)
        self._call_soon(self.pump)

    def seek_to_beginning(self, partitions: Iterable[TopicPartition]) -> None:
        """Go on at the first offset there is."""
        self._seek_to(partitions, OffsetReset.EARLIEST)

    def seek_to_end(self, partitions: Iterable[TopicPartition]) -> None:
        """Go on behind the last record."""
        self._seek_to(partitions, OffsetReset.LATEST)

    def _seek_to(self, partitions: Iterable[TopicPartition], where: OffsetReset) -> None:
        with self._lock:
            self._state.seek_to(partitions, where)
        self._call_soon(self.pump)

    def pause(self, partitions: Iterable[TopicPartition]) -> None:
        """Hand out nothing of these until they are resumed."""
        with self._lock:
            self._state.pause(partitions)

    def resume(self, partitions: Iterable[TopicPartition]) -> None:
        """Undo ``pause``."""
        with self._lock:
            self._state.resume(partitions)
        self._call_soon(self.pump)

    def paused(self) -> frozenset[TopicPartition]:
        """The partitions that are paused."""
        with self._lock:
            return self._state.paused()

    def mark_consumed(self) -> None:
        """What was handed over until now counts as processed."""
        with self._lock:
            self._state.mark_consumed()

    def consumed_offsets(self) -> dict[TopicPartition, OffsetAndMetadata]:
        """What auto-commit may commit."""
        with self._lock:
            return self._state.consumed_offsets()

    def handed_over_offsets(self) -> dict[TopicPartition, OffsetAndMetadata]:
        """What ``commit()`` commits."""
        with self._lock:
            return self._state.handed_over_offsets()

    # ---- for the I/O thread

    def assign(
        self,
        partitions: Collection[TopicPartition],
        added: Collection[TopicPartition],
        topic_ids: Mapping[str, TopicId],
    ) -> None:
        """Make ``partitions`` the whole assignment; those kept go on as they are."""
        with self._lock:
            self._topic_ids = dict(topic_ids)
            self._state.assign(partitions, added)
        self.pump()

    def release(self, partitions: Iterable[TopicPartition]) -> None:
        """Let fetching of newly assigned partitions begin."""
        with self._lock:
            self._state.release(partitions)
        self.pump()

    def stop(self, partitions: Iterable[TopicPartition]) -> None:
        """Hand out nothing of these from here on."""
        with self._lock:
            self._state.stop(partitions)
            self.stops += 1

    def pump(self) -> None:
        """Begin everything the state wants to know now, and come back when it will want more."""
        now = time.monotonic()
        with self._lock:
            needs = self._state.plan(self._cluster.metadata, now)
            deadline = self._state.deadline(now)
        for need in needs:
            self._tasks.start(self._satisfy(need))
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if deadline is not None:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(max(0.001, deadline - now), self.pump)

    def close(self) -> None:
        """Plan nothing any more."""
        if self._timer is not None:
            self._timer.cancel()

    async def _satisfy(self, need: Need) -> None:
        try:
            if isinstance(need, Fetch):
                await self._fetch(need)
            elif isinstance(need, NeedCommittedOffset):
                await self._look_up_committed(need)
            elif isinstance(need, NeedOffsetReset):
                await self._look_up_reset(need)
            else:
                await self._refresh(need)
        except KafkaNextgenError as failure:
            logger.info("%s: %s; tried again", type(need).__name__, failure)
            self._failed(need)
            if isinstance(need, NeedCommittedOffset):
                self._mailbox.post_unless_weather(failure)
        except Exception:
            self._failed(need)  # a bug reaches the application; the partitions are not stuck for it
            raise
        self._signal.ring()
        self.pump()

    def _failed(self, need: Need) -> None:
        with self._lock:
            self._state.failed(need, time.monotonic())

    async def _fetch(self, need: Fetch) -> None:
        config = self._config
        limits = bridge.FetchLimits(
            max_wait_ms=need.max_wait_ms,
            min_bytes=config.fetch_min_bytes,
            max_bytes=need.max_bytes,
            isolation_level=READ_UNCOMMITTED,
            rack_id=config.client_rack or "",
        )
        message = await self._cluster.call(
            Node(need.node_id),
            FETCH,
            lambda version: bridge.to_request(need.positions, limits, version),
            (need.max_wait_ms + config.request_timeout_ms) / 1000,
        )
        names = {position.topic_id: position.partition.topic for position in need.positions if position.topic_id}
        assert isinstance(message, FetchResponse)
        answer = bridge.from_response(message, names)
        if answer.error != ErrorCode.NONE:
            raise error_from_code(answer.error, f"fetch from node {need.node_id}")
        decoded = decode_answer(need, answer.partitions, self._limits, config.check_crcs)
        with self._lock:
            self._state.fetched(need, decoded, time.monotonic())

    async def _look_up_committed(self, need: NeedCommittedOffset) -> None:
        timeout_s = self._config.default_api_timeout_ms / 1000
        found = await self._offsets.committed(need.partitions, timeout_s)
        offsets = {tp: offset for tp, offset in found.items() if offset is not None}
        with self._lock:
            self._state.committed_found(need, offsets, time.monotonic())

    async def _look_up_reset(self, need: NeedOffsetReset) -> None:
        timeout_ms = self._config.request_timeout_ms
        message = await self._cluster.call(
            Node(need.node_id),
            LIST_OFFSETS,
            lambda version: list_offsets.to_request(need.timestamps, need.leader_epochs, READ_UNCOMMITTED, timeout_ms),
            timeout_ms / 1000,
        )
        assert isinstance(message, ListOffsetsResponse)
        found = list_offsets.from_response(message, need.timestamps)
        with self._lock:
            self._state.reset_found(need, found, time.monotonic())

    async def _refresh(self, need: NeedMetadata) -> None:
        await self._cluster.refresh_metadata(topics=need.topics)
        with self._lock:
            self._state.metadata_refreshed(need, time.monotonic())


def _settings(config: ConsumerConfig) -> FetchSettings:
    return FetchSettings(
        reset=OffsetReset(config.auto_offset_reset.value),
        strict=config.offset_reset_strict,
        buffer_bytes=config.fetch_buffer_bytes,
        max_bytes=config.fetch_max_bytes,
        partition_max_bytes=config.max_partition_fetch_bytes,
        max_wait_ms=config.fetch_max_wait_ms,
        retry_backoff_s=config.retry_backoff_ms / 1000,
        retry_backoff_max_s=config.retry_backoff_max_ms / 1000,
    )
