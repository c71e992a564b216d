"""What members with assignors of their own and their coordinator tell each other, over the wire and in the log."""

from __future__ import annotations

from typing import Any

import pytest
from attrs import evolve

from kafka_nextgen.assignors.spec import (
    AssignmentSpec,
    ClientAssignor,
    MemberAssignment,
    MemberSpec,
    Metadata,
    TopicMetadata,
)
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import DecodeError
from kafka_nextgen.groups import records as r
from kafka_nextgen.membership.assigning.effects import SendInstall, SendPrepare
from kafka_nextgen.membership.assigning.events import HeartbeatHeard, Installed, Prepared, Refused, TargetShare
from kafka_nextgen.membership.effects import SendHeartbeat
from kafka_nextgen.offsets_topic.extensions import decode, encode
from kafka_nextgen.requests.extensions import consumer_group_heartbeat as heartbeats
from kafka_nextgen.requests.extensions import consumer_group_install_assignment as installing
from kafka_nextgen.requests.extensions import consumer_group_prepare_assignment as preparing
from kafka_nextgen.testing.coordinator.extensions.requests import InstallAssignment, PrepareAssignment
from kafka_nextgen.testing.coordinator.extensions.responses import (
    AssignmentInstalled,
    AssignmentPrepared,
    PreparedMember,
)
from kafka_nextgen.testing.coordinator.responses import ConsumerGroupHeartbeatAnswer
from kafka_nextgen.testing.messages.extensions import consumer_group_heartbeat as broker_heartbeats
from kafka_nextgen.testing.messages.extensions import consumer_group_install_assignment as broker_installing
from kafka_nextgen.testing.messages.extensions import consumer_group_prepare_assignment as broker_preparing
from kafka_nextgen.types import JoinReason, StandbyState
from kafka_nextgen.wire import apis
from kafka_nextgen.wire.messages import (
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupInstallAssignmentRequest,
    ConsumerGroupPrepareAssignmentResponse,
)
from kafka_nextgen.wire.schemas.consumer_group import TopicPartitions
from tests.requests.over_the_wire import AUDIT, GONE, ORDERS, answered, asked, by_id

WEIGHTED = ClientAssignor("weighted", -1, 2, reason=1, metadata=Metadata(2, b"\x05"))
PLAIN = ClientAssignor("plain")
Member = ConsumerGroupPrepareAssignmentResponse.Member
Topic = ConsumerGroupPrepareAssignmentResponse.Topic


def heartbeat(reason: int = 1) -> ConsumerGroupHeartbeatRequest:
    join = SendHeartbeat(number=1, member_id="m", member_epoch=0, client_assignors=(WEIGHTED, PLAIN))
    sent = heartbeats.to_request(join, "g", 1)
    message: ConsumerGroupHeartbeatRequest = asked(sent.replaced(join_reason=reason), 1)
    return message


def test_a_member_tells_its_assignors_and_why_it_joins() -> None:
    heard = broker_heartbeats.from_request(heartbeat(), "me", "/h", with_extensions=True)
    assert heard.client_assignors == (WEIGHTED, PLAIN)
    assert heard.join_reason is JoinReason.RESTART


def test_a_broker_without_extensions_hears_nothing_of_them() -> None:
    heard = broker_heartbeats.from_request(heartbeat(), "me", "/h")
    assert (heard.client_assignors, heard.join_reason) == (None, JoinReason.UNKNOWN)
    for reason in (-128, -1, 99):  # of a later release
        later = broker_heartbeats.from_request(heartbeat(reason), "me", "/h", with_extensions=True)
        assert later.join_reason is JoinReason.UNKNOWN


@pytest.mark.parametrize("state", StandbyState)
def test_a_member_tells_whether_it_is_ready_as_a_standby(state: StandbyState) -> None:
    beat = SendHeartbeat(number=1, member_id="m", member_epoch=3)
    message: ConsumerGroupHeartbeatRequest = asked(heartbeats.to_request(beat, "g", 1, standby_state=state), 1)
    assert broker_heartbeats.from_request(message, "me", "/h", with_extensions=True).standby_state is state
    assert broker_heartbeats.from_request(message, "me", "/h").standby_state is StandbyState.UNKNOWN
    later = message.replaced(standby_state=99)  # of a later release
    heard = broker_heartbeats.from_request(later, "me", "/h", with_extensions=True)
    assert heard.standby_state is StandbyState.UNKNOWN


SAID = ConsumerGroupHeartbeatAnswer(
    member_id="m",
    member_epoch=3,
    assignment=by_id(ORDERS, 0),
    should_compute=True,
    assignment_message="weighted failed",
    assignment_assignor="weighted",
    assignment_error=7,
    pending=by_id(ORDERS, 1, 2) | by_id(AUDIT, 0),
    assignment_metadata=Metadata(2, b""),
)


def test_an_answer_tells_what_the_assignor_said() -> None:
    message = answered(apis.CONSUMER_GROUP_HEARTBEAT, broker_heartbeats.to_response(SAID, with_extensions=True), 1)
    target = by_id(ORDERS, 0, 1, 2) | by_id(AUDIT, 0)
    assert heartbeats.to_heard(message) == HeartbeatHeard(
        member_id="m",
        member_epoch=3,
        should_compute=True,
        failure="weighted failed",
        share=TargetShare(target, "weighted", 7, Metadata(2, b"")),
    )


def told(answer: ConsumerGroupHeartbeatAnswer) -> Any:
    return answered(apis.CONSUMER_GROUP_HEARTBEAT, broker_heartbeats.to_response(answer, with_extensions=True), 1)


def test_what_a_standby_may_get_is_not_its_target() -> None:
    message = told(evolve(SAID, standby_place=2))
    assert message.standby_place == 2
    assert heartbeats.to_may_get(message) == by_id(ORDERS, 1, 2) | by_id(AUDIT, 0)
    share = heartbeats.to_heard(message).share
    assert share is not None
    assert share.partitions == by_id(ORDERS, 0)
    assert heartbeats.to_may_get(told(SAID)) is None, "it is active"
    assert heartbeats.to_may_get(told(evolve(SAID, standby_place=2, assignment=None))) is None, "there is no news"


def test_an_answer_of_stock_kafka_says_nothing_to_assignors() -> None:
    message = answered(apis.CONSUMER_GROUP_HEARTBEAT, broker_heartbeats.to_response(SAID), 1)
    assert heartbeats.to_heard(message) == HeartbeatHeard("m", 3, share=TargetShare(by_id(ORDERS, 0)))


def test_without_extensions_an_answer_is_what_kafka_would_send() -> None:
    answer = broker_heartbeats.to_response(SAID)
    for structure in (answer, answer.assignment):
        ours = [field for field in structure.FIELDS if field.tag is not None]
        assert [getattr(structure, field.name) for field in ours] == [field.default for field in ours]


PREPARED = AssignmentPrepared(
    group_epoch=4,
    assignor="weighted",
    members={
        "a": PreparedMember(
            3,
            MemberSpec(
                subscribed_topics=frozenset({"orders", "audit"}),
                target={ORDERS: frozenset({0, 1})},
                instance_id="i",
                rack_id="r",
                reason=1,
                metadata=Metadata(-1, b"user data"),
            ),
        ),
        "b": PreparedMember(0, MemberSpec(subscribed_topics=frozenset())),
    },
    topics={ORDERS: TopicMetadata("orders", 2, (("r",), ("r", "s"))), AUDIT: TopicMetadata("audit", 1)},
)


def prepared(answer: AssignmentPrepared) -> Prepared | Refused:
    message = answered(apis.CONSUMER_GROUP_PREPARE_ASSIGNMENT, broker_preparing.to_response(answer), 0)
    return preparing.to_event(7, message)


def test_what_there_is_to_assign_arrives_as_it_was_or_why_there_is_nothing() -> None:
    members = {member_id: member.spec for member_id, member in PREPARED.members.items()}
    assert prepared(PREPARED) == Prepared(7, 4, "weighted", AssignmentSpec(members, PREPARED.topics))
    refused = AssignmentPrepared(ErrorCode.STALE_MEMBER_EPOCH, "epoch 3, not 2")
    assert prepared(refused) == Refused(7, ErrorCode.STALE_MEMBER_EPOCH, "epoch 3, not 2")


def test_a_subscription_to_a_topic_that_there_is_not_is_left_out() -> None:
    members = {"a": PreparedMember(1, MemberSpec(subscribed_topics=frozenset({"orders", "nowhere"})))}
    event = prepared(AssignmentPrepared(members=members, topics=PREPARED.topics))
    assert isinstance(event, Prepared)
    assert event.spec.members["a"].subscribed_topics == {"orders"}


def test_the_member_that_prepares_says_who_it_is() -> None:
    sent = preparing.to_request(SendPrepare(7, "m", 3, deadline=9.0), "g")
    assert broker_preparing.from_request(asked(sent, 0)) == PrepareAssignment("g", "m", 3)


def member(**fields: object) -> Member:
    return Member(**{"member_id": "a", "assignor": Member.Assignor(), **fields})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        pytest.param({"topics": [Topic(topic_id=GONE, num_partitions=-1)]}, "-1 partitions", id="fewer than none"),
        pytest.param(
            {"topics": [Topic(topic_id=GONE, num_partitions=2**31 - 1)]}, "can't be assigned", id="more than memory"
        ),
        pytest.param({"topics": [Topic(topic_id=GONE)] * 2}, "twice", id="a topic twice"),
        pytest.param(
            {"topics": [Topic(topic_id=GONE, num_partitions=2, partition_racks=[Topic.PartitionRacks(racks=["r"])])]},
            "2 partitions, but racks for 1",
            id="racks of fewer partitions",
        ),
        pytest.param({"members": [member()] * 2}, "a member twice", id="a member twice"),
        pytest.param({"members": [member(subscribed_topic_ids=[GONE])]}, "is not described", id="an untold topic"),
        pytest.param(
            {"members": [member(topic_partitions=[TopicPartitions(topic_id=GONE, partitions=[-1])])]},
            "partition -1",
            id="a negative partition",
        ),
    ],
)
def test_what_no_coordinator_may_answer_is_refused(fields: dict[str, object], why: str) -> None:
    message = ConsumerGroupPrepareAssignmentResponse(**fields)  # type: ignore[arg-type]
    with pytest.raises(DecodeError, match=why):
        preparing.to_event(7, answered(apis.CONSUMER_GROUP_PREPARE_ASSIGNMENT, message, 0))


SHARES = {
    "a": MemberAssignment({ORDERS: frozenset({0, 1})}, Metadata(1, b"")),
    "b": MemberAssignment(),
}


@pytest.mark.parametrize(
    ("error", "members", "message"),
    [
        pytest.param(2, SHARES, None, id="an assignment"),
        pytest.param(1, {}, "weighted raised KeyError", id="a failure"),
    ],
)
def test_what_was_computed_arrives_as_it_was(
    error: int, members: dict[str, MemberAssignment], message: str | None
) -> None:
    sent = installing.to_request(SendInstall(7, "m", 3, 4, 9.0, error, members, message), "g")
    read = broker_installing.from_request(asked(sent, 0))
    assert read == InstallAssignment("g", "m", 3, 4, error, members, message)


Given = ConsumerGroupInstallAssignmentRequest.Member


def given(member_id: str, *topics: list[int]) -> Given:
    partitions = [TopicPartitions(topic_id=ORDERS, partitions=numbers) for numbers in topics]
    return Given(member_id=member_id, partitions=partitions)


@pytest.mark.parametrize(
    ("members", "flaw"),
    [
        pytest.param([given("a", [0]), given("b", [1])], None, id="sound"),
        pytest.param([given("a", [0]), given("a", [1])], "named member a twice", id="a member twice"),
        pytest.param([given("a", [0, 0])], "gave a partition to member a twice", id="a partition twice"),
        pytest.param([given("a", [0], [0])], "gave a partition to member a twice", id="a partition in two places"),
    ],
)
def test_what_an_assignment_can_not_hold_is_told_in_words(members: list[Given], flaw: str | None) -> None:
    message = ConsumerGroupInstallAssignmentRequest(group_id="g", member_id="m", members=members)
    assert broker_installing.from_request(asked(message, 0)).flaw == flaw


@pytest.mark.parametrize(
    ("answer", "event"),
    [
        (AssignmentInstalled(), Installed(7)),
        (AssignmentInstalled(ErrorCode.INVALID_ASSIGNMENT, "why"), Refused(7, ErrorCode.INVALID_ASSIGNMENT, "why")),
    ],
)
def test_whether_it_is_the_target_now_arrives(answer: AssignmentInstalled, event: Installed | Refused) -> None:
    message = answered(apis.CONSUMER_GROUP_INSTALL_ASSIGNMENT, broker_installing.to_response(answer), 0)
    assert installing.to_event(7, message) == event


def test_a_topic_listed_twice_with_different_partitions_is_no_flaw() -> None:
    message = ConsumerGroupInstallAssignmentRequest(group_id="g", member_id="m", members=[given("a", [0], [1])])
    read = broker_installing.from_request(asked(message, 0))
    assert (read.flaw, read.members["a"].partitions) == (None, {ORDERS: {0, 1}})


def test_what_only_extensions_say_is_no_byte_of_other_records() -> None:
    plain = r.TargetAssignmentMember("g", "m", {ORDERS: frozenset({0})})
    told = r.TargetAssignmentMember("g", "m", {ORDERS: frozenset({0})}, Metadata(1, b"x"))
    without, with_metadata = encode(plain).value, encode(told).value
    assert without is not None
    assert with_metadata is not None
    assert with_metadata.startswith(without[:-1])  # the same up to the tags
    assert decode(encode(told).key, with_metadata) == told
