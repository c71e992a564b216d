"""Delete committed offsets: on request (KIP-496), when they expire (KIP-211), and when their topics are deleted. Groups
that are empty afterwards are deleted too.

An administrator may delete the offsets of an empty group, and of a group of consumers for topics that no member
subscribes to. Read from the top:

| the group | answer |
|---|---|
| has no id | INVALID_GROUP_ID |
| is unknown | GROUP_ID_NOT_FOUND |
| has members whose protocol type is not that of consumers | NON_EMPTY_GROUP |
| subscribes to the topic | GROUP_SUBSCRIBED_TO_TOPIC, for its partitions |

Offsets are checked every ``offsets.retention.check.interval.ms``. An offset expires ``offsets.retention.minutes`` after

| the offset's group | start of the retention time |
|---|---|
| a consumer group, or a stable classic group of consumers | the commit, unless a member subscribes to the topic |
| an empty classic group | the time the group became empty |
| no group: a group id with only offsets | the commit |
| a classic group in any other state | none: the offset does not expire in that state |

If the commit set a retention time (OffsetCommit 2 to 4), that time is used instead, with the same exceptions. No offset
expires while an open transaction may change it. The check also deletes a group that has no members, no expected
instances and no offsets.
"""

from __future__ import annotations

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.groups.consumer_protocol import PROTOCOL_TYPE
from kafka_nextgen.groups.records import OffsetCommitted, OffsetRemoved
from kafka_nextgen.testing.coordinator.classic.group import ClassicStatus
from kafka_nextgen.testing.coordinator.draft import Draft, Outcome
from kafka_nextgen.testing.coordinator.group import Group
from kafka_nextgen.testing.coordinator.removal import write_group_removal
from kafka_nextgen.testing.coordinator.requests import OffsetDelete
from kafka_nextgen.testing.coordinator.responses import OffsetsDeleted
from kafka_nextgen.testing.coordinator.topics import Topics
from kafka_nextgen.types import TopicPartition

__all__ = [
    "delete_expired_offsets",
    "delete_offsets",
    "delete_offsets_of_deleted_topics",
    "delete_offsets_of_missing_topics",
]


def delete_offsets(draft: Draft, request: OffsetDelete) -> Outcome:
    """Delete the committed offsets of these partitions."""
    if error := _refuse_deletion(draft.group):
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


def delete_expired_offsets(draft: Draft) -> None:
    """Delete the group's expired offsets, and the group if it is then empty."""
    group = draft.group
    for partition, stored in sorted(group.offsets.items()):
        is_in_use = _is_subscribed(group, partition.topic) or group.has_pending(partition)
        if not is_in_use and _has_expired(draft, stored):
            draft.write(OffsetRemoved(group.group_id, partition))
    if not group.offsets and not group.pending and not draft.hooks.expected(group) and _is_empty(group):
        write_group_removal(draft)
        draft.hooks.group_deleted(draft)


def _has_expired(draft: Draft, stored: OffsetCommitted) -> bool:
    classic, record = draft.group.classic, draft.group.classic_record
    since_ms = stored.commit_timestamp_ms
    if classic is not None and classic.protocol_type is not None:
        if classic.is_in(ClassicStatus.EMPTY):
            since_ms = since_ms if record is None else record.timestamp_ms
        elif classic.protocol_type != PROTOCOL_TYPE or not classic.is_in(ClassicStatus.STABLE):
            return False
    if stored.expire_timestamp_ms is not None:
        return draft.now_ms >= stored.expire_timestamp_ms
    return draft.now_ms - since_ms >= draft.settings.offsets_retention_ms


def _is_empty(group: Group) -> bool:
    return not group.members and (group.classic is None or group.classic.is_in(ClassicStatus.EMPTY))


def delete_offsets_of_missing_topics(draft: Draft) -> None:
    """Delete the offsets whose topic id no longer exists."""
    for partition in draft.group.partitions_with_offsets():
        if _is_missing(draft, partition):
            draft.write(OffsetRemoved(draft.group.group_id, partition))


def delete_offsets_of_deleted_topics(draft: Draft, before: Topics) -> None:
    """Delete the offsets of topics that were in ``before`` and no longer exist, or were created and deleted since.

    A coordinator that has just loaded its log has no earlier list of topics: ``restart`` finds the missing ones.
    """
    gone = {topic.name: topic_id for topic_id, topic in before.by_id.items() if topic_id not in draft.topics.by_id}
    for partition in draft.group.partitions_with_offsets():
        was_known = partition.topic in gone and draft.group.topic_ids_of(partition) & {None, gone[partition.topic]}
        if was_known or (before.by_id and _is_missing(draft, partition)):
            draft.write(OffsetRemoved(draft.group.group_id, partition))


def _is_missing(draft: Draft, partition: TopicPartition) -> bool:
    topic_ids = draft.group.topic_ids_of(partition) - {None}
    return bool(topic_ids) and topic_ids.isdisjoint(draft.topics.by_id)
