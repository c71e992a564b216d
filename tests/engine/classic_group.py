"""A small coordinator of a classic group of one, its leader: it says what a test wants and keeps what it hears."""

from __future__ import annotations

from collections import deque

from attrs import define, field

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.groups.consumer_protocol import MemberSubscription, decode_subscription
from kafka_nextgen.testing.broker.context import Context
from kafka_nextgen.testing.coordinator.responses import OffsetsCommitted
from kafka_nextgen.testing.messages import offset_commit
from kafka_nextgen.wire.apis import HEARTBEAT, JOIN_GROUP, LEAVE_GROUP, OFFSET_COMMIT, SYNC_GROUP
from kafka_nextgen.wire.messages import (
    HeartbeatRequest,
    HeartbeatResponse,
    JoinGroupRequest,
    JoinGroupResponse,
    LeaveGroupRequest,
    LeaveGroupResponse,
    OffsetCommitRequest,
    SyncGroupRequest,
    SyncGroupResponse,
)
from tests.engine.stage import Stage

CLASSIC = {"group_protocol": "classic", "heartbeat_interval_ms": 50, "partition_assignment_strategy": "range"}
COOPERATIVE = {**CLASSIC, "partition_assignment_strategy": "cooperative-sticky"}


@define
class Group:
    """The coordinator of a group with one member, its leader; ``refusals`` are answered to heartbeats or commits.

    The group has the ``chosen`` one of the member's assignors. A static member that returns gets ``kept``, if there is
    any, and is told to skip the assignment.
    """

    generation: int = 0
    joins: list[JoinGroupRequest] = field(factory=list)
    leaves: list[LeaveGroupRequest] = field(factory=list)
    heartbeat_refusals: deque[ErrorCode] = field(factory=deque)
    commit_refusals: deque[ErrorCode] = field(factory=deque)
    committed_in: list[int] = field(factory=list)
    chosen: int = 0
    kept: bytes | None = None

    def serve(self, stage: Stage) -> None:
        stage.handle(JOIN_GROUP, self.join)
        stage.handle(SYNC_GROUP, self.sync)
        stage.handle(HEARTBEAT, self.heartbeat)
        stage.handle(LEAVE_GROUP, self.leave)
        stage.handle(OFFSET_COMMIT, self.commit)

    async def join(self, request: JoinGroupRequest, _context: object) -> JoinGroupResponse:
        self.joins.append(request)
        member_id = request.member_id or "me"
        if not request.member_id and request.group_instance_id is None:
            return JoinGroupResponse(error_code=ErrorCode.MEMBER_ID_REQUIRED, member_id=member_id)
        skips = self.kept is not None and not request.member_id
        self.generation += 0 if skips else 1
        protocol = request.protocols[self.chosen]
        member = JoinGroupResponse.JoinGroupResponseMember(member_id=member_id, metadata=protocol.metadata)
        return JoinGroupResponse(
            generation_id=self.generation,
            protocol_type="consumer",
            protocol_name=protocol.name,
            leader=member_id,
            member_id=member_id,
            members=[member],
            skip_assignment=skips,
        )

    async def sync(self, request: SyncGroupRequest, _context: object) -> SyncGroupResponse:
        assignment = request.assignments[0].assignment if request.assignments else self.kept
        assert assignment is not None, "the leader assigns"
        return SyncGroupResponse(protocol_type="consumer", protocol_name=request.protocol_name, assignment=assignment)

    async def heartbeat(self, _request: HeartbeatRequest, _context: object) -> HeartbeatResponse:
        code = self.heartbeat_refusals.popleft() if self.heartbeat_refusals else ErrorCode.NONE
        return HeartbeatResponse(error_code=code)

    async def leave(self, request: LeaveGroupRequest, _context: object) -> LeaveGroupResponse:
        self.leaves.append(request)
        return LeaveGroupResponse(members=[])

    async def commit(self, request: OffsetCommitRequest, context: Context) -> object:
        self.committed_in.append(request.generation_id_or_member_epoch)
        code = self.commit_refusals.popleft() if self.commit_refusals else ErrorCode.NONE
        directory = context.cluster.directory()
        offsets = offset_commit.from_request(request, directory).offsets
        return offset_commit.to_response(request, directory, OffsetsCommitted(dict.fromkeys(offsets, code)))

    def said(self, join: int) -> MemberSubscription:
        """What the member said in one of its joins."""
        return decode_subscription(bytes(self.joins[join].protocols[0].metadata))
