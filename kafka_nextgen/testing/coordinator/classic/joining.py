"""JoinGroup: new members and members that join again (KIP-345, KIP-394, KIP-559, KIP-814).

A dynamic member that joins without an id gets one and has to join again with it (from version 4 on); until then it is
*pending*. A static one is added immediately, or replaces its instance's former holder (``static_members``). An added
member's JoinGroup is parked until the next generation. It sends no heartbeats yet, so the coordinator can't detect a
crash, and limits the wait.

A member that joins again:

| the group | the member | effect |
|---|---|---|
| PreparingRebalance | any | it has joined, and waits |
| CompletingRebalance | offers the same protocols | it gets this generation again: it may have missed the answer |
| Stable | follows, and offers the same protocols | it gets this generation |
| CompletingRebalance, Stable | offers other protocols, or leads (Stable) | the group rebalances |
"""

from __future__ import annotations

from attrs import evolve

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.groups.cause import Cause
from kafka_nextgen.testing.coordinator.classic.admission import (
    can_skip_assignment,
    has_room,
    has_to_come_with_id,
    identity_error,
    is_consistent,
    malformed_error,
)
from kafka_nextgen.testing.coordinator.classic.group import ClassicGroup, ClassicMember, ClassicStatus
from kafka_nextgen.testing.coordinator.classic.rebalance import joined, rebalance_or_complete_join
from kafka_nextgen.testing.coordinator.classic.recording import record_of
from kafka_nextgen.testing.coordinator.classic.requests import JoinGroup
from kafka_nextgen.testing.coordinator.classic.responses import JoinGroupAnswer
from kafka_nextgen.testing.coordinator.classic.static_members import replace_instance
from kafka_nextgen.testing.coordinator.draft import Draft, Outcome
from kafka_nextgen.testing.coordinator.migration.joining import join_consumer_group
from kafka_nextgen.testing.coordinator.reasons import cause_of_joining_again
from kafka_nextgen.testing.coordinator.removal import write_group_removal
from kafka_nextgen.testing.coordinator.timers import TimerKind
from kafka_nextgen.types import RebalanceReason

__all__ = ["add_member", "join_group"]

#: How long a new member's first join may be parked before the member is removed.
_NEW_MEMBER_TIMEOUT_S = 300.0


def join_group(draft: Draft, request: JoinGroup) -> Outcome:
    """Handle a JoinGroup; the answer may be ``Parked``."""
    request = draft.hooks.understand(request, draft.settings)
    if error := malformed_error(request, draft.settings):
        return Outcome(JoinGroupAnswer(error, request.member_id))
    if draft.group.members:
        return join_consumer_group(draft, request)
    if error := _find_or_make(draft, request):
        return Outcome(JoinGroupAnswer(error, request.member_id))
    kept = draft.hooks.seats_kept(draft.group, request.instance_id)
    if not has_room(draft.classic, request.member_id, draft.settings, kept):
        draft.group.classic = draft.classic.without(request.member_id)
        draft.cancel(TimerKind.SESSION, request.member_id)
        return draft.outcome(JoinGroupAnswer(ErrorCode.GROUP_MAX_SIZE_REACHED))
    if not is_consistent(draft.classic, request):
        return draft.outcome(JoinGroupAnswer(ErrorCode.INCONSISTENT_GROUP_PROTOCOL, request.member_id))
    if request.member_id:
        return _join_by_id(draft, request)
    return _join_without_id(draft, request)


def _find_or_make(draft: Draft, request: JoinGroup) -> ErrorCode:
    """A member that joins without an id creates the group, even in place of an empty consumer group."""
    group = draft.group
    if group.classic is not None:
        return ErrorCode.NONE
    if request.member_id:
        return ErrorCode.UNKNOWN_MEMBER_ID
    if group.is_consumer_group:
        write_group_removal(draft)
    draft.write(record_of(ClassicGroup(group.group_id), draft.now_ms))
    return ErrorCode.NONE


def _join_without_id(draft: Draft, request: JoinGroup) -> Outcome:
    if has_to_come_with_id(request):
        draft.group.classic = evolve(draft.classic, pending=draft.classic.pending | {request.new_member_id})
        draft.arm(TimerKind.SESSION, request.new_member_id, request.session_timeout_ms / 1000)
        return draft.outcome(JoinGroupAnswer(ErrorCode.MEMBER_ID_REQUIRED, request.new_member_id))
    if draft.classic.holder_of(request.instance_id) is not None:
        replace_instance(draft, request)
    elif not draft.hooks.hold_join(draft, request):
        _add(draft, request, request.new_member_id)
    return draft.answered(request.number)


def _join_by_id(draft: Draft, request: JoinGroup) -> Outcome:
    if request.member_id in draft.classic.pending:
        _add(draft, request, request.member_id)
        return draft.answered(request.number)
    if error := identity_error(draft.classic, request.member_id, request.instance_id):
        return draft.outcome(JoinGroupAnswer(error, request.member_id))
    return _join_again(draft, request)


def _add(draft: Draft, request: JoinGroup, member_id: str) -> None:
    add_member(draft, request, member_id)
    cause = Cause(RebalanceReason.MEMBER_JOINED, member_id, request.instance_id, text=request.reason or "")
    rebalance_or_complete_join(draft, draft.hooks.with_statement(draft, cause, request.join_reason))


def add_member(draft: Draft, request: JoinGroup, member_id: str) -> None:
    """Add a new member. The caller makes the group rebalance."""
    member = ClassicMember(
        member_id=member_id,
        instance_id=request.instance_id,
        client_id=request.client_id,
        client_host=request.client_host,
        rebalance_timeout_ms=request.rebalance_timeout_ms,
        session_timeout_ms=request.session_timeout_ms,
        protocols=request.protocols,
        is_new=True,
        join=request.number,
    )
    group = draft.classic
    if group.initial_wait is not None:
        group = evolve(group, initial_wait=evolve(group.initial_wait, has_new_member=True))
    if not group.members:
        group = evolve(group, protocol_type=request.protocol_type)
    draft.group.classic = group.with_member(member)
    draft.arm(TimerKind.SESSION, member_id, _NEW_MEMBER_TIMEOUT_S)


def _join_again(draft: Draft, request: JoinGroup) -> Outcome:
    group = draft.classic
    member = group.members[request.member_id]
    leads = group.leader_id == member.member_id
    if member.protocols == request.protocols and not _wants_rebalance(draft, request):
        skips = leads and group.is_in(ClassicStatus.STABLE) and can_skip_assignment(request)
        return draft.outcome(evolve(joined(group, member, tells_members=leads), skip_assignment=skips))
    cause = cause_of_joining_again(draft, member, request)
    if member.join is not None:
        draft.release(member.join, None)
    rejoined = evolve(
        member,
        protocols=request.protocols,
        rebalance_timeout_ms=request.rebalance_timeout_ms,
        session_timeout_ms=request.session_timeout_ms,
        join=request.number,
    )
    draft.group.classic = group.with_member(rejoined)
    rebalance_or_complete_join(draft, cause)
    return draft.answered(request.number)


def _wants_rebalance(draft: Draft, request: JoinGroup) -> bool:
    """Whether a member with unchanged protocols starts a rebalance, or joins one in preparation."""
    group = draft.classic
    if not group.is_in(ClassicStatus.STABLE):
        return not group.is_in(ClassicStatus.COMPLETING_REBALANCE)
    leads = group.leader_id == request.member_id
    return draft.hooks.wants_rebalance(request.join_reason, leads)
