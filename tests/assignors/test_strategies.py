"""The assignors of the classic protocol, by properties and by a few groups small enough to look at."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafka_nextgen.assignors.cooperative_sticky import CooperativeStickyAssignor, generation_metadata
from kafka_nextgen.assignors.roundrobin import RoundRobinAssignor
from kafka_nextgen.assignors.spec import AssignmentSpec, GroupAssignment, MemberSpec, Metadata
from kafka_nextgen.assignors.strategies import DEFAULT_STRATEGIES, STRATEGIES, are_cooperative
from tests.assignors.groups import IDS, groups, loads, topics_of

A, B = IDS["a"], IDS["b"]


def member(topics: str, owned: str = "", generation: int = -1, instance_id: str | None = None) -> MemberSpec:
    """``owned`` are partitions of the topic a."""
    target = {A: frozenset(map(int, owned.split()))} if owned else {}
    return MemberSpec(frozenset(topics), target, instance_id, metadata=generation_metadata(generation))


def shares(assignment: GroupAssignment) -> dict[str, str]:
    names = {topic_id: name for name, topic_id in IDS.items()}
    return {
        member_id: " ".join(
            f"{names[topic_id]}{number}"
            for topic_id, numbers in sorted(share.partitions.items())
            for number in sorted(numbers)
        )
        for member_id, share in assignment.members.items()
    }


def sticky(sizes: dict[str, int], **members: MemberSpec) -> dict[str, str]:
    return shares(CooperativeStickyAssignor().assign(AssignmentSpec(members, topics_of(sizes))))


# Round robin.


def test_round_robin_deals_all_topics_in_one_go() -> None:
    group = AssignmentSpec({"m1": member("ab"), "m2": member("ab")}, topics_of({"a": 3, "b": 3}))
    assert shares(RoundRobinAssignor().assign(group)) == {"m1": "a0 a2 b1", "m2": "a1 b0 b2"}


def test_round_robin_skips_whoever_did_not_subscribe() -> None:
    group = AssignmentSpec({"m1": member("ab"), "m2": member("b"), "m3": member("b")}, topics_of({"a": 2, "b": 3}))
    assert shares(RoundRobinAssignor().assign(group)) == {"m1": "a0 a1 b2", "m2": "b0", "m3": "b1"}


def test_round_robin_serves_static_members_first_by_instance_id() -> None:
    group = AssignmentSpec({"a-dynamic": member("a"), "z": member("a", instance_id="one")}, topics_of({"a": 3}))
    assert shares(RoundRobinAssignor().assign(group)) == {"a-dynamic": "a1", "z": "a0 a2"}


@given(group=groups(same=True))
def test_round_robin_is_even_where_all_subscribe_to_the_same(group: AssignmentSpec) -> None:
    counts = loads(RoundRobinAssignor().assign(group))
    assert not counts or max(counts) - min(counts) <= 1


# Cooperative-sticky.


def test_a_partition_that_moves_is_withheld_until_its_owner_let_go() -> None:
    sizes = {"a": 4}
    assert sticky(sizes, m1=member("a", "0 1 2 3", 5), m2=member("a")) == {"m1": "a0 a1", "m2": ""}
    assert sticky(sizes, m1=member("a", "0 1", 6), m2=member("a", "", 6)) == {"m1": "a0 a1", "m2": "a2 a3"}


def test_of_two_claims_the_one_of_the_higher_generation_counts() -> None:
    assert sticky({"a": 2}, m1=member("a", "0 1", 4), m2=member("a", "0 1", 5)) == {"m1": "", "m2": "a0"}


def test_two_claims_of_one_generation_are_void_and_the_partition_is_nobodys_for_a_round() -> None:
    assert sticky({"a": 2}, m1=member("a", "0", 5), m2=member("a", "0 1", 5)) == {"m1": "", "m2": "a1"}


def test_whoever_gives_no_generation_is_beaten_by_whoever_does() -> None:
    old = MemberSpec(frozenset("a"), {A: frozenset({0, 1})}, metadata=Metadata(payload=b"?"))
    assert sticky({"a": 2}, m1=old, m2=member("a", "0 1", 5)) == {"m1": "", "m2": "a0"}


def test_a_static_member_keeps_its_extra_partition_under_a_new_member_id() -> None:
    one, two = member("a", instance_id="one"), member("a", instance_id="two")
    assert sticky({"a": 3}, m5=one, m6=two) == {"m5": "a0 a1", "m6": "a2"}
    assert sticky({"a": 3}, m9=one, m6=two) == {"m9": "a0 a1", "m6": "a2"}


def test_what_somebody_owns_without_being_subscribed_any_more_is_withheld_too() -> None:
    assert sticky({"a": 1, "b": 1}, m1=member("b", "0", 5), m2=member("a")) == {"m1": "b0", "m2": ""}


@st.composite
def claims(draw: st.DrawFn) -> AssignmentSpec:
    """A group in which anybody may claim anything."""
    group = draw(groups())
    members = {}
    said = draw(st.binary(min_size=21, max_size=21))
    for place, (member_id, one) in enumerate(group.members.items()):
        of_a, of_b, generation = said[3 * place : 3 * place + 3]
        owned = {
            topic_id: frozenset(number for number in range(8) if bits >> number & 1)
            for topic_id, bits in ((A, of_a), (B, of_b))
            if bits
        }
        members[member_id] = MemberSpec(
            one.subscribed_topics, owned, one.instance_id, metadata=generation_metadata(generation % 5 - 1)
        )
    return AssignmentSpec(members, group.topics)


MOST_ROUNDS = 4


def rounds(group: AssignmentSpec) -> AssignmentSpec:
    """The group after one round: everybody has let go of what it was not given, and got what it was."""
    assignment = CooperativeStickyAssignor().assign(group).members
    generation = generation_metadata(10)
    return AssignmentSpec(
        {
            member_id: MemberSpec(
                one.subscribed_topics, assignment[member_id].partitions, one.instance_id, metadata=generation
            )
            for member_id, one in group.members.items()
        },
        group.topics,
    )


@given(group=claims())
def test_nothing_is_given_to_one_that_another_rightfully_claims(group: AssignmentSpec) -> None:
    given_out = CooperativeStickyAssignor().assign(group).members
    for one, other in combinations(group.members, 2):
        for taker, claimant in ((one, other), (other, one)):
            for topic_id, numbers in given_out[taker].partitions.items():
                for number in numbers & set(group.members[claimant].target.get(topic_id, ())):
                    assert number in group.members[taker].target.get(topic_id, ())
                    assert generation_of(group.members[taker]) > generation_of(group.members[claimant])


def generation_of(one: MemberSpec) -> int:
    return int.from_bytes(one.metadata.payload, "big", signed=True)


@given(group=claims())
def test_after_a_few_rounds_everything_is_given_out_and_another_changes_nothing(group: AssignmentSpec) -> None:
    # Two rounds do it where all subscribe to the same. Where they don't, what became free in the second may make
    # another split of the topics the more even one, and somebody gives up a partition once more.
    for _ in range(MOST_ROUNDS):
        group = rounds(group)
    subscribed = {name for one in group.members.values() for name in one.subscribed_topics}
    owned = [(tid, n) for one in group.members.values() for tid, numbers in one.target.items() for n in numbers]
    assert len(owned) == len(set(owned))
    assert len(owned) == sum(topic.num_partitions for topic in group.topics.values() if topic.name in subscribed)
    another = rounds(group)
    assert {m: dict(one.target) for m, one in another.members.items()} == {
        m: dict(one.target) for m, one in group.members.items()
    }


# Which there are.


def test_the_strategies_have_kafkas_names() -> None:
    assert set(STRATEGIES) == {"range", "roundrobin", "cooperative-sticky"}
    assert DEFAULT_STRATEGIES == ("range", "cooperative-sticky")


@pytest.mark.parametrize(
    ("names", "cooperative"),
    [(("cooperative-sticky",), True), (DEFAULT_STRATEGIES, False), (("range",), False)],
)
def test_a_member_is_cooperative_only_if_all_it_offers_is(names: tuple[str, ...], cooperative: bool) -> None:
    assert are_cooperative(names) is cooperative
