from __future__ import annotations

from collections.abc import Iterator

import pytest

from kafka_nextgen.testing import Cluster


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with Cluster(config={"num.partitions": 3, "group.consumer.assignment.interval.ms": 0}) as running:
        yield running
