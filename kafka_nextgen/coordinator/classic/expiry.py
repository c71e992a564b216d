"""Handle the expired timers of a classic group.

| timer | of | effect |
|---|---|---|
| SESSION | a pending member | it is removed |
| SESSION | a member whose request is parked, and that is not new | none: it can't send heartbeats |
| SESSION | another member | it is removed, and the group rebalances |
| JOIN | the group | the initial wait, or the join phase, is over (``rebalance``) |
| SYNC | the group | members without a SyncGroup, even static ones, are removed, and the group rebalances |
"""

from __future__ import annotations

from kafka_nextgen.coordinator.cause import Cause
from kafka_nextgen.coordinator.classic.group import ClassicStatus
from kafka_nextgen.coordinator.classic.leaving import go_on_without, put_out
from kafka_nextgen.coordinator.classic.rebalance import complete_join, complete_join_if_all_are_here, wait_for_company
from kafka_nextgen.coordinator.draft import Draft
from kafka_nextgen.coordinator.timers import Arm, TimerKind
from kafka_nextgen.types import RebalanceReason

__all__ = ["restart_sessions", "ring_classic"]


def ring_classic(draft: Draft, timer: Arm) -> None:
    """Handle an expired timer of a classic group."""
    draft.cancel(timer.key.kind, timer.key.member_id)
    if timer.key.kind is TimerKind.SESSION:
        _end_session(draft, timer.key.member_id)
    elif timer.key.kind is TimerKind.JOIN:
        _end_join_phase(draft)
    elif timer.key.kind is TimerKind.SYNC:
        _end_sync_phase(draft)


def _end_session(draft: Draft, member_id: str) -> None:
    group = draft.classic
    member = group.members.get(member_id)
    if member_id in group.pending:
        put_out(draft, member_id)
        complete_join_if_all_are_here(draft)  # the group may have waited only for this pending member
    elif member is not None and (member.is_new or not member.is_parked):
        put_out(draft, member_id)
        text = "its session timeout is over"
        go_on_without(draft, Cause(RebalanceReason.MEMBER_EXPIRED, member_id, member.instance_id, text=text))


def _end_join_phase(draft: Draft) -> None:
    wait = draft.classic.initial_wait
    if wait is not None:
        wait_for_company(draft, wait)
    elif draft.classic.is_in(ClassicStatus.PREPARING_REBALANCE):
        complete_join(draft)
    draft.hooks.let_in_if_alone(draft)


def _end_sync_phase(draft: Draft) -> None:
    late = [member for member in draft.classic.in_order() if member.owes_sync]
    for member in late:
        put_out(draft, member.member_id)
    if late:
        text = f"{', '.join(member.member_id for member in late)} did not ask for the assignment in time"
        go_on_without(draft, Cause(RebalanceReason.MEMBER_FENCED, late[0].member_id, late[0].instance_id, text=text))


def restart_sessions(draft: Draft) -> None:
    """Restart every member's session timer, after a fail-over."""
    for member in draft.classic.in_order():
        draft.arm(TimerKind.SESSION, member.member_id, member.session_timeout_ms / 1000)
