"""The end of a transaction in each of its partitions: a marker, and word of it to coordinators.

Partitions whose topic was deleted meanwhile have nothing to end.
"""

from __future__ import annotations

from kafka_nextgen.broker.coordination import OFFSETS_TOPIC, Coordination
from kafka_nextgen.broker.topic import Partition
from kafka_nextgen.broker.topics import Topics
from kafka_nextgen.broker.transactions.transaction import Producer, Status, Transaction
from kafka_nextgen.coordinator.requests import EndTransaction
from kafka_nextgen.wire.records import EndMarker, encode_end_marker, read_batches

__all__ = ["end_everywhere", "end_in_log"]

_COORDINATOR_EPOCH = 0  # there has been no other coordinator in this process


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
