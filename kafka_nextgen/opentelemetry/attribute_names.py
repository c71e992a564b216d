"""Attribute names of the semantic conventions for messaging and Kafka, and our own for rebalances."""

from __future__ import annotations

from collections.abc import Collection

from kafka_nextgen.types import TopicPartition

__all__ = ["Attributes", "destination"]

Attributes = dict[str, str | int | float | bool]

SYSTEM = "messaging.system"
KAFKA = "kafka"
OPERATION_NAME = "messaging.operation.name"
OPERATION_TYPE = "messaging.operation.type"
GROUP = "messaging.consumer.group.name"
CLIENT_ID = "messaging.client.id"
TOPIC = "messaging.destination.name"
PARTITION = "messaging.destination.partition.id"
BATCH_COUNT = "messaging.batch.message_count"
OFFSET = "messaging.kafka.offset"
KEY = "messaging.kafka.message.key"
TOMBSTONE = "messaging.kafka.message.tombstone"
ERROR_TYPE = "error.type"

CAUSE = "kafka_nextgen.rebalance.cause"
REASON = "kafka_nextgen.rebalance.reason"
EPOCH_BEFORE = "kafka_nextgen.rebalance.epoch_before"
EPOCH_AFTER = "kafka_nextgen.rebalance.epoch_after"
REBALANCE = "kafka_nextgen.rebalance"


def destination(partitions: Collection[TopicPartition]) -> Attributes:
    """Return topic and partition, if all have the same (semantic conventions, "messaging.destination.name")."""
    topics = {partition.topic for partition in partitions}
    attributes: Attributes = {}
    if len(topics) == 1:
        attributes[TOPIC] = next(iter(topics))
    if len(set(partitions)) == 1:
        attributes[PARTITION] = str(next(iter(partitions)).partition)
    return attributes
