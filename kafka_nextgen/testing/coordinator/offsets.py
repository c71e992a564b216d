"""Offsets: which commits and fetches are accepted, and what is stored.

The member epoch fences commits, so that a member that lost a partition can no longer move its offset (KIP-848,
"OffsetCommit API"). Read from the top:

| the committer | answer |
|---|---|
| epoch below 0, the group has no members | accepted: an administrator, or a consumer that assigns itself |
| the group is unknown | GROUP_ID_NOT_FOUND; before version 9 ILLEGAL_GENERATION |
| not a member | UNKNOWN_MEMBER_ID |
| a member, with an API version without member epochs (below 9), unless it is classic | UNSUPPORTED_VERSION |
| a member, at its epoch | accepted |
| a member, at a later epoch | STALE_MEMBER_EPOCH |
| a member, at an earlier epoch, if it owned every partition at that epoch already | accepted (KIP-1251) |
| a member, at an earlier epoch otherwise | STALE_MEMBER_EPOCH, for the whole request |

A classic member sends its epoch as a generation, and gets ILLEGAL_GENERATION in place of STALE_MEMBER_EPOCH. A member
that left temporarily has the stored epoch -2, so no commit is at an earlier epoch.

In a classic group the generation fences commits (KIP-345), and nothing fences fetches:

| the committer | answer |
|---|---|
| generation -1, and the group is empty | accepted: an administrator, or a consumer that assigns itself |
| generation -1, no member or instance id | UNKNOWN_MEMBER_ID: only members may commit now |
| not identified as a member | UNKNOWN_MEMBER_ID, FENCED_INSTANCE_ID |
| another generation | ILLEGAL_GENERATION |
| between the join phase and the assignment | REBALANCE_IN_PROGRESS: partitions have no known owners |
| otherwise | accepted; unlike in a consumer group, this restarts the member's session timer |
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.groups.records import CurrentMemberAssignment, OffsetCommitted, Record
from kafka_nextgen.testing.coordinator.classic.admission import identity_error
from kafka_nextgen.testing.coordinator.classic.generation import keep_session
from kafka_nextgen.testing.coordinator.classic.group import ClassicGroup, ClassicStatus
from kafka_nextgen.testing.coordinator.draft import Draft, Outcome
from kafka_nextgen.testing.coordinator.group import Group
from kafka_nextgen.testing.coordinator.requests import OffsetCommit, OffsetFetch, TxnOffsetCommit
from kafka_nextgen.testing.coordinator.responses import OffsetsCommitted, OffsetsFetched
from kafka_nextgen.testing.coordinator.topics import Topics
from kafka_nextgen.text import java_length
from kafka_nextgen.types import OffsetAndMetadata, TopicId, TopicIdPartition, TopicPartition

__all__ = [
    "commit_offsets",
    "fetch_offsets",
    "may_commit",
    "stale",
    "storable",
    "store_offsets",
]


def commit_offsets(draft: Draft, request: OffsetCommit) -> Outcome:
    """Handle an OffsetCommit: store the offsets that are accepted."""
    if error := _refuse_commit(draft, request):
        return Outcome(OffsetsCommitted(dict.fromkeys(request.offsets, error)))
    if draft.group.classic is not None and request.member_id in draft.classic.members:
        keep_session(draft, request.member_id)
    expire_ms = None if request.retention_ms is None else _int64(draft.now_ms + request.retention_ms)
    return store_offsets(
        draft,
        request,
        lambda partition, offset, topic_id: OffsetCommitted(
            request.group_id, partition, offset, draft.now_ms, topic_id, expire_ms
        ),
    )


def _int64(number: int) -> int:
    """The number as a Java ``long``: as in Kafka, offsets with a longer retention time expire immediately."""
    return (number + 2**63) % 2**64 - 2**63


def store_offsets(
    draft: Draft,
    request: OffsetCommit | TxnOffsetCommit,
    record_of: Callable[[TopicPartition, OffsetAndMetadata, TopicId | None], Record],
) -> Outcome:
    """Write a record for each offset, unless its metadata is too long."""
    errors: dict[TopicPartition, ErrorCode] = {}
    for partition, offset in request.offsets.items():
        errors[partition] = _refuse_metadata(draft, offset)
        if errors[partition] is ErrorCode.NONE:
            draft.write(record_of(partition, offset, _topic_id_of(draft, request, partition.topic)))
    return draft.outcome(OffsetsCommitted(errors))


def _refuse_commit(draft: Draft, request: OffsetCommit) -> ErrorCode:
    group = draft.group
    if group.classic is not None:
        return _refuse_classic_commit(group.classic, request)
    if request.member_epoch < 0 and not group.members:
        return ErrorCode.NONE
    if not group.exists:
        return ErrorCode.GROUP_ID_NOT_FOUND if request.version >= 9 else ErrorCode.ILLEGAL_GENERATION
    if request.member_id not in group.members:
        return ErrorCode.UNKNOWN_MEMBER_ID
    if request.version < 9 and not group.is_classic_member(request.member_id):
        return ErrorCode.UNSUPPORTED_VERSION
    may = may_commit(draft, request.member_id, request.member_epoch, storable(draft, request.offsets))
    return ErrorCode.NONE if may else stale(group, request.member_id)


def _refuse_classic_commit(group: ClassicGroup, request: OffsetCommit) -> ErrorCode:
    if request.member_epoch < 0 and group.is_in(ClassicStatus.EMPTY):
        return ErrorCode.NONE
    if request.member_epoch < 0 and not request.member_id and request.instance_id is None:
        return ErrorCode.UNKNOWN_MEMBER_ID
    if error := identity_error(group, request.member_id, request.instance_id):
        return error
    if request.member_epoch != group.generation:
        return ErrorCode.ILLEGAL_GENERATION
    completing = group.is_in(ClassicStatus.COMPLETING_REBALANCE)
    return ErrorCode.REBALANCE_IN_PROGRESS if completing else ErrorCode.NONE


def stale(group: Group, member_id: str) -> ErrorCode:
    """The error for a member whose epoch differs from the one it sent."""
    return ErrorCode.ILLEGAL_GENERATION if group.is_classic_member(member_id) else ErrorCode.STALE_MEMBER_EPOCH


def may_commit(draft: Draft, member_id: str, member_epoch: int, partitions: Iterable[TopicPartition]) -> bool:
    """Whether a member may commit these partitions at the epoch it sends."""
    current = draft.group.current(member_id)
    if member_epoch == current.member_epoch:
        return True
    if member_epoch > current.member_epoch or not draft.settings.behaviour.accepts_older_commits:
        return False
    return _had_all_by(member_epoch, partitions, current, draft.topics)


def _had_all_by(
    member_epoch: int, partitions: Iterable[TopicPartition], current: CurrentMemberAssignment, topics: Topics
) -> bool:
    """Whether the member owned each partition at the epoch it sends, and still does. A commit sent before a heartbeat's
    answer may arrive after it; a refusal would make the application process records again (KIP-1251).
    """
    granted = dict(current.assigned + current.pending_revocation)
    for partition in partitions:
        topic = topics.by_name.get(partition.topic)
        if topic is None:
            return False
        epoch = granted.get(TopicIdPartition(topic.topic_id, partition.partition))
        if epoch is None or epoch > member_epoch:
            return False
    return True


def storable(draft: Draft, offsets: Mapping[TopicPartition, OffsetAndMetadata]) -> list[TopicPartition]:
    """The partitions whose offsets would be stored. Only these are checked in a commit at an earlier epoch."""
    return [partition for partition, offset in offsets.items() if not _refuse_metadata(draft, offset)]


def _refuse_metadata(draft: Draft, offset: OffsetAndMetadata) -> ErrorCode:
    """Refuse metadata that is too long, counted in UTF-16 units despite the name of the setting."""
    if java_length(offset.metadata) > draft.settings.offset_metadata_max_bytes:
        return ErrorCode.OFFSET_METADATA_TOO_LARGE
    return ErrorCode.NONE


def fetch_offsets(draft: Draft, request: OffsetFetch) -> Outcome:
    """Handle an OffsetFetch. The epoch is always checked, because consumption starts at the fetched offsets."""
    if error := _refuse_fetch(draft, request):
        return Outcome(OffsetsFetched(error=error))
    asked = sorted(draft.group.offsets) if request.partitions is None else request.partitions
    unstable = frozenset(tp for tp in asked if request.require_stable and draft.group.has_pending(tp))
    offsets = {partition: _valid_offset(draft, request, partition) for partition in asked if partition not in unstable}
    if request.partitions is None:
        offsets = {partition: offset for partition, offset in offsets.items() if offset is not None}
    return Outcome(OffsetsFetched(offsets, unstable=unstable))


def _refuse_fetch(draft: Draft, request: OffsetFetch) -> ErrorCode:
    """An empty member id is checked like any other; only a null one means a fetch from outside the group."""
    group = draft.group
    if not group.is_consumer_group or (request.member_id is None and request.member_epoch < 0):
        return ErrorCode.NONE
    if request.member_id is None or request.member_id not in group.members:
        return ErrorCode.UNKNOWN_MEMBER_ID
    if request.member_epoch != group.current(request.member_id).member_epoch:
        return stale(group, request.member_id)
    return ErrorCode.NONE


def _topic_id_of(draft: Draft, request: OffsetCommit | TxnOffsetCommit | OffsetFetch, topic: str) -> TopicId | None:
    """The id of the topic with this name. The broker's id takes precedence, because it may be newer."""
    known = draft.topics.by_name.get(topic)
    return request.topic_ids.get(topic) or (known.topic_id if known else None)


def _valid_offset(draft: Draft, request: OffsetFetch, partition: TopicPartition) -> OffsetAndMetadata | None:
    """The committed offset, unless it was committed for an earlier topic of the same name (KIP-848, "Topic ID and Topic
    Recreation").
    """
    stored = draft.group.offsets.get(partition)
    if stored is None:
        return None
    topic_id = _topic_id_of(draft, request, partition.topic)
    is_anothers = topic_id is not None and stored.topic_id is not None and stored.topic_id != topic_id
    return None if is_anothers else stored.offset
