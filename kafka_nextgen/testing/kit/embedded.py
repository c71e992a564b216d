"""The calls of a test on the embedded broker, made on its event loop without any connection."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ParamSpec, TypeVar

from kafka_nextgen.admin.describing import classic_group, consumer_group
from kafka_nextgen.admin.history import PastRebalance, past_rebalance
from kafka_nextgen.admin.requests import broker_error
from kafka_nextgen.admin.values import GroupCoordinator, GroupDescription
from kafka_nextgen.codes import ErrorCode, is_retriable, name_of
from kafka_nextgen.engine.application.record_run import record_rows
from kafka_nextgen.errors import BrokerError, MisuseError
from kafka_nextgen.groups.described import ConsumerGroupDescribed, GroupsDescribed
from kafka_nextgen.groups.extensions.history import HistoryDescribed
from kafka_nextgen.testing.broker.cluster import Cluster
from kafka_nextgen.testing.broker.log import PartitionLog
from kafka_nextgen.testing.broker.produced import append
from kafka_nextgen.testing.broker.refusal import Refusal
from kafka_nextgen.testing.broker.topic import Topic
from kafka_nextgen.testing.broker.transactions.partitions import admission
from kafka_nextgen.testing.broker.transactions.requests import EndTransaction, InitProducerId, ProducerAnswered
from kafka_nextgen.testing.broker.transactions.transaction import Producer
from kafka_nextgen.testing.coordinator.classic.requests import DescribeGroups
from kafka_nextgen.testing.coordinator.extensions.requests import DescribeHistory
from kafka_nextgen.testing.coordinator.requests import ConsumerGroupDescribe, OffsetFetch
from kafka_nextgen.testing.coordinator.responses import OffsetsFetched
from kafka_nextgen.testing.kit.backend import LogRange, TransactionalProducer
from kafka_nextgen.types import Record, TopicPartition
from kafka_nextgen.wire.records import NewRecord, RecordLimits, decode_partition, encode_batch, leave_out_aborted

__all__ = ["EmbeddedBackend"]

P = ParamSpec("P")
T = TypeVar("T")

#: The version of Produce that adds a partition to its transaction (KIP-890, part 2).
_PRODUCE_ADDS = 12
_TRANSACTION_TIMEOUT_MS = 60_000
_EVERYTHING = 1 << 62
_NONE = ErrorCode.NONE


class EmbeddedBackend:
    """The state of an embedded cluster; ``call`` calls a function on its event loop and returns the result."""

    def __init__(self, cluster: Cluster, call: Callable[..., Any]) -> None:
        self._cluster = cluster
        self._call = call

    def now_ms(self) -> int:
        """The cluster's time in milliseconds since the Unix epoch."""
        return self._cluster.now_ms()

    def partition_count(self, topic: str) -> int:
        """The number of the topic's partitions; see ``Backend``."""
        return len(self._call(_topic_to_write, self._cluster, topic).partitions)

    def append(
        self, topic: str, records: Mapping[int, Sequence[NewRecord]], producer: TransactionalProducer | None
    ) -> dict[int, int]:
        """Write one batch to each partition; return their base offsets. Raises BrokerError if it is refused."""
        return self._call(_append, self._cluster, topic, records, producer)  # type: ignore[no-any-return]

    def begin_transaction(self, transactional_id: str) -> TransactionalProducer:
        """Become the producer of this id."""
        cluster = self._cluster

        def begin() -> ProducerAnswered:
            asked = InitProducerId(transactional_id, _TRANSACTION_TIMEOUT_MS, cluster.producer_ids.take())
            return cluster.transactions.ask(asked, ProducerAnswered)

        answer: ProducerAnswered = self._call(begin)
        if answer.error is ErrorCode.CONCURRENT_TRANSACTIONS:  # the open transaction of its last producer was aborted
            answer = self._call(begin)
        producer = _producer_in(answer, transactional_id)
        return TransactionalProducer(transactional_id, producer.producer_id, producer.epoch)

    def end_transaction(self, producer: TransactionalProducer, *, is_commit: bool) -> None:
        """Commit or abort; do nothing if nothing was written."""
        if not producer.has_written:
            return
        cluster, name = self._cluster, producer.transactional_id
        identity = Producer(producer.producer_id, producer.epoch)

        def end() -> ProducerAnswered:
            request = EndTransaction(name, identity, is_commit, cluster.producer_ids.take(), bumps_epoch=True)
            return cluster.transactions.ask(request, ProducerAnswered)

        _producer_in(self._call(end), name)

    def read(self, topic: str, *, is_committed: bool) -> list[Record[bytes, bytes]]:
        """The records of the topic by partition and offset; a missing topic has none."""
        return self._call(_read, self._cluster, topic, is_committed)  # type: ignore[no-any-return]

    def ranges(self, topic: str) -> dict[int, LogRange]:
        """The offsets of each partition; a missing topic has no partitions."""

        def ranges() -> dict[int, LogRange]:
            logs = [partition.log for partition in _partitions_of(self._cluster, topic)]
            return {log.partition.partition: LogRange(log.start_offset, log.end_offset) for log in logs}

        return self._call(ranges)  # type: ignore[no-any-return]

    def committed(self, group_id: str) -> dict[TopicPartition, int]:
        """The committed offsets of a group. Raises BrokerError while its coordinator is down or loading."""
        request = OffsetFetch(group_id, require_stable=False)
        fetched: OffsetsFetched = self._call(self._cluster.groups.ask, request, OffsetsFetched)
        if fetched.error not in (_NONE, ErrorCode.GROUP_ID_NOT_FOUND):
            raise broker_error(f"group {group_id}: reading its offsets", fetched.error, None, group_id)
        return {tp: offset.offset for tp, offset in fetched.offsets.items() if offset is not None}

    def describe(self, group_id: str) -> GroupDescription | None:
        """The group, None if it does not exist. Raises BrokerError while its coordinator is down or loading."""
        return self._call(_describe, self._cluster, group_id)  # type: ignore[no-any-return]

    def rebalances(self, group_id: str) -> tuple[PastRebalance, ...]:
        """The rebalances that the coordinator has recorded, oldest first. Raises BrokerError while it is down."""
        described: HistoryDescribed = self._call(self._cluster.groups.ask, DescribeHistory(group_id), HistoryDescribed)
        if described.error not in (_NONE, ErrorCode.GROUP_ID_NOT_FOUND):
            raise broker_error(f"group {group_id}: reading its rebalances", described.error, None, group_id)
        return tuple(map(past_rebalance, described.rebalances))


def _partitions_of(cluster: Cluster, name: str) -> list[Any]:
    topic = cluster.topics.named(name)
    return [] if topic is None else topic.partitions


def _topic_to_write(cluster: Cluster, name: str) -> Topic:
    topic = cluster.topics.named(name)
    if topic is not None:
        return topic
    if not cluster.settings.auto_create_topics_enable:
        raise MisuseError(f"there is no topic {name}: call cluster.create_topic({name!r}) first")
    refusal = cluster.topics.creation_complaint(name)
    if refusal is not None:
        raise MisuseError(refusal.message)
    return cluster.create_topic(name)


def _append(
    cluster: Cluster, name: str, records: Mapping[int, Sequence[NewRecord]], producer: TransactionalProducer | None
) -> dict[int, int]:
    topic = _topic_to_write(cluster, name)
    offsets = {}
    for number, batch in records.items():
        partition, place = topic.partitions[number], TopicPartition(name, number)
        data = encode_batch(batch) if producer is None else producer.encode(place, batch)
        transactional_id = None if producer is None else producer.transactional_id
        admit = admission(cluster.transactions, transactional_id, place, _PRODUCE_ADDS)
        appended = append(topic.settings, partition, data, cluster.now_ms(), admit)
        if isinstance(appended, Refusal):
            raise BrokerError(
                f"{place}: the broker refused the records ({name_of(appended.code)}): {appended.message}",
                code=appended.code,
                retriable=is_retriable(appended.code),
                partition=place,
            )
        offsets[number] = appended.base_offset
    return offsets


def _producer_in(answer: ProducerAnswered, transactional_id: str) -> Producer:
    if answer.error is not _NONE:
        text = f"transaction {transactional_id}: the broker refused it ({name_of(answer.error)})"
        raise BrokerError(text, code=answer.error, retriable=is_retriable(answer.error))
    return answer.producer


def _read(cluster: Cluster, topic: str, is_committed: bool) -> list[Record[bytes, bytes]]:
    found: list[Record[bytes, bytes]] = []
    for partition in _partitions_of(cluster, topic):
        found += _read_log(partition.log, is_committed)
    return found


def _read_log(log: PartitionLog, is_committed: bool) -> list[Record[Any, Any]]:
    start = log.start_offset
    end = log.last_stable_offset if is_committed else log.end_offset
    if start >= end:
        return []
    data = log.read(start, _EVERYTHING, at_least_one=True, before=end)
    aborted = log.transactions.aborted_within(start, end) if is_committed else ()
    pairs = ((each.producer_id, each.first_offset) for each in aborted)
    skipped = leave_out_aborted(data, pairs, log.partition, start).skipped
    limits = RecordLimits(_EVERYTHING, _EVERYTHING)
    columns = decode_partition(data, log.partition, start, limits, skipped=skipped)
    return list(record_rows(columns, 0, len(columns)))


def _describe(cluster: Cluster, group_id: str) -> GroupDescription | None:
    node = cluster.coordinator_of(group_id)
    if node is None:
        raise broker_error(f"group {group_id}: describing it", ErrorCode.COORDINATOR_NOT_AVAILABLE, None, group_id)
    endpoint = next(iter(node.endpoints.values()))
    coordinator = GroupCoordinator(node.node_id, endpoint.host, endpoint.port)
    described = cluster.groups.ask(ConsumerGroupDescribe((group_id,)), ConsumerGroupDescribed)
    (group,) = described.groups
    if group.error is _NONE:
        return consumer_group(group, dict(described.topic_names), coordinator)
    (classic,) = cluster.groups.ask(DescribeGroups((group_id,)), GroupsDescribed).groups
    if classic.error not in (_NONE, ErrorCode.GROUP_ID_NOT_FOUND):
        raise broker_error(f"group {group_id}: describing it", classic.error, classic.message, group_id)
    is_missing = classic.error is not _NONE or classic.state == "Dead"
    return None if is_missing else classic_group(classic, coordinator)
