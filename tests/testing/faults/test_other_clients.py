"""Clients of others meet faults, and get over them as over those of Kafka."""

from __future__ import annotations

from typing import Any

import pytest
from aiokafka import AIOKafkaConsumer
from aiokafka import TopicPartition as AIOTopicPartition
from confluent_kafka import Consumer as ConfluentConsumer
from confluent_kafka import TopicPartition as ConfluentPartition
from kafka import KafkaConsumer
from kafka import TopicPartition as KafkaPartition

from kafka_nextgen.testing import Api, Cluster
from tests.support.waiting import GUARD_S

QUICK = {"retry_backoff_ms": 10}
FAULTS: list[tuple[Api, dict[str, Any]]] = [
    (Api.FETCH, {"error": "NOT_LEADER_OR_FOLLOWER", "topic": "orders", "partition": 0}),
    (Api.FETCH, {"drop": "before"}),
    (Api.FETCH, {"cut_connection": True}),
    (Api.METADATA, {"error": "LEADER_NOT_AVAILABLE"}),
    (Api.LIST_OFFSETS, {"error": "NOT_LEADER_OR_FOLLOWER"}),
    (Api.FIND_COORDINATOR, {"error": "COORDINATOR_NOT_AVAILABLE"}),
    (Api.OFFSET_FETCH, {"error": "COORDINATOR_LOAD_IN_PROGRESS"}),
    (Api.OFFSET_COMMIT, {"error": "COORDINATOR_LOAD_IN_PROGRESS"}),
]


def by_confluent(servers: str) -> list[str]:
    config = {"bootstrap.servers": servers, "group.id": "billing", "auto.offset.reset": "earliest"}
    quick = {"retry.backoff.ms": 10, "reconnect.backoff.ms": 10, "enable.auto.commit": False}
    consumer = ConfluentConsumer({**config, **quick})
    consumer.assign([ConfluentPartition("orders", 0)])
    values: list[str] = []
    while len(values) < 3:
        message = consumer.poll(0.05)
        if message is not None and message.error() is None:
            values.append(message.value().decode())
    consumer.commit(asynchronous=False)
    consumer.close()
    return values


def by_kafka_python(servers: str) -> list[str]:
    config = {"bootstrap_servers": servers, "group_id": "billing", "auto_offset_reset": "earliest"}
    consumer = KafkaConsumer(**config, **QUICK, enable_auto_commit=False, consumer_timeout_ms=GUARD_S * 1000)
    consumer.assign([KafkaPartition("orders", 0)])
    values = [next(consumer).value.decode() for _ in range(3)]
    consumer.commit()
    consumer.close()
    return values


async def by_aiokafka(servers: str) -> list[str]:
    config = {"bootstrap_servers": servers, "group_id": "billing", "auto_offset_reset": "earliest"}
    consumer = AIOKafkaConsumer(**config, **QUICK, enable_auto_commit=False)
    await consumer.start()
    consumer.assign([AIOTopicPartition("orders", 0)])
    values = [(await consumer.getone()).value.decode() for _ in range(3)]
    await consumer.commit()
    await consumer.stop()
    return values


def check(cluster: Cluster, values: list[str]) -> None:
    assert (values, cluster.committed("billing")) == (["one", "two", "three"], {("orders", 0): 3})


@pytest.fixture
def cluster() -> Any:
    with Cluster() as running:
        running.create_topic("orders")
        for value in ("one", "two", "three"):
            running.produce("orders", [value])
        yield running


@pytest.mark.parametrize(("api", "how"), FAULTS, ids=[f"{api} {how}" for api, how in FAULTS])
@pytest.mark.parametrize("read", [by_confluent, by_kafka_python])
def test_a_consumer_gets_over_a_fault(cluster: Cluster, read: Any, api: Api, how: dict[str, Any]) -> None:
    with cluster.fault(api, times=1, **how):
        check(cluster, read(cluster.bootstrap_servers))


@pytest.mark.parametrize(("api", "how"), FAULTS, ids=[f"{api} {how}" for api, how in FAULTS])
async def test_aiokafka_gets_over_a_fault(cluster: Cluster, api: Api, how: dict[str, Any]) -> None:
    with cluster.fault(api, times=1, **how):
        check(cluster, await by_aiokafka(cluster.bootstrap_servers))
