"""Bugs in what is written to the log, read from it, and made of it: state that is there until the next fail-over."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from kafka_nextgen.groups import records as r
from kafka_nextgen.offsets_topic.extensions import MEMBER, TARGET, TARGET_SHARE
from kafka_nextgen.offsets_topic.kinds import CURRENT, GROUP, OFFSET, PATTERN, RecordKind
from kafka_nextgen.testing.coordinator import applying
from tests.verification.simulation.mutants.planting import Garden, Plant, nothing


def _blank(kind: RecordKind, **fields: Any) -> Plant:
    """Write this kind without some of its fields."""
    return lambda garden: garden.put_kind(kind, to_value=lambda record: kind.to_value(record).replaced(**fields))


def _without_epochs(record: r.CurrentMemberAssignment) -> Any:
    value: Any = CURRENT.to_value(record)
    return value.replaced(
        assigned_partitions=[topic.replaced(assignment_epochs=None) for topic in value.assigned_partitions],
        partitions_pending_revocation=[
            topic.replaced(assignment_epochs=None) for topic in value.partitions_pending_revocation
        ],
    )


def _ignores(kind: type) -> Plant:
    return lambda garden: garden.put(applying._APPLY, kind, nothing)


def _ignores_when_read(kind: RecordKind, instead: Callable[[Any], r.Record]) -> Plant:
    return lambda garden: garden.put_kind(kind, removed_from=instead)


def _releases_what_is_anothers(garden: Garden) -> None:
    def release(group: Any, member_id: str, keeping: Any) -> None:
        known = group.currents.pop(member_id, None)
        for partition, _ in () if known is None else known.assigned + known.pending_revocation:
            if partition not in keeping:
                group.owners.pop(partition, None)

    garden.set(applying, "_release", release)


def _keeps_instances(garden: Garden) -> None:
    def forget(group: Any, member_id: str) -> None:
        known = group.members.pop(member_id, None)
        if known is not None:
            applying._count_member(group, known, -1)

    garden.set(applying, "_forget_member", forget)


def _counts_members_twice(garden: Garden) -> None:
    """A member that says something new is counted as another one."""

    def member_metadata(group: Any, record: r.MemberMetadata) -> None:
        group.is_consumer_group = True
        group.members[record.member_id] = record
        if record.instance_id is not None:
            group.instances[record.instance_id] = record.member_id
        applying._count_member(group, record, +1)

    garden.put(applying._APPLY, r.MemberMetadata, member_metadata)


def _resets_the_epoch(garden: Garden) -> None:
    def target_metadata(group: Any, record: r.TargetAssignmentMetadata) -> None:
        group.is_consumer_group = True
        group.assignment_epoch = max(group.assignment_epoch, record.assignment_epoch)

    garden.put(applying._APPLY, r.TargetAssignmentMetadata, target_metadata)


LOGS: Mapping[str, Plant] = {
    "epochs-not-written": lambda garden: garden.put_kind(CURRENT, to_value=_without_epochs),
    "pending-not-written": _blank(CURRENT, partitions_pending_revocation=[]),
    "previous-epoch-not-written": _blank(CURRENT, previous_member_epoch=-1),
    "status-not-written": _blank(CURRENT, state=0),
    "instance-not-written": _blank(MEMBER, instance_id=None),
    "pattern-not-written": _blank(MEMBER, subscribed_topic_regex=None),
    "timeout-not-written": _blank(MEMBER, rebalance_timeout_ms=0),
    "hash-not-written": _blank(GROUP, metadata_hash=0),
    "timestamp-not-written": _blank(TARGET, assignment_timestamp=0),
    "matches-not-written": _blank(PATTERN, topics=[]),
    "topic-id-not-written": _blank(OFFSET, topic_id=None),
    "share-tombstone-misread": _ignores_when_read(
        TARGET_SHARE, lambda key: r.TargetAssignmentMemberRemoved(key.group_id, "")
    ),
    "member-tombstone-misread": _ignores_when_read(MEMBER, lambda key: r.MemberMetadataRemoved(key.group_id, "")),
    "current-tombstone-ignored": _ignores(r.CurrentMemberAssignmentRemoved),
    "pattern-tombstone-ignored": _ignores(r.RegularExpressionRemoved),
    "offset-tombstone-ignored": _ignores(r.OffsetRemoved),
    "releases-what-is-anothers": _releases_what_is_anothers,
    "instance-kept": _keeps_instances,
    "counts-twice": _counts_members_twice,
    "timestamp-not-applied": _resets_the_epoch,
}
