"""Delete committed offsets on request (KIP-496) and when they expire (KIP-211), and groups that are then empty.

An administrator may delete the offsets of an empty group, and of a group of consumers for topics that no member
subscribes to. Read from the top:

| the group | answer |
|---|---|
| has no id | INVALID_GROUP_ID |
| is unknown | GROUP_ID_NOT_FOUND |
| has members by another protocol type than consumers' | NON_EMPTY_GROUP |
| subscribes to the topic | GROUP_SUBSCRIBED_TO_TOPIC, for its partitions |

Offsets are checked every ``offsets.retention.check.interval.ms``. An offset expires ``offsets.retention.minutes`` after

| the offset's group | start of the retention time |
|---|---|
| a consumer group, or a stable classic group of consumers | the commit, unless a member subscribes to the topic |
| an empty classic group | the time the group became empty |
| no group: a group id with offsets alone | the commit |
| a classic group in any other state | none: the offset does not expire in that state |

unless the commit set a retention time (OffsetCommit 2 to 4), and never while an open transaction may change it. The
check also deletes a group that has no members, no expected instances and no offsets.
"""

from __future__ import annotations

from collections.abc import Callable

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.consumer_protocol import PROTOCOL_TYPE
from kafka_nextgen.coordinator.classic.group import ClassicStatus
from kafka_nextgen.coordinator.draft import Draft, Outcome
from kafka_nextgen.coordinator.group import Group
from kafka_nextgen.coordinator.migration.empty import write_group_removal
from kafka_nextgen.coordinator.records import OffsetCommitted, OffsetRemoved
from kafka_nextgen.coordinator.requests import OffsetDelete
from kafka_nextgen.coordinator.responses import OffsetsDeleted
from kafka_nextgen.types import TopicPartition

__all__ = ["delete_offsets", "forget_what_is_over"]


def delete_offsets(draft: Draft, request: OffsetDelete) -> Outcome:
    """Delete the committed offsets of these partitions."""
    error = _refuse_deletion(draft.group)
    if error is not ErrorCode.NONE:
        return Outcome(OffsetsDeleted(error=error))
    errors: dict[TopicPartition, ErrorCode] = {}
    for partition in request.partitions:
        is_subscribed = _is_subscribed(draft.group, partition.topic)
        errors[partition] = ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC if is_subscribed else ErrorCode.NONE
        if not is_subscribed and (partition in draft.group.offsets or draft.group.has_pending(partition)):
            draft.write(OffsetRemoved(request.group_id, partition))
    return draft.outcome(OffsetsDeleted(errors))


def _refuse_deletion(group: Group) -> ErrorCode:
    if not group.group_id:
        return ErrorCode.INVALID_GROUP_ID
    if not group.exists:
        return ErrorCode.GROUP_ID_NOT_FOUND
    classic = group.classic
    if classic is None or classic.is_in(ClassicStatus.EMPTY) or classic.protocol_type == PROTOCOL_TYPE:
        return ErrorCode.NONE
    return ErrorCode.NON_EMPTY_GROUP


def _is_subscribed(group: Group, topic: str) -> bool:
    if group.classic is not None:
        return group.classic.may_subscribe_to(topic)
    return topic in group.subscribed_topics()


def forget_what_is_over(draft: Draft) -> None:
    """Delete the group's expired offsets, and the group if it is then empty."""
    group = draft.group
    is_over = _rule(draft)
    for partition, stored in sorted(group.offsets.items()):
        if is_over(stored) and not _is_subscribed(group, partition.topic) and not group.has_pending(partition):
            draft.write(OffsetRemoved(group.group_id, partition))
    if not group.offsets and not group.pending and not draft.hooks.expected(group) and _is_empty(group):
        write_group_removal(draft)
        draft.hooks.group_deleted(draft)


def _rule(draft: Draft) -> Callable[[OffsetCommitted], bool]:
    """Return the predicate that tells whether an offset has expired."""
    classic, record = draft.group.classic, draft.group.classic_record
    if classic is None or classic.protocol_type is None:
        return lambda stored: _is_over(draft, stored, stored.commit_timestamp_ms)
    if classic.is_in(ClassicStatus.EMPTY):
        since_ms = None if record is None else record.timestamp_ms
        return lambda stored: _is_over(draft, stored, stored.commit_timestamp_ms if since_ms is None else since_ms)
    if classic.protocol_type == PROTOCOL_TYPE and classic.is_in(ClassicStatus.STABLE):
        return lambda stored: _is_over(draft, stored, stored.commit_timestamp_ms)
    return lambda _: False


def _is_over(draft: Draft, stored: OffsetCommitted, since_ms: int) -> bool:
    if stored.expire_timestamp_ms is not None:
        return draft.now_ms >= stored.expire_timestamp_ms
    return draft.now_ms - since_ms >= draft.settings.offsets_retention_ms


def _is_empty(group: Group) -> bool:
    return not group.members and (group.classic is None or group.classic.is_in(ClassicStatus.EMPTY))
