"""Handle expired timers. All expired timers of one group make one outcome.

In a classic group:

| timer | of | effect |
|---|---|---|
| SESSION | a pending member | it is removed |
| SESSION | a member whose request is parked, and that is not new | none: it can't send heartbeats |
| SESSION | another member | it is removed, and the group rebalances |
| JOIN | the group | the initial wait, or the join phase, ends (``classic.rebalance``) |
| SYNC | the group | members without a SyncGroup, even static ones, are removed, and the group rebalances |
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from kafka_nextgen.groups.cause import Cause
from kafka_nextgen.testing.coordinator.classic.group import ClassicStatus
from kafka_nextgen.testing.coordinator.classic.leaving import continue_without, remove_member
from kafka_nextgen.testing.coordinator.classic.rebalance import (
    complete_join,
    complete_join_if_all_joined,
    extend_initial_wait,
)
from kafka_nextgen.testing.coordinator.draft import Draft
from kafka_nextgen.testing.coordinator.regex import match_patterns
from kafka_nextgen.testing.coordinator.removal import remove_members
from kafka_nextgen.testing.coordinator.timers import Arm, TimerKind
from kafka_nextgen.types import RebalanceReason

__all__ = ["ring"]


def ring(draft: Draft, due: Iterable[Arm]) -> None:
    """Handle these expired timers of the draft's group."""
    began_classic = draft.group.classic is not None
    for timer in due:
        if (draft.group.classic is not None) is not began_classic:
            return  # the removal may have converted the group, and with it its timers
        if timer.key.kind in draft.hooks.timers:
            draft.hooks.ring(draft, timer)
        elif began_classic:
            draft.cancel(timer.key.kind, timer.key.member_id)
            _RING_CLASSIC[timer.key.kind](draft, timer.key.member_id)
        else:
            _RING[timer.key.kind](draft, timer)


def _give_up(draft: Draft, timer: Arm) -> None:
    """Remove a member whose session ended (KIP-848, "Group Coordinator"): one that sent no heartbeat for too long, one
    that left temporarily and did not return, or a classic one that sent no JoinGroup or SyncGroup in time.
    """
    draft.cancel(timer.key.kind, timer.key.member_id)
    if timer.key.member_id in draft.group.members:
        _remove(draft, timer)


def _give_up_waiting(draft: Draft, timer: Arm) -> None:
    """Remove a member that did not revoke in time. If its epoch has changed since, it has revoked, and stays."""
    draft.cancel(TimerKind.REBALANCE, timer.key.member_id)
    is_member = timer.key.member_id in draft.group.members
    if is_member and draft.group.current(timer.key.member_id).member_epoch == timer.member_epoch:
        _remove(draft, timer)


def _remove(draft: Draft, timer: Arm) -> None:
    member_id = timer.key.member_id
    reason, text = _CAUSES[timer.key.kind]
    cause = Cause(reason, member_id, draft.group.members[member_id].instance_id, text=text)
    remove_members(draft, [member_id], cause)


def _end_session(draft: Draft, member_id: str) -> None:
    group = draft.classic
    member = group.members.get(member_id)
    if member_id in group.pending:
        remove_member(draft, member_id)
        complete_join_if_all_joined(draft)  # the group may have waited only for this pending member
    elif member is not None and (member.is_new or not member.is_parked):
        remove_member(draft, member_id)
        text = "its session timed out"
        cause = Cause(RebalanceReason.MEMBER_EXPIRED, member_id, member.instance_id, text=text)
        continue_without(draft, [member], cause)


def _end_join_phase(draft: Draft, _: str) -> None:
    wait = draft.classic.initial_wait
    if wait is not None:
        extend_initial_wait(draft, wait)
    elif draft.classic.is_in(ClassicStatus.PREPARING_REBALANCE):
        complete_join(draft)
    draft.hooks.let_in_if_alone(draft)


def _end_sync_phase(draft: Draft, _: str) -> None:
    late = [member for member in draft.classic.in_order() if member.owes_sync]
    for member in late:
        remove_member(draft, member.member_id)
    if late:
        text = f"{', '.join(member.member_id for member in late)} did not request the assignment in time"
        cause = Cause(RebalanceReason.MEMBER_FENCED, late[0].member_id, late[0].instance_id, text=text)
        continue_without(draft, late, cause)


_CAUSES: Mapping[TimerKind, tuple[RebalanceReason, str]] = {
    TimerKind.SESSION: (RebalanceReason.MEMBER_EXPIRED, "its session timed out"),
    TimerKind.REBALANCE: (RebalanceReason.MEMBER_FENCED, "it did not give up its partitions in time"),
    TimerKind.JOIN: (RebalanceReason.MEMBER_FENCED, "it did not join again in time"),
    TimerKind.SYNC: (RebalanceReason.MEMBER_FENCED, "it did not request its assignment in time"),
}

_RING: Mapping[TimerKind, Callable[[Draft, Arm], None]] = {
    TimerKind.SESSION: _give_up,
    TimerKind.REBALANCE: _give_up_waiting,
    TimerKind.PATTERN: match_patterns,
    TimerKind.JOIN: _give_up,
    TimerKind.SYNC: _give_up,
}

_RING_CLASSIC: Mapping[TimerKind, Callable[[Draft, str], None]] = {
    TimerKind.SESSION: _end_session,
    TimerKind.JOIN: _end_join_phase,
    TimerKind.SYNC: _end_sync_phase,
}
