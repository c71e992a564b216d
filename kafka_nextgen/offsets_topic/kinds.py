"""Kafka's record types, as tables of their fields.

Kafka writes an empty pattern for a member that removed its pattern, or sent an empty one; here the pattern is then
None.

A member's partitions are grouped by topic, each with the assignment epoch at which it was granted. Releases before 4.3
did not write these epochs; a partition then counts as granted at the member's epoch, which fences the most commits
(KIP-1251).

For classic groups, version 1 of the value added the rebalance timeout (before, the session timeout is used), and
version 3 the instance ids. For committed offsets, version 3 added the leader epoch, and version 4 the topic id. Only
version 1 has the time when an offset expires, so it is written if a commit specified a retention time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from kafka_nextgen.errors import DecodeError
from kafka_nextgen.groups import records as r
from kafka_nextgen.groups.offered_protocol import OfferedProtocol
from kafka_nextgen.groups.topic_partitions import TopicPartitions, to_topic_partitions
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.types import OffsetAndMetadata, TopicId, TopicIdPartition, TopicPartition
from kafka_nextgen.wire.field_map import Conversion, FieldMap, attributes_of, converted, optional_number
from kafka_nextgen.wire.schema import Message
from kafka_nextgen.wire.schemas import offsets_topic as m
from kafka_nextgen.wire.schemas.consumer_group import TopicPartitions as Share
from kafka_nextgen.wire.topics import topic_id_partitions

__all__ = [
    "CLASSIC_GROUP",
    "CURRENT",
    "GROUP",
    "KINDS",
    "MEMBER",
    "OFFSET",
    "PARTITION_METADATA",
    "PATTERN",
    "PENDING_OFFSET",
    "TARGET",
    "TARGET_SHARE",
    "RecordKind",
    "member_kind",
    "record_kind",
    "target_kind",
    "target_share_kind",
]

_WITH_EXPIRY, _LATEST_OFFSET = 1, 4
_NO_REBALANCE_TIMEOUT = -1

_Classic = m.ConsumerGroupMemberMetadataValue.ClassicMemberMetadata
_Owned = m.ConsumerGroupCurrentMemberAssignmentValue.OwnedPartitions
_Topic = m.ConsumerGroupPartitionMetadataValue.TopicMetadata
_Granted = tuple[tuple[TopicIdPartition, int], ...]


@frozen(kw_only=True)
class RecordKind:
    """One type of record.

    Values are written in ``version``, or in the version that ``version_of`` returns for a record. ``to_key`` converts a
    record or its tombstone, ``to_value`` a record; ``from_messages`` and ``removed_from`` convert back.
    """

    number: int
    key: type[Message]
    value: type[Message]
    version: int
    version_of: Callable[[Any], int] | None
    record: type[r.Record]
    removed: type[r.Record]
    to_key: Callable[[Any], Message]
    to_value: Callable[[Any], Message]
    from_messages: Callable[[Any, Any], r.Record]
    removed_from: Callable[[Any], r.Record]


def record_kind(
    number: int,
    record: type[r.Record],
    removed: type[r.Record],
    key: type[Message],
    value: type[Message],
    *,
    value_version: int = 0,
    version_of: Callable[[Any], int] | None = None,
    **fields: str | Conversion | None,
) -> RecordKind:
    """Make a record type: the key has the fields of the tombstone, the value has the others. A ``FieldMap`` converts
    each.
    """
    in_key = attributes_of(removed)
    keys = FieldMap(removed, key, **{name: each for name, each in fields.items() if name in in_key})
    values = FieldMap(record, value, **{**fields, **dict.fromkeys(in_key)})
    return RecordKind(
        number=number,
        key=key,
        value=value,
        version=value_version,
        version_of=version_of,
        record=record,
        removed=removed,
        to_key=keys.to_structure,
        to_value=values.to_structure,
        from_messages=lambda key, value: record(**keys.attributes_in(key), **values.attributes_in(value)),
        removed_from=keys.from_structure,
    )


def _classic_to(classic: r.ClassicProtocols | None) -> _Classic | None:
    return None if classic is None else _CLASSIC.to_structure(classic)


def _classic_from(structure: _Classic | None) -> r.ClassicProtocols | None:
    if structure is None or structure == _Classic():  # the default, for a value without this tag
        return None
    return _CLASSIC.from_structure(structure)


def _shares_to(partitions: TopicPartitions) -> tuple[Share, ...]:
    return tuple(Share(topic_id=topic_id, partitions=sorted(numbers)) for topic_id, numbers in partitions.items())


def _shares_from(topics: Iterable[Share]) -> TopicPartitions:
    return to_topic_partitions(topic_id_partitions((topic.topic_id, topic.partitions) for topic in topics))


def _granted(field: str) -> Conversion:
    """Convert partitions with their epochs; the member's epoch replaces missing ones."""
    return Conversion(
        lambda granted: {field: _granted_to(granted)},
        lambda value: tuple(_granted_from(getattr(value, field), value.member_epoch)),
    )


def _granted_to(granted: _Granted) -> tuple[_Owned, ...]:
    topics: dict[TopicId, list[tuple[int, int]]] = {}
    for partition, epoch in granted:
        topics.setdefault(partition.topic_id, []).append((partition.partition, epoch))
    return tuple(
        _Owned(
            topic_id=topic_id,
            partitions=[number for number, _ in entries],
            assignment_epochs=[epoch for _, epoch in entries],
        )
        for topic_id, entries in topics.items()
    )


def _granted_from(topics: Iterable[_Owned], member_epoch: int) -> Iterable[tuple[TopicIdPartition, int]]:
    for topic in topics:
        numbers, epochs = topic.partitions, topic.assignment_epochs
        if epochs is None:
            epochs = [member_epoch] * len(numbers)
        if topic.topic_id is None or len(epochs) != len(numbers):
            raise DecodeError(f"{len(numbers)} partitions of topic id {topic.topic_id} have {len(epochs)} epochs")
        for number, epoch in zip(numbers, epochs, strict=True):
            yield TopicIdPartition(topic.topic_id, number), epoch


def _status(number: int) -> r.MemberStatus:
    """Convert a status. An unknown status, from a later release, becomes UNKNOWN: the member has to join again."""
    try:
        return r.MemberStatus(number)
    except ValueError:
        return r.MemberStatus.UNKNOWN


def _rebalance_timeout(member: m.GroupMetadataValue.MemberMetadata) -> int:
    has_own = member.rebalance_timeout != _NO_REBALANCE_TIMEOUT
    return member.rebalance_timeout if has_own else member.session_timeout


def _racks_to(racks: Mapping[int, tuple[str, ...]]) -> tuple[_Topic.PartitionMetadata, ...]:
    return tuple(_Topic.PartitionMetadata(partition=number, racks=names) for number, names in racks.items())


def _racks_from(partitions: Iterable[_Topic.PartitionMetadata]) -> dict[int, tuple[str, ...]]:
    return {each.partition: tuple(each.racks) for each in partitions}


_SUBSCRIBED_TOPIC = FieldMap(
    r.SubscribedTopic,
    _Topic,
    name="topic_name",
    partition_count="num_partitions",
    racks=converted("partition_metadata", _racks_to, _racks_from),
)
_PROTOCOL = FieldMap(OfferedProtocol, _Classic.ClassicProtocol)
_CLASSIC = FieldMap(r.ClassicProtocols, _Classic, supported=_PROTOCOL.array("supported_protocols"))
_CLASSIC_MEMBER = FieldMap(
    r.ClassicMemberMetadata,
    m.GroupMetadataValue.MemberMetadata,
    instance_id="group_instance_id",
    rebalance_timeout_ms=Conversion(lambda timeout_ms: {"rebalance_timeout": timeout_ms}, _rebalance_timeout),
    session_timeout_ms="session_timeout",
)

GROUP = record_kind(3, r.GroupMetadata, r.GroupMetadataRemoved, m.GroupKey, m.ConsumerGroupMetadataValue)
PARTITION_METADATA = record_kind(
    4,
    r.PartitionMetadata,
    r.PartitionMetadataRemoved,
    m.GroupKey,
    m.ConsumerGroupPartitionMetadataValue,
    topics=_SUBSCRIBED_TOPIC.array("topics"),
)
CLASSIC_GROUP = record_kind(
    2,
    r.ClassicGroupMetadata,
    r.ClassicGroupMetadataRemoved,
    m.GroupKey,
    m.GroupMetadataValue,
    value_version=3,
    leader_id="leader",
    timestamp_ms="current_state_timestamp",
    members=_CLASSIC_MEMBER.array("members"),
)

#: Makes the record type of a member; extensions add its assignors.
member_kind = partial(
    record_kind,
    5,
    r.MemberMetadata,
    r.MemberMetadataRemoved,
    m.MemberKey,
    m.ConsumerGroupMemberMetadataValue,
    subscribed_topics="subscribed_topic_names",
    subscribed_pattern=Conversion(
        lambda pattern: {"subscribed_topic_regex": pattern}, lambda value: value.subscribed_topic_regex or None
    ),
    classic=converted("classic_member_metadata", _classic_to, _classic_from),
    client_assignors=None,
)
#: Makes the record type of the target assignment's epoch; extensions add the assignor that computed it.
target_kind = partial(
    record_kind,
    6,
    r.TargetAssignmentMetadata,
    r.TargetAssignmentMetadataRemoved,
    m.GroupKey,
    m.ConsumerGroupTargetAssignmentMetadataValue,
    assignment_timestamp_ms="assignment_timestamp",
    assignor=None,
    error=None,
)
#: Makes the record type of a member's share of the target assignment; extensions add an assignor's metadata for it.
target_share_kind = partial(
    record_kind,
    7,
    r.TargetAssignmentMember,
    r.TargetAssignmentMemberRemoved,
    m.MemberKey,
    m.ConsumerGroupTargetAssignmentMemberValue,
    partitions=converted("topic_partitions", _shares_to, _shares_from),
    metadata=None,
)
MEMBER, TARGET, TARGET_SHARE = member_kind(), target_kind(), target_share_kind()

CURRENT = record_kind(
    8,
    r.CurrentMemberAssignment,
    r.CurrentMemberAssignmentRemoved,
    m.MemberKey,
    m.ConsumerGroupCurrentMemberAssignmentValue,
    status=converted("state", int, _status),
    assigned=_granted("assigned_partitions"),
    pending_revocation=_granted("partitions_pending_revocation"),
)
PATTERN = record_kind(
    16,
    r.RegularExpression,
    r.RegularExpressionRemoved,
    m.ConsumerGroupRegularExpressionKey,
    m.ConsumerGroupRegularExpressionValue,
    pattern="regular_expression",
    version="topics_version",
    timestamp_ms="timestamp",
)

_PARTITION = FieldMap(TopicPartition, m.OffsetCommitKey)
_OFFSET = FieldMap(OffsetAndMetadata, m.OffsetCommitValue)
_offset_kind = partial(
    record_kind,
    1,
    removed=r.OffsetRemoved,
    key=m.OffsetCommitKey,
    value=m.OffsetCommitValue,
    value_version=_LATEST_OFFSET,
    group_id="group",
    partition=_PARTITION.inline,
    offset=_OFFSET.inline,
    commit_timestamp_ms="commit_timestamp",
)
OFFSET = _offset_kind(
    record=r.OffsetCommitted,
    version_of=lambda record: _LATEST_OFFSET if record.expire_timestamp_ms is None else _WITH_EXPIRY,
    expire_timestamp_ms=optional_number("expire_timestamp"),
)
#: Only for writing: when reading, the batch shows whether an offset is pending.
PENDING_OFFSET = _offset_kind(record=r.PendingOffsetCommitted, producer_id=None, producer_epoch=None)

KINDS = (OFFSET, CLASSIC_GROUP, GROUP, PARTITION_METADATA, MEMBER, TARGET, TARGET_SHARE, CURRENT, PATTERN)
