"""aiokafka's transactions, unchanged: records and offsets that are committed together, or not at all."""

from __future__ import annotations

import asyncio

import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition

from kafka_nextgen.testing import Cluster
from tests.support.clients import unique
from tests.support.waiting import GUARD_S

TIMEOUT_S = GUARD_S


class GivenUpError(Exception):
    """The application gives a transaction up."""


async def write(cluster: Cluster, group: str, partition: TopicPartition) -> None:
    producer = AIOKafkaProducer(bootstrap_servers=cluster.bootstrap_servers, transactional_id=unique("t"))
    await producer.start()
    await move(producer, partition, b"kept", group, 5)
    with pytest.raises(GivenUpError):
        await move(producer, partition, b"dropped", group, 9, gives_up=True)
    await producer.stop()


async def move(
    producer: AIOKafkaProducer,
    partition: TopicPartition,
    value: bytes,
    group: str,
    offset: int,
    *,
    gives_up: bool = False,
) -> None:
    async with producer.transaction():
        await producer.send(partition.topic, value)
        await producer.send_offsets_to_transaction({partition: offset}, group)
        if gives_up:
            raise GivenUpError


async def read(cluster: Cluster, group: str, partition: TopicPartition) -> tuple[int | None, list[bytes]]:
    """Return what is committed, and what is read from the beginning to the last stable offset."""
    consumer = AIOKafkaConsumer(
        bootstrap_servers=cluster.bootstrap_servers,
        group_id=group,
        isolation_level="read_committed",
        enable_auto_commit=False,
    )
    await consumer.start()
    consumer.assign([partition])
    committed = await consumer.committed(partition)
    consumer.seek(partition, 0)
    end = (await consumer.end_offsets([partition]))[partition]
    values: list[bytes] = []
    while await consumer.position(partition) < end:
        for records in (await consumer.getmany(partition, timeout_ms=100)).values():
            values += [record.value for record in records]
    await consumer.stop()
    return committed, values


def test_what_was_committed_is_read_and_what_was_given_up_is_not(cluster: Cluster, topic: str) -> None:
    group, partition = unique("movers"), TopicPartition(topic, 0)

    async def scenario() -> tuple[int | None, list[bytes]]:
        await write(cluster, group, partition)
        return await read(cluster, group, partition)

    assert asyncio.run(asyncio.wait_for(scenario(), TIMEOUT_S)) == (5, [b"kept"])
