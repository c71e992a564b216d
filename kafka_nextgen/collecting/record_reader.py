"""Reading the coordinators' own records, ``__consumer_offsets``, and writing the events that they tell into a sink.

The topic says more than describing groups does: every epoch, every assignment and every commit, with the time at which
it was stored. It is compacted, so history has to be kept while it happens. A reader begins at the beginning of the
topic each time, because what a record means depends on those before it. An event that is written again has the
``source`` and ``seq`` that it had, so it counts once.

The records of a batch belong together: a cause is written behind its effect. A poll may end in the middle of a batch,
so the last records of a partition wait until it is known that no more of their batch will come.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping

from attrs import Factory, define, evolve

from kafka_nextgen.admin import AsyncGroupAdmin
from kafka_nextgen.aio import AsyncConsumer
from kafka_nextgen.bridge.offsets_topic import Skipped, decode
from kafka_nextgen.bridge.offsets_topic.events import RecordStory, Row
from kafka_nextgen.collecting.collector import Choice
from kafka_nextgen.config import ConsumerConfig
from kafka_nextgen.errors import DecodeError
from kafka_nextgen.history.events import SourceKind
from kafka_nextgen.history.queued_sink import Sink
from kafka_nextgen.logs import logger_of
from kafka_nextgen.offset_reset import OffsetReset
from kafka_nextgen.properties import IsolationLevel
from kafka_nextgen.types import Record, TopicPartition

__all__ = ["OFFSETS_TOPIC", "RecordReader", "reading_config"]

logger = logger_of(__name__)

OFFSETS_TOPIC = "__consumer_offsets"

_MOST_RECORDS = 10_000
#: How long (seconds) one poll waits.
_POLL_S = 0.5
#: Brokers' clocks and this host's are at most so far apart (ms), or a new topic may be told by its id for a while.
_CLOCKS_MS = 60_000
#: More is read when fewer events than that wait in the sink.
_MOST_WAITING = 5_000
_WAIT_S = 0.01


def reading_config(config: ConsumerConfig) -> ConsumerConfig:
    """What the consumer that reads the records is made of: all that was committed, from the beginning."""
    return evolve(
        config,
        group_id=None,
        enable_auto_commit=False,
        auto_offset_reset=OffsetReset.EARLIEST,
        isolation_level=IsolationLevel.READ_COMMITTED,
    )


@define
class _Partition:
    """One partition's story so far, and the records that wait for the rest of their batch."""

    story: RecordStory
    waiting: list[Row] = Factory(list)

    def take_whole(self, is_drained: bool) -> list[Row]:
        """The records whose batches are whole: all, or all but those of the last timestamp."""
        whole = len(self.waiting)
        while not is_drained and whole and self.waiting[whole - 1].at == self.waiting[-1].at:
            whole -= 1
        taken, self.waiting = self.waiting[:whole], self.waiting[whole:]
        return taken


class RecordReader:
    """Writes what the records of ``__consumer_offsets`` tell of groups into ``sink``.

    Args:
        admin: Of the cluster.
        consumer: Of the cluster, made with ``reading_config``; the reader assigns the topic's partitions to it.
        sink: Where events go; its owner closes it.
        choice: Which groups.
        timeout_s: How long each question to the cluster may take, in seconds.
        now: The time, in seconds since the epoch.
    """

    def __init__(
        self,
        admin: AsyncGroupAdmin,
        consumer: AsyncConsumer,
        sink: Sink,
        choice: Choice,
        *,
        timeout_s: float = 30.0,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._admin = admin
        self._consumer = consumer
        self._sink = sink
        self._choice = choice
        self._timeout_s = timeout_s
        self._now = now
        self._partitions: dict[TopicPartition, _Partition] = {}
        self._named_at = 0  # ms since the epoch
        self._written = 0
        self.bad_records = 0

    async def run(self, is_stopped: Callable[[], bool], *, only_what_is_there: bool = False) -> None:
        """Read until ``is_stopped`` or, ``only_what_is_there``, up to where the topic ended when this was called.

        Raises AuthenticationError, and AuthorizationError for a topic that may not be read.
        """
        while not await self._begin():
            if only_what_is_there or is_stopped():
                return
            await asyncio.sleep(_POLL_S)
        ends = await self._consumer.end_offsets(self._partitions, self._timeout_s) if only_what_is_there else None
        while not is_stopped() and not (ends is not None and await self._has_read(ends)):
            await self.read()
        for partition in self._partitions.values():
            await self._tell(partition, is_drained=True)

    async def read(self) -> None:
        """Take in what has come."""
        records = await self._consumer.poll(_POLL_S, _MOST_RECORDS)
        if records:
            await self._learn_names(max(record.timestamp for record in records))
        for record in records:
            self._take_in(record)
        for partition in self._partitions.values():
            await self._tell(partition, is_drained=len(records) < _MOST_RECORDS)

    async def _begin(self) -> bool:
        """Assign the topic's partitions; False if there is no such topic yet: no group has ever met."""
        topic = (await self._consumer.describe_topics([OFFSETS_TOPIC], self._timeout_s)).get(OFFSETS_TOPIC)
        if topic is None:
            return False
        cluster = await self._admin.cluster_id(self._timeout_s) or ""
        for number in topic.partitions:
            story = RecordStory(f"{SourceKind.OFFSETS_TOPIC.value}:{number}", cluster)
            self._partitions[TopicPartition(OFFSETS_TOPIC, number)] = _Partition(story)
        await self._consumer.assign(list(self._partitions), self._timeout_s)
        return True

    async def _has_read(self, ends: Mapping[TopicPartition, int]) -> bool:
        for partition, end in ends.items():
            if await self._consumer.position(partition, self._timeout_s) < end:
                return False
        return True

    async def _learn_names(self, latest: int) -> None:
        """Ask for the ids of topics before what was written at ``latest`` is told: the topics were there by then."""
        if latest < self._named_at - _CLOCKS_MS:
            return
        self._named_at = int(self._now() * 1000)
        topics = await self._consumer.describe_topics(None, self._timeout_s)
        names = {topic.topic_id: name for name, topic in topics.items() if topic.topic_id is not None}
        for partition in self._partitions.values():
            partition.story.know(names)

    def _take_in(self, record: Record) -> None:
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

    async def _tell(self, partition: _Partition, *, is_drained: bool) -> None:
        for event in partition.story.tell(partition.take_whole(is_drained)):
            if self._choice.has_id(event.group):
                await self._wait_for_room()
                self._sink.write(event)
                self._written += 1

    async def _wait_for_room(self) -> None:
        while self._written - self._sink.written - self._sink.dropped > _MOST_WAITING:
            await asyncio.sleep(_WAIT_S)
