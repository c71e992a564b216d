from __future__ import annotations

from textwrap import dedent

import pytest
from attrs import evolve, frozen
from hypothesis import given

from kafka_nextgen.assignors import (
    AssignmentSpec,
    Balance,
    ClientAssignor,
    GroupAssignment,
    Loads,
    MemberAssignment,
    MemberSpec,
    Metadata,
    Move,
    PartitionAssignor,
    RackAwareAssignor,
    TopicMetadata,
    UniformAssignor,
    WeightedAssignor,
    explain,
    spec_of,
)
from kafka_nextgen.assignors.weighted_metadata import Report, encode_report
from kafka_nextgen.errors import ConfigError
from kafka_nextgen.types import TopicId, TopicPartition, format_partitions
from tests.assignors.groups import groups

A, B = TopicId(int=1), TopicId(int=2)
TOPICS = {A: TopicMetadata("orders", 6)}


def spec(topics: dict[TopicId, TopicMetadata] | None = None, /, **members: MemberSpec) -> AssignmentSpec:
    return AssignmentSpec(members, TOPICS if topics is None else topics)


def has(*numbers: int, rack: str | None = None, instance: str | None = None) -> MemberSpec:
    return MemberSpec({"orders"}, {A: frozenset(numbers)} if numbers else {}, instance, rack)


class Saying(PartitionAssignor):
    """An assignor that says what it is told to."""

    name = "saying"

    def __init__(self, answer: object) -> None:
        self.answer = answer

    def assign(self, group: AssignmentSpec) -> GroupAssignment:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer  # type: ignore[return-value]  # whatever the test is about


def giving(error: int = 0, **shares: dict[TopicId, set[int]]) -> Saying:
    return Saying(GroupAssignment({name: MemberAssignment(share) for name, share in shares.items()}, error))


def test_a_newcomer_gains_what_others_lose() -> None:
    told = explain(UniformAssignor(), spec(m1=has(0, 1, 2), m2=has(3, 4, 5), m3=has()))
    assert [(each.member_id, len(each.before), len(each.after)) for each in told.members] == [
        ("m1", 3, 2),
        ("m2", 3, 2),
        ("m3", 0, 2),
    ]
    assert told.moves == (
        Move(TopicPartition("orders", 2), "m1", "m3"),
        Move(TopicPartition("orders", 5), "m2", "m3"),
    )
    assert (told.before, told.after) == (Balance(0, 3), Balance(2, 2))
    assert (told.before.spread, told.after.spread) == (3, 0)
    assert (told.kept, told.stickiness, told.is_valid) == (4, pytest.approx(4 / 6), True)
    assert [format_partitions(each.gains) for each in told.members] == ["-", "-", "orders[2,5]"]
    assert [format_partitions(each.loses) for each in told.members] == ["orders[2]", "orders[5]", "-"]
    assert [format_partitions(each.keeps) for each in told.members] == ["orders[0-1]", "orders[3-4]", "-"]


def test_it_reads_well() -> None:
    racks = (("a",), ("a",), ("b",), ("b",), ("a",), ("b",))
    group = spec(
        {A: TopicMetadata("orders", 6, racks)},
        m1=has(0, 2, 3, rack="a", instance="one"),
        m2=has(1, 4, 5, rack="b"),
    )
    assert str(explain(RackAwareAssignor(), group)) == dedent("""\
        rack-aware over 2 members and 6 partitions: 3 each (3 before); 4 moves, 2 kept (stickiness 33%); \
0 read from another rack (4 before).

        MEMBER  INSTANCE  RACK  BEFORE  AFTER  GAINS        LOSES        ACROSS RACKS
        m1      one       a          3      3  orders[1,4]  orders[2-3]  -
        m2      -         b          3      3  orders[2-3]  orders[1,4]  -""")


def test_columns_that_nobody_fills_are_left_out() -> None:
    assert str(explain(UniformAssignor(), spec(m1=has(*range(6))))) == dedent("""\
        uniform over 1 member and 6 partitions: 6 each (6 before); 0 moves, 6 kept (stickiness 100%).

        MEMBER  BEFORE  AFTER  GAINS  LOSES
        m1           6      6  -      -""")


def test_a_group_without_members_is_no_trouble() -> None:
    told = explain(UniformAssignor(), spec())
    assert str(told) == "uniform: the group has no members, so there is nothing to assign."
    assert (told.stickiness, told.after.spread) == (1.0, 0)


def test_what_is_wrong_with_an_assignment_is_said() -> None:
    assignor = giving(m1={A: {0, 1, 9}}, m2={A: {1, 2}}, ghost={A: {3}})
    told = explain(assignor, spec(m1=has(), m2=has()))
    assert told.flaws == (
        "gave partitions to ghost, which the group whose assignment was requested does not contain",
        "gave m1 orders[9], but the topic has 6 partitions",
        "gave orders[1] to both m1 and m2",
        "left orders[3-5] unassigned",
    )
    assert not told.is_valid
    assert str(told).splitlines()[1] == "Not valid: saying gave m1 orders[9], but the topic has 6 partitions."


@pytest.mark.parametrize(
    ("answer", "failure"),
    [
        (ValueError("out of orders"), "ValueError: out of orders"),
        (None, "TypeError: it returned NoneType instead of a GroupAssignment"),
        (GroupAssignment({"m1": {A: {0}}}), "AttributeError"),  # type: ignore[dict-item]  # what a user might write
        (GroupAssignment({"m1": MemberAssignment({A: {"x"}})}), "TypeError"),  # type: ignore[dict-item]
    ],
)
def test_an_assignor_that_fails_leaves_everything_as_it_is(answer: object, failure: str) -> None:
    told = explain(Saying(answer), spec(m1=has(0, 1)))
    assert failure in (told.failure or "")
    assert not told.is_valid
    assert told.members[0].after == told.members[0].before
    assert told.moves == ()
    assert str(told).startswith("saying can't assign this group: ")


def test_the_assignors_own_error_is_told_and_what_it_leaves_out_is_no_flaw() -> None:
    told = explain(giving(error=3, m1={}), spec(m1=has(0)))
    assert (told.error, told.flaws) == (3, ())
    assert told.moves == (Move(TopicPartition("orders", 0), "m1", None),)
    assert str(told).startswith("saying returns error code 3 to the members.\n")


def test_what_could_not_stay_does_not_count_against_stickiness() -> None:
    member = MemberSpec({"orders"}, {A: frozenset({0, 6}), B: frozenset({0})})
    told = explain(UniformAssignor(), AssignmentSpec({"m1": member}, TOPICS))
    assert format_partitions(told.members[0].could_stay) == "orders[0]"
    assert told.stickiness == 1.0


def test_members_and_partitions_without_racks_read_nothing_across() -> None:
    topics = {A: TopicMetadata("orders", 3, (("a",), (), ("b",)))}
    told = explain(UniformAssignor(), spec(topics, m1=has(0, 1, 2, rack="a"), m2=has()))
    assert (told.across_before, told.across_after) == (1, 0)


@given(group=groups())
def test_gains_and_losses_add_up_to_the_moves(group: AssignmentSpec) -> None:
    told = explain(UniformAssignor(), group)
    assert told.is_valid
    assert len([move for move in told.moves if move.taker]) == sum(len(member.gains) for member in told.members)
    assert 0 <= told.stickiness <= 1
    for member in told.members:
        assert member.after == (member.before | member.gains) - member.loses


# Described groups.


@frozen
class Described:
    member_id: str
    subscribed_topics: tuple[str, ...] = ()
    assignment: frozenset[TopicPartition] | None = None
    target: frozenset[TopicPartition] | None = None
    subscribed_pattern: str | None = None
    instance_id: str | None = None
    rack_id: str | None = None
    client_assignors: tuple[ClientAssignor, ...] = ()


@frozen
class DescribedMembers:
    members: tuple[Described, ...]


def of(topic: str, *numbers: int) -> frozenset[TopicPartition]:
    return frozenset(TopicPartition(topic, number) for number in numbers)


def test_a_described_group_tells_by_itself_how_large_its_topics_are() -> None:
    group = DescribedMembers(
        (
            Described("m1", ("orders",), of("orders", 0, 1), of("orders", 0)),
            Described("m2", ("orders", "audit"), of("audit"), of("orders", 1, 3)),
        )
    )
    made = spec_of(group)
    assert {(topic.name, topic.num_partitions) for topic in made.topics.values()} == {("audit", 0), ("orders", 4)}
    told = explain(UniformAssignor(), group)
    assert [format_partitions(member.before) for member in told.members] == ["orders[0]", "orders[1,3]"]
    assert told.after == Balance(2, 2)


def test_what_a_classic_member_has_stands_in_for_its_target() -> None:
    told = explain(UniformAssignor(), DescribedMembers((Described("m1", ("orders",), of("orders", 0, 1)),)))
    assert format_partitions(told.members[0].before) == "orders[0-1]"


def test_topics_that_are_given_count_more_than_what_members_have() -> None:
    group = DescribedMembers((Described("m1", ("orders",), None, of("orders", 0) | of("gone", 0)),))
    told = explain(UniformAssignor(), group, TOPICS)
    assert format_partitions(told.members[0].gains) == "orders[1-5]"
    assert format_partitions(told.members[0].before) == "orders[0]"


def test_a_pattern_stands_for_the_topics_it_matches() -> None:
    group = DescribedMembers(
        (
            Described("m1", subscribed_pattern="or.*", target=of("orders", 0, 1, 2)),
            Described("m2", ("audit",), target=of("audit", 0)),
        )
    )
    made = spec_of(group)
    assert made.members["m1"].subscribed_topics == {"orders"}
    with pytest.raises(ConfigError, match="can't be tried here"):
        spec_of(DescribedMembers((Described("m1", subscribed_pattern="(", target=of("orders", 0)),)))


def test_what_a_member_says_reaches_the_assignor_it_is_said_to() -> None:
    to_one, to_other = ClientAssignor("one", reason=2, metadata=Metadata(1, b"heavy")), ClientAssignor("other")
    group = DescribedMembers((Described("m1", ("orders",), client_assignors=(to_other, to_one)),))
    said = {name: spec_of(group, None, name).members["m1"] for name in ("one", "other", "third")}
    assert (said["one"].reason, said["one"].metadata) == (2, Metadata(1, b"heavy"))
    assert said["other"] == said["third"]


# Measures of an assignor's own.


def test_loads_are_told_in_the_assignors_own_measure() -> None:
    heavy = encode_report(Report(2, {TopicPartition("orders", 0): 8}))
    group = spec(m1=evolve(has(0, 1, 2), metadata=heavy), m2=has(3, 4, 5))
    told = explain(WeightedAssignor(), group)
    assert (told.loads_before, told.loads_after) == (Loads(3, 5), Loads(4, 4.5))
    assert str(told).splitlines()[0].endswith("loads of 4 to 4.5 (3 to 5 before).")
    assert str(told).splitlines()[2:] == [
        "MEMBER  BEFORE  AFTER  LOAD  GAINS      LOSES",
        "m1           3      2   4.5  -          orders[2]",
        "m2           3      4     4  orders[2]  -",
    ]


def test_a_report_that_cannot_be_read_is_the_assignors_failure() -> None:
    told = explain(WeightedAssignor(), spec(m1=evolve(has(0), metadata=Metadata(1, b"?"))))
    assert "the metadata of member m1 is not in the format of the weighted assignor" in (told.failure or "")
