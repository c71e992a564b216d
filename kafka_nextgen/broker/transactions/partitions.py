"""Transactions in their partitions: whether one may go into one more, and the marker that ends it there.

What a client sends to a partition, or to a group's offsets, has to be of a transaction that the partition belongs to
(KIP-890). Clients before KIP-890, part 2, tell the coordinator of each partition first (AddPartitionsToTxn), and it is
asked whether they did. Later ones leave that to the broker: what they send adds the partition. The version of the
request says which: Produce 12 and TxnOffsetCommit 5 are the first of the later kind.

A client that sends where it may not has come too late; the one version of Produce that knows TRANSACTION_ABORTABLE and
not the new way is 11. A client that can't tell CONCURRENT_TRANSACTIONS from other errors gets one that it repeats.

A marker is told to the coordinators of groups, too. Partitions whose topic was deleted meanwhile have nothing to end.
"""

from __future__ import annotations

from collections.abc import Callable

from kafka_nextgen.broker.coordination import OFFSETS_TOPIC, Coordination
from kafka_nextgen.broker.topic import Partition
from kafka_nextgen.broker.topics import Topics
from kafka_nextgen.broker.transactions.driver import Transactions
from kafka_nextgen.broker.transactions.error_names import PRODUCE
from kafka_nextgen.broker.transactions.requests import AddPartitions, PartitionsAnswered
from kafka_nextgen.broker.transactions.transaction import Producer, Status, Transaction
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.coordinator.requests import EndTransaction
from kafka_nextgen.types import TopicPartition
from kafka_nextgen.wire.records import BatchHeader, EndMarker, encode_end_marker, read_batches

__all__ = ["add_partition", "admission", "end_everywhere", "end_in_log"]

_PRODUCE_ADDS = 12

_COORDINATOR_EPOCH = 0  # there has been no other coordinator in this process


def admission(
    transactions: Transactions, transactional_id: str | None, partition: TopicPartition, version: int
) -> Callable[[BatchHeader], ErrorCode] | None:
    """Return what decides on a batch that comes by this version of Produce; None if it may be of no transaction."""
    if transactional_id is None:
        return None

    def admit(header: BatchHeader) -> ErrorCode:
        producer = Producer(header.producer_id, header.producer_epoch)
        adds = version >= _PRODUCE_ADDS
        error = add_partition(transactions, transactional_id, producer, partition, verify_only=not adds)
        if error is ErrorCode.CONCURRENT_TRANSACTIONS and not adds:
            return ErrorCode.NOT_ENOUGH_REPLICAS
        return PRODUCE.told(error, version)

    return admit


def add_partition(
    transactions: Transactions,
    transactional_id: str,
    producer: Producer,
    partition: TopicPartition,
    *,
    verify_only: bool = False,
) -> ErrorCode:
    """Add a partition to the transaction, or only verify that it is in there; return why it is not."""
    request = AddPartitions(transactional_id, producer, frozenset({partition}), verify_only)
    return transactions.ask(request, PartitionsAnswered).errors[partition]


def end_everywhere(transaction: Transaction, topics: Topics, groups: Coordination, now_ms: int) -> None:
    """End a decided transaction in all its partitions; ``now_ms`` is since the epoch."""
    is_commit = transaction.status is Status.PREPARE_COMMIT
    marker = EndMarker(is_commit, _COORDINATOR_EPOCH)
    for partition in sorted(transaction.partitions):
        found = topics.partition(partition.topic, partition.partition)
        if found is not None:
            end_in_log(found, transaction.producer, marker, groups, now_ms)


def end_in_log(partition: Partition, producer: Producer, marker: EndMarker, groups: Coordination, now_ms: int) -> None:
    """Write the marker into a partition's log; a coordinator whose log it is has to know."""
    (batch,) = read_batches(encode_end_marker(marker, producer.producer_id, producer.epoch, now_ms))
    partition.producers.remember(batch.header, partition.log.append(batch))
    if partition.log.partition.topic == OFFSETS_TOPIC:
        groups.end_transaction(partition.index, EndTransaction(producer.producer_id, marker.is_commit))
