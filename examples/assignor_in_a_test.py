"""An assignor of one's own in the coordinator, and a test of an application in a group that it assigns.

It gives members the partitions that have a replica in their rack, so that records need not cross between racks
(KIP-881). A group has it assigned by asking for it: ``group.remote.assignor=in-rack``.

pytest examples/assignor_in_a_test.py
"""

from __future__ import annotations

import time
from collections import Counter

from kafka_nextgen import Consumer
from kafka_nextgen.assignors import (
    AssignmentSpec,
    GroupAssignment,
    MemberAssignment,
    PartitionAssignor,
    TopicMetadata,
)
from kafka_nextgen.testing import Cluster
from kafka_nextgen.types import TopicId


class InRack(PartitionAssignor):
    """Each partition goes to the least loaded of the subscribers in a rack with a replica; else, of all of them."""

    name = "in-rack"

    def assign(self, group: AssignmentSpec) -> GroupAssignment:
        shares: dict[str, dict[TopicId, set[int]]] = {member_id: {} for member_id in group.members}
        loads: Counter[str] = Counter()
        for topic_id, topic in sorted(group.topics.items()):
            subscribers = [
                name for name in sorted(group.members) if topic.name in group.members[name].subscribed_topics
            ]
            for number in range(topic.num_partitions):
                near = [name for name in subscribers if group.members[name].rack_id in racks_of(topic, number)]
                taker = min(near or subscribers, key=lambda name: loads[name])
                shares[taker].setdefault(topic_id, set()).add(number)
                loads[taker] += 1
        return GroupAssignment({member_id: MemberAssignment(share) for member_id, share in shares.items()})


def racks_of(topic: TopicMetadata, number: int) -> tuple[str, ...]:
    return topic.partition_racks[number] if topic.partition_racks else ()


def test_consumers_get_the_partitions_in_their_racks() -> None:
    config = {
        "broker.rack": "r1,r2",
        "group.consumer.assignors": ["uniform", InRack],
        "group.consumer.assignment.interval.ms": 0,
    }
    with Cluster(brokers=2, config=config) as cluster:
        cluster.create_topic("orders", partitions=4)  # whose leaders are on the two nodes in turns
        with consumer(cluster, "r1") as here, consumer(cluster, "r2") as there:
            deadline = time.monotonic() + 30
            while len(here.assignment()) != 2 or len(there.assignment()) != 2:
                assert time.monotonic() < deadline, f"{here.assignment()} and {there.assignment()}"
                here.poll(timeout=0.05)
                there.poll(timeout=0.05)
            shares = [sorted(tp.partition for tp in each.assignment()) for each in (here, there)]
    assert sorted(shares) == [[0, 2], [1, 3]]


def consumer(cluster: Cluster, rack: str) -> Consumer:
    made = Consumer(
        bootstrap_servers=cluster.bootstrap_servers,
        group_id="billing",
        client_rack=rack,
        group_remote_assignor=InRack.name,
    )
    made.subscribe(["orders"])
    return made
