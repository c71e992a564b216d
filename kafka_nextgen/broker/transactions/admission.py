"""Whether a transaction may go into one more partition, or a group's offsets, with what a client sends there (KIP-890).

Clients before KIP-890, part 2, tell the coordinator of each partition first (AddPartitionsToTxn), and it is asked
whether they did. Later ones leave that to the broker: what they send adds the partition. The version of the request
says which: Produce 12 and TxnOffsetCommit 5 are the first of the later kind.

A client that sends where it may not has come too late; the one version of Produce that knows TRANSACTION_ABORTABLE and
not the new way is 11. Who can't tell CONCURRENT_TRANSACTIONS from other errors is told something it repeats.
"""

from __future__ import annotations

from collections.abc import Callable

from kafka_nextgen.broker.transactions.driver import Transactions
from kafka_nextgen.broker.transactions.error_names import PRODUCE
from kafka_nextgen.broker.transactions.requests import AddPartitions, PartitionsAnswered
from kafka_nextgen.broker.transactions.transaction import Producer
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.types import TopicPartition
from kafka_nextgen.wire.records import BatchHeader

__all__ = ["add_partition", "admission"]

_PRODUCE_ADDS = 12


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
