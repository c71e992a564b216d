"""What the readers have seen: each number once, and those of a partition in their order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from confluent_kafka import Consumer as ConfluentConsumer
from confluent_kafka import KafkaError
from confluent_kafka import TopicPartition as Place

from kafka_nextgen import Consumer, TopicPartition
from tests.support.waiting import GUARD_S

__all__ = ["judge", "open_partitions", "read_with_confluent", "read_with_ours"]


def judge(read: Mapping[int, Sequence[int]], count: int) -> list[str]:
    """Return what is wrong. ``read`` has the numbers by partition; ``n`` belongs to partition ``n % partitions``."""
    findings = []
    for partition, numbers in sorted(read.items()):
        expected = range(partition, count, len(read))
        missing, known = set(expected) - set(numbers), set[int]()
        doubled = sorted({number for number in numbers if number in known or known.add(number)})  # type: ignore[func-returns-value]
        if missing:
            findings.append(f"partition {partition}: {len(missing)} lost, such as {min(missing)}")
        if doubled:
            findings.append(f"partition {partition}: {len(doubled)} doubled, such as {doubled[0]}")
        if foreign := set(numbers) - set(expected):
            findings.append(f"partition {partition}: {len(foreign)} of no input, such as {min(foreign)}")
        if not findings and list(numbers) != list(expected):
            findings.append(f"partition {partition}: not in order")
    return findings


def open_partitions(servers: str, topic: str, partitions: int) -> set[TopicPartition]:
    """Return the partitions in which a transaction is open: readers of what is committed don't get past it."""
    ends = []
    for level in ("read_committed", "read_uncommitted"):
        with Consumer(bootstrap_servers=servers, isolation_level=level) as reader:
            ends.append(reader.end_offsets([TopicPartition(topic, partition) for partition in range(partitions)]))
    return {partition for partition, end in ends[0].items() if end < ends[1][partition]}


def read_with_confluent(servers: str, topic: str, partitions: int) -> dict[int, list[int]]:
    """Read what is committed with confluent-kafka, to the end of each partition."""
    config = {
        "bootstrap.servers": servers,
        "group.id": "readers",
        "isolation.level": "read_committed",
        "enable.partition.eof": True,
        "enable.auto.commit": False,
    }
    reader = ConfluentConsumer(config)
    read: dict[int, list[int]] = {partition: [] for partition in range(partitions)}
    reader.assign([Place(topic, partition, 0) for partition in read])
    open_partitions = set(read)
    while open_partitions:
        message = reader.poll(GUARD_S)
        assert message is not None, "it neither reads on nor reaches the end"
        if message.error() is None:
            read[message.partition()].append(int(message.value()))
        else:
            assert message.error().code() == KafkaError._PARTITION_EOF, message.error()
            open_partitions.discard(message.partition())
    reader.close()
    return read


def read_with_ours(servers: str, topic: str, partitions: int) -> dict[int, list[int]]:
    """Read the same with this library."""
    read: dict[int, list[int]] = {partition: [] for partition in range(partitions)}
    with Consumer(bootstrap_servers=servers, isolation_level="read_committed", auto_offset_reset="earliest") as reader:
        reader.assign([TopicPartition(topic, partition) for partition in read])
        ended: set[TopicPartition] = set()
        while len(ended) < partitions:
            for record in reader.poll(GUARD_S if not ended else 1.0):
                read[record.partition].append(int(record.value or b"-1"))
            ended |= reader.reached_end().keys()
    return read
