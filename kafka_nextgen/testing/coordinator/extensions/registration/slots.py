"""Pre-registration: the slots a group keeps for expected instances, and the state derived from them.

A *slot* is kept for an instance id until it expires. The instance is *missing* until a member with that id is in the
group; that member *waits* until no instance is missing. A waiting member is not *counted*: it is in the group, at the
target's epoch, without partitions, and assignments leave it out (KIP-345, "Future Works": the server waits until all
have joined, and then rebalances once).

All of this is derived from the slots and the members, so nothing else has to be recorded.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from kafka_nextgen.groups.described import ExpectedInstance
from kafka_nextgen.groups.extensions.records import ExpectedMembers, ExpectedMembersRemoved, Slot
from kafka_nextgen.groups.records import GroupMetadata, MemberMetadata, TargetAssignmentMetadata
from kafka_nextgen.testing.coordinator.draft import Draft
from kafka_nextgen.testing.coordinator.extensions.state import SLOTS
from kafka_nextgen.testing.coordinator.group import Group
from kafka_nextgen.testing.coordinator.timers import TimerKind

__all__ = [
    "begin_epochs",
    "begin_group",
    "expected",
    "give_up_slots",
    "has_come",
    "is_member",
    "keep_slots",
    "knows_its_topics",
    "missing",
    "seats_kept",
    "waiting",
    "waits",
]


def waits(group: Group, member: MemberMetadata) -> bool:
    """Whether this member of the group waits for others."""
    return member.instance_id in SLOTS.of(group)


def waiting(group: Group) -> list[str]:
    """The members of a consumer group that wait for others."""
    return [group.instances[instance_id] for instance_id in SLOTS.of(group) if instance_id in group.instances]


def has_come(group: Group, instance_id: str) -> bool:
    """Whether a member has joined with this instance id, with either protocol."""
    return is_member(group, instance_id) or (group.classic is not None and instance_id in group.classic.held)


def is_member(group: Group, instance_id: str) -> bool:
    """Whether a member of the group has this instance id."""
    return instance_id in group.instances or (group.classic is not None and instance_id in group.classic.instances)


def expected(group: Group) -> tuple[ExpectedInstance, ...]:
    """The slots, as descriptions of the group show them."""
    return tuple(
        ExpectedInstance(slot.instance_id, slot.until_ms, has_come(group, slot.instance_id))
        for slot in SLOTS.of(group).values()
    )


def missing(group: Group) -> list[Slot]:
    """The slots of missing instances."""
    return [slot for instance_id, slot in SLOTS.of(group).items() if not has_come(group, instance_id)]


def seats_kept(group: Group, instance_id: str | None) -> int:
    """How many slots are kept for missing instances other than this one."""
    return sum(each != instance_id and not is_member(group, each) for each in SLOTS.of(group))


def knows_its_topics(group: Group, member_id: str) -> bool:
    """Whether the topics of the member are known: its pattern may not have been matched yet."""
    member = group.members[member_id]
    return member.subscribed_pattern is None or member.subscribed_pattern in group.patterns


def begin_group(draft: Draft) -> None:
    """Make an empty consumer group if the group id has no group, or only offsets."""
    group, classic = draft.group, draft.group.classic
    is_taken = classic is not None and bool(group.classic_record or classic.members or classic.pending)
    if not group.is_consumer_group and not is_taken:
        begin_epochs(draft)


def begin_epochs(draft: Draft) -> None:
    """Increase a new group's epochs to 1. Kafka before 4.3 begins with 0, which no joined member can have."""
    group = draft.group
    if not group.is_consumer_group or group.epoch == 0:
        draft.write(GroupMetadata(group.group_id, 1, group.metadata_hash))
        draft.write(TargetAssignmentMetadata(group.group_id, 1))


def keep_slots(draft: Draft, slots: Iterable[Slot]) -> None:
    """Replace the group's slots with these."""
    group, kept = draft.group, tuple(slots)
    if kept == tuple(SLOTS.of(group).values()):
        return
    draft.write(ExpectedMembers(group.group_id, kept) if kept else ExpectedMembersRemoved(group.group_id))
    if not kept:
        draft.cancel(TimerKind.EXPECTED)


def give_up_slots(draft: Draft, instance_ids: Collection[str | None]) -> None:
    """Remove the slots of these instances."""
    keep_slots(draft, [slot for slot in SLOTS.of(draft.group).values() if slot.instance_id not in instance_ids])
