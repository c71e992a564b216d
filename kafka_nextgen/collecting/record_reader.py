"""Read the coordinators' records in ``__consumer_offsets``, and write their events into a sink.

The topic contains more than descriptions of groups do: every epoch, assignment and commit with the time at which it was
stored. It is compacted, so the history has to be collected as it happens. A reader starts at the beginning of the topic
each time, because the meaning of a record depends on those before it. An event that is written again has the same
``source`` and ``seq``, so it counts once.

The records of a batch belong together: a cause is written after its effect. A poll may end inside a batch, so the last
records of a partition wait until their batch is known to be complete.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

from attrs import Factory, evolve

from kafka_nextgen import clocks
from kafka_nextgen.admin import AsyncGroupAdmin
from kafka_nextgen.aio import AsyncConsumer
from kafka_nextgen.collecting.collector import GroupFilter
from kafka_nextgen.collecting.stop_checks import ends_before_stop
from kafka_nextgen.config import ConsumerConfig
from kafka_nextgen.errors import DecodeError
from kafka_nextgen.history.events import SourceKind
from kafka_nextgen.history.queued_sink import Sink
from kafka_nextgen.lazy_attrs import define
from kafka_nextgen.logs import logger_of
from kafka_nextgen.offsets_topic.events import RecordStory, Row
from kafka_nextgen.offsets_topic.extensions import Skipped, decode
from kafka_nextgen.properties.offset_reset import OffsetReset
from kafka_nextgen.properties.value_types import IsolationLevel
from kafka_nextgen.types import Record, TopicPartition

__all__ = ["OFFSETS_TOPIC", "RecordReader", "reader_config"]

logger = logger_of(__name__)

OFFSETS_TOPIC = "__consumer_offsets"

_MAX_RECORDS = 10_000
_POLL_S = 0.5
#: The largest tolerated clock difference from brokers. With a larger one, a new topic may temporarily appear as its id
#: instead of its name.
_CLOCK_SKEW_MS = 60_000
#: Reading pauses while more events than this wait in the sink.
_MAX_WAITING = 5_000
_WAIT_S = 0.01


def reader_config(config: ConsumerConfig) -> ConsumerConfig:
    """Return the configuration of the consumer that reads the records: committed ones from the beginning."""
    return evolve(
        config,
        group_id=None,
        enable_auto_commit=False,
        auto_offset_reset=OffsetReset.EARLIEST,
        isolation_level=IsolationLevel.READ_COMMITTED,
    )


@define
class _PartitionState:
    """The state of one partition, and the records that wait for the rest of their batch."""

    story: RecordStory
    waiting: list[Row] = Factory(list)

    def take_complete(self, is_drained: bool) -> list[Row]:
        """Return the records of complete batches: all, or all except those with the last timestamp."""
        complete = len(self.waiting)
        while not is_drained and complete and self.waiting[complete - 1].at == self.waiting[-1].at:
            complete -= 1
        taken, self.waiting = self.waiting[:complete], self.waiting[complete:]
        return taken


class RecordReader:
    """Writes the events in the records of ``__consumer_offsets`` into ``sink``.

    Args:
        admin: The admin client of the cluster.
        consumer: A consumer of the cluster, created with ``reader_config``; the reader assigns the topic's partitions
            to it.
        sink: The sink of the events; its owner closes it.
        group_filter: The groups whose events are written.
        timeout_s: The time limit of each request.
        now: Returns the time in seconds since the Unix epoch.
    """

    def __init__(
        self,
        admin: AsyncGroupAdmin,
        consumer: AsyncConsumer,
        sink: Sink,
        group_filter: GroupFilter,
        *,
        timeout_s: float = 30.0,
        now: Callable[[], float] = clocks.time,
    ) -> None:
        self._admin = admin
        self._consumer = consumer
        self._sink = sink
        self._filter = group_filter
        self._timeout_s = timeout_s
        self._now = now
        self._partitions: dict[TopicPartition, _PartitionState] = {}
        self._names_updated_at = 0  # ms since the epoch
        self._written = 0
        self.bad_records = 0

    async def run(self, is_stopped: Callable[[], bool], *, until_current_end: bool = False) -> None:
        """Read until ``is_stopped`` or, with ``until_current_end``, up to the end of the topic at the time of the call.

        Raises AuthenticationError, and AuthorizationError if the topic may not be read.
        """
        if not await ends_before_stop(self._assign_when_there(is_once=until_current_end), is_stopped):
            return
        if not self._partitions:
            return
        ends = None
        if until_current_end:
            ends = (await self._consumer.end_offsets(self._partitions, self._timeout_s)).all()
        while not is_stopped() and not (ends is not None and await self._has_read(ends)):
            await self.read()
        for partition in self._partitions.values():
            await self._write_events(partition, is_drained=True)

    async def read(self) -> None:
        """Poll once, and write the events of complete batches."""
        records = await self._consumer.poll(_POLL_S, _MAX_RECORDS)
        if records:
            await self._update_names(max(record.timestamp for record in records))
        for record in records:
            self._add(record)
        for partition in self._partitions.values():
            await self._write_events(partition, is_drained=len(records) < _MAX_RECORDS)

    async def _assign_when_there(self, *, is_once: bool) -> None:
        """Assign the topic's partitions; if the topic does not exist, try again unless ``is_once``."""
        while not await self._assign() and not is_once:
            await asyncio.sleep(_POLL_S)

    async def _assign(self) -> bool:
        """Assign the topic's partitions; return False if the topic does not exist because there never was a group."""
        topic = (await self._consumer.describe_topics([OFFSETS_TOPIC], self._timeout_s)).get(OFFSETS_TOPIC)
        if topic is None:
            return False
        cluster = await self._admin.cluster_id(self._timeout_s) or ""
        for number in topic.partitions:
            story = RecordStory(f"{SourceKind.OFFSETS_TOPIC.value}:{number}", cluster)
            self._partitions[TopicPartition(OFFSETS_TOPIC, number)] = _PartitionState(story)
        await self._consumer.assign(list(self._partitions), self._timeout_s)
        return True

    async def _has_read(self, ends: Mapping[TopicPartition, int]) -> bool:
        for partition, end in ends.items():
            if await self._consumer.position(partition, self._timeout_s) < end:
                return False
        return True

    async def _update_names(self, latest: int) -> None:
        """Update the names of topic ids, if records are newer than the names."""
        if latest < self._names_updated_at - _CLOCK_SKEW_MS:
            return
        self._names_updated_at = int(self._now() * 1000)
        topics = await self._consumer.describe_topics(None, self._timeout_s)
        names = {topic.topic_id: name for name, topic in topics.items() if topic.topic_id is not None}
        for partition in self._partitions.values():
            partition.story.know(names)

    def _add(self, record: Record) -> None:
        assert isinstance(record.key, bytes | None)
        assert isinstance(record.value, bytes | None)
        try:
            decoded = decode(record.key or b"", record.value)
        except DecodeError as error:
            self.bad_records += 1
            where = f"{OFFSETS_TOPIC}-{record.partition} at offset {record.offset}"
            logger.warning("%s is left out: %s", where, error)
            return
        if not isinstance(decoded, Skipped):
            row = Row(record.offset, record.timestamp, decoded)
            self._partitions[TopicPartition(OFFSETS_TOPIC, record.partition)].waiting.append(row)

    async def _write_events(self, partition: _PartitionState, *, is_drained: bool) -> None:
        for event in partition.story.tell(partition.take_complete(is_drained)):
            if self._filter.matches_id(event.group):
                while self._written - self._sink.written - self._sink.dropped > _MAX_WAITING:
                    await asyncio.sleep(_WAIT_S)
                self._sink.write(event)
                self._written += 1
