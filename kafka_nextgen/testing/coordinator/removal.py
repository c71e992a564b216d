"""Remove a member from its group, because it left, its session ended, or it did not revoke in time; and remove a group.

With a heartbeat at epoch -1 a member leaves permanently, and at epoch -2 temporarily. It is accepted at any member
epoch. A static member's -1 is permanent as well (KIP-1092). The answer repeats the epoch and requests no further
heartbeat.

A removed member's records are all removed, so its partitions are free immediately. The group epoch rises once for all
removed members if any of them counted for assignments; the next heartbeat of another member makes the new target
(KIP-848, "Group Epoch - Trigger a rebalance"). If only members of the classic protocol are left, they become a classic
group.

A group id has one group at a time. When a member joins an empty group with the other protocol, that group is removed
and a new one is made, which is always allowed (KIP-848, "Compatibility, Deprecation, and Migration Plan"). Offsets
belong to the group id, and are kept.
"""

from __future__ import annotations

from collections.abc import Collection

from attrs import evolve

from kafka_nextgen.groups import records as r
from kafka_nextgen.groups.cause import Cause
from kafka_nextgen.testing.coordinator.admission import LEAVE_TEMPORARILY, refuse_leave
from kafka_nextgen.testing.coordinator.draft import Draft, Outcome
from kafka_nextgen.testing.coordinator.migration.downgrade import downgrade_without, downgrades_without
from kafka_nextgen.testing.coordinator.requests import ConsumerGroupHeartbeat
from kafka_nextgen.testing.coordinator.responses import ConsumerGroupHeartbeatAnswer
from kafka_nextgen.testing.coordinator.subscriptions import advance_epoch, forget_pattern_if_unused
from kafka_nextgen.testing.coordinator.timers import TimerKind
from kafka_nextgen.types import RebalanceReason

__all__ = ["leave", "remove_members", "write_group_removal", "write_removal"]


def leave(draft: Draft, request: ConsumerGroupHeartbeat) -> Outcome:
    """Handle the heartbeat of a member that leaves."""
    if refusal := refuse_leave(request, draft.group, draft.settings):
        return draft.refused(refusal)
    if request.member_epoch == LEAVE_TEMPORARILY:
        _leave_temporarily(draft, request.member_id)
    else:
        cause = Cause(RebalanceReason.MEMBER_LEFT, request.member_id, request.instance_id)
        remove_members(draft, [request.member_id], cause, for_good=True)
    return draft.outcome(ConsumerGroupHeartbeatAnswer(member_id=request.member_id, member_epoch=request.member_epoch))


def _leave_temporarily(draft: Draft, member_id: str) -> None:
    """Keep the member's place. The member has closed, so its pending revocations are done, and its partitions are
    treated as granted at an epoch before all others. The session timer keeps running; the rebalance timer stops.
    """
    current = draft.group.current(member_id)
    gone = evolve(
        current,
        member_epoch=LEAVE_TEMPORARILY,
        previous_member_epoch=current.member_epoch,
        assigned=tuple((partition, 0) for partition, _ in current.assigned),
        pending_revocation=(),
    )
    if current.member_epoch != LEAVE_TEMPORARILY:
        draft.write(gone)
        draft.hooks.member_gone(draft, member_id)
        draft.cancel(TimerKind.REBALANCE, member_id)
        draft.hooks.member_absent(draft, draft.group.members[member_id])


def remove_members(draft: Draft, member_ids: Collection[str], cause: Cause, *, for_good: bool = False) -> None:
    """Remove members and raise the epoch once. ``for_good``: they, or an administrator, requested it."""
    going = [draft.group.members[member_id] for member_id in member_ids]
    waiting = draft.hooks.members_waiting(draft.group)
    counted = any(member.member_id not in waiting for member in going)
    downgrades = downgrades_without(draft.group, member_ids, draft.settings)
    epoch_cause = cause if counted else None
    if not downgrades:
        epoch_cause = draft.hooks.members_removed(draft, going, epoch_cause)
    if for_good:
        draft.hooks.members_leaving(draft, going)
    if downgrades:
        downgrade_without(draft, member_ids, cause)
        draft.hooks.settle(draft)
        return
    for member in going:
        write_removal(draft, member.member_id)
        forget_pattern_if_unused(draft, member.subscribed_pattern)
    if counted:
        draft.hooks.let_in_if_alone(draft)
    advance_epoch(draft, epoch_cause)
    if not draft.group.members:
        _assign_nothing(draft)
    draft.hooks.settle(draft)


def _assign_nothing(draft: Draft) -> None:
    """A group without members has nothing left to assign. The next member's target is due immediately."""
    group = draft.group
    if draft.settings.behaviour.emptied_group_is_assigned and group.assignment_epoch < group.epoch:
        draft.write(r.TargetAssignmentMetadata(group.group_id, group.epoch))


def write_removal(draft: Draft, member_id: str) -> None:
    """Remove every record of the member, and stop its timers."""
    group_id = draft.group.group_id
    draft.write(r.CurrentMemberAssignmentRemoved(group_id, member_id))
    draft.write(r.TargetAssignmentMemberRemoved(group_id, member_id))
    draft.write(r.MemberMetadataRemoved(group_id, member_id))
    draft.hooks.member_gone(draft, member_id)
    for kind in (TimerKind.SESSION, TimerKind.REBALANCE, TimerKind.JOIN, TimerKind.SYNC):
        draft.cancel(kind, member_id)


def write_group_removal(draft: Draft) -> None:
    """Remove the group's own records, but not its offsets or a consumer group's members."""
    group = draft.group
    if group.classic is not None:
        for member_id in group.classic.pending:
            draft.cancel(TimerKind.SESSION, member_id)
        draft.cancel(TimerKind.JOIN)
        draft.write(r.ClassicGroupMetadataRemoved(group.group_id))
    if group.is_consumer_group:
        draft.hooks.group_ended(draft)
        draft.write(r.TargetAssignmentMetadataRemoved(group.group_id))
        draft.write(r.GroupMetadataRemoved(group.group_id))
        draft.cancel(TimerKind.PATTERN)
