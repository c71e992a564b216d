"""Members of the classic protocol."""

from __future__ import annotations

from collections.abc import Sequence

from kafka_nextgen.wire.schema import Message, Structure, field


class JoinGroupRequest(Message, api_key=11, versions="0-9", flexible="6+"):
    """Join a classic group, or its next generation. From version 6 on, a custom tag carries the member's extensions."""

    class JoinGroupRequestProtocol(Structure):
        name: str = field("string", "0+")
        metadata: bytes = field("bytes", "0+")

    group_id: str = field("string", "0+")
    session_timeout_ms: int = field("int32", "0+")
    rebalance_timeout_ms: int = field("int32", "1+", default=-1)
    member_id: str = field("string", "0+")
    group_instance_id: str | None = field("string", "5+", nullable="5+", default=None)
    protocol_type: str = field("string", "0+")
    protocols: Sequence[JoinGroupRequestProtocol] = field([JoinGroupRequestProtocol], "0+")
    reason: str | None = field("string", "8+", nullable="8+", default=None)
    join_reason: int = field("int8", "6+", tag=10001)


class JoinGroupResponse(Message, api_key=11, versions="0-9", flexible="6+"):
    """The generation. Only its leader receives the list of members."""

    class JoinGroupResponseMember(Structure):
        member_id: str = field("string", "0+")
        group_instance_id: str | None = field("string", "5+", nullable="5+", default=None)
        metadata: bytes = field("bytes", "0+")

    throttle_time_ms: int = field("int32", "2+")
    error_code: int = field("int16", "0+")
    generation_id: int = field("int32", "0+", default=-1)
    protocol_type: str | None = field("string", "7+", nullable="7+", default=None)
    protocol_name: str | None = field("string", "0+", nullable="7+")
    leader: str = field("string", "0+")
    skip_assignment: bool = field("bool", "9+")
    member_id: str = field("string", "0+")
    members: Sequence[JoinGroupResponseMember] = field([JoinGroupResponseMember], "0+")


class SyncGroupRequest(Message, api_key=14, versions="0-5", flexible="4+"):
    """Request the member's assignment in a generation. The leader sends all assignments with it."""

    class SyncGroupRequestAssignment(Structure):
        member_id: str = field("string", "0+")
        assignment: bytes = field("bytes", "0+")

    group_id: str = field("string", "0+")
    generation_id: int = field("int32", "0+")
    member_id: str = field("string", "0+")
    group_instance_id: str | None = field("string", "3+", nullable="3+", default=None)
    protocol_type: str | None = field("string", "5+", nullable="5+", default=None)
    protocol_name: str | None = field("string", "5+", nullable="5+", default=None)
    assignments: Sequence[SyncGroupRequestAssignment] = field([SyncGroupRequestAssignment], "0+")


class SyncGroupResponse(Message, api_key=14, versions="0-5", flexible="4+"):
    """The member's assignment."""

    throttle_time_ms: int = field("int32", "1+")
    error_code: int = field("int16", "0+")
    protocol_type: str | None = field("string", "5+", nullable="5+", default=None)
    protocol_name: str | None = field("string", "5+", nullable="5+", default=None)
    assignment: bytes = field("bytes", "0+")


class HeartbeatRequest(Message, api_key=12, versions="0-4", flexible="4+"):
    """Stay in a classic group."""

    group_id: str = field("string", "0+")
    generation_id: int = field("int32", "0+")
    member_id: str = field("string", "0+")
    group_instance_id: str | None = field("string", "3+", nullable="3+", default=None)


class HeartbeatResponse(Message, api_key=12, versions="0-4", flexible="4+"):
    """Whether the member still belongs to the generation."""

    throttle_time_ms: int = field("int32", "1+")
    error_code: int = field("int16", "0+")


class LeaveGroupRequest(Message, api_key=13, versions="0-5", flexible="4+"):
    """Leave a classic group, or remove members of it (KIP-345)."""

    class MemberIdentity(Structure):
        member_id: str = field("string", "3+")
        group_instance_id: str | None = field("string", "3+", nullable="3+", default=None)
        reason: str | None = field("string", "5+", nullable="5+", default=None)

    group_id: str = field("string", "0+")
    member_id: str = field("string", "0-2")
    members: Sequence[MemberIdentity] = field([MemberIdentity], "3+")


class LeaveGroupResponse(Message, api_key=13, versions="0-5", flexible="4+"):
    """Whether each member was removed."""

    class MemberResponse(Structure):
        member_id: str = field("string", "3+")
        group_instance_id: str | None = field("string", "3+", nullable="3+")
        error_code: int = field("int16", "3+")

    throttle_time_ms: int = field("int32", "1+")
    error_code: int = field("int16", "0+")
    members: Sequence[MemberResponse] = field([MemberResponse], "3+")
