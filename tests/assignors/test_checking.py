from __future__ import annotations

import pytest

from kafka_nextgen.assignors import (
    AssignmentSpec,
    GroupAssignment,
    MemberAssignment,
    MemberSpec,
    TopicMetadata,
)
from kafka_nextgen.assignors.validation import flaw_of
from kafka_nextgen.types import TopicId

FOO, BAR, GHOST = TopicId(int=1), TopicId(int=2), TopicId(int=3)
GROUP = AssignmentSpec(
    {"A": MemberSpec({"foo", "bar"}), "B": MemberSpec({"foo"})},
    {FOO: TopicMetadata("foo", 3), BAR: TopicMetadata("bar", 1)},
)


def made_of(error: int = 0, **shares: dict[TopicId, set[int]]) -> GroupAssignment:
    return GroupAssignment({name: MemberAssignment(share) for name, share in shares.items()}, error)


@pytest.mark.parametrize(
    ("assignment", "flaw"),
    [
        (made_of(A={FOO: {0, 1}, BAR: {0}}, B={FOO: {2}}), None),
        (made_of(A={FOO: {0, 1, 2}, BAR: {0}}), None),
        (made_of(A={FOO: {0, 1, 2}, BAR: {0}}, B={BAR: set()}), None),
        (made_of(A={}, B={}, error=1), None),
        (made_of(A={FOO: {0, 1, 2}, BAR: {0}}, C={}), "gave partitions to C, which the group"),
        (
            made_of(A={FOO: {0, 1, 2}, GHOST: {0}}),
            f"partitions of topic id {GHOST}, which is not one of the topics to assign",
        ),
        (made_of(A={FOO: {0, 1, 2}}, B={BAR: {0}}), "gave B partitions of bar, which it does not subscribe to"),
        (made_of(A={FOO: {0, 1, 3}, BAR: {0}}), "gave A foo[3], but the topic has 3 partitions"),
        (made_of(A={FOO: {0, 1, -1}, BAR: {0}}), "gave A foo[-1], but the topic has 3 partitions"),
        (made_of(A={FOO: {0, 1}, BAR: {0}}, B={FOO: {1, 2}}), "gave foo[1] to both A and B"),
        (made_of(A={FOO: {0, 1}, BAR: {0}}, B={FOO: {1}}, error=1), "gave foo[1] to both A and B"),
        (made_of(A={FOO: {1}}, B={}), "left bar[0] foo[0,2] unassigned"),
    ],
)
def test_what_an_assignor_may_give(assignment: GroupAssignment, flaw: str | None) -> None:
    found = flaw_of(assignment, GROUP)
    assert found is None if flaw is None else flaw in (found or "")


def test_topics_nobody_subscribes_to_stay_nobodys() -> None:
    group = AssignmentSpec({"A": MemberSpec({"foo"})}, GROUP.topics)
    assert flaw_of(made_of(A={FOO: {0, 1, 2}}), group) is None


def test_of_many_partitions_left_out_a_few_are_named() -> None:
    group = AssignmentSpec({"A": MemberSpec({"foo"})}, {FOO: TopicMetadata("foo", 1000)})
    assert flaw_of(made_of(), group) == "left foo[0-9] and 990 more unassigned"
