"""kafka-python."""

from __future__ import annotations

from kafka import KafkaConsumer, TopicPartition

from benchmarks.consuming.gauge import Gauge, Reading
from benchmarks.consuming.task import CONSUMED, PARTITION_BYTES, Task

__all__ = ["poll"]


def poll(task: Task, gauge: Gauge) -> Reading:
    """``for records in consumer.poll().values()``, for each of them."""
    tuned = {"max_partition_fetch_bytes": PARTITION_BYTES, "max_poll_records": CONSUMED} if task.tuned else {}
    consumer = KafkaConsumer(bootstrap_servers=task.bootstrap_servers, auto_offset_reset="earliest", **tuned)
    gauge.begin()
    consumer.assign([TopicPartition(task.topic, number) for number in range(task.partitions)])
    seen = 0
    while seen < task.records:
        found = consumer.poll(timeout_ms=1000)
        for records in found.values():
            for record in records:
                value, offset = record.value, record.offset  # noqa: F841
            seen += len(records)
    reading = gauge.end(seen)
    consumer.close()
    return reading
