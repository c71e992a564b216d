"""The names on the stage, for processes that need no more of it: it imports a broker, which takes a second."""

from __future__ import annotations

from kafka_nextgen import TopicPartition

GROUP, TOPIC = "billing", "orders"


def tp(partition: int = 0) -> TopicPartition:
    return TopicPartition(TOPIC, partition)
