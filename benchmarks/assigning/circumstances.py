"""What the assignors look at that Kafka has no counterpart of: the racks of members and replicas, and members' reports.

*rack-aware*: members are in three racks, one after the other, and each partition has replicas in two of the three.

*weighted*: members can do once, twice or four times as much, and each says of the partitions it had that every tenth
is eight times the work of another. Who had none knows nothing of weights.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from attrs import evolve

from kafka_nextgen.assignors import AssignmentSpec, MemberSpec, TopicMetadata
from kafka_nextgen.assignors.weighted_metadata import Report, encode_report
from kafka_nextgen.types import TopicPartition

__all__ = ["CIRCUMSTANCES"]

RACKS = ("a", "b", "c")
CAPACITIES = (1, 2, 4)
HEAVY, EVERY = 8, 10


def _in_racks(group: AssignmentSpec) -> AssignmentSpec:
    members = {
        member_id: evolve(member, rack_id=RACKS[number % len(RACKS)])
        for number, (member_id, member) in enumerate(group.members.items())
    }
    topics = {topic_id: _replicated(topic) for topic_id, topic in group.topics.items()}
    return AssignmentSpec(members, topics)


def _replicated(topic: TopicMetadata) -> TopicMetadata:
    pairs = tuple((RACKS[at], RACKS[(at + 1) % len(RACKS)]) for at in range(len(RACKS)))
    return evolve(topic, partition_racks=tuple(pairs[number % len(pairs)] for number in range(topic.num_partitions)))


def _with_reports(group: AssignmentSpec) -> AssignmentSpec:
    members = {
        member_id: evolve(member, metadata=encode_report(_report(group, member, CAPACITIES[number % len(CAPACITIES)])))
        for number, (member_id, member) in enumerate(group.members.items())
    }
    return AssignmentSpec(members, group.topics)


def _report(group: AssignmentSpec, member: MemberSpec, capacity: int) -> Report:
    return Report(
        capacity,
        {
            TopicPartition(group.topics[topic_id].name, number): HEAVY
            for topic_id, numbers in member.target.items()
            for number in numbers
            if number % EVERY == 0
        },
    )


#: By the assignor's name: a group, and the same one with what that assignor looks at.
CIRCUMSTANCES: Mapping[str, Callable[[AssignmentSpec], AssignmentSpec]] = {
    "rack-aware": _in_racks,
    "weighted": _with_reports,
}
