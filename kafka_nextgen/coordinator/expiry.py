"""Handle expired timers. All expired timers of one group make one outcome."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from kafka_nextgen.coordinator.cause import Cause
from kafka_nextgen.coordinator.classic.expiry import ring_classic
from kafka_nextgen.coordinator.draft import Draft
from kafka_nextgen.coordinator.regex import match_patterns
from kafka_nextgen.coordinator.removal import remove_members
from kafka_nextgen.coordinator.requests import sees_everything
from kafka_nextgen.coordinator.timers import Arm, TimerKind
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
            ring_classic(draft, timer)
        else:
            _RING[timer.key.kind](draft, timer)


def _give_up(draft: Draft, timer: Arm) -> None:
    """Remove a member whose session ended (KIP-848, "Group Coordinator"): one that was silent too long or never came
    back from a temporary leave, or a classic one that sent no JoinGroup or SyncGroup in time.
    """
    draft.cancel(timer.key.kind, timer.key.member_id)
    if timer.key.member_id in draft.group.members:
        _remove(draft, timer)


def _give_up_waiting(draft: Draft, timer: Arm) -> None:
    """Remove a member that did not revoke in time. At another epoch it has revoked, and stays."""
    draft.cancel(TimerKind.REBALANCE, timer.key.member_id)
    is_member = timer.key.member_id in draft.group.members
    if is_member and draft.group.current(timer.key.member_id).member_epoch == timer.member_epoch:
        _remove(draft, timer)


def _remove(draft: Draft, timer: Arm) -> None:
    member_id = timer.key.member_id
    reason, text = _CAUSES[timer.key.kind]
    cause = Cause(reason, member_id, draft.group.members[member_id].instance_id, text=text)
    remove_members(draft, [member_id], cause)


def _match(draft: Draft, timer: Arm) -> None:
    match_patterns(draft, timer.may_see or sees_everything)


_CAUSES: Mapping[TimerKind, tuple[RebalanceReason, str]] = {
    TimerKind.SESSION: (RebalanceReason.MEMBER_EXPIRED, "its session timeout is over"),
    TimerKind.REBALANCE: (RebalanceReason.MEMBER_FENCED, "it did not give up its partitions in time"),
    TimerKind.JOIN: (RebalanceReason.MEMBER_FENCED, "it did not join again in time"),
    TimerKind.SYNC: (RebalanceReason.MEMBER_FENCED, "it did not ask for its assignment in time"),
}

_RING: Mapping[TimerKind, Callable[[Draft, Arm], None]] = {
    TimerKind.SESSION: _give_up,
    TimerKind.REBALANCE: _give_up_waiting,
    TimerKind.PATTERN: _match,
    TimerKind.JOIN: _give_up,
    TimerKind.SYNC: _give_up,
}
