"""Heartbeat: keep a member's session, and tell it whether it has to join again."""

from __future__ import annotations

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.coordinator.classic.admission import generation_error
from kafka_nextgen.coordinator.classic.group import ClassicStatus
from kafka_nextgen.coordinator.classic.requests import Heartbeat
from kafka_nextgen.coordinator.classic.responses import HeartbeatAnswer
from kafka_nextgen.coordinator.draft import Draft, Outcome
from kafka_nextgen.coordinator.migration.classic_members import member_heartbeat
from kafka_nextgen.coordinator.timers import TimerKind

__all__ = ["keep_session", "session_heartbeat"]


def session_heartbeat(draft: Draft, request: Heartbeat) -> Outcome:
    """Handle a heartbeat. The session is kept even if the answer is REBALANCE_IN_PROGRESS."""
    if draft.group.members:
        return member_heartbeat(draft, request)
    if error := generation_error(draft.group.classic, request):
        return Outcome(HeartbeatAnswer(error))
    keep_session(draft, request.member_id)
    preparing = draft.classic.is_in(ClassicStatus.PREPARING_REBALANCE)
    return draft.outcome(HeartbeatAnswer(ErrorCode.REBALANCE_IN_PROGRESS if preparing else ErrorCode.NONE))


def keep_session(draft: Draft, member_id: str) -> None:
    """Restart a member's session timer."""
    draft.arm(TimerKind.SESSION, member_id, draft.classic.members[member_id].session_timeout_ms / 1000)
