"""Bugs in what is written to the log, read from it, and made of it: state that is there until the next fail-over."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attrs import evolve

from kafka_nextgen.bridge.extensions.offsets_topic import CODEC, MEMBER, TARGET, TARGET_SHARE
from kafka_nextgen.bridge.offsets_topic.kinds import CURRENT, GROUP, OFFSET, PATTERN, RecordKind
from kafka_nextgen.coordinator import applying
from kafka_nextgen.coordinator import records as r
from tests.simulation.mutants.planting import Garden, Mutant, Part

__all__ = ["LOGS"]


def _kind(kind: RecordKind, **changes: Any) -> Callable[[Garden], None]:
    """Read and write this kind otherwise."""

    def plant(garden: Garden) -> None:
        other = evolve(kind, **changes)
        for table in (CODEC.by_number, CODEC.by_record):
            for key, value in list(table.items()):
                if value is kind:
                    garden.put(table, key, other)

    return plant


def _blank(kind: RecordKind, **fields: Any) -> Callable[[Garden], None]:
    """Write this kind without some of its fields."""
    return _kind(kind, to_value=lambda record: kind.to_value(record).replaced(**fields))


def _without_epochs(record: r.CurrentMemberAssignment) -> Any:
    value: Any = CURRENT.to_value(record)
    return value.replaced(
        assigned_partitions=[topic.replaced(assignment_epochs=None) for topic in value.assigned_partitions],
        partitions_pending_revocation=[
            topic.replaced(assignment_epochs=None) for topic in value.partitions_pending_revocation
        ],
    )


def _ignores(kind: type) -> Callable[[Garden], None]:
    """Do nothing with records of this type."""
    return lambda garden: garden.put(applying._APPLY, kind, lambda group, record: None)


def _ignores_when_read(kind: RecordKind, instead: Callable[[Any], r.Record]) -> Callable[[Garden], None]:
    return _kind(kind, removed_from=instead)


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


_ = Part.LOG

LOGS = (
    Mutant("epochs-not-written", _, "Writes no assignment epochs of partitions.",
           "After a fail-over late commits are refused, and records are processed again.",
           _kind(CURRENT, to_value=_without_epochs)),
    Mutant("pending-not-written", _, "Writes no partitions that are to be revoked.",
           "After a fail-over two consumers have the same partition.",
           _blank(CURRENT, partitions_pending_revocation=[])),
    Mutant("previous-epoch-not-written", _, "Writes no previous member epoch.",
           "After a fail-over a lost answer fences the member.", _blank(CURRENT, previous_member_epoch=-1)),
    Mutant("status-not-written", _, "Writes every member as stable.",
           "After a fail-over a member that waits gets nothing more.", _blank(CURRENT, state=0)),
    Mutant("instance-not-written", _, "Writes no instance ids.",
           "After a fail-over static members are fenced or duplicated.", _blank(MEMBER, instance_id=None)),
    Mutant("pattern-not-written", _, "Writes no patterns of members.",
           "After a fail-over consumers with a pattern read nothing.", _blank(MEMBER, subscribed_topic_regex=None)),
    Mutant("timeout-not-written", _, "Writes no rebalance timeouts.",
           "After a fail-over members that have to revoke are expelled at once.",
           _blank(MEMBER, rebalance_timeout_ms=0)),
    Mutant("hash-not-written", _, "Writes no metadata hash.",
           "Each fail-over rebalances each group.", _blank(GROUP, metadata_hash=0)),
    Mutant("timestamp-not-written", _, "Writes no time of the target assignment.",
           "After a fail-over the first rebalance is not delayed.", _blank(TARGET, assignment_timestamp=0)),
    Mutant("matches-not-written", _, "Writes no matches of patterns.",
           "After a fail-over consumers with a pattern lose their partitions until it is resolved again.",
           _blank(PATTERN, topics=[])),
    Mutant("topic-id-not-written", _, "Writes offsets without the topic's id.",
           "The first records of a topic that was created again are skipped.", _blank(OFFSET, topic_id=None)),
    Mutant("share-tombstone-misread", _, "Reads the tombstone of a member's target as another member's.",
           "After a fail-over former members have targets.",
           _ignores_when_read(TARGET_SHARE, lambda key: r.TargetAssignmentMemberRemoved(key.group_id, ""))),
    Mutant("member-tombstone-misread", _, "Reads the tombstone of a member as that of another member.",
           "After a fail-over former members hold partitions.",
           _ignores_when_read(MEMBER, lambda key: r.MemberMetadataRemoved(key.group_id, ""))),
    Mutant("current-tombstone-ignored", _, "Ignores tombstones of members' assignments.",
           "Partitions of former members are never free.", _ignores(r.CurrentMemberAssignmentRemoved)),
    Mutant("pattern-tombstone-ignored", _, "Ignores tombstones of patterns.",
           "Matches pile up, and stale ones may be used again.", _ignores(r.RegularExpressionRemoved)),
    Mutant("offset-tombstone-ignored", _, "Ignores tombstones of offsets.",
           "Offsets of deleted topics come back.", _ignores(r.OffsetRemoved)),
    Mutant("releases-what-is-anothers", _, "Frees partitions that a compacted log has already given to the next owner.",
           "After a fail-over a partition is assigned twice.", _releases_what_is_anothers),
    Mutant("instance-kept", _, "Keeps the instance id of a former member.",
           "A static consumer that left for good can't return.", _keeps_instances),
    Mutant("counts-twice", _, "Counts a member again with each of its changes.",
           "Topics that no member reads trigger rebalances.", _counts_members_twice),
    Mutant("timestamp-not-applied", _, "Does not apply the time of the target assignment.",
           "Rebalances are not batched.", _resets_the_epoch),
)  # fmt: skip
