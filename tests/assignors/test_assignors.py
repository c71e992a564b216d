"""The assignors, by properties and by a few groups small enough to look at."""

from __future__ import annotations

import random
from uuid import UUID

import pytest
from hypothesis import given
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


@pytest.mark.parametrize("assignor", ASSIGNORS, ids=lambda assignor: assignor.name)
@given(group=groups())
def test_every_partition_of_a_subscribed_topic_goes_to_one_subscriber(
    assignor: PartitionAssignor, group: AssignmentSpec
) -> None:
    assignment = assignor.assign(group)
    found = owners(assignment)
    subscribed = {name for member in group.members.values() for name in member.subscribed_topics}
    assert set(found) == {
        (topic_id, partition)
        for topic_id, topic in group.topics.items()
        if topic.name in subscribed
        for partition in range(topic.num_partitions)
    }
    assert assignment.members.keys() == group.members.keys()
    for (topic_id, _), (owner,) in found.items():
        assert group.topics[topic_id].name in group.members[owner].subscribed_topics


@pytest.mark.parametrize("assignor", ASSIGNORS, ids=lambda assignor: assignor.name)
@given(group=groups(), seed=st.integers())
def test_the_order_of_the_input_means_nothing(assignor: PartitionAssignor, group: AssignmentSpec, seed: int) -> None:
    members, topics = list(group.members.items()), list(group.topics.items())
    random.Random(seed).shuffle(members)
    random.Random(seed).shuffle(topics)
    assert assignor.assign(AssignmentSpec(dict(members), dict(topics))) == assignor.assign(group)


@given(group=groups(same=True))
def test_uniform_gives_equal_subscribers_equal_loads(group: AssignmentSpec) -> None:
    counts = loads(UniformAssignor().assign(group))
    assert not counts or max(counts) - min(counts) <= 1


@given(group=groups())
def test_uniform_leaves_its_own_work_alone(group: AssignmentSpec) -> None:
    assignor = UniformAssignor()
    first = assignor.assign(group)
    assert assignor.assign(after(group, first)) == first


@given(group=groups(same=True))
def test_uniform_moves_no_more_than_balance_asks(group: AssignmentSpec) -> None:
    """A member gives up a partition only if it would have more than its due."""
    assignment = UniformAssignor().assign(group)
    least = min(loads(assignment), default=0)
    for member_id, member in group.members.items():
        valid = {
            (topic_id, partition)
            for topic_id, partitions in member.target.items()
            if topic_id in group.topics and group.topics[topic_id].name in member.subscribed_topics
            for partition in partitions
            if partition < group.topics[topic_id].num_partitions
        }
        kept = valid & {key for key, (owner,) in owners(assignment).items() if owner == member_id}
        assert kept == valid or len(kept) >= least


@given(group=groups(), taker=st.sampled_from("ABCDEFG"), giver=st.sampled_from("ABCDEFG"))
def test_uniform_leaves_no_move_that_would_help(group: AssignmentSpec, taker: str, giver: str) -> None:
    """No partition could go from a member to another that subscribes to its topic and has two less."""
    assignment = UniformAssignor().assign(group)
    count = dict(zip(assignment.members, loads(assignment), strict=True))
    if giver not in count or taker not in count or count[giver] - count[taker] <= 1:
        return
    for topic_id in assignment.members[giver].partitions:
        assert group.topics[topic_id].name not in group.members[taker].subscribed_topics


def after(group: AssignmentSpec, assignment: GroupAssignment) -> AssignmentSpec:
    return AssignmentSpec(
        {
            member_id: MemberSpec(
                member.subscribed_topics, assignment.members[member_id].partitions, instance_id=member.instance_id
            )
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


def test_range_puts_the_same_numbers_of_two_topics_together() -> None:
    assert shares(RangeAssignor(), {"a": 3, "b": 3}, X=MemberSpec(A_B), Y=MemberSpec(A_B)) == {
        "X": {"a": {0, 1}, "b": {0, 1}},
        "Y": {"a": {2}, "b": {2}},
    }


def test_range_lets_static_members_stand_in_front_by_instance() -> None:
    members = {
        "A": MemberSpec({"a"}),
        "B": MemberSpec({"a"}, instance_id="two"),
        "C": MemberSpec({"a"}, instance_id="one"),
    }
    assert shares(RangeAssignor(), {"a": 4}, **members) == {"C": {"a": {0, 1}}, "B": {"a": {2}}, "A": {"a": {3}}}


def test_range_counts_the_subscribers_of_each_topic_by_itself() -> None:
    members = {"X": MemberSpec(A_B), "Y": MemberSpec({"b"})}
    assert shares(RangeAssignor(), {"a": 2, "b": 2}, **members) == {"X": {"a": {0, 1}, "b": {0}}, "Y": {"b": {1}}}


def test_uniform_takes_from_each_what_the_newcomer_is_due() -> None:
    members = {
        "A": MemberSpec({"a"}, {IDS["a"]: {0, 1, 2}}),
        "B": MemberSpec({"a"}, {IDS["a"]: {3, 4, 5}}),
        "C": MemberSpec({"a"}),
    }
    assert shares(UniformAssignor(), {"a": 6}, **members) == {
        "A": {"a": {0, 1}},
        "B": {"a": {3, 4}},
        "C": {"a": {2, 5}},
    }


def test_uniform_gives_a_picky_member_what_it_can_take_first() -> None:
    members = {"X": MemberSpec({"a"}), "Y": MemberSpec(A_B)}
    assert shares(UniformAssignor(), {"a": 2, "b": 2}, **members) == {"X": {"a": {0, 1}}, "Y": {"b": {0, 1}}}


@pytest.mark.parametrize("assignor", ASSIGNORS, ids=lambda assignor: assignor.name)
def test_nobody_and_nothing(assignor: PartitionAssignor) -> None:
    assert shares(assignor, {"a": 3}) == {}
    assert shares(assignor, {}, X=MemberSpec(A_B)) == {"X": {}}
