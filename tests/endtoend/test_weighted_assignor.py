"""The weighted assignor in members: what they report while they run changes who gets what, by either protocol."""

from __future__ import annotations

from contextlib import ExitStack

from kafka_nextgen import Consumer, GroupAdmin
from kafka_nextgen.assignors import WeightedAssignor, explain
from kafka_nextgen.testing import Cluster
from tests.endtoend.reading import config_of, poll_until
from tests.support.clients import create_topic, unique
from tests.support.kafka_server import KafkaServer

QUICK = {
    "group.consumer.min.heartbeat.interval.ms": 100,
    "group.consumer.heartbeat.interval.ms": 100,
    "group.consumer.assignment.interval.ms": 0,
}


def test_members_say_by_the_consumer_protocol_what_they_can_do() -> None:
    with Cluster(config=QUICK) as cluster, ExitStack() as stack:
        cluster.create_topic("orders", partitions=8)
        assignors = [WeightedAssignor(capacity=3), WeightedAssignor(capacity=1)]
        members = [
            stack.enter_context(
                Consumer(bootstrap_servers=cluster.bootstrap_servers, group_id="g", group_local_assignors=[assignor])
            )
            for assignor in assignors
        ]
        watch(members, "orders", [6, 2])
        assignors[0].report(capacity=1)
        assignors[1].report(capacity=3)
        watch(members, "orders", [2, 6])
        with GroupAdmin(bootstrap_servers=cluster.bootstrap_servers) as admin:
            told = explain(WeightedAssignor(), admin.assignment_spec("g"))
        assert (told.moves, told.is_valid) == ((), True)


def test_members_say_by_the_classic_protocol_what_they_can_do(kafka: KafkaServer) -> None:
    topic, group = create_topic(kafka.bootstrap_servers, "weighed", 8), unique("weighing")
    with ExitStack() as stack:
        assignors = [WeightedAssignor(capacity=3), WeightedAssignor(capacity=1)]
        members = [
            stack.enter_context(Consumer(config_of(kafka, group, "classic", group_local_assignors=[assignor])))
            for assignor in assignors
        ]
        watch(members, topic, [6, 2])
        with GroupAdmin(bootstrap_servers=kafka.bootstrap_servers) as admin:
            told = explain(WeightedAssignor(), admin.assignment_spec(group))
        assert (told.moves, told.is_valid) == ((), True)


def watch(members: list[Consumer], topic: str, shares: list[int]) -> None:
    for member in members:
        member.subscribe([topic])
    poll_until(members, lambda: [len(member.assignment()) for member in members] == shares)
