"""The assignors, by properties and by a few groups small enough to look at."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafka_nextgen.assignors import (
    AssignmentSpec,
    MemberSpec,
    PartitionAssignor,
    RangeAssignor,
    UniformAssignor,
)
from kafka_nextgen.assignors.roundrobin import RoundRobinAssignor
from tests.assignors.groups import A_B, ASSIGNORS, IDS, groups, loads, owners, shares


@pytest.mark.parametrize("assignor", [*ASSIGNORS, RoundRobinAssignor()], ids=lambda assignor: assignor.name)
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


@pytest.mark.parametrize("assignor", ASSIGNORS, ids=lambda assignor: assignor.name)
def test_nobody_and_nothing(assignor: PartitionAssignor) -> None:
    assert shares(assignor, {"a": 3}) == {}
    assert shares(assignor, {}, X=MemberSpec(A_B)) == {"X": {}}
