"""From one protocol to the other, for groups that nobody is in: always allowed (KIP-848, "Compatibility, Deprecation,
and Migration Plan").

A name has one group at a time. When somebody comes by the other protocol, the empty group is taken back, and a new one
begins. Offsets belong to the name, and stay. A classic group whose last member left while it waited for company is in
no hurry to call itself Empty; nobody is in it all the same.
"""

from __future__ import annotations

from kafka_nextgen.coordinator import records as r
from kafka_nextgen.coordinator.draft import Draft
from kafka_nextgen.coordinator.group import Group
from kafka_nextgen.coordinator.timers import TimerKind

__all__ = ["clear_for_classic", "is_taken_by_classic", "write_group_removal"]


def is_taken_by_classic(group: Group) -> bool:
    """Whether the name belongs to a classic group that somebody is in."""
    return group.classic is not None and bool(group.classic.members)


def clear_for_classic(draft: Draft) -> None:
    """Make room for a classic group where an empty consumer group is."""
    if draft.group.is_consumer_group:
        write_group_removal(draft)


def write_group_removal(draft: Draft) -> None:
    """Take back the group, but for its offsets, and for the members that a consumer group may have."""
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
