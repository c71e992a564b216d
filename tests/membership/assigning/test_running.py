"""What an assignor of one's own may say and make, and what is made of what it may not."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kafka_nextgen.assignors import (
    AssignmentSpec,
    AssignorMetadata,
    GroupAssignment,
    MemberAssignment,
    MemberSpec,
    Metadata,
    PartitionAssignor,
    PartitionAssignorError,
    TopicMetadata,
)
from kafka_nextgen.assignors.spec import ClientAssignor
from kafka_nextgen.membership.assigning.running import compute, offer_of
from kafka_nextgen.types import TopicId

FOO = TopicId(int=1)
GROUP = AssignmentSpec(
    {"A": MemberSpec({"foo"}, metadata=Metadata(1)), "B": MemberSpec({"foo"})}, {FOO: TopicMetadata("foo", 2)}
)
RIGHT = GroupAssignment({"A": MemberAssignment({FOO: {0}}, Metadata(1, b"a")), "B": MemberAssignment({FOO: {1}})})


class Any(PartitionAssignor):
    name = "any"
    maximum_version = 2

    def __init__(self, makes: object = RIGHT, says: object = AssignorMetadata(1, Metadata(2, b"word"))) -> None:
        self.makes, self.says = makes, says

    def metadata(self) -> AssignorMetadata:
        return self._give(self.says)

    def assign(self, group: AssignmentSpec) -> GroupAssignment:
        return self._give(self.makes)

    def _give(self, value: object) -> Callable[..., object]:
        if isinstance(value, BaseException):
            raise value
        return value  # type: ignore[return-value]


def test_what_it_says_is_offered_with_the_versions_it_reads() -> None:
    assert offer_of(Any()) == ClientAssignor("any", 0, 2, 1, Metadata(2, b"word"))


@pytest.mark.parametrize(
    ("says", "complaint"),
    [
        (ValueError("boom"), r"its metadata\(\) raised ValueError: boom"),
        (SystemExit(1), r"its metadata\(\) raised SystemExit"),
        (None, r"its metadata\(\) returned None"),
        (AssignorMetadata(128), r"returned AssignorMetadata\(reason=128"),
        (AssignorMetadata(metadata=Metadata(3)), r"returned version 3, but it reads versions 0 to 2"),
        (AssignorMetadata(metadata=Metadata(0, "text")), r"returned AssignorMetadata"),  # type: ignore[arg-type]
        (AssignorMetadata(metadata=b"bytes"), r"returned AssignorMetadata"),  # type: ignore[arg-type]
    ],
)
def test_what_can_not_be_said_is_not(says: object, complaint: str) -> None:
    with pytest.raises(PartitionAssignorError, match=complaint) as raised:
        offer_of(Any(says=says))
    assert raised.value.__cause__ is (says if isinstance(says, BaseException) else None)


def test_an_assignment_of_the_group_is_taken_as_it_is() -> None:
    assert compute(Any(), GROUP) is RIGHT


@pytest.mark.parametrize(
    ("makes", "complaint"),
    [
        (ValueError("boom"), r"it raised ValueError: boom"),
        (SystemExit(1), "it raised SystemExit"),
        (None, "it returned NoneType instead of a GroupAssignment"),
        (GroupAssignment({}), r"it left foo\[0-1\] unassigned"),
        (GroupAssignment({}, error="bad"), "it returned the error 'bad'"),  # type: ignore[arg-type]
        (GroupAssignment({}, error=128), "it returned the error 128"),
        (GroupAssignment(None), "it returned an assignment that can't be read"),  # type: ignore[arg-type]
        (GroupAssignment({"A": {FOO: {0, 1}}}), "it returned an assignment that can't be read"),  # type: ignore[dict-item]
        (GroupAssignment({"A": MemberAssignment({FOO: [0, 1]})}), r"it gave A \[0, 1\], which is not a set of numbers"),  # type: ignore[dict-item]
        (GroupAssignment({"A": MemberAssignment({FOO: {0, "1"}})}), "which is not a set of numbers"),  # type: ignore[dict-item]
        (
            GroupAssignment({"A": MemberAssignment({FOO: {0, 1}}, Metadata(2))}),
            "it wrote metadata for A in version 2, but A wrote version 1",
        ),
        (
            GroupAssignment({"A": MemberAssignment({FOO: {0, 1}}, b"word")}),  # type: ignore[arg-type]
            "it gave A invalid metadata: b'word'",
        ),
    ],
)
def test_what_is_no_assignment_of_the_group_is_refused_with_its_flaw(makes: object, complaint: str) -> None:
    with pytest.raises(PartitionAssignorError, match=complaint):
        compute(Any(makes), GROUP)
