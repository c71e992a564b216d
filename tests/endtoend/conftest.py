"""What the end-to-end tests have in common."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from kafka_nextgen import GroupAdmin
from kafka_nextgen.testing import Clock, Cluster
from tests.support.clients import unique


@pytest.fixture(params=["consumer", "classic"])
def protocol(request: pytest.FixtureRequest) -> str:
    """Return the group protocol; what asks for it runs by both."""
    return str(request.param)


@pytest.fixture
def group() -> str:
    return unique("group")


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    """Close the consumers of a test at its end."""
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def admin(cluster: Cluster) -> Iterator[GroupAdmin]:
    """An admin of the embedded cluster that a module has."""
    with GroupAdmin(bootstrap_servers=cluster.bootstrap_servers) as admin:
        yield admin


@pytest.fixture(scope="module")
def turned() -> Iterator[Cluster]:
    """An embedded cluster with Kafka's own times, whose clock a test turns."""
    config = {"group.consumer.assignment.interval.ms": 0, "group.initial.rebalance.delay.ms": 0}
    with Cluster(clock=Clock(), config=config) as cluster:
        yield cluster
