"""JoinGroup, SyncGroup, Heartbeat and LeaveGroup: what a member says is what the coordinator hears, and back."""

from __future__ import annotations

import pytest
from attrs import evolve

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import DecodeError, UnsupportedProtocolError
from kafka_nextgen.groups.consumer_protocol import (
    MemberSubscription,
    decode_assignment,
    decode_subscription,
    encode_assignment,
    encode_subscription,
    user_data_of,
)
from kafka_nextgen.groups.leaving import LeavingMember, LeftMember
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
from kafka_nextgen.requests import heartbeat, join_group, leave_group, sync_group
from kafka_nextgen.testing.coordinator.classic import requests as heard
from kafka_nextgen.testing.coordinator.classic import responses as said
from kafka_nextgen.testing.messages import heartbeat as broker_heartbeat
from kafka_nextgen.testing.messages import join_group as broker_join_group
from kafka_nextgen.testing.messages import leave_group as broker_leave_group
from kafka_nextgen.testing.messages import sync_group as broker_sync_group
from kafka_nextgen.wire.apis import HEARTBEAT, JOIN_GROUP, LEAVE_GROUP, SYNC_GROUP
from kafka_nextgen.wire.messages import JoinGroupRequest, JoinGroupResponse, LeaveGroupRequest
from tests.requests.over_the_wire import answered, asked, orders

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


@pytest.mark.parametrize("version", range(10))
def test_a_join_arrives_with_all_that_its_version_has(version: int) -> None:
    join = JOIN if version >= 5 else evolve(JOIN, instance_id=None)
    message = asked(join_group.to_request(join, "g", version), version)
    arrived = broker_join_group.from_request(message, 7, "me", "/h", "me-1")
    assert evolve(arrived, protocols=()) == heard.JoinGroup(
        number=7,
        group_id="g",
        member_id="m",
        protocol_type="consumer",
        protocols=(),
        session_timeout_ms=45_000,
        rebalance_timeout_ms=300_000 if version > 0 else 45_000,
        instance_id=join.instance_id,
        reason="the subscription changed" if version >= 8 else None,
        client_id="me",
        client_host="/h",
        version=version,
        new_member_id="me-1",
    )
    offers = [(offer.name, decode_subscription(offer.metadata)) for offer in arrived.protocols]
    sticky = evolve(SUBSCRIPTION, user_data=b"\x00\x00\x00\x03")
    assert offers == [("range", SUBSCRIPTION), ("cooperative-sticky", sticky)]


def test_the_fields_of_a_join_are_kafkas() -> None:
    message: JoinGroupRequest = asked(join_group.to_request(JOIN, "g", 9), 9)
    assert (message.session_timeout_ms, message.rebalance_timeout_ms) == (45_000, 300_000)
    assert (message.group_id, message.member_id, message.group_instance_id) == ("g", "m", "i")
    assert (message.protocol_type, message.reason) == ("consumer", "the subscription changed")


def test_a_static_member_is_not_taken_for_a_dynamic_one() -> None:
    with pytest.raises(UnsupportedProtocolError, match="does not support static members"):
        join_group.to_request(JOIN, "g", 4)


@pytest.mark.parametrize("version", range(10))
def test_a_leader_is_told_of_its_generation_and_of_everybody(version: int) -> None:
    answer = said.JoinGroupAnswer(
        member_id="m",
        generation=4,
        protocol_type="consumer",
        protocol_name="range",
        leader_id="l",
        members=(said.JoinedMember("m", "i", encode_subscription(SUBSCRIPTION)), said.JoinedMember("x", None, b"\x00")),
        skip_assignment=version >= 9,
    )
    message = answered(JOIN_GROUP, broker_join_group.to_response(answer, version), version)
    assert (message.generation_id, message.leader, message.member_id) == (4, "l", "m")
    nothing = MemberSubscription()  # of a member that can't be understood
    members = JoinedMember("m", "i" if version >= 5 else None, SUBSCRIPTION), JoinedMember("x", None, nothing)
    protocol_type = "consumer" if version >= 7 else None
    told = JoinAnswered(7, "m", 4, protocol_type, "range", "l", members, version >= 9, tells_leader=version >= 9)
    assert join_group.to_event(7, message, version) == told


@pytest.mark.parametrize("version", range(10))
def test_a_refused_join_names_no_protocol_and_may_bring_an_id(version: int) -> None:
    answer = said.JoinGroupAnswer(ErrorCode.MEMBER_ID_REQUIRED, "m-1")
    told = answered(JOIN_GROUP, broker_join_group.to_response(answer, version), version)
    assert (told.generation_id, told.leader, told.members) == (-1, "", ())
    assert told.protocol_name == (None if version >= 7 else "")
    assert join_group.to_event(7, told, version) == JoinRefused(7, ErrorCode.MEMBER_ID_REQUIRED, "m-1")


def joined(version: int = 9, **fields: object) -> JoinAnswered | JoinRefused:
    message = JoinGroupResponse(**{"generation_id": 4, "leader": "l", "member_id": "m", **fields})  # type: ignore[arg-type]
    return join_group.to_event(7, answered(JOIN_GROUP, message, version), version)


@pytest.mark.parametrize("version", range(10))
def test_no_protocol_is_none_in_every_version(version: int) -> None:
    told = JoinAnswered(7, "m", 4, None, None, "l", tells_leader=version >= 9)
    assert joined(version, protocol_name="") == told


@pytest.mark.parametrize(("generation", "member_id"), [(-1, "m"), (4, "")])
def test_a_join_into_no_generation_or_as_nobody_is_refused(generation: int, member_id: str) -> None:
    with pytest.raises(DecodeError, match="the JoinGroup response has the invalid generation"):
        joined(generation_id=generation, member_id=member_id)


@pytest.mark.parametrize("version", range(6))
def test_a_leader_syncs_with_everybodys_part_and_is_told_its_own(version: int) -> None:
    parts = (MemberPart("m", frozenset({orders(0), orders(1)})), MemberPart("n", frozenset(), b"word"))
    effect = SendSyncGroup(1, "m", "i" if version >= 3 else None, 4, "range", 9.0, parts)
    arrived = broker_sync_group.from_request(asked(sync_group.to_request(effect, "g"), version), 7)
    named = ("consumer", "range") if version >= 5 else (None, None)
    assert evolve(arrived, assignments=()) == heard.SyncGroup(7, "g", 4, "m", effect.instance_id, *named)
    read = [MemberPart(name, decode_assignment(part), user_data_of(part)) for name, part in arrived.assignments]
    assert tuple(read) == parts
    assignment = encode_assignment(frozenset({orders(0)}))
    answer = said.SyncGroupAnswer(protocol_type="consumer", protocol_name="range", assignment=assignment)
    told = sync_group.to_event(7, answered(SYNC_GROUP, broker_sync_group.to_response(answer), version))
    assert told == SyncAnswered(7, *named, frozenset({orders(0)}))


def test_a_refused_sync_arrives_and_a_part_that_cannot_be_read_is_refused() -> None:
    refusal = broker_sync_group.to_response(said.SyncGroupAnswer(ErrorCode.REBALANCE_IN_PROGRESS))
    refused = sync_group.to_event(7, answered(SYNC_GROUP, refusal, 5))
    assert refused == SyncRefused(7, ErrorCode.REBALANCE_IN_PROGRESS)
    broken = broker_sync_group.to_response(said.SyncGroupAnswer(assignment=b"\x00"))
    with pytest.raises(DecodeError, match="assignment"):
        sync_group.to_event(7, answered(SYNC_GROUP, broken, 5))


@pytest.mark.parametrize("version", range(5))
def test_a_heartbeat_arrives_and_is_answered(version: int) -> None:
    beat = SendClassicHeartbeat(1, "m", "i" if version >= 3 else None, 4)
    arrived = broker_heartbeat.from_request(asked(heartbeat.to_request(beat, "g"), version))
    assert arrived == heard.Heartbeat("g", 4, "m", beat.instance_id)
    for code, event in (
        (ErrorCode.NONE, SessionKept(7)),
        (ErrorCode.ILLEGAL_GENERATION, HeartbeatRefused(7, ErrorCode.ILLEGAL_GENERATION, None)),
    ):
        response = broker_heartbeat.to_response(said.HeartbeatAnswer(code))
        assert heartbeat.to_event(7, answered(HEARTBEAT, response, version)) == event


@pytest.mark.parametrize("version", range(6))
def test_a_leave_arrives_and_its_error_is_found_wherever_it_is(version: int) -> None:
    effect = SendLeaveGroup(1, "m", "i" if version >= 3 else None, "the consumer is being closed")
    reason = effect.reason if version >= 5 else None
    arrived = broker_leave_group.from_request(asked(leave_group.to_request(effect, "g", version), version))
    assert arrived == heard.LeaveGroup("g", (LeavingMember("m", effect.instance_id, reason),))
    answer = said.LeaveGroupAnswer((LeftMember("m", None, ErrorCode.UNKNOWN_MEMBER_ID),))
    told = answered(LEAVE_GROUP, broker_leave_group.to_response(answer, version), version)
    assert leave_group.errors_in(told) == (ErrorCode.UNKNOWN_MEMBER_ID,)
    assert told.error_code == (ErrorCode.UNKNOWN_MEMBER_ID if version < 3 else ErrorCode.NONE)


@pytest.mark.parametrize("version", range(3, 6))
def test_several_leave_at_once(version: int) -> None:
    identity = LeaveGroupRequest.MemberIdentity
    message = LeaveGroupRequest(
        group_id="g",
        members=[
            identity(member_id="m", group_instance_id=None, reason="why"),
            identity(member_id="", group_instance_id="i", reason=None),
        ],
    )
    members = LeavingMember("m", None, "why" if version >= 5 else None), LeavingMember("", "i")
    assert broker_leave_group.from_request(asked(message, version)) == heard.LeaveGroup("g", members)
    answer = said.LeaveGroupAnswer(
        (LeftMember("m", None, ErrorCode.NONE), LeftMember("", "i", ErrorCode.UNKNOWN_MEMBER_ID))
    )
    told = answered(LEAVE_GROUP, broker_leave_group.to_response(answer, version), version)
    results = [(member.member_id, member.group_instance_id, member.error_code) for member in told.members]
    assert (told.error_code, results) == (0, [("m", None, 0), ("", "i", ErrorCode.UNKNOWN_MEMBER_ID)])
