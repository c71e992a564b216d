"""Small words for the tests of the machines: records and settings."""

from __future__ import annotations

from kafka_nextgen.processing.arguments import Order
from kafka_nextgen.processing.lane_scheduler import Task
from kafka_nextgen.processing.progress import Ticket
from kafka_nextgen.processing.settings import ProcessingSettings, RetryPolicy, Throttle
from kafka_nextgen.types import Record, TimestampType, TopicPartition

P0, P1 = TopicPartition("orders", 0), TopicPartition("orders", 1)


def record(partition: TopicPartition, offset: int, key: bytes | None = None) -> Record:
    return Record(partition.topic, partition.partition, offset, -1, TimestampType.NONE, key, b"")


def task(partition: TopicPartition, offset: int, key: bytes | None = None) -> Task:
    return Task(record(partition, offset, key), Ticket(partition, offset))


def settings(
    order: Order = Order.PARTITION, concurrency: int = 8, attempts: int = 2, limit: int = 100
) -> ProcessingSettings:
    """Return settings with pauses of a second and up."""
    return ProcessingSettings(
        order=order,
        concurrency=concurrency,
        retries=RetryPolicy(attempts, backoff_s=1.0, backoff_max_s=4.0),
        throttle=Throttle(limit, concurrency, min_share=1),
        drain_timeout_s=10.0,
        revocation_timeout_s=10.0,
        commit_interval_s=5.0,
        commit_timeout_s=5.0,
    )
