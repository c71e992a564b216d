"""Groups for assignors to assign to, any and small ones, and what can be said of an assignment."""

from __future__ import annotations

from uuid import UUID

from attrs import evolve
from hypothesis import strategies as st

from kafka_nextgen.assignors import (
    AssignmentSpec,
    GroupAssignment,
    MemberSpec,
    PartitionAssignor,
    RackAwareAssignor,
    RangeAssignor,
    TopicMetadata,
    UniformAssignor,
    WeightedAssignor,
)
from kafka_nextgen.types import TopicId

ASSIGNORS = [UniformAssignor(), RangeAssignor(), RackAwareAssignor(), WeightedAssignor()]
NAMES = ["a", "b", "c", "d"]
IDS = {name: UUID(int=number) for number, name in enumerate(NAMES, 1)}
Target = dict[TopicId, frozenset[int]]


def topics_of(sizes: dict[str, int]) -> dict[TopicId, TopicMetadata]:
    return {IDS[name]: TopicMetadata(name, size) for name, size in sizes.items()}


@st.composite
def groups(draw: st.DrawFn, *, same: bool = False) -> AssignmentSpec:
    """Any group, its previous target disjoint but perhaps outdated: other topics, more partitions, lost members.

    What would be dozens of choices is made of bytes, which are drawn at once.
    """
    sizes = draw(st.dictionaries(st.sampled_from(NAMES), st.integers(0, 9)))
    members = draw(st.lists(st.sampled_from("ABCDEFG"), unique=True, max_size=7))
    subscribing = draw(st.binary(min_size=7, max_size=7))
    subscriptions = {
        member: frozenset(name for bit, name in enumerate(NAMES) if bits >> bit & 1)
        for member, bits in zip(members, subscribing[:1] * 7 if same else subscribing, strict=False)
    }
    targets: dict[str, dict[TopicId, set[int]]] = {member: {} for member in members}
    for place, holder in enumerate(draw(st.binary(min_size=48, max_size=48))):
        if members and (at := holder % (len(members) + 1)):
            targets[members[at - 1]].setdefault(IDS[NAMES[place // 12]], set()).add(place % 12)
    static = draw(st.integers(0, 127))
    instances = {member: f"i-{member}" if static >> place & 1 else None for place, member in enumerate(members)}
    return AssignmentSpec(
        {m: MemberSpec(subscriptions[m], targets[m], instance_id=instances[m]) for m in members}, topics_of(sizes)
    )


def owners(assignment: GroupAssignment) -> dict[tuple[TopicId, int], list[str]]:
    found: dict[tuple[TopicId, int], list[str]] = {}
    for member_id, share in assignment.members.items():
        for topic_id, partitions in share.partitions.items():
            for partition in partitions:
                found.setdefault((topic_id, partition), []).append(member_id)
    return found


def loads(assignment: GroupAssignment) -> list[int]:
    return [sum(map(len, share.partitions.values())) for share in assignment.members.values()]


def after(group: AssignmentSpec, assignment: GroupAssignment) -> AssignmentSpec:
    return AssignmentSpec(
        {
            member_id: evolve(member, target=assignment.members[member_id].partitions)
            for member_id, member in group.members.items()
        },
        group.topics,
    )


def shares(assignor: PartitionAssignor, sizes: dict[str, int], **members: MemberSpec) -> dict[str, dict[str, set[int]]]:
    assignment = assignor.assign(AssignmentSpec(members, topics_of(sizes)))
    names = {topic_id: name for name, topic_id in IDS.items()}
    return {
        member_id: {names[topic_id]: set(partitions) for topic_id, partitions in share.partitions.items()}
        for member_id, share in assignment.members.items()
    }


A_B = frozenset({"a", "b"})
