"""Pre-registration: which places a group keeps, and what there has to be of a group that keeps some."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from kafka_nextgen.coordinator.draft import Draft
from kafka_nextgen.coordinator.extensions.records import ExpectedMembers, ExpectedMembersRemoved, Place
from kafka_nextgen.coordinator.records import GroupMetadata, TargetAssignmentMetadata
from kafka_nextgen.coordinator.timers import TimerKind

__all__ = ["begin_epochs", "begin_group", "give_up_places", "keep_places"]


def begin_group(draft: Draft) -> None:
    """Make an empty consumer group if there is none under the name, or offsets alone."""
    group, classic = draft.group, draft.group.classic
    is_taken = classic is not None and bool(group.classic_record or classic.members or classic.pending)
    if not group.is_consumer_group and not is_taken:
        begin_epochs(draft)


def begin_epochs(draft: Draft) -> None:
    """Give a new group epochs that its members can be at. Kafka before 4.3 begins with 0, at which nobody can be."""
    group = draft.group
    if not group.is_consumer_group or group.epoch == 0:
        draft.write(GroupMetadata(group.group_id, 1, group.metadata_hash))
        draft.write(TargetAssignmentMetadata(group.group_id, 1))


def keep_places(draft: Draft, places: Iterable[Place]) -> None:
    """Let the group keep these places and no others."""
    group, kept = draft.group, tuple(places)
    if kept == tuple(group.places.values()):
        return
    draft.write(ExpectedMembers(group.group_id, kept) if kept else ExpectedMembersRemoved(group.group_id))
    if not kept:
        draft.cancel(TimerKind.EXPECTED)


def give_up_places(draft: Draft, instance_ids: Collection[str | None]) -> None:
    """Expect these instances no more."""
    keep_places(draft, [place for place in draft.group.places.values() if place.instance_id not in instance_ids])
