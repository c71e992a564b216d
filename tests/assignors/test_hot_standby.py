"""The assignor for hot standby in groups whose members assign."""

from __future__ import annotations

from functools import partial
from uuid import UUID

import pytest

from kafka_nextgen.assignors import AssignmentSpec, HotStandby, MemberSpec, Metadata, RangeAssignor, TopicMetadata
from kafka_nextgen.assignors.standby_metadata import StandbyWord, read_standby_word
from kafka_nextgen.assignors.validation import check_assignment
from kafka_nextgen.errors import MisuseError
from kafka_nextgen.types import TopicPartition

FOO, BAR = UUID(int=1), UUID(int=2)
TOPICS = {FOO: TopicMetadata("foo", 6), BAR: TopicMetadata("bar", 2)}


def assign(assignor: HotStandby, members: dict[str, MemberSpec]) -> dict[str, dict[UUID, set[int]]]:
    group = AssignmentSpec(members, TOPICS)
    assignment = assignor.assign(group)
    check_assignment(group, assignment)
    shares = {member_id: assignment.members[member_id].partitions for member_id in assignment.members}
    return {
        member_id: {topic: set(numbers) for topic, numbers in share.items()}
        for member_id, share in shares.items()
        if share
    }


def member(*numbers: int, topics: tuple[str, ...] = ("foo",), instance_id: str | None = None) -> MemberSpec:
    return MemberSpec(frozenset(topics), {FOO: frozenset(numbers)} if numbers else {}, instance_id)


def test_members_beyond_the_target_size_get_nothing() -> None:
    shares = assign(HotStandby(2), {name: member() for name in "ABCD"})
    assert sorted(shares) == ["A", "B"]
    assert sum(len(share[FOO]) for share in shares.values()) == 6


def test_a_standby_gets_the_partitions_of_the_member_that_is_gone_and_no_others_move() -> None:
    shares = assign(HotStandby(3), {"A": member(), "B": member(), "Y": member(2, 3), "Z": member(4, 5)})
    assert shares == {"A": {FOO: {0, 1}}, "Y": {FOO: {2, 3}}, "Z": {FOO: {4, 5}}}


def test_a_member_without_partitions_of_its_topics_is_not_active() -> None:
    nothing = MemberSpec(frozenset({"foo"}), {FOO: frozenset()})
    assert sorted(assign(HotStandby(1), {"A": nothing, "Z": member(0, 1)})) == ["Z"]


def test_static_members_are_active_before_dynamic_ones() -> None:
    members = {"A": member(), "B": member(instance_id="two"), "C": member(instance_id="one")}
    assert sorted(assign(HotStandby(1), members)) == ["C"]


@pytest.mark.parametrize("topics", [("bar",), ("bar", "foo")])
def test_a_topic_to_which_no_active_member_subscribes_has_one_reader_all_the_same(topics: tuple[str, ...]) -> None:
    members = {"A": member(0, 1, 2, 3, 4, 5), "B": member(), "C": member(topics=topics), "D": member(topics=("bar",))}
    assert sorted(assign(HotStandby(1), members)) == ["A", "C"]


def test_a_topic_of_any_active_member_needs_no_other_reader() -> None:
    members = {"A": member(), "B": member(topics=("bar",)), "C": member()}
    assert sorted(assign(HotStandby(2), members)) == ["A", "B"]


def test_any_assignor_may_assign_to_the_active_members() -> None:
    shares = assign(HotStandby(2, RangeAssignor()), {name: member() for name in "ABC"})
    assert shares == {"A": {FOO: {0, 1, 2}}, "B": {FOO: {3, 4, 5}}}


def test_standbys_are_told_their_places_and_what_they_may_get() -> None:
    members = {"A": member(0, 1, topics=("foo", "bar")), "C": member(), "B": member(topics=("foo", "bar"))}
    assigned = HotStandby(1).assign(AssignmentSpec(members, TOPICS)).members
    words = {member_id: read_standby_word(assigned[member_id].metadata) for member_id in "ABC"}
    foo = {TopicPartition("foo", number) for number in range(6)}
    bar = {TopicPartition("bar", number) for number in range(2)}
    assert words == {"A": None, "B": StandbyWord(1, frozenset(foo | bar)), "C": StandbyWord(2, frozenset(foo))}


@pytest.mark.parametrize(
    "metadata",
    [
        Metadata(1, b'{"place":1,"may_get":{}}'),
        *map(partial(Metadata, 0), (b"", b"\xff", b"[]", b"{}", b'{"place":1}', b'{"place":"1","may_get":{}}')),
        Metadata(0, b'{"place":0,"may_get":{}}'),
        *(Metadata(0, b'{"place":1,"may_get":%s}' % may_get) for may_get in (b"[]", b'{"foo":7}', b'{"foo":[-1]}')),
        Metadata(payload=b"[" * 100_000),
    ],
    ids=lambda metadata: repr(metadata.payload[:30]),
)
def test_metadata_in_another_format_says_nothing(metadata: Metadata) -> None:
    assert read_standby_word(metadata) is None


@pytest.mark.parametrize("target_size", [0, -1, True, "3", 1.5, None])
def test_a_target_size_is_a_number_of_members(target_size: object) -> None:
    with pytest.raises(MisuseError, match=r"target_size"):
        HotStandby(target_size)  # type: ignore[arg-type]
