"""How the end of a partition is asked for: by isolation level (KIP-98), and at its leader's epoch (KIP-320).

``read_committed`` wants the last stable offset.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import pytest

from kafka_nextgen.bridge.list_offsets import LATEST
from kafka_nextgen.config import ConsumerConfig
from kafka_nextgen.engine.reading.cluster_queries import ClusterQueries
from kafka_nextgen.engine.reading.position_queries import PositionQueries
from kafka_nextgen.types import TopicPartition
from kafka_nextgen.wire.messages import ListOffsetsRequest, ListOffsetsResponse

P0 = TopicPartition("orders", 0)
Topic = ListOffsetsResponse.ListOffsetsTopicResponse


class Cluster:
    """Answers every ListOffsets, and keeps what was asked."""

    def __init__(self) -> None:
        self.asked: list[ListOffsetsRequest] = []
        self.metadata = SimpleNamespace(partition=lambda tp: SimpleNamespace(leader=1, leader_epoch=3))

    async def call(self, target: object, api: object, build: Callable[[int], Any], timeout_s: float) -> object:
        self.asked.append(build(10))
        found = Topic.ListOffsetsPartitionResponse(partition_index=0, offset=5)
        return ListOffsetsResponse(topics=[Topic(name="orders", partitions=[found])])


async def look_up(cluster: Any, config: ConsumerConfig) -> None:
    await ClusterQueries(cluster, config).list_offsets({P0: LATEST}, 10)


async def reset(cluster: Any, config: ConsumerConfig) -> None:
    state = SimpleNamespace(results=SimpleNamespace(reset_found=lambda need, found, now: ()))
    fetches: Any = SimpleNamespace(locked=lambda: nullcontext(state))
    need: Any = SimpleNamespace(timestamps=lambda now: {P0: LATEST}, node_id=1, leader_epochs={P0: 3})
    offsets: Any = None
    await PositionQueries(config, cluster, offsets, fetches)._look_up_reset(need)


@pytest.mark.parametrize("ask", [look_up, reset])
@pytest.mark.parametrize(("level", "number"), [("read_uncommitted", 0), ("read_committed", 1)])
def test_the_end_is_asked_for_by_the_isolation_level(
    ask: Callable[[Any, ConsumerConfig], Awaitable[None]], level: str, number: int
) -> None:
    cluster = Cluster()
    config = ConsumerConfig.parse(bootstrap_servers="localhost:9092", isolation_level=level)
    asyncio.run(ask(cluster, config))  # type: ignore[arg-type]
    assert [request.isolation_level for request in cluster.asked] == [number]


@pytest.mark.parametrize("ask", [look_up, reset])
def test_a_node_that_led_the_partition_before_may_notice(
    ask: Callable[[Any, ConsumerConfig], Awaitable[None]],
) -> None:
    cluster = Cluster()
    asyncio.run(ask(cluster, ConsumerConfig.parse(bootstrap_servers="localhost:9092")))  # type: ignore[arg-type]
    (request,) = cluster.asked
    assert request.topics[0].partitions[0].current_leader_epoch == 3
