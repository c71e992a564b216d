"""A classic client with a judge, outside of any run."""

from __future__ import annotations

from uuid import UUID

from kafka_nextgen.testing.coordinator.settings import CoordinatorSettings
from kafka_nextgen.types import TopicIdPartition
from tests.verification.simulation.casting import Casting
from tests.verification.simulation.checking.judge import Judge
from tests.verification.simulation.classic_clients import ClassicClient
from tests.verification.simulation.cluster import Cluster
from tests.verification.simulation.dice import Dice
from tests.verification.simulation.timeline import Timeline

FOO = UUID(int=1)
ID0, ID1 = TopicIdPartition(FOO, 0), TopicIdPartition(FOO, 1)


def client(name: str = "A", *, instance_id: str | None = None) -> ClassicClient:
    dice, timeline, judge = Dice(1), Timeline(), Judge()
    cluster = Cluster(timeline, dice, judge, CoordinatorSettings())
    cluster.names[FOO] = "foo"
    settings = Casting(dice.stream("casting")).classic_settings("g", instance_id, (), auto_commit=True)
    made = ClassicClient(name, cluster, timeline, dice, judge, settings=settings)
    made.topic_ids = {"foo": FOO}
    return made
