"""The operations that tests use, on a cluster that is reached over the network like by any client."""

from __future__ import annotations

from collections.abc import Coroutine, Mapping, Sequence
from typing import TypeVar

from attrs import evolve

from kafka_nextgen import clocks
from kafka_nextgen.admin import GroupAdmin, GroupDescription, PastRebalance
from kafka_nextgen.config import ConsumerConfig
from kafka_nextgen.consumer import Consumer
from kafka_nextgen.errors import GroupNotFoundError
from kafka_nextgen.producing.producer import Producer, connect
from kafka_nextgen.properties.offset_reset import OffsetReset
from kafka_nextgen.properties.value_types import IsolationLevel
from kafka_nextgen.testing.broker.hashing import spread
from kafka_nextgen.testing.kit.backend import LogRange, TransactionalProducer
from kafka_nextgen.testing.kit.remote_rebalances import rebalances_in
from kafka_nextgen.testing.kit.remote_transactions import add_partitions, begin_transaction, end_transaction
from kafka_nextgen.transport.background import log_failure
from kafka_nextgen.transport.cluster import ClusterClient
from kafka_nextgen.transport.io_thread import IoThread
from kafka_nextgen.types import OffsetRange, Record, TopicPartition
from kafka_nextgen.wire.apis import PRODUCE
from kafka_nextgen.wire.records import NewRecord, encode_batch

__all__ = ["RemoteBackend"]

T = TypeVar("T")

_OFFSETS_TOPIC = "__consumer_offsets"
_TIMEOUT_S = 30.0
_CLOSING_S = 5.0

#: The last version of Produce to which partitions are added beforehand; all clusters understand that (KIP-890).
_ADDED_BEFORE = PRODUCE.up_to(11)


class RemoteBackend:
    """The cluster with the brokers of ``config``, over connections of its own. Raises the errors of ``connect``."""

    def __init__(self, config: ConsumerConfig) -> None:
        self._config = evolve(config, group_id=None, enable_auto_commit=False, auto_offset_reset=OffsetReset.EARLIEST)
        self._thread = IoThread("kafka_nextgen real cluster", log_failure, "RealCluster")
        self._client: ClusterClient = self._thread.begin_with(connect(self._config, _TIMEOUT_S))
        try:
            self._admin = GroupAdmin(self._config)
        except BaseException:
            self._close_client()
            raise

    def close(self) -> None:
        """Close all connections."""
        try:
            self._admin.close()
        finally:
            self._close_client()

    def _close_client(self) -> None:
        try:
            self._thread.submit(self._client.close()).result(_CLOSING_S)
        finally:
            self._thread.stop(_CLOSING_S)

    def _wait(self, work: Coroutine[object, object, T]) -> T:
        return self._thread.submit(work).result()

    def now_ms(self) -> int:
        """The time of this machine, in milliseconds since the Unix epoch."""
        return clocks.time_ns() // 1_000_000

    def create_topic(self, name: str, partitions: int) -> None:
        """Create a topic, and wait until its partitions have leaders. Raises BrokerError."""

        async def create() -> None:
            producer = self._producer(name)
            await producer.create_topic(partitions)
            await producer.partition_count()

        self._wait(create())

    def partition_count(self, topic: str) -> int:
        """The number of its partitions. Raises RequestTimeoutError if it is missing and the broker creates none."""
        return self._wait(self._partition_count(topic))

    async def _partition_count(self, topic: str) -> int:
        return await self._producer(topic).partition_count()

    def append(
        self, topic: str, records: Mapping[int, Sequence[NewRecord]], producer: TransactionalProducer | None
    ) -> dict[int, int]:
        """Write one batch to each partition; return their base offsets."""
        return self._wait(self._append(topic, records, producer))

    async def _append(
        self, topic: str, records: Mapping[int, Sequence[NewRecord]], producer: TransactionalProducer | None
    ) -> dict[int, int]:
        writer = self._producer(topic)
        if producer is None:
            return await writer.write({number: encode_batch(batch) for number, batch in records.items()})
        await add_partitions(self._client, producer, topic, tuple(records), _TIMEOUT_S)
        batches = {number: producer.encode(TopicPartition(topic, number), batch) for number, batch in records.items()}
        return await writer.write(batches, _ADDED_BEFORE, producer.transactional_id)

    def _producer(self, topic: str) -> Producer:
        return Producer(self._client, topic, timeout_s=_TIMEOUT_S)

    def begin_transaction(self, transactional_id: str) -> TransactionalProducer:
        """Become the producer of this id."""
        return self._wait(begin_transaction(self._client, transactional_id, _TIMEOUT_S))

    def end_transaction(self, producer: TransactionalProducer, *, is_commit: bool) -> None:
        """Commit or abort, and wait until the markers are written."""
        self._wait(end_transaction(self._client, producer, is_commit, _TIMEOUT_S))

    def read(self, topic: str, *, is_committed: bool) -> list[Record[bytes, bytes]]:
        """The records of the topic by partition and offset; a missing topic has none."""
        return self._read(topic, None, is_committed)

    def _read(self, topic: str, chosen: int | None, is_committed: bool) -> list[Record[bytes, bytes]]:
        with self._consumer(is_committed) as consumer:
            ranges = {
                TopicPartition(topic, number): OffsetRange(log.start, log.end)
                for number, log in self._ranges(consumer, topic).items()
                if chosen in (None, number)
            }
            if not ranges:
                return []
            consumer.assign(ranges)
            return sorted(consumer, key=lambda record: (record.partition, record.offset))

    def ranges(self, topic: str) -> dict[int, LogRange]:
        """The offsets of each partition; a missing topic has no partitions."""
        with self._consumer(is_committed=False) as consumer:
            return self._ranges(consumer, topic)

    def _ranges(self, consumer: Consumer[bytes, bytes], topic: str) -> dict[int, LogRange]:
        described = consumer.describe_topics([topic], _TIMEOUT_S).get(topic)
        partitions = [] if described is None else [TopicPartition(topic, number) for number in described.partitions]
        if not partitions:
            return {}
        starts = consumer.beginning_offsets(partitions, _TIMEOUT_S).all()
        ends = consumer.end_offsets(partitions, _TIMEOUT_S).all()
        return {tp.partition: LogRange(starts[tp], ends[tp]) for tp in partitions}

    def _consumer(self, is_committed: bool) -> Consumer[bytes, bytes]:
        level = IsolationLevel.READ_COMMITTED if is_committed else IsolationLevel.READ_UNCOMMITTED
        return Consumer(evolve(self._config, isolation_level=level))

    def committed(self, group_id: str) -> dict[TopicPartition, int]:
        """The committed offsets of a group."""
        try:
            offsets = self._admin.offsets(group_id)
        except GroupNotFoundError:
            return {}
        return {tp: each.committed.offset for tp, each in offsets.items() if each.committed is not None}

    def describe(self, group_id: str) -> GroupDescription | None:
        """The group; None if it does not exist."""
        try:
            return self._admin.describe([group_id])[group_id]
        except GroupNotFoundError:
            return None

    def rebalances(self, group_id: str) -> tuple[PastRebalance, ...]:
        """The rebalances of the group, from the records in ``__consumer_offsets``."""
        with self._consumer(is_committed=True) as consumer:
            described = consumer.describe_topics([_OFFSETS_TOPIC], _TIMEOUT_S).get(_OFFSETS_TOPIC)
        if described is None:
            return ()
        number = spread(group_id, len(described.partitions))
        return rebalances_in(self._read(_OFFSETS_TOPIC, number, is_committed=True), group_id)
