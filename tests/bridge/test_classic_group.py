"""JoinGroup, SyncGroup, Heartbeat and LeaveGroup of a member: what it says, and what it hears."""

from __future__ import annotations

import pytest

from kafka_nextgen.bridge import heartbeat, join_group, leave_group, sync_group
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.consumer_protocol import (
    MemberSubscription,
    decode_assignment,
    decode_subscription,
    encode_subscription,
    user_data_of,
)
from kafka_nextgen.errors import DecodeError, UnsupportedProtocolError
from kafka_nextgen.membership.classic.effects import (
    MemberPart,
    Offer,
    SendClassicHeartbeat,
    SendJoinGroup,
    SendLeaveGroup,
    SendSyncGroup,
)
from kafka_nextgen.membership.classic.events import (
    JoinAnswered,
    JoinedMember,
    JoinRefused,
    SessionKept,
    SyncAnswered,
    SyncRefused,
)
from kafka_nextgen.membership.events import HeartbeatRefused
from kafka_nextgen.wire.apis import HEARTBEAT, JOIN_GROUP, LEAVE_GROUP, SYNC_GROUP
from kafka_nextgen.wire.messages import (
    HeartbeatResponse,
    JoinGroupResponse,
    LeaveGroupResponse,
    SyncGroupResponse,
)
from tests.bridge.over_the_wire import answered, asked, orders

SUBSCRIPTION = MemberSubscription(frozenset({"orders"}), frozenset({orders(0)}), 3, "rack-1")
JOIN = SendJoinGroup(
    number=1,
    member_id="m",
    instance_id="i",
    session_timeout_ms=45_000,
    rebalance_timeout_ms=300_000,
    offers=(Offer("range"), Offer("cooperative-sticky", b"\x00\x00\x00\x03")),
    subscription=SUBSCRIPTION,
    reason="the subscription changed",
    timeout_s=305.0,
)

Member = JoinGroupResponse.JoinGroupResponseMember


def joined(message: JoinGroupResponse, version: int = 9) -> JoinAnswered | JoinRefused:
    return join_group.to_event(7, answered(JOIN_GROUP, message, version))


def test_a_join_says_everything() -> None:
    message = asked(join_group.to_request(JOIN, "g", 9), 9)
    assert (message.group_id, message.member_id, message.group_instance_id) == ("g", "m", "i")
    assert (message.session_timeout_ms, message.rebalance_timeout_ms) == (45_000, 300_000)
    assert (message.protocol_type, message.reason) == ("consumer", "the subscription changed")
    offers = {protocol.name: decode_subscription(bytes(protocol.metadata)) for protocol in message.protocols}
    assert list(offers) == ["range", "cooperative-sticky"]
    assert offers["range"] == SUBSCRIPTION
    assert offers["cooperative-sticky"].user_data == b"\x00\x00\x00\x03"


@pytest.mark.parametrize("version", range(5, 10))
def test_a_static_member_joins_by_any_version_that_knows_it(version: int) -> None:
    assert asked(join_group.to_request(JOIN, "g", version), version).group_instance_id == "i"


def test_a_static_member_is_not_taken_for_a_dynamic_one() -> None:
    with pytest.raises(UnsupportedProtocolError, match="no static members"):
        join_group.to_request(JOIN, "g", 4)


@pytest.mark.parametrize("version", range(10))
def test_a_dynamic_member_joins_by_any_version(version: int) -> None:
    dynamic = SendJoinGroup(1, "", None, 45_000, 300_000, (Offer("range"),), SUBSCRIPTION, "", 305.0)
    assert asked(join_group.to_request(dynamic, "g", version), version).member_id == ""


def test_a_follower_hears_who_leads() -> None:
    message = JoinGroupResponse(
        generation_id=4, protocol_type="consumer", protocol_name="range", leader="l", member_id="m"
    )
    assert joined(message) == JoinAnswered(7, "m", 4, "consumer", "range", "l")


def test_the_leader_hears_of_everybody_and_whether_to_skip() -> None:
    metadata = encode_subscription(SUBSCRIPTION)
    message = JoinGroupResponse(
        generation_id=4,
        protocol_type="consumer",
        protocol_name="range",
        leader="m",
        member_id="m",
        skip_assignment=True,
        members=[Member(member_id="m", group_instance_id="i", metadata=metadata)],
    )
    event = joined(message)
    assert isinstance(event, JoinAnswered)
    assert event.members == (JoinedMember("m", "i", SUBSCRIPTION),)
    assert event.skip_assignment


def test_a_member_that_cannot_be_understood_has_subscribed_to_nothing() -> None:
    broken = Member(member_id="x", group_instance_id=None, metadata=b"\x00")
    event = joined(JoinGroupResponse(generation_id=4, leader="m", member_id="m", members=[broken]))
    assert isinstance(event, JoinAnswered)
    assert event.members == (JoinedMember("x", None, MemberSubscription()),)


@pytest.mark.parametrize("version", range(10))
def test_no_protocol_is_none_in_every_version(version: int) -> None:
    event = joined(JoinGroupResponse(generation_id=4, protocol_name="", leader="l", member_id="m"), version)
    assert isinstance(event, JoinAnswered)
    assert (event.protocol_type, event.strategy) == (None, None)


def test_a_refused_join_may_bring_an_id() -> None:
    refusal = JoinGroupResponse(error_code=ErrorCode.MEMBER_ID_REQUIRED, member_id="m-1")
    assert joined(refusal) == JoinRefused(7, ErrorCode.MEMBER_ID_REQUIRED, "m-1")


@pytest.mark.parametrize(("generation", "member_id"), [(-1, "m"), (4, "")])
def test_a_join_into_no_generation_or_as_nobody_is_refused(generation: int, member_id: str) -> None:
    with pytest.raises(DecodeError, match="JoinGroup answered with"):
        joined(JoinGroupResponse(generation_id=generation, leader="l", member_id=member_id))


@pytest.mark.parametrize("version", range(6))
def test_a_leader_syncs_with_everybodys_part(version: int) -> None:
    parts = (MemberPart("m", frozenset({orders(0), orders(1)})), MemberPart("n", frozenset(), b"word"))
    effect = SendSyncGroup(1, "m", "i" if version >= 3 else None, 4, "range", 9.0, parts)
    message = asked(sync_group.to_request(effect, "g"), version)
    assert (message.group_id, message.generation_id, message.member_id) == ("g", 4, "m")
    told = [(one.member_id, bytes(one.assignment)) for one in message.assignments]
    read = [MemberPart(member_id, decode_assignment(part), user_data_of(part)) for member_id, part in told]
    assert tuple(read) == parts
    if version >= 5:
        assert (message.protocol_type, message.protocol_name) == ("consumer", "range")


def test_a_part_arrives() -> None:
    parts = (MemberPart("m", frozenset({orders(0)})),)
    sent = sync_group.to_request(SendSyncGroup(1, "m", None, 4, "range", 9.0, parts), "g")
    assignment = sent.assignments[0].assignment
    message = SyncGroupResponse(protocol_type="consumer", protocol_name="range", assignment=assignment)
    event = sync_group.to_event(7, answered(SYNC_GROUP, message, 5))
    assert event == SyncAnswered(7, "consumer", "range", frozenset({orders(0)}))


def test_a_part_that_cannot_be_read_is_refused() -> None:
    with pytest.raises(DecodeError, match="assignment"):
        sync_group.to_event(7, answered(SYNC_GROUP, SyncGroupResponse(assignment=b"\x00"), 5))


def test_a_refused_sync_arrives() -> None:
    message = SyncGroupResponse(error_code=ErrorCode.REBALANCE_IN_PROGRESS, assignment=b"")
    assert sync_group.to_event(7, answered(SYNC_GROUP, message, 5)) == SyncRefused(7, ErrorCode.REBALANCE_IN_PROGRESS)


@pytest.mark.parametrize("version", range(5))
def test_a_heartbeat_says_who_beats(version: int) -> None:
    message = asked(heartbeat.to_request(SendClassicHeartbeat(1, "m", "i" if version >= 3 else None, 4), "g"), version)
    assert (message.group_id, message.generation_id, message.member_id) == ("g", 4, "m")


@pytest.mark.parametrize(
    ("code", "event"),
    [
        (ErrorCode.NONE, SessionKept(7)),
        (ErrorCode.ILLEGAL_GENERATION, HeartbeatRefused(7, ErrorCode.ILLEGAL_GENERATION, None)),
    ],
)
def test_a_heartbeat_is_answered(code: ErrorCode, event: object) -> None:
    assert heartbeat.to_event(7, answered(HEARTBEAT, HeartbeatResponse(error_code=code), 4)) == event


@pytest.mark.parametrize("version", range(6))
def test_a_leave_names_the_member_in_every_version(version: int) -> None:
    effect = SendLeaveGroup(1, "m", "i" if version >= 3 else None, "the consumer is being closed")
    message = asked(leave_group.to_request(effect, "g", version), version)
    if version < 3:
        assert message.member_id == "m"
    else:
        (member,) = message.members
        assert (member.member_id, member.group_instance_id) == ("m", "i")
    if version >= 5:
        assert message.members[0].reason == "the consumer is being closed"


def test_the_errors_of_a_leave_are_found_wherever_they_are() -> None:
    one = LeaveGroupResponse.MemberResponse(member_id="m", error_code=ErrorCode.UNKNOWN_MEMBER_ID)
    message = answered(LEAVE_GROUP, LeaveGroupResponse(members=[one]), 5)
    assert leave_group.errors_in(message) == (ErrorCode.UNKNOWN_MEMBER_ID,)
    old = answered(LEAVE_GROUP, LeaveGroupResponse(error_code=ErrorCode.NOT_COORDINATOR), 2)
    assert leave_group.errors_in(old) == (ErrorCode.NOT_COORDINATOR,)
