"""A broker for the tests of one file, topics of their own for each of them, and the smallest client."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from kafka_nextgen.testing import Cluster
from tests.support.clients import unique
from tests.support.kafka_server import KafkaServer
from tests.testing.broker.client import Client
from tests.testing.broker.extended import extended


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    config = {
        "group.consumer.min.heartbeat.interval.ms": 50,
        "group.consumer.heartbeat.interval.ms": 100,
        "group.consumer.assignment.interval.ms": 0,
    }
    with Cluster(config=config) as running:
        yield running


@pytest.fixture
def client(cluster: Cluster) -> Iterator[Client]:
    with Client(cluster.bootstrap_servers) as connected:
        yield connected


@pytest.fixture
def at(kafka: KafkaServer) -> Iterator[Client]:
    """A client of each kind of broker that a test runs on."""
    with Client(kafka.bootstrap_servers) as connected:
        yield connected


@pytest.fixture
def new_topic(cluster: Cluster) -> Callable[[int], str]:
    def make(partitions: int = 1) -> str:
        name = unique("orders")
        cluster.create_topic(name, partitions)
        return name

    return make


@pytest.fixture
def topic(new_topic: Callable[[int], str]) -> str:
    return new_topic(1)


@pytest.fixture
def ours(cluster: Cluster) -> Iterator[Client]:
    """A client that speaks what Apache Kafka never shipped."""
    with extended(cluster.bootstrap_servers) as connected:
        yield connected


@pytest.fixture
def group() -> str:
    return unique("billing")
