"""A stage for consumers: an embedded cluster whose log, group and answers a test can reach into."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable, Collection, Sequence
from typing import Any, TypeVar

import pytest
from kafka.record.legacy_records import LegacyRecordBatchBuilder

from kafka_nextgen import AsyncConsumer, Consumer, Hooks, RebalanceConsumer, RebalanceListener, Record, TopicPartition
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.groups.described import ConsumerGroupDescribed
from kafka_nextgen.testing import Cluster
from kafka_nextgen.testing.broker import leadership
from kafka_nextgen.testing.broker.apis import EXTENSIONS, SERVED
from kafka_nextgen.testing.broker.context import Context
from kafka_nextgen.testing.broker.log import PartitionLog
from kafka_nextgen.testing.broker.releases import RELEASES
from kafka_nextgen.testing.broker.storage.memory_batches import MemoryBatches
from kafka_nextgen.testing.broker.topic import Partition, Topic
from kafka_nextgen.testing.coordinator.requests import ConsumerGroupDescribe, ConsumerGroupHeartbeat, OffsetFetch
from kafka_nextgen.testing.coordinator.responses import ConsumerGroupHeartbeatAnswer, OffsetsCommitted, OffsetsFetched
from kafka_nextgen.testing.coordinator.settings import Profile
from kafka_nextgen.testing.messages import offset_commit
from kafka_nextgen.types import format_partitions
from kafka_nextgen.wire.apis import APIS, OFFSET_COMMIT, Api
from kafka_nextgen.wire.messages import FindCoordinatorResponse, OffsetCommitRequest
from kafka_nextgen.wire.records import Compression, NewRecord, encode_batch, read_batches, split_batches
from tests.engine.names import GROUP, TOPIC, tp
from tests.support.waiting import GUARD_S

T = TypeVar("T")

RECORDS_PER_BATCH = 10
SETTINGS = {
    "group.consumer.min.heartbeat.interval.ms": "50",
    "group.consumer.heartbeat.interval.ms": "50",
    "group.consumer.assignment.interval.ms": "0",
    "group.initial.rebalance.delay.ms": "0",
}

#: With these, a call that is told to try again ends with what it was told: the next attempt would be too late for it.
ONE_ATTEMPT = {"retry_backoff_ms": 3_600_000, "retry_backoff_max_ms": 3_600_000}

RACKS = {
    **SETTINGS,
    "broker.rack": "r1,r2",
    "default.replication.factor": 2,
    "replica.selector.class": "org.apache.kafka.common.replica.RackAwareReplicaSelector",
}

Handle = Callable[..., Awaitable[object]]


class Hears(RebalanceListener):
    """Keeps what it hears, and what ``on_lost`` returns when partitions are lost."""

    def __init__(self, on_lost: Callable[[], object] = lambda: None) -> None:
        self.calls: list[str] = []
        self.lost: list[object] = []
        self._on_lost = on_lost

    def on_partitions_assigned(self, consumer: RebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
        self.calls.append(f"assigned {format_partitions(partitions)}")

    def on_partitions_revoked(self, consumer: RebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
        self.calls.append(f"revoked {format_partitions(partitions)}")

    def on_partitions_lost(self, consumer: RebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
        self.calls.append(f"lost {format_partitions(partitions)}")
        self.lost.append(self._on_lost())


async def no_coordinator(*_: object) -> object:
    """Answer a FindCoordinator: there is none just now."""
    found = FindCoordinatorResponse.Coordinator(
        key=GROUP, node_id=-1, host="", port=-1, error_code=ErrorCode.COORDINATOR_NOT_AVAILABLE, error_message=None
    )
    return FindCoordinatorResponse(coordinators=[found])


class Stage:
    """One broker, one topic; the value of each record is its offset."""

    def __init__(self, cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
        self.cluster = cluster
        self._monkeypatch = monkeypatch

    def config(self, **more: object) -> dict[str, object]:
        # A member of a classic group sets for itself what SETTINGS has for the others, or it hears of things after 3 s.
        quick: dict[str, object] = {"heartbeat_interval_ms": 50} if more.get("group_protocol") == "classic" else {}
        return {
            "bootstrap_servers": self.cluster.bootstrap_servers,
            "group_id": GROUP,
            "auto_offset_reset": "earliest",
            "enable_auto_commit": False,
            "auto_commit_interval_ms": 3_600_000,  # a busy machine may need longer than the default
            "fetch_max_wait_ms": 50,
            "retry_backoff_ms": 20,
            "retry_backoff_max_ms": 50,
            **quick,
            **more,
        }

    def consumer(self, **more: object) -> Consumer:
        return Consumer(**self.config(**more))

    def subscribed(
        self, listener: RebalanceListener | None = None, *, hooks: Sequence[Hooks] = (), **more: object
    ) -> Consumer:
        """A consumer that is subscribed to the topic, with these hooks."""
        consumer = self.consumer(**more)
        for each in hooks:
            consumer.hooks.add(each)
        consumer.subscribe([TOPIC], listener)
        return consumer

    def after_reading(
        self, records: int, listener: RebalanceListener | None = None, *, partitions: int = 1, **more: Any
    ) -> Consumer:
        """A consumer that has read a new topic, of so many records in each partition, to its end."""
        self.create(partitions, records)
        consumer = self.subscribed(listener, **more)
        read(consumer, partitions * records)
        return consumer

    def reader(self, *partitions: int, **more: object) -> Consumer:
        """A consumer of these partitions, or the first one, without a group."""
        consumer = self.consumer(**{"group_id": None, **more})
        consumer.assign([tp(number) for number in partitions or (0,)])
        return consumer

    # ---- the log

    def create(self, partitions: int = 1, records: int = 0) -> None:
        self.cluster.create_topic(TOPIC, partitions)
        for partition in range(partitions):
            self.write(partition, records)

    def write(self, partition: int, count: int) -> None:
        """Append records whose values are their offsets, in batches."""
        for first in range(0, count, RECORDS_PER_BATCH):
            self.write_batch(partition, min(RECORDS_PER_BATCH, count - first))

    def write_batch(self, partition: int, count: int) -> None:
        """The same, in one batch."""

        def append() -> None:
            log = self._partition(partition).log
            records = [NewRecord(b"%d" % (log.end_offset + number)) for number in range(count)]
            log.append(read_batches(encode_batch(records))[0])

        self.run(append)

    def write_zeros(self, partition: int, size: int) -> None:
        """Append a record of so many zeros, of which compression leaves next to nothing."""
        self.append(partition, encode_batch([NewRecord(bytes(size))], Compression.ZSTD))

    def tamper(self, partition: int, batch: int) -> None:
        """Break the checksum of a stored batch."""
        stored = self._stored(partition)
        stored[batch] = stored[batch][:-1] + bytes([stored[batch][-1] ^ 1])

    def age(self, partition: int, batch: int, magic: int) -> None:
        """Have the records of a stored batch as brokers before Kafka 0.11 would have stored them."""
        first = batch * RECORDS_PER_BATCH
        builder = LegacyRecordBatchBuilder(magic=magic, compression_type=0, batch_size=1 << 20)
        for offset in range(first, first + RECORDS_PER_BATCH):
            builder.append(offset, timestamp=1 if magic else None, key=None, value=b"%d" % offset)
        self._stored(partition)[batch] = bytes(builder.build())

    def _stored(self, partition: int) -> list[bytes]:
        store = self._partition(partition).log._batches
        assert isinstance(store, MemoryBatches)
        return store._batches

    def drop_batches(self, partition: int) -> None:
        """Delete everything but the last batch."""
        log = self._partition(partition).log
        self.run(lambda: log.drop_before(log.end_offset - RECORDS_PER_BATCH))

    def lose(self, partition: int, keep: int, elects: bool = True) -> None:
        """Let a log end with offset ``keep`` all of a sudden: a replica leads, if it ``elects``, that had no more."""

        def shorten() -> None:
            found = self._partition(partition)
            whole = found.log
            found.log = PartitionLog(whole.partition)
            for batch in split_batches(whole.read(0, whole.size, at_least_one=True)):
                if batch.header.next_offset <= keep:
                    found.log.leader_epoch = batch.header.leader_epoch
                    found.log.append(batch)
            found.log.leader_epoch = whole.leader_epoch
            if elects:
                leadership.lead(found, found.leader)
            whole.begin_epoch(whole.leader_epoch)  # whoever waits for more looks at what there is now

        self.run(shorten)

    def topic(self) -> Topic:
        topic = self.cluster._broker._cluster.topics.named(TOPIC)
        assert topic is not None
        return topic

    def append(self, partition: int, *batches: bytes) -> None:
        """Append these batches as they are."""
        log = self._partition(partition).log
        self.run(lambda: [log.append(read_batches(batch)[0]) for batch in batches])

    def delete_topic(self) -> None:
        self.run(lambda: self.cluster._broker._cluster.topics.delete(self.topic()))

    def _partition(self, index: int) -> Partition:
        return self.topic().partitions[index]

    # ---- the group

    def committed(self) -> dict[int, int]:
        """What the coordinator has for the group, by partition."""
        request = OffsetFetch(GROUP, None, None, -1)
        answer = self.run(lambda: self.cluster._broker._cluster.groups.ask(request, OffsetsFetched))
        return {partition.partition: offset.offset for partition, offset in answer.offsets.items() if offset}

    def fence(self, consumer: Consumer | AsyncConsumer) -> None:
        """Throw the consumer's member out of its group."""
        member = consumer.group_metadata()
        leave = ConsumerGroupHeartbeat(member.group_id, member.member_id, -1)
        self.run(lambda: self.cluster._broker._cluster.groups.ask(leave, ConsumerGroupHeartbeatAnswer))

    def members(self) -> int:
        """How many members the coordinator counts."""
        request = ConsumerGroupDescribe((GROUP,))
        answer = self.run(lambda: self.cluster._broker._cluster.groups.ask(request, ConsumerGroupDescribed))
        return sum(len(group.members) for group in answer.groups)

    # ---- the broker's answers

    def handle(self, api: Api, handle: Handle | None) -> None:
        """Let ``handle`` answer this API in the versions of ``api``, or let the broker not have it."""
        if handle is None:
            self._monkeypatch.delitem(SERVED, APIS[api.key])
        else:
            ranges = RELEASES[Profile.V4_4].ranges
            self._monkeypatch.setitem(ranges, api.key, (api.min_version, api.max_version))  # type: ignore[arg-type]
            self._monkeypatch.setitem(SERVED, APIS[api.key], handle)  # type: ignore[arg-type]

    def change(self, api: Api, change: Callable[[Any], Any]) -> None:
        """Have each answer to this API changed."""
        original = self.original(api)

        async def changed(*question: object) -> object:
            return change(await original(*question))

        self.handle(api, changed)

    def watch(self, api: Api) -> list[Any]:
        """Every request of this API from now on."""
        requests: list[Any] = []
        original = self.original(api)

        async def watched(request: object, context: object) -> object:
            requests.append(request)
            return await original(request, context)

        self.handle(api, watched)
        return requests

    def never(self, api: Api) -> threading.Event:
        """Let this API never be answered; the event tells that somebody asked."""
        asked = threading.Event()

        async def handle(*_: object) -> None:
            asked.set()
            await asyncio.Event().wait()

        self.handle(api, handle)
        return asked

    def busy(self, api: Api) -> threading.Event:
        """Let OffsetCommit or OffsetFetch be answered for ever by "try again"; the event tells that somebody asked."""
        code = ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
        if api is OFFSET_COMMIT:
            return self.refuse_commits(code)
        asked = threading.Event()

        def refuse(response: Any) -> Any:
            asked.set()
            return response.replaced(groups=[group.replaced(error_code=code) for group in response.groups])

        self.change(api, refuse)
        return asked

    def refuse_commits(self, code: ErrorCode) -> threading.Event:
        """Let OffsetCommit be answered with this for every partition; the event tells that somebody asked."""
        asked = threading.Event()

        async def refuse_commit(request: OffsetCommitRequest, context: Context) -> object:
            asked.set()
            directory = context.cluster.directory()
            offsets = offset_commit.from_request(request, directory).offsets
            return offset_commit.to_response(request, directory, OffsetsCommitted(dict.fromkeys(offsets, code)))

        self.handle(OFFSET_COMMIT, refuse_commit)
        return asked

    def original(self, api: Api) -> Handle:
        return {**SERVED, **EXTENSIONS}[api]

    def run(self, work: Callable[[], T]) -> T:
        """Do something on the broker's own loop."""

        async def on_the_loop() -> T:
            return work()

        assert self.cluster._loop is not None
        return asyncio.run_coroutine_threadsafe(on_the_loop(), self.cluster._loop).result(GUARD_S)


def poll_until(consumer: Consumer, is_so: Callable[[], bool]) -> list[Record]:
    """Poll until ``is_so``; the records that came meanwhile."""
    records: list[Record] = []
    deadline = time.monotonic() + GUARD_S
    while not is_so():
        assert time.monotonic() < deadline, f"still not so; {len(records)} records came; {consumer.health()}"
        records += consumer.poll(timeout=0.1)
    return records


def poll_for(consumer: Consumer) -> None:
    """Poll until something is raised."""
    poll_until(consumer, lambda: False)


async def poll_until_async(consumer: AsyncConsumer, is_so: Callable[[], bool]) -> list[Record]:
    records: list[Record] = []
    while not is_so():
        records += await consumer.poll(timeout=0.05)
    return records


async def read_async(consumer: AsyncConsumer, count: int) -> list[Record]:
    records: list[Record] = []
    while len(records) < count:
        records += await consumer.poll(timeout=0.1, max_records=count - len(records))
    return records


def read(consumer: Consumer, count: int) -> list[Record]:
    """Poll until ``count`` records have come, and no more than that."""
    records: list[Record] = []
    deadline = time.monotonic() + GUARD_S
    while len(records) < count:
        assert time.monotonic() < deadline, f"{len(records)} of {count} records came; {consumer.health()}"
        records += consumer.poll(timeout=0.1, max_records=count - len(records))
    return records


def values(records: Collection[Record]) -> list[int]:
    return [int(record.value) for record in records if isinstance(record.value, bytes)]
