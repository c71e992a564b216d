"""A cluster whose time the test advances, with a topic, and the smallest client."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kafka_nextgen.testing import Clock, Cluster
from tests.testing.broker.client import Client
from tests.testing.faults.committing import Committer

CONFIG = {"group.consumer.assignment.interval.ms": 0, "group.initial.rebalance.delay.ms": 0}


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with Cluster(clock=Clock(), config=CONFIG) as running:
        running.create_topic("orders", 2)
        yield running


@pytest.fixture
def client(cluster: Cluster) -> Iterator[Client]:
    with Client(cluster.bootstrap_servers) as connected:
        yield connected


@pytest.fixture
def group(client: Client) -> Committer:
    return Committer(client)
