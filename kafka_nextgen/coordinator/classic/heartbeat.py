"""Heartbeat: keep a member's session, and tell it whether it has to join again."""

from __future__ import annotations

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.coordinator.classic.fencing import identity_error
from kafka_nextgen.coordinator.classic.group import ClassicGroup, ClassicStatus
from kafka_nextgen.coordinator.classic.requests import Heartbeat
from kafka_nextgen.coordinator.classic.responses import HeartbeatAnswer
from kafka_nextgen.coordinator.draft import Draft, Outcome
from kafka_nextgen.coordinator.migration.heartbeat import member_heartbeat
from kafka_nextgen.coordinator.timers import TimerKind

__all__ = ["keep_session", "session_heartbeat"]


def session_heartbeat(draft: Draft, request: Heartbeat) -> Outcome:
    """Handle a heartbeat. The session is kept even if the answer is REBALANCE_IN_PROGRESS."""
    if draft.group.members:
        return member_heartbeat(draft, request)
    error = _refusal(draft.group.classic, request)
    if error is not ErrorCode.NONE:
        return Outcome(HeartbeatAnswer(error))
    keep_session(draft, request.member_id)
    preparing = draft.classic.is_in(ClassicStatus.PREPARING_REBALANCE)
    return draft.outcome(HeartbeatAnswer(ErrorCode.REBALANCE_IN_PROGRESS if preparing else ErrorCode.NONE))


def _refusal(group: ClassicGroup | None, request: Heartbeat) -> ErrorCode:
    if not request.group_id:
        return ErrorCode.INVALID_GROUP_ID
    if group is None or group.is_in(ClassicStatus.EMPTY):
        return ErrorCode.UNKNOWN_MEMBER_ID
    error = identity_error(group, request.member_id, request.instance_id)
    if error is ErrorCode.NONE and request.generation != group.generation:
        return ErrorCode.ILLEGAL_GENERATION
    return error


def keep_session(draft: Draft, member_id: str) -> None:
    """Restart a member's session timer."""
    draft.arm(TimerKind.SESSION, member_id, draft.classic.members[member_id].session_timeout_ms / 1000)
