"""The weighted assignor: how work is shared, and what members say of it."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from kafka_nextgen.assignors import (
    AssignmentSpec,
    ConsumerGroupMetadata,
    GroupAssignment,
    MemberAssignment,
    MemberSpec,
    Metadata,
    PartitionAssignorError,
    TopicMetadata,
    WeightedAssignor,
)
from kafka_nextgen.assignors.spec import Share
from kafka_nextgen.assignors.weighted import weight_of_lag
from kafka_nextgen.assignors.weighted_metadata import Report, decode_report, encode_report
from kafka_nextgen.errors import MisuseError
from kafka_nextgen.types import TopicPartition
from tests.assignors.groups import IDS, after, groups, loads, shares

A = IDS["a"]


def tp(number: int, topic: str = "a") -> TopicPartition:
    return TopicPartition(topic, number)


def says(capacity: int = 1, had: tuple[int, ...] = (), **weights: int) -> MemberSpec:
    """A member of the topic a that had these partitions; ``_3=64`` is the weight it tells of a[3]."""
    known = {tp(int(name[1:])): weight for name, weight in weights.items()}
    return MemberSpec({"a"}, {A: frozenset(had)} if had else {}, metadata=encode_report(Report(capacity, known)))


def numbers(size: int, **members: MemberSpec) -> dict[str, set[int]]:
    found = shares(WeightedAssignor(), {"a": size}, **members)
    return {name: set(share.get("a", ())) for name, share in found.items()}


# Sharing.


@st.composite
def reporting(draw: st.DrawFn) -> AssignmentSpec:
    """A group whose members report something."""
    group = draw(groups())
    said = draw(st.binary(min_size=48, max_size=48))
    members = {}
    for place, (name, member) in enumerate(group.members.items()):
        weights = {
            tp(number, topic.name): 2 ** (said[number * 3 + place] % 7)
            for topic in group.topics.values()
            for number in range(topic.num_partitions)
            if said[number * 4 + place] % 3 == 0
        }
        capacity = (1, 1, 2, 5)[said[-1 - place] % 4]
        members[name] = evolve(member, metadata=encode_report(Report(capacity, weights)))
    return AssignmentSpec(members, group.topics)


def known_weights(group: AssignmentSpec) -> dict[TopicPartition, int]:
    ids = {topic.name: topic_id for topic_id, topic in group.topics.items()}
    words: dict[TopicPartition, list[tuple[bool, int]]] = {}
    for name, member in group.members.items():
        for partition, weight in decode_report(member.metadata, name).weights.items():
            owns = partition.partition in member.target.get(ids[partition.topic], ())
            words.setdefault(partition, []).append((owns, weight))
    # Targets are disjoint, so at most one owns it.
    return {partition: max(said)[1] for partition, said in words.items()}


def relative_loads(group: AssignmentSpec, assignment: GroupAssignment) -> dict[str, Fraction]:
    weights = known_weights(group)
    return {
        name: Fraction(
            sum(
                weights.get(tp(number, group.topics[topic_id].name), 1)
                for topic_id, share in assignment.members[name].partitions.items()
                for number in share
            ),
            decode_report(member.metadata, name).capacity,
        )
        for name, member in group.members.items()
    }


@given(group=reporting())
def test_no_partition_is_left_whose_move_would_help(group: AssignmentSpec) -> None:
    assignment, weights = WeightedAssignor().assign(group), known_weights(group)
    found = relative_loads(group, assignment)
    capacities = {name: decode_report(member.metadata, name).capacity for name, member in group.members.items()}
    for giver, share in assignment.members.items():
        for topic_id, each in share.partitions.items():
            heaviest = {weights.get(tp(number, group.topics[topic_id].name), 1) for number in each}
            for taker, member in group.members.items():
                if taker != giver and group.topics[topic_id].name in member.subscribed_topics:
                    rises = {found[taker] + Fraction(weight, capacities[taker]) for weight in heaviest}
                    assert min(rises, default=found[giver]) >= found[giver]


@given(group=reporting())
def test_its_own_work_is_left_alone(group: AssignmentSpec) -> None:
    assigned = after(group, WeightedAssignor().assign(group))
    if known_weights(assigned) == known_weights(group):  # with a partition, the say in its weight may have moved
        for member_id, share in WeightedAssignor().assign(assigned).members.items():
            assert share.partitions is assigned.members[member_id].target


@given(group=groups(same=True))
def test_where_nobody_says_anything_it_balances_numbers(group: AssignmentSpec) -> None:
    counts = loads(WeightedAssignor().assign(group))
    assert not counts or max(counts) - min(counts) <= 1


def test_members_get_work_in_proportion_to_what_they_can_do() -> None:
    assert {name: len(each) for name, each in numbers(12, X=says(3), Y=says(2), Z=says()).items()} == {
        "X": 6,
        "Y": 4,
        "Z": 2,
    }


def test_a_heavy_partition_counts_for_many() -> None:
    assert numbers(5, X=says(had=(0, 1), _0=4), Y=says(had=(2, 3, 4))) == {"X": {0}, "Y": {1, 2, 3, 4}}


def test_a_machine_that_gets_slow_gives_up_what_it_can_no_longer_do_and_nothing_else_moves() -> None:
    before = {"X": says(4, had=(0, 1, 2, 3)), "Y": says(4, had=(4, 5, 6, 7))}
    assert numbers(8, **before) == {"X": {0, 1, 2, 3}, "Y": {4, 5, 6, 7}}
    slow = evolve(before["X"], metadata=encode_report(Report(1)))
    found = numbers(8, X=slow, Y=before["Y"])
    assert found["X"] < {0, 1, 2, 3}
    assert {name: len(each) for name, each in found.items()} == {"X": 1, "Y": 7}


def test_of_two_words_about_a_partition_the_owners_counts() -> None:
    assert numbers(3, X=says(had=(0,), _0=1), Y=says(had=(1, 2), _0=100)) == {"X": {0}, "Y": {1, 2}}


def test_what_nobody_has_weighs_what_somebody_remembers() -> None:
    found = numbers(3, X=says(had=(1,), _0=100), Y=says(had=(2,)))
    assert found == {"X": {0}, "Y": {1, 2}}


def test_members_are_told_the_weights_of_what_they_get() -> None:
    members = {"X": says(had=(0, 1), _0=8), "Y": says(), "Z": MemberSpec({"a"}, metadata=Metadata(-1, b"foreign"))}
    assignment = WeightedAssignor().assign(AssignmentSpec(members, {A: TopicMetadata("a", 3)}))
    assert assignment.members["X"].metadata == encode_report(Report(weights={tp(0): 8}))
    assert assignment.members["Y"].metadata is None
    assert assignment.members["Z"].metadata is None


# Reporting.


class Group:
    """Members with assignors of their own, which hear of every assignment."""

    def __init__(self, size: int, *names: str) -> None:
        self.assignors = {name: WeightedAssignor(lag_unit=100) for name in names}
        self.has: dict[str, Share] = {name: {} for name in names}
        self.topics = {A: TopicMetadata("a", size)}

    def rebalance(self) -> dict[str, set[int]]:
        members = {
            name: MemberSpec({"a"}, self.has[name], metadata=assignor.metadata().metadata)
            for name, assignor in self.assignors.items()
        }
        assigned = WeightedAssignor().assign(AssignmentSpec(members, self.topics)).members
        for name, share in assigned.items():
            self.has[name] = share.partitions
            self.assignors[name].on_assignment(0, share, ConsumerGroupMetadata("g", 1, name))
        return {name: set(share.partitions.get(A, ())) for name, share in assigned.items()}

    def weights(self, name: str) -> Mapping[TopicPartition, int]:
        return decode_report(self.assignors[name].metadata().metadata, name).weights


def test_a_lag_moves_other_partitions_away() -> None:
    group = Group(6, "X", "Y")
    assert group.rebalance() == {"X": {0, 2, 4}, "Y": {1, 3, 5}}
    group.assignors["X"].report(lag={tp(0): 1000, tp(2): 0, tp(4): None})
    assert group.rebalance() == {"X": {0}, "Y": {1, 2, 3, 4, 5}}


def test_a_new_owner_goes_on_saying_what_the_old_one_knew() -> None:
    group = Group(2, "X")
    group.rebalance()
    group.assignors["X"].report(lag={tp(0): 800, tp(1): 800})
    group.assignors["Y"], group.has["Y"] = WeightedAssignor(lag_unit=100), {}
    assert group.rebalance() == {"X": {0}, "Y": {1}}
    assert group.weights("Y") == {tp(1): 8}
    assert group.weights("X") == {tp(0): 8, tp(1): 8}  # until the next assignment, which knows Y's word
    group.assignors["X"].report(lag={tp(0): 800})
    group.rebalance()
    group.rebalance()
    assert group.weights("X") == {tp(0): 8}


def test_a_partition_that_is_light_again_is_said_to_be_until_everybody_knows() -> None:
    group = Group(1, "X")
    group.rebalance()
    for lag, said in ((800, {tp(0): 8}), (800, {tp(0): 8}), (0, {tp(0): 1}), (0, {tp(0): 1}), (0, {})):
        group.assignors["X"].report(lag={tp(0): lag})
        assert group.weights("X") == said
        group.rebalance()


def test_a_lag_that_grows_and_falls_a_little_is_no_news() -> None:
    assignor = WeightedAssignor(lag_unit=100)
    assignor.report(lag={tp(0): 350})
    said = assignor.metadata()
    for lag in (750, 120, 350, 699, 150):
        assignor.report(lag={tp(0): lag})
        assert assignor.metadata() == said
    assignor.report(lag={tp(0): 1500})
    assert decode_report(assignor.metadata().metadata, "it").weights == {tp(0): 16}
    assignor.report(lag={tp(0): 0})
    assert assignor.metadata() == WeightedAssignor().metadata()


@pytest.mark.parametrize(
    ("lag", "weight"), [(-5, 1), (0, 1), (99, 1), (100, 2), (299, 2), (300, 4), (700, 8), (10**30, 2**40)]
)
def test_a_lag_weighs_a_power_of_two(lag: int, weight: int) -> None:
    assert weight_of_lag(lag, 100) == weight


def test_weights_of_ones_own_are_said_as_they_are_and_capacity_beside_them() -> None:
    assignor = WeightedAssignor(capacity=2)
    assignor.report(weights={tp(0): 3})
    assignor.report(capacity=5)
    assert decode_report(assignor.metadata().metadata, "it") == Report(5, {tp(0): 3})


def test_whoever_has_nothing_to_say_says_so_in_the_version_it_wants_to_be_told_in() -> None:
    assert WeightedAssignor().metadata().metadata == Metadata(1, b'{"capacity":1,"weights":{}}')


@pytest.mark.parametrize("wrong", [{"capacity": 0}, {"capacity": 101}, {"capacity": True}, {"weights": {tp(0): 0}}])
def test_what_cannot_be_is_refused_at_once(wrong: dict[str, object]) -> None:
    with pytest.raises(MisuseError, match="has to be a whole number from 1 to"):
        WeightedAssignor().report(**wrong)  # type: ignore[arg-type]


def test_a_lag_unit_is_at_least_one_record() -> None:
    with pytest.raises(MisuseError, match="lag_unit"):
        WeightedAssignor(lag_unit=0)


@given(capacity=st.integers(1, 100), weights=st.dictionaries(st.builds(tp, st.integers(0)), st.integers(1, 2**40)))
def test_a_report_is_read_as_it_was_written(capacity: int, weights: dict[TopicPartition, int]) -> None:
    report = Report(capacity, weights)
    assert decode_report(encode_report(report), "it") == report


@pytest.mark.parametrize("version", [-1, 0])
def test_whoever_is_of_another_time_says_nothing(version: int) -> None:
    assert decode_report(Metadata(version, b"\xff"), "it") == Report()


@pytest.mark.parametrize(
    ("payload", "complaint"),
    [
        (b"", "is not in the format of the weighted assignor"),
        (b"\xff", "is not in the format of the weighted assignor"),
        (b"[" * 100_000, "is not in the format of the weighted assignor"),
        (b"3", "is not in the format of the weighted assignor"),
        (b"{}", "has no 'capacity'"),
        (b'{"capacity":1}', "has no 'weights'"),
        (b'{"capacity":0,"weights":{}}', "capacity has to be a whole number from 1 to 100, not 0"),
        (b'{"capacity":1.5,"weights":{}}', "capacity has to be a whole number"),
        (b'{"capacity":1,"weights":[]}', "weights has to be an object"),
        (b'{"capacity":1,"weights":{"a":1}}', "a has to be an object"),
        (b'{"capacity":1,"weights":{"a":{"-1":1}}}', "a has no partition '-1'"),
        (b'{"capacity":1,"weights":{"a":{"0":-1}}}', r"weight of a\[0\] has to be a whole number"),
    ],
)
def test_a_report_that_is_none_names_whose_it_is(payload: bytes, complaint: str) -> None:
    group = AssignmentSpec({"m1": MemberSpec({"a"}, metadata=Metadata(1, payload))}, {A: TopicMetadata("a", 1)})
    with pytest.raises(PartitionAssignorError, match=f"^the metadata of member m1 .*{complaint}"):
        WeightedAssignor().assign(group)


def test_a_report_of_a_later_version_is_refused() -> None:
    with pytest.raises(
        PartitionAssignorError, match="has version 2, but this member reads up to 1: upgrade this member"
    ):
        decode_report(Metadata(2), "the metadata of member m1")


def test_what_the_assignor_says_is_checked_too() -> None:
    assignment = MemberAssignment(metadata=Metadata(1, b"?"))
    with pytest.raises(PartitionAssignorError, match=r"^the assignor's metadata for member m1 is not in the format"):
        WeightedAssignor().on_assignment(0, assignment, ConsumerGroupMetadata("g", 1, "m1"))
