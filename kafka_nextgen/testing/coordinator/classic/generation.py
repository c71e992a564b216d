"""Heartbeat and SyncGroup: the members of a generation.

A heartbeat keeps the member's session alive, and the answer says whether the member has to join again.

In its SyncGroup the leader sends the assignment, and the others wait for it. The assignment is recorded, empty for
members that the leader left out; then the group is stable, and all parked SyncGroups are answered. Later ones get the
recorded assignment. A member, even a static one, that sends no SyncGroup within another rebalance timeout is removed
(``expiry``).
"""

from __future__ import annotations

from attrs import evolve

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.testing.coordinator.classic.admission import generation_error
from kafka_nextgen.testing.coordinator.classic.group import ClassicGroup, ClassicMember, ClassicStatus
from kafka_nextgen.testing.coordinator.classic.recording import record_of
from kafka_nextgen.testing.coordinator.classic.requests import Heartbeat, SyncGroup
from kafka_nextgen.testing.coordinator.classic.responses import HeartbeatAnswer, SyncGroupAnswer
from kafka_nextgen.testing.coordinator.draft import Draft, Outcome
from kafka_nextgen.testing.coordinator.migration.classic_members import member_heartbeat, member_sync
from kafka_nextgen.testing.coordinator.timers import TimerKind

__all__ = ["keep_session", "session_heartbeat", "sync_group"]


def session_heartbeat(draft: Draft, request: Heartbeat) -> Outcome:
    """Handle a heartbeat. The session is kept alive even if the answer is REBALANCE_IN_PROGRESS."""
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


def sync_group(draft: Draft, request: SyncGroup) -> Outcome:
    """Handle a SyncGroup; the answer may be ``Parked``."""
    if draft.group.members:
        return member_sync(draft, request)
    if error := _refusal(draft, request):
        return Outcome(SyncGroupAnswer(error))
    group = draft.classic
    member = evolve(group.members[request.member_id], owes_sync=False)
    if group.is_in(ClassicStatus.STABLE):
        draft.group.classic = group.with_member(member)
        _stop_waiting_if_all_asked(draft)
        draft.arm(TimerKind.SESSION, member.member_id, member.session_timeout_ms / 1000)
        return draft.outcome(_answer(draft.classic, member))
    if member.sync is not None:
        draft.release(member.sync, None)
    draft.group.classic = group.with_member(evolve(member, sync=request.number))
    if group.leader_id == member.member_id:
        _assign(draft, dict(request.assignments))
    _stop_waiting_if_all_asked(draft)
    return draft.answered(request.number)


def _refusal(draft: Draft, request: SyncGroup) -> ErrorCode:
    if error := generation_error(draft.group.classic, request):
        return error
    group = draft.classic
    if request.protocol_type not in (None, group.protocol_type) or request.protocol_name not in (None, group.protocol):
        return ErrorCode.INCONSISTENT_GROUP_PROTOCOL
    return ErrorCode.REBALANCE_IN_PROGRESS if group.is_in(ClassicStatus.PREPARING_REBALANCE) else ErrorCode.NONE


def _assign(draft: Draft, assignments: dict[str, bytes]) -> None:
    """Record the leader's assignment, and answer all parked SyncGroups."""
    parts = [evolve(m, assignment=assignments.get(m.member_id, b"")) for m in draft.classic.in_order()]
    draft.write(record_of(draft.classic.with_member(*parts), draft.now_ms))
    draft.hooks.assignment_made(draft)
    group = draft.classic
    for member in group.in_order():
        if member.sync is not None:
            draft.release(member.sync, _answer(group, member))
            draft.arm(TimerKind.SESSION, member.member_id, member.session_timeout_ms / 1000)
    draft.group.classic = group.with_member(*(evolve(member, sync=None) for member in group.in_order()))


def _stop_waiting_if_all_asked(draft: Draft) -> None:
    if not any(member.owes_sync for member in draft.classic.in_order()):
        draft.cancel(TimerKind.SYNC)


def _answer(group: ClassicGroup, member: ClassicMember) -> SyncGroupAnswer:
    return SyncGroupAnswer(
        protocol_type=group.protocol_type, protocol_name=group.protocol, assignment=member.assignment
    )
