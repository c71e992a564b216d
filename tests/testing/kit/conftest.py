"""The calls of a test on the embedded broker, on the same broker over the network, and on a real Kafka."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kafka_nextgen.testing import Clock, Cluster, KafkaCluster, RealCluster
from tests.conftest import REAL, or_skip
from tests.support.servers import Servers


@pytest.fixture(scope="session", params=["embedded", "network", *REAL])
def cluster(request: pytest.FixtureRequest, servers: Servers) -> Iterator[KafkaCluster]:
    if request.param == "embedded":
        with Cluster(clock=Clock(), config={"group.consumer.assignment.interval.ms": 0}) as embedded:
            yield embedded
        return
    kind = "embedded" if request.param == "network" else request.param
    server = or_skip(lambda: servers.get(kind))
    with RealCluster(server.bootstrap_servers) as real:
        yield real


@pytest.fixture
def embedded() -> Iterator[Cluster]:
    """A cluster of its own, whose clock can be turned."""
    with Cluster(clock=Clock(), config={"group.consumer.assignment.interval.ms": 0}) as running:
        yield running
