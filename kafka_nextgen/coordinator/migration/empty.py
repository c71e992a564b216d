"""Conversion of empty groups to the other protocol: always allowed (KIP-848, "Compatibility, Deprecation, and
Migration Plan").

A group id has one group at a time. When a member joins by the other protocol, the empty group is removed and a new one
is made. Offsets belong to the group id, and stay. A classic group whose last member left during the initial delay is
not in state Empty yet, but counts as empty here.
"""

from __future__ import annotations

from kafka_nextgen.coordinator import records as r
from kafka_nextgen.coordinator.draft import Draft
from kafka_nextgen.coordinator.group import Group
from kafka_nextgen.coordinator.timers import TimerKind

__all__ = ["clear_for_classic", "is_taken_by_classic", "write_group_removal"]


def is_taken_by_classic(group: Group) -> bool:
    """Whether the group id belongs to a classic group with members."""
    return group.classic is not None and bool(group.classic.members)


def clear_for_classic(draft: Draft) -> None:
    """Remove an empty consumer group, to make room for a classic group."""
    if draft.group.is_consumer_group:
        write_group_removal(draft)


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
