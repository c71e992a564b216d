"""JoinGroup, SyncGroup, Heartbeat, LeaveGroup and DescribeGroups on the broker: what it hears, and what it says."""

from __future__ import annotations

import pytest

from kafka_nextgen.bridge import describe_groups, heartbeat, join_group, leave_group, sync_group
from kafka_nextgen.bridge.extensions import describe_groups as extended
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.coordinator.classic.requests import (
    DescribeGroups,
    Heartbeat,
    JoinGroup,
    LeaveGroup,
    LeavingMember,
    OfferedProtocol,
    SyncGroup,
)
from kafka_nextgen.coordinator.classic.responses import (
    DescribedClassicGroup,
    DescribedClassicMember,
    GroupsDescribed,
    HeartbeatAnswer,
    JoinedMember,
    JoinGroupAnswer,
    LeaveGroupAnswer,
    LeftMember,
    SyncGroupAnswer,
)
from kafka_nextgen.coordinator.hooks import ExpectedInstance
from kafka_nextgen.wire.apis import DESCRIBE_GROUPS, HEARTBEAT, JOIN_GROUP, LEAVE_GROUP, SYNC_GROUP
from kafka_nextgen.wire.messages import (
    DescribeGroupsRequest,
    HeartbeatRequest,
    JoinGroupRequest,
    LeaveGroupRequest,
    SyncGroupRequest,
)
from tests.bridge.over_the_wire import answered, asked


@pytest.mark.parametrize("version", range(10))
def test_a_join_arrives_with_all_that_its_version_has(version: int) -> None:
    message = JoinGroupRequest(
        group_id="g",
        session_timeout_ms=10_000,
        rebalance_timeout_ms=60_000,
        member_id="m",
        group_instance_id="i" if version >= 5 else None,
        protocol_type="consumer",
        protocols=[JoinGroupRequest.JoinGroupRequestProtocol(name="range", metadata=b"x")],
        reason="why",
    )
    assert join_group.from_request(asked(message, version), 7, "me", "/h", "me-1") == JoinGroup(
        number=7,
        group_id="g",
        member_id="m",
        protocol_type="consumer",
        protocols=(OfferedProtocol("range", b"x"),),
        session_timeout_ms=10_000,
        rebalance_timeout_ms=60_000 if version > 0 else 10_000,
        instance_id="i" if version >= 5 else None,
        reason="why" if version >= 8 else None,
        client_id="me",
        client_host="/h",
        version=version,
        new_member_id="me-1",
    )


@pytest.mark.parametrize("version", range(10))
def test_a_leader_is_told_of_its_generation(version: int) -> None:
    answer = JoinGroupAnswer(
        member_id="m",
        generation=4,
        protocol_type="consumer",
        protocol_name="range",
        leader_id="m",
        members=(JoinedMember("m", "i", b"x"),),
        skip_assignment=version >= 9,
    )
    told = answered(JOIN_GROUP, join_group.to_response(answer, version), version)
    assert (told.error_code, told.member_id, told.generation_id, told.leader) == (0, "m", 4, "m")
    assert (told.protocol_type, told.protocol_name) == ("consumer" if version >= 7 else None, "range")
    (member,) = told.members
    assert (member.member_id, bytes(member.metadata)) == ("m", b"x")
    assert member.group_instance_id == ("i" if version >= 5 else None)
    assert told.skip_assignment == (version >= 9)


@pytest.mark.parametrize(("version", "nothing"), [(6, ""), (7, None), (9, None)])
def test_a_refused_join_names_no_protocol(version: int, nothing: str | None) -> None:
    answer = JoinGroupAnswer(ErrorCode.MEMBER_ID_REQUIRED, "m-1")
    told = answered(JOIN_GROUP, join_group.to_response(answer, version), version)
    assert (told.error_code, told.member_id, told.generation_id) == (ErrorCode.MEMBER_ID_REQUIRED, "m-1", -1)
    assert (told.protocol_name, told.leader, told.members) == (nothing, "", ())


@pytest.mark.parametrize("version", range(6))
def test_a_sync_arrives_and_is_answered(version: int) -> None:
    message = SyncGroupRequest(
        group_id="g",
        generation_id=4,
        member_id="m",
        group_instance_id="i" if version >= 3 else None,
        protocol_type="consumer",
        protocol_name="range",
        assignments=[SyncGroupRequest.SyncGroupRequestAssignment(member_id="m", assignment=b"part")],
    )
    named = ("consumer", "range") if version >= 5 else (None, None)
    instance_id = "i" if version >= 3 else None
    assert sync_group.from_request(asked(message, version), 7) == SyncGroup(
        7, "g", 4, "m", instance_id, *named, assignments=(("m", b"part"),)
    )
    answer = SyncGroupAnswer(protocol_type="consumer", protocol_name="range", assignment=b"part")
    told = answered(SYNC_GROUP, sync_group.to_response(answer), version)
    assert (told.protocol_type, told.protocol_name, bytes(told.assignment)) == (*named, b"part")


@pytest.mark.parametrize("version", range(5))
def test_a_heartbeat_arrives_and_is_answered(version: int) -> None:
    instance_id = "i" if version >= 3 else None
    message = HeartbeatRequest(group_id="g", generation_id=4, member_id="m", group_instance_id=instance_id)
    assert heartbeat.from_request(asked(message, version)) == Heartbeat("g", 4, "m", instance_id)
    response = heartbeat.to_response(HeartbeatAnswer(ErrorCode.REBALANCE_IN_PROGRESS))
    assert answered(HEARTBEAT, response, version).error_code == ErrorCode.REBALANCE_IN_PROGRESS


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
    reason = "why" if version >= 5 else None
    assert leave_group.from_request(asked(message, version)) == LeaveGroup(
        "g", (LeavingMember("m", None, reason), LeavingMember("", "i"))
    )
    answer = LeaveGroupAnswer((LeftMember("m", None, ErrorCode.NONE), LeftMember("", "i", ErrorCode.UNKNOWN_MEMBER_ID)))
    told = answered(LEAVE_GROUP, leave_group.to_response(answer, version), version)
    assert told.error_code == ErrorCode.NONE
    results = [(member.member_id, member.group_instance_id, member.error_code) for member in told.members]
    assert results == [("m", None, 0), ("", "i", ErrorCode.UNKNOWN_MEMBER_ID)]


@pytest.mark.parametrize("version", range(3))
def test_before_there_were_lists_the_error_is_that_of_the_answer(version: int) -> None:
    message = asked(LeaveGroupRequest(group_id="g", member_id="m"), version)
    assert leave_group.from_request(message) == LeaveGroup("g", (LeavingMember("m"),))
    answer = LeaveGroupAnswer((LeftMember("m", None, ErrorCode.UNKNOWN_MEMBER_ID),))
    told = answered(LEAVE_GROUP, leave_group.to_response(answer, version), version)
    assert told.error_code == ErrorCode.UNKNOWN_MEMBER_ID


@pytest.mark.parametrize("version", range(7))
def test_groups_are_described(version: int) -> None:
    assert describe_groups.from_request(asked(DescribeGroupsRequest(groups=["g", "g"]), version)) == DescribeGroups(
        ("g",)
    )
    member = DescribedClassicMember("m", "i", "me", "/h", b"said", b"part")
    group = DescribedClassicGroup(
        "g", state="Stable", protocol_type="consumer", protocol_name="range", members=(member,)
    )
    (told,) = answered(DESCRIBE_GROUPS, describe_groups.to_response(GroupsDescribed((group,)), version), version).groups
    assert (told.group_id, told.group_state, told.protocol_type, told.protocol_data) == (
        "g",
        "Stable",
        "consumer",
        "range",
    )
    (one,) = told.members
    assert one.group_instance_id == ("i" if version >= 4 else None)
    assert (one.member_id, one.client_id, one.client_host) == ("m", "me", "/h")
    assert (bytes(one.member_metadata), bytes(one.member_assignment)) == (b"said", b"part")


@pytest.mark.parametrize(("version", "is_told"), [(4, False), (5, True), (6, True)])
def test_who_is_expected_is_told_to_those_who_can_use_it(version: int, is_told: bool) -> None:
    expected = (ExpectedInstance("i", 5, has_joined=True),)
    answer = GroupsDescribed((DescribedClassicGroup("g", state="Stable", expected=expected),))
    for with_extensions in (False, True):
        message = extended.to_response(answer, version, with_extensions=with_extensions)
        (told,) = extended.from_response(answered(DESCRIBE_GROUPS, message, version), ["g"]).groups
        assert told.expected == (expected if is_told and with_extensions else ())


@pytest.mark.parametrize(("version", "error"), [(5, ErrorCode.NONE), (6, ErrorCode.GROUP_ID_NOT_FOUND)])
def test_a_group_there_is_not_is_dead_and_later_an_error(version: int, error: ErrorCode) -> None:
    missing = GroupsDescribed((DescribedClassicGroup("g", ErrorCode.GROUP_ID_NOT_FOUND, "there is none"),))
    (told,) = answered(DESCRIBE_GROUPS, describe_groups.to_response(missing, version), version).groups
    assert (told.error_code, told.group_state, told.members) == (error, "Dead", ())
