"""The groups that are assigned. ``KafkaAssignors.java`` makes the same ones for the assignors that Kafka has as well.

*Subscriptions*: everybody to all topics (``same``), or member n to the topics whose number is n or n + 1 modulo 5
(``mixed``): five kinds of members, each sharing topics with two others.

*Change*: ``none`` assigns a group that has no assignment yet. ``join`` and ``leave`` assign one that has the assignment
of before a member came or went.
"""

from __future__ import annotations

from collections.abc import Mapping
from uuid import UUID

from attrs import evolve, frozen

from benchmarks.assigning.circumstances import CIRCUMSTANCES
from kafka_nextgen.assignors import (
    AssignmentSpec,
    GroupAssignment,
    MemberAssignment,
    MemberSpec,
    PartitionAssignor,
    RackAwareAssignor,
    RangeAssignor,
    TopicMetadata,
    UniformAssignor,
    WeightedAssignor,
)
from kafka_nextgen.types import TopicId

__all__ = ["ASSIGNORS", "CHANGES", "KAFKAS", "SUBSCRIPTIONS", "Result", "Shape", "judge", "make_group"]

ASSIGNORS: Mapping[str, PartitionAssignor] = {
    assignor.name: assignor
    for assignor in (UniformAssignor(), RangeAssignor(), RackAwareAssignor(), WeightedAssignor())
}
#: Those that Kafka has as well.
KAFKAS = ("uniform", "range")

SUBSCRIPTIONS = ("same", "mixed")
CHANGES = ("none", "join", "leave")

_NONE = MemberAssignment()


@frozen
class Shape:
    """A group, by what makes a difference; ``partitions`` are those of each topic."""

    assignor: str
    members: int
    topics: int
    partitions: int
    subscriptions: str
    change: str = "none"


@frozen
class Result:
    """What came out: the loads of the least and the most loaded member, and how many partitions moved to somebody.

    A load is a number of partitions, or in the measure of the assignor's own, if it has one.
    """

    fewest: float
    most: float
    moved: int


def make_group(shape: Shape) -> AssignmentSpec:
    if shape.change == "none":
        return _group(shape, {})
    before = evolve(shape, members=shape.members + (1 if shape.change == "leave" else -1))
    return _group(shape, ASSIGNORS[shape.assignor].assign(_group(before, {})).members)


def judge(shape: Shape, group: AssignmentSpec, assignment: GroupAssignment) -> Result:
    shares = {member_id: assignment.members[member_id].partitions for member_id in group.members}
    measured = ASSIGNORS[shape.assignor].loads(group, shares)
    loads = measured.values() if measured else [sum(map(len, share.values())) for share in shares.values()]
    moved = sum(
        len(numbers - group.members[member_id].target.get(topic_id, frozenset()))
        for member_id, share in shares.items()
        for topic_id, numbers in share.items()
    )
    return Result(min(loads), max(loads), moved)


def _group(shape: Shape, previous: Mapping[str, MemberAssignment]) -> AssignmentSpec:
    topics = {
        _topic_id(number): TopicMetadata(f"topic-{number:03}", shape.partitions) for number in range(shape.topics)
    }
    names = [topic.name for topic in topics.values()]
    kinds = [frozenset(names)] * 5
    if shape.subscriptions == "mixed":
        kinds = [frozenset(name for number, name in enumerate(names) if (number - kind) % 5 < 2) for kind in range(5)]
    ids = [f"member-{number:05}" for number in range(shape.members)]
    members = {
        member_id: MemberSpec(kinds[number % 5], previous.get(member_id, _NONE).partitions)
        for number, member_id in enumerate(ids)
    }
    group = AssignmentSpec(members, topics)
    return CIRCUMSTANCES[shape.assignor](group) if shape.assignor in CIRCUMSTANCES else group


def _topic_id(number: int) -> TopicId:
    """An id that looks like any other."""
    return UUID(int=(number + 1) * 0x9E3779B97F4A7C15F39CC0605CEDC835 % (1 << 128))
