"""Offsets that nobody can be seen to need, where it is not plain who might."""

from __future__ import annotations

import pytest

from kafka_nextgen.groups.consumer_protocol import MemberSubscription, encode_subscription
from kafka_nextgen.groups.end_transaction import EndTransaction
from kafka_nextgen.groups.offered_protocol import OfferedProtocol
from kafka_nextgen.testing.coordinator.classic.group import ClassicGroup, ClassicMember
from kafka_nextgen.testing.coordinator.requests import OffsetCommit, TxnOffsetCommit
from kafka_nextgen.testing.coordinator.settings import CoordinatorSettings
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition
from tests.verification.scenario_language.host import CoordinatorHost
from tests.verification.scenario_language.world import GROUP

FOO_0 = TopicPartition("foo", 0)
ONLY_BAR = encode_subscription(MemberSubscription(frozenset({"bar"})))


def member(metadata: bytes, member_id: str = "A") -> ClassicMember:
    return ClassicMember(member_id, None, "", "", 1_000, 1_000, (OfferedProtocol("range", metadata),))


@pytest.mark.parametrize(
    ("group", "might"),
    [
        pytest.param(ClassicGroup(GROUP, protocol_type="consumer"), False, id="nobody"),
        pytest.param(
            ClassicGroup(GROUP, protocol_type="connect", protocol="range").with_member(member(b"?")),
            False,
            id="no consumers",
        ),
        pytest.param(
            ClassicGroup(GROUP, protocol_type="consumer", protocol="range").with_member(member(ONLY_BAR)),
            False,
            id="to something else",
        ),
        pytest.param(
            ClassicGroup(GROUP, protocol_type="consumer").with_member(member(ONLY_BAR)), True, id="nobody knows yet"
        ),
        pytest.param(
            ClassicGroup(GROUP, protocol_type="consumer", protocol="range").with_member(member(b"?")),
            True,
            id="nobody can tell",
        ),
    ],
)
def test_members_of_a_classic_group_subscribe_to_a_topic_or_might(group: ClassicGroup, might: bool) -> None:
    assert group.with_topics().may_subscribe_to("foo") is might


def test_who_joins_a_classic_group_subscribes_from_the_next_generation_on() -> None:
    group = ClassicGroup(GROUP, protocol_type="consumer", protocol="range").with_member(member(ONLY_BAR)).with_topics()
    joined = group.with_member(member(encode_subscription(MemberSubscription(frozenset({"foo"}))), "B"))
    assert not joined.may_subscribe_to("foo")
    assert joined.with_topics().may_subscribe_to("foo")


def test_an_offset_is_kept_that_an_open_transaction_may_change() -> None:
    stage = CoordinatorHost(
        CoordinatorSettings(offsets_retention_minutes=1, offsets_retention_check_interval_ms=60_000)
    )
    stage.set_topic("foo", 1)
    offsets = {FOO_0: OffsetAndMetadata(5)}
    stage.ask(OffsetCommit(GROUP, offsets))
    stage.ask(TxnOffsetCommit(GROUP, offsets, producer_id=1, producer_epoch=0))
    list(stage.pass_time(300))
    assert FOO_0 in stage.group.offsets
    stage.ask(EndTransaction(1, is_commit=False))
    list(stage.pass_time(60))
    assert stage.coordinator.groups == {}
    assert stage.coordinator.deadline() is None
