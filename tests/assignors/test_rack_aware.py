"""The rack-aware assignor: balance, then local reads, then stickiness, each against the plainest way to say it."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from kafka_nextgen.assignors import (
    AssignmentSpec,
    GroupAssignment,
    MemberSpec,
    RackAwareAssignor,
    TopicMetadata,
    UniformAssignor,
)
from tests.assignors.groups import IDS, NAMES, after, groups, loads, owners, shares
from tests.support.examples import examples

RACKS = ["r1", "r2", "r3"]
NEAR = [(), ("elsewhere",), ("r1",), ("r2",), ("r3",), ("r1", "r2"), ("r3", "r2")]
A = IDS["a"]


@st.composite
def placed(draw: st.DrawFn, *, same: bool = False, largest: int = 9) -> AssignmentSpec:
    """A group whose members and partitions are in racks, or in none."""
    group, places = draw(groups(same=same)), draw(st.binary(min_size=20, max_size=20))
    members = {
        name: evolve(member, rack_id=[*RACKS, None][place % 4])
        for place, (name, member) in zip(places, group.members.items(), strict=False)
    }
    racks = tuple(NEAR[place % len(NEAR)] for place in places[-13:])
    topics = {
        topic_id: TopicMetadata(topic.name, size, racks[place : place + size])
        for place, (topic_id, topic) in enumerate(group.topics.items())
        for size in [min(topic.num_partitions, largest)]
    }
    return AssignmentSpec(members, topics)


def local_reads(group: AssignmentSpec, assignment: GroupAssignment) -> int:
    return sum(
        group.members[owner].rack_id in group.topics[topic_id].partition_racks[number]
        for (topic_id, number), (owner,) in owners(assignment).items()
    )


def most_local_reads(group: AssignmentSpec, sizes: list[int]) -> int:
    """Try every assignment in which members get as many partitions as these, in any order."""
    partitions = [
        near
        for topic in group.topics.values()
        for near in topic.partition_racks
        if any(topic.name in member.subscribed_topics for member in group.members.values())
    ]
    racks = [member.rack_id for member in group.members.values()]
    best = 0
    for takers in product(range(len(racks)), repeat=len(partitions)):
        if sorted(map(takers.count, range(len(racks)))) == sorted(sizes):
            best = max(best, sum(racks[taker] in near for taker, near in zip(takers, partitions, strict=True)))
    return best


@given(group=placed())
def test_everybody_gets_as_many_as_from_the_uniform_assignor(group: AssignmentSpec) -> None:
    assert sorted(loads(RackAwareAssignor().assign(group))) == sorted(loads(UniformAssignor().assign(group)))


@given(group=placed(same=True, largest=3))
@settings(max_examples=examples(60))
def test_where_all_subscribe_to_the_same_no_balanced_assignment_has_more_local_reads(group: AssignmentSpec) -> None:
    members = dict(list(group.members.items())[:3])
    topics = dict(list(group.topics.items())[:2])
    small = AssignmentSpec(members, topics)
    assignment = RackAwareAssignor().assign(small)
    if members:
        assert local_reads(small, assignment) == most_local_reads(small, loads(assignment))


@given(group=placed())
def test_as_many_reads_are_local_as_with_the_uniform_assignor_at_least(group: AssignmentSpec) -> None:
    aware, uniform = (assignor.assign(group) for assignor in (RackAwareAssignor(), UniformAssignor()))
    assert local_reads(group, aware) >= local_reads(group, uniform)


@given(group=placed())
def test_its_own_work_is_left_alone_down_to_the_objects(group: AssignmentSpec) -> None:
    assigned = after(group, RackAwareAssignor().assign(group))
    for member_id, share in RackAwareAssignor().assign(assigned).members.items():
        assert share.partitions is assigned.members[member_id].target


def here(rack: str | None, *had: int) -> MemberSpec:
    return MemberSpec({"a"}, {A: frozenset(had)} if had else {}, rack_id=rack)


def numbers(near: str, **members: MemberSpec) -> Mapping[str, set[int]]:
    """Who gets which partitions of a topic; ``near`` has a word for each, the racks of its replicas by number."""
    topic = TopicMetadata("a", len(near.split()), tuple(tuple(f"r{rack}" for rack in word) for word in near.split()))
    assignment = RackAwareAssignor().assign(AssignmentSpec(members, {A: topic}))
    return {name: set(share.partitions.get(A, ())) for name, share in assignment.members.items()}


def test_local_reads_come_before_stickiness() -> None:
    assert numbers("1 2", X=here("r1", 1), Y=here("r2", 0)) == {"X": {0}, "Y": {1}}


def test_what_is_local_already_stays_and_what_is_not_stays_if_nobody_is_nearer() -> None:
    assert numbers("1 3 2 3", X=here("r1", 0, 3), Y=here("r2", 1, 2)) == {"X": {0, 3}, "Y": {1, 2}}


def test_a_partition_makes_room_for_one_that_is_local_nowhere_else() -> None:
    near = "12 23 1"
    had = {"X": here("r1", 0), "Y": here("r2", 1), "Z": here("r3", 2)}
    assert numbers(near, **had) == {"X": {2}, "Y": {0}, "Z": {1}}


def test_members_of_one_rack_share_what_is_local_there() -> None:
    found = numbers("1 1 1 2 2 2", V=here("r1"), W=here("r1"), X=here("r2"), Y=here(None))
    assert found["V"] | found["W"] == {0, 1, 2}
    assert sorted(map(len, found.values())) == [1, 1, 2, 2]
    assert found["X"] <= {3, 4, 5}


def test_without_racks_it_is_the_uniform_assignor() -> None:
    group = {name: MemberSpec(set(NAMES[:2]), rack_id="r1") for name in "XY"}
    sizes = {"a": 3, "b": 3}
    assert shares(RackAwareAssignor(), sizes, **group) == shares(UniformAssignor(), sizes, **group)


def test_racks_of_some_partitions_only_are_enough() -> None:
    topic = TopicMetadata("a", 3, (("r2",),))
    group = AssignmentSpec({"X": here("r1"), "Y": here("r2")}, {A: topic})
    assert 0 in RackAwareAssignor().assign(group).members["Y"].partitions[A]


def test_where_subscriptions_differ_topics_keep_their_counts_and_their_partitions_go_home() -> None:
    topics = {A: TopicMetadata("a", 2, (("r2",), ("r1",))), IDS["b"]: TopicMetadata("b", 1, (("r1",),))}
    members = {
        "X": MemberSpec({"a"}, rack_id="r1"),
        "Y": MemberSpec({"a"}, rack_id="r2"),
        "Z": MemberSpec({"a", "b"}, rack_id="r2"),
    }
    found = RackAwareAssignor().assign(AssignmentSpec(members, topics)).members
    assert {name: dict(share.partitions) for name, share in found.items()} == {
        "X": {A: {1}},
        "Y": {A: {0}},
        "Z": {IDS["b"]: {0}},
    }
