"""The end of a transaction in each of its partitions: a marker, and in those of groups' offsets the word to the group.

Partitions whose topic was deleted meanwhile have nothing to end.
"""

from __future__ import annotations

from typing import Final

from kafka_nextgen.broker.groups import Groups
from kafka_nextgen.broker.produced import append_marker
from kafka_nextgen.broker.topics import Topics
from kafka_nextgen.broker.transactions.transaction import Producer, Status, Transaction
from kafka_nextgen.coordinator.requests import EndTransaction
from kafka_nextgen.coordinator.responses import TransactionNoted
from kafka_nextgen.types import TopicPartition
from kafka_nextgen.wire.records import EndMarker, encode_end_marker

__all__ = ["OFFSETS_TOPIC", "end_everywhere", "end_in_log"]

#: Where Kafka keeps groups and their offsets.
OFFSETS_TOPIC: Final = "__consumer_offsets"

_COORDINATOR_EPOCH = 0  # there has been no other coordinator in this process


def end_everywhere(transaction: Transaction, topics: Topics, groups: Groups, now_ms: int) -> None:
    """End a decided transaction in all its partitions; ``now_ms`` is since the epoch."""
    is_commit = transaction.status is Status.PREPARE_COMMIT
    marker = EndMarker(is_commit, _COORDINATOR_EPOCH)
    for partition in sorted(transaction.partitions):
        if partition.topic == OFFSETS_TOPIC:
            groups.ask(EndTransaction(transaction.producer.producer_id, is_commit), TransactionNoted)
        else:
            end_in_log(partition, transaction.producer, marker, topics, now_ms)


def end_in_log(partition: TopicPartition, producer: Producer, marker: EndMarker, topics: Topics, now_ms: int) -> bool:
    """Write the marker into a partition's log; return whether there is such a partition."""
    topic = topics.named(partition.topic)
    found = None if topic is None else topic.partition(partition.partition)
    if found is not None:
        append_marker(found, encode_end_marker(marker, producer.producer_id, producer.epoch, now_ms))
    return found is not None
