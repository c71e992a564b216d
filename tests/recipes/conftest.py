from __future__ import annotations

from collections.abc import Iterator

import pytest

from kafka_nextgen.testing import Cluster


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    """A cluster with a topic of orders in two partitions."""
    with Cluster(config={"group.consumer.assignment.interval.ms": 0}) as running:
        running.create_topic("orders", partitions=2)
        yield running
