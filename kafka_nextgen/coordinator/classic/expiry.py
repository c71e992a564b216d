"""What happens when the timers of a classic group run out.

| timer | of | what follows |
|---|---|---|
| SESSION | a pending member | it is forgotten |
| SESSION | a member whose request is parked, and that is not new | nothing: it was told to wait |
| SESSION | another member | it is out, and the group rebalances |
| JOIN | the group | the initial wait, or the join phase, is over (``rebalance``) |
| SYNC | the group | who has not asked for its part is out, be it static, and the group rebalances |
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
    """Do what a timer of a classic group was set for."""
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
        complete_join_if_all_are_here(draft)  # one that never came with its id can only have been waited for
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
    """Give every member all of its session, after a fail-over."""
    for member in draft.classic.in_order():
        draft.arm(TimerKind.SESSION, member.member_id, member.session_timeout_ms / 1000)
