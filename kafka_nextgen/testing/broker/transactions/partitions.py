"""Transactions in partitions: adding or verifying a partition, and writing the marker that ends a transaction.

Transactional records and offsets are accepted only for partitions of the producer's transaction (KIP-890). Clients
before KIP-890, part 2, add each partition with AddPartitionsToTxn first, which is verified here. With later clients,
from Produce 12 and TxnOffsetCommit 5 on, the request itself adds the partition.

If the partition is not in the transaction, the error is TRANSACTION_ABORTABLE, which Produce has from version 11 on.
Older clients can't handle CONCURRENT_TRANSACTIONS in a response to Produce and get an error after which they retry.

Markers in the offsets topic are passed on to group coordinators. Partitions whose topic was deleted are skipped.
"""

from __future__ import annotations

from collections.abc import Callable

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.groups.end_transaction import EndTransaction
from kafka_nextgen.testing.broker.coordination import OFFSETS_TOPIC, Coordination
from kafka_nextgen.testing.broker.topic import Partition
from kafka_nextgen.testing.broker.topics import Topics
from kafka_nextgen.testing.broker.transactions.driver import Transactions
from kafka_nextgen.testing.broker.transactions.error_names import PRODUCE
from kafka_nextgen.testing.broker.transactions.requests import AddPartitions, PartitionsAnswered
from kafka_nextgen.testing.broker.transactions.transaction import Producer, Status, Transaction
from kafka_nextgen.types import TopicPartition
from kafka_nextgen.wire.records import BatchHeader, EndMarker, encode_end_marker, read_batches

__all__ = ["add_partition", "admission", "end_everywhere", "end_in_log"]

_PRODUCE_ADDS = 12

_COORDINATOR_EPOCH = 0  # there is only one coordinator


def admission(
    transactions: Transactions, transactional_id: str | None, partition: TopicPartition, version: int
) -> Callable[[BatchHeader], ErrorCode] | None:
    """The function that admits batches in this version of Produce; None without a transactional id."""
    if transactional_id is None:
        return None

    def admit(header: BatchHeader) -> ErrorCode:
        producer = Producer(header.producer_id, header.producer_epoch)
        adds = version >= _PRODUCE_ADDS
        error = add_partition(transactions, transactional_id, producer, partition, verify_only=not adds)
        if error is ErrorCode.CONCURRENT_TRANSACTIONS and not adds:
            return ErrorCode.NOT_ENOUGH_REPLICAS
        return PRODUCE.in_version(error, version)

    return admit


def add_partition(
    transactions: Transactions,
    transactional_id: str,
    producer: Producer,
    partition: TopicPartition,
    *,
    verify_only: bool = False,
) -> ErrorCode:
    """Add a partition to the transaction, or only verify that it belongs to it; return the error."""
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
    """Write the marker to a partition's log; if it is a partition of the offsets topic, inform its coordinator."""
    (batch,) = read_batches(encode_end_marker(marker, producer.producer_id, producer.epoch, now_ms))
    partition.producers.remember(batch.header, partition.log.append(batch))
    if partition.log.partition.topic == OFFSETS_TOPIC:
        groups.end_transaction(partition.index, EndTransaction(producer.producer_id, marker.is_commit))
