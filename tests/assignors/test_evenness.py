"""How even the uniform assignor is where subscriptions differ: nothing is more even than what it makes."""

from __future__ import annotations

from hypothesis import example, given

from kafka_nextgen.assignors import AssignmentSpec, GroupAssignment, MemberSpec, UniformAssignor
from kafka_nextgen.assignors.max_flow import FlowNetwork
from tests.assignors.groups import A_B, IDS, groups, loads, shares, topics_of

A, B, C = IDS["a"], IDS["b"], IDS["c"]


def test_a_chain_leads_to_somebody_who_shares_no_topic() -> None:
    members = {
        "X": MemberSpec({"a"}, {A: {0, 1, 2}}),
        "Y": MemberSpec(A_B, {A: {3}, B: {0}}),
        "Z": MemberSpec({"b"}, {B: {1}}),
    }
    assert shares(UniformAssignor(), {"a": 4, "b": 2}, **members) == {
        "X": {"a": {0, 1}},
        "Y": {"a": {2, 3}},
        "Z": {"b": {0, 1}},
    }


def test_nothing_moves_along_a_chain_between_two_that_differ_by_one() -> None:
    members = {
        "X": MemberSpec({"a"}, {A: {0, 1, 2}}),
        "Y": MemberSpec(A_B, {A: {3}, B: {0}}),
        "Z": MemberSpec({"b"}, {B: {1, 2}}),
    }
    assert shares(UniformAssignor(), {"a": 4, "b": 3}, **members) == {
        "X": {"a": {0, 1, 2}},
        "Y": {"a": {3}, "b": {0}},
        "Z": {"b": {1, 2}},
    }


def test_a_giver_without_the_topic_that_leads_on_gives_to_one_of_its_kind() -> None:
    """V and W are of one kind. What leads to Z is W's, who has no more than either should."""
    members = {
        "V": MemberSpec(A_B, {A: {0, 1, 2}}),
        "W": MemberSpec(A_B, {A: {3}, B: {0}}),
        "Z": MemberSpec({"b"}, {B: {1}}),
    }
    assert shares(UniformAssignor(), {"a": 4, "b": 2}, **members) == {
        "V": {"a": {0, 1}},
        "W": {"a": {2, 3}},
        "Z": {"b": {0, 1}},
    }


@given(group=groups())
def test_no_chain_is_left_that_would_help(group: AssignmentSpec) -> None:
    """Who has two more than somebody else can't give anything that would get there in the end, over whomever."""
    assignment = UniformAssignor().assign(group)
    count = dict(zip(assignment.members, loads(assignment), strict=True))
    for giver in group.members:
        assert all(count[giver] - count[taker] <= 1 for taker in _reached_from(giver, group, assignment))


def _reached_from(giver: str, group: AssignmentSpec, assignment: GroupAssignment) -> list[str]:
    reached = [giver]
    for member_id in reached:  # which grows meanwhile
        names = {group.topics[topic_id].name for topic_id in assignment.members[member_id].partitions}
        reached += [
            other
            for other, member in group.members.items()
            if other not in reached and not names.isdisjoint(member.subscribed_topics)
        ]
    return reached


UNEVEN = AssignmentSpec(
    {"X": MemberSpec({"a"}), "Y": MemberSpec(A_B), "Z": MemberSpec({"b"})}, topics_of({"a": 9, "b": 1})
)


@given(group=groups())
@example(group=UNEVEN)
def test_the_most_could_not_be_less_nor_the_least_be_more(group: AssignmentSpec) -> None:
    counts = loads(UniformAssignor().assign(group))
    if any(counts):
        assert _placed(group, max(counts)) == sum(counts)
        assert _placed(group, max(counts) - 1) < sum(counts)
        assert _placed(group, min(counts)) == min(counts) * len(counts)
        assert _placed(group, min(counts) + 1) < (min(counts) + 1) * len(counts)


def _placed(group: AssignmentSpec, most: int) -> int:
    """How many partitions could be given out if nobody were to have more than ``most``."""
    nodes = {key: node for node, key in enumerate([*group.topics, *group.members], 2)}
    network = FlowNetwork(len(nodes) + 2)
    given_out = []
    for topic_id, topic in group.topics.items():
        given_out.append(network.connect(0, nodes[topic_id], topic.num_partitions))
        for member_id, member in group.members.items():
            if topic.name in member.subscribed_topics:
                network.connect(nodes[topic_id], nodes[member_id], topic.num_partitions)
    for member_id in group.members:
        network.connect(nodes[member_id], 1, most)
    network.maximise(0, 1)
    return sum(map(network.flow, given_out))
