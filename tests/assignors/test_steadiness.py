"""What does not change an assignment, and how little changes when something does."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from uuid import UUID

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from kafka_nextgen.assignors import (
    AssignmentSpec,
    MemberAssignment,
    MemberSpec,
    PartitionAssignor,
    RangeAssignor,
    TopicMetadata,
    UniformAssignor,
)
from tests.assignors.groups import ASSIGNORS, IDS, after, groups, shares, topics_of

A, B = IDS["a"], IDS["b"]


def moved(group: AssignmentSpec, members: Mapping[str, MemberAssignment]) -> int:
    """How many partitions somebody has who did not have them."""
    return sum(
        len(set(numbers) - set(group.members[member_id].target.get(topic_id, ())))
        for member_id, share in members.items()
        for topic_id, numbers in share.partitions.items()
    )


@given(group=groups(same=True), newcomer=st.sampled_from("ABCDEFGH"))
def test_uniform_moves_to_a_newcomer_its_share_and_nothing_else(group: AssignmentSpec, newcomer: str) -> None:
    subscription = next((member.subscribed_topics for member in group.members.values()), frozenset({"a"}))
    before = after(group, UniformAssignor().assign(group))
    if newcomer in before.members:
        return
    joined = AssignmentSpec({**before.members, newcomer: MemberSpec(subscription)}, group.topics)
    members = UniformAssignor().assign(joined).members
    assert moved(joined, members) == sum(map(len, members[newcomer].partitions.values()))


@given(group=groups(same=True), leaver=st.sampled_from("ABCDEFG"))
def test_uniform_moves_what_a_leaver_had_and_nothing_else(group: AssignmentSpec, leaver: str) -> None:
    before = after(group, UniformAssignor().assign(group))
    if leaver not in before.members or len(before.members) == 1:
        return
    left = AssignmentSpec({name: one for name, one in before.members.items() if name != leaver}, group.topics)
    assert moved(left, UniformAssignor().assign(left).members) == sum(map(len, before.members[leaver].target.values()))


@given(group=groups())
def test_a_share_that_stays_is_the_very_object_it_was(group: AssignmentSpec) -> None:
    before = after(group, UniformAssignor().assign(group))
    for member_id, share in UniformAssignor().assign(before).members.items():
        assert share.partitions is before.members[member_id].target


@given(group=groups(), partitions=st.integers(0, 9))
def test_range_gives_co_partitioned_topics_to_the_same_members(group: AssignmentSpec, partitions: int) -> None:
    """Two topics of as many partitions, and the same subscribers."""
    topics = dict(group.topics) | topics_of({"a": partitions, "b": partitions})
    members = {
        name: evolve(member, subscribed_topics=set(member.subscribed_topics) - {"b"} | ({"b"} & set(_b(member))))
        for name, member in group.members.items()
    }
    for share in RangeAssignor().assign(AssignmentSpec(members, topics)).members.values():
        assert share.partitions.get(A) == share.partitions.get(B)


def _b(member: MemberSpec) -> str:
    return "b" if "a" in member.subscribed_topics else ""


def test_uniform_gives_what_two_claim_to_the_first_of_them() -> None:
    members = {name: MemberSpec({"a"}, {A: {0, 1}}) for name in ("X", "Y")}
    assert shares(UniformAssignor(), {"a": 4}, **members) == {"X": {"a": {0, 1}}, "Y": {"a": {2, 3}}}


SCRIPT = """
from tests.assignors.test_steadiness import MIXED
from tests.assignors.groups import ASSIGNORS
for assignor in ASSIGNORS:
    for member_id, share in sorted(assignor.assign(MIXED).members.items()):
        print(member_id, sorted((str(topic), sorted(numbers)) for topic, numbers in share.partitions.items()))
"""

MIXED = AssignmentSpec(
    {
        f"m{number}": MemberSpec(
            {name for place, name in enumerate("abcd") if (number >> place) % 2}, rack_id=f"r{number % 3}"
        )
        for number in range(16)
    },
    topics_of({"a": 20, "b": 30, "c": 7, "d": 1}),
)


def test_no_hash_has_a_say_in_it() -> None:
    said = {
        subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(said) == 1
    assert "m15" in said.pop()


TOPICS = [f"topic-{number}" for number in range(10)]

SUBSCRIPTIONS: dict[str, Callable[[int, int], bool]] = {
    "all the same": lambda member, topic: True,
    "of five kinds": lambda member, topic: (topic - member) % 5 < 2,
    "each its own": lambda member, topic: bool((member + 1) >> topic & 1),
}


def calls(assignor: PartitionAssignor, members: int, subscribes: Callable[[int, int], bool]) -> int:
    """How many functions are called, C's too, to assign ten partitions to each of so many members."""
    ids = {name: UUID(int=number) for number, name in enumerate(TOPICS, 1)}
    subscriptions = [
        {name for topic, name in enumerate(TOPICS) if subscribes(member, topic)} for member in range(members)
    ]
    racks = tuple((f"r{number % 4}", f"r{number % 5}") for number in range(members))
    group = AssignmentSpec(
        {f"m{number:04}": MemberSpec(names, rack_id=f"r{number % 3}") for number, names in enumerate(subscriptions)},
        {topic_id: TopicMetadata(name, members, racks) for name, topic_id in ids.items()},
    )
    counted = 0

    def count(frame: object, event: str, argument: object) -> None:
        nonlocal counted
        counted += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        assignor.assign(group)
    finally:
        sys.setprofile(None)
    return counted


@pytest.mark.parametrize("subscriptions", SUBSCRIPTIONS)
@pytest.mark.parametrize("assignor", ASSIGNORS, ids=lambda assignor: assignor.name)
def test_four_times_as_much_is_little_more_than_four_times_the_work(
    assignor: PartitionAssignor, subscriptions: str
) -> None:
    subscribes = SUBSCRIPTIONS[subscriptions]
    assert calls(assignor, 400, subscribes) < 6 * calls(assignor, 100, subscribes)
