"""Remove a member from its group: because it left, its session ended, or it did not revoke in time.

All its records are removed, so its partitions are free at once. The group epoch rises once for all removed members if
any of them counted for assignments; the next heartbeat of another member makes the new target (KIP-848, "Group Epoch -
Trigger a rebalance"). If only members of the classic protocol are left, they become a classic group.
"""

from __future__ import annotations

from collections.abc import Collection

from kafka_nextgen.coordinator import records as r
from kafka_nextgen.coordinator.cause import Cause
from kafka_nextgen.coordinator.draft import Draft
from kafka_nextgen.coordinator.migration.downgrade import downgrade_without, downgrades_without
from kafka_nextgen.coordinator.subscriptions import advance_epoch, forget_pattern_if_unused
from kafka_nextgen.coordinator.timers import TimerKind

__all__ = ["remove_members", "write_removal"]


def remove_members(draft: Draft, member_ids: Collection[str], cause: Cause, *, for_good: bool = False) -> None:
    """Remove members and raise the epoch once. ``for_good`` if they, or an administrator, asked for it."""
    going = [draft.group.members[member_id] for member_id in member_ids]
    waiting = draft.hooks.members_waiting(draft.group)
    counted = any(member.member_id not in waiting for member in going)
    if for_good:
        draft.hooks.members_leaving(draft, going)
    if downgrades_without(draft.group, member_ids, draft.settings):
        downgrade_without(draft, member_ids, cause)
        draft.hooks.settle(draft)
        return
    cause = draft.hooks.members_removed(draft, going, cause)
    for member in going:
        write_removal(draft, member.member_id)
        forget_pattern_if_unused(draft, member.subscribed_pattern)
    if counted:
        draft.hooks.let_in_if_alone(draft)
    advance_epoch(draft, cause if counted else None)
    draft.hooks.settle(draft)


def write_removal(draft: Draft, member_id: str) -> None:
    """Remove every record of the member, and stop its timers."""
    group_id = draft.group.group_id
    draft.write(r.CurrentMemberAssignmentRemoved(group_id, member_id))
    draft.write(r.TargetAssignmentMemberRemoved(group_id, member_id))
    draft.write(r.MemberMetadataRemoved(group_id, member_id))
    draft.hooks.member_gone(draft, member_id)
    for kind in (TimerKind.SESSION, TimerKind.REBALANCE, TimerKind.JOIN, TimerKind.SYNC):
        draft.cancel(kind, member_id)
