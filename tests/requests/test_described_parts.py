"""The group's assignment in a DescribeGroups response, as a member compares it."""

from __future__ import annotations

import pytest
from attrs import evolve

from kafka_nextgen.groups.consumer_protocol import MemberSubscription, encode_assignment, encode_subscription
from kafka_nextgen.groups.described import DescribedClassicGroup, DescribedClassicMember
from kafka_nextgen.membership.classic.events import DescribedPart
from kafka_nextgen.requests.described_parts import parts_of
from kafka_nextgen.types import TopicPartition

FOO = frozenset({TopicPartition("foo", 0)})
TOPICS = frozenset({"foo"})
MEMBER = DescribedClassicMember("A", "one", "c", "/h", encode_subscription(MemberSubscription(TOPICS)), b"")
GROUP = DescribedClassicGroup(
    "billing",
    state="Stable",
    protocol_type="consumer",
    protocol_name="range",
    members=(evolve(MEMBER, assignment=encode_assignment(FOO)), evolve(MEMBER, member_id="B")),
)


def test_every_member_has_its_topics_and_its_part() -> None:
    assert parts_of(GROUP) == (DescribedPart("A", TOPICS, FOO), DescribedPart("B", TOPICS, frozenset()))


def test_a_member_whose_subscription_is_broken_subscribes_to_nothing() -> None:
    group = evolve(GROUP, members=(*GROUP.members, evolve(MEMBER, member_id="C", metadata=b"x")))
    assert parts_of(group) == (*(parts_of(GROUP) or ()), DescribedPart("C", frozenset(), frozenset()))


@pytest.mark.parametrize(
    "group",
    [
        evolve(GROUP, state="CompletingRebalance"),
        evolve(GROUP, protocol_type="connect"),
        evolve(GROUP, members=(evolve(MEMBER, assignment=b"x"),)),
    ],
    ids=["rebalancing", "no consumers", "broken assignment"],
)
def test_there_is_nothing_to_compare_with_otherwise(group: DescribedClassicGroup) -> None:
    assert parts_of(group) is None
