from __future__ import annotations

from collections.abc import Iterator

import pytest

from kafka_nextgen.testing import Cluster

#: Sessions outlast any pause of a busy machine: a member that is restarted is never too late.
SESSION = {"group.consumer.max.session.timeout.ms": 600_000, "group.consumer.session.timeout.ms": 600_000}


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    """A cluster with a topic of orders in two partitions."""
    with Cluster(config={"group.consumer.assignment.interval.ms": 0, **SESSION}) as running:
        running.create_topic("orders", partitions=2)
        yield running
