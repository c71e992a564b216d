"""By which ids an assignor hears of topics: their own, even where they are not known yet, or one made of the name."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import cast
from uuid import NAMESPACE_URL, uuid5

import pytest

from kafka_nextgen.assignors import ConsumerGroupMetadata, MemberAssignment
from kafka_nextgen.bridge.cluster_image import ClusterImage, TopicInfo
from kafka_nextgen.engine.io_thread import TaskSet
from kafka_nextgen.engine.member.classic_assignors import ClassicAssignors
from kafka_nextgen.engine.member.driver_context import DriverContext
from kafka_nextgen.engine.member.identity import MemberIdentity
from kafka_nextgen.engine.member.local_assignors import LocalAssignors
from kafka_nextgen.errors import NoBrokersError
from kafka_nextgen.membership.classic.effects import TellAssignor
from kafka_nextgen.types import TopicId, TopicPartition

ID, NAMED = TopicId(int=7), uuid5(NAMESPACE_URL, "kafka-topic:orders")
TOLD = TellAssignor("mine", 2, frozenset({TopicPartition("orders", 0)}), None, 5)


class Cluster:
    """Knows no topics before it has asked."""

    def __init__(self, topic_id: TopicId | None, is_up: bool) -> None:
        self.metadata = ClusterImage()
        self._topic = TopicInfo("orders", topic_id)
        self._is_up = is_up

    async def refresh_metadata(self, topics: frozenset[str]) -> None:
        assert topics == {"orders"}
        if not self._is_up:
            raise NoBrokersError("no broker")
        self.metadata = ClusterImage(topics_by_name={"orders": self._topic})


async def told_of(cluster: Cluster) -> MemberAssignment:
    told: asyncio.Future[MemberAssignment] = asyncio.get_running_loop().create_future()

    def call(name: str, error: int, assignment: MemberAssignment, group: ConsumerGroupMetadata) -> None:
        assert (name, error, group) == ("mine", 2, ConsumerGroupMetadata("g", 5, "A"))
        told.set_result(assignment)

    context = SimpleNamespace(cluster=cluster, identity=MemberIdentity("g", None), tasks=TaskSet(told.set_exception))
    own = cast(LocalAssignors, SimpleNamespace(call_on_assignment=call))
    leading = ClassicAssignors(own, cast(DriverContext, context), lambda event: None)
    leading.tell(TOLD, "A")
    return await asyncio.wait_for(told, 10)


@pytest.mark.parametrize(
    ("topic_id", "is_up", "told"),
    [(ID, True, ID), (None, True, NAMED), (ID, False, NAMED)],
    ids=["it is asked for", "brokers tell none", "nobody can be asked"],
)
def test_a_topic_that_is_not_known_yet(topic_id: TopicId | None, is_up: bool, told: TopicId) -> None:
    assert asyncio.run(told_of(Cluster(topic_id, is_up))).partitions == {told: {0}}
