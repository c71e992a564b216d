from __future__ import annotations

import pytest

from kafka_nextgen.fetching import FetchSettings, FetchState
from kafka_nextgen.types import TopicPartition
from tests.fetching.world import World, cluster


@pytest.fixture
def world() -> World:
    """Node 1 leads orders[0-1], node 2 leads orders[2-3]."""
    leaders = {TopicPartition("orders", number): 1 + number // 2 for number in range(4)}
    return World(FetchState(FetchSettings()), cluster(leaders))
