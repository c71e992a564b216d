"""Consumer groups, their members, and the patterns these subscribe to.

Kafka writes an empty pattern for a member that gave one up, or never had one and said so; here that is none.
"""

from __future__ import annotations

from kafka_nextgen.bridge.offsets_topic.kind import RecordKind
from kafka_nextgen.coordinator import records as r
from kafka_nextgen.coordinator.classic.requests import OfferedProtocol
from kafka_nextgen.wire.schemas.offsets_topic import (
    ConsumerGroupMemberMetadataKey,
    ConsumerGroupMemberMetadataValue,
    ConsumerGroupMetadataKey,
    ConsumerGroupMetadataValue,
    ConsumerGroupRegularExpressionKey,
    ConsumerGroupRegularExpressionValue,
)

__all__ = ["GROUP", "MEMBER", "PATTERN"]

_Classic = ConsumerGroupMemberMetadataValue.ClassicMemberMetadata


def _group_key(record: r.GroupMetadata | r.GroupMetadataRemoved) -> ConsumerGroupMetadataKey:
    return ConsumerGroupMetadataKey(group_id=record.group_id)


def _group_value(record: r.GroupMetadata) -> ConsumerGroupMetadataValue:
    return ConsumerGroupMetadataValue(epoch=record.epoch, metadata_hash=record.metadata_hash)


def _group(key: ConsumerGroupMetadataKey, value: ConsumerGroupMetadataValue) -> r.GroupMetadata:
    return r.GroupMetadata(key.group_id, value.epoch, value.metadata_hash)


def _member_key(record: r.MemberMetadata | r.MemberMetadataRemoved) -> ConsumerGroupMemberMetadataKey:
    return ConsumerGroupMemberMetadataKey(group_id=record.group_id, member_id=record.member_id)


def _member_value(record: r.MemberMetadata) -> ConsumerGroupMemberMetadataValue:
    return ConsumerGroupMemberMetadataValue(
        instance_id=record.instance_id,
        rack_id=record.rack_id,
        client_id=record.client_id,
        client_host=record.client_host,
        subscribed_topic_names=list(record.subscribed_topics),
        subscribed_topic_regex=record.subscribed_pattern,
        rebalance_timeout_ms=record.rebalance_timeout_ms,
        server_assignor=record.server_assignor,
        classic_member_metadata=_classic_to(record.classic),
    )


def _member(key: ConsumerGroupMemberMetadataKey, value: ConsumerGroupMemberMetadataValue) -> r.MemberMetadata:
    return r.MemberMetadata(
        group_id=key.group_id,
        member_id=key.member_id,
        instance_id=value.instance_id,
        rack_id=value.rack_id,
        client_id=value.client_id,
        client_host=value.client_host,
        subscribed_topics=tuple(value.subscribed_topic_names),
        subscribed_pattern=value.subscribed_topic_regex or None,
        rebalance_timeout_ms=value.rebalance_timeout_ms,
        server_assignor=value.server_assignor,
        classic=_classic(value.classic_member_metadata),
    )


def _classic_to(classic: r.ClassicProtocols | None) -> _Classic | None:
    if classic is None:
        return None
    offered = [_Classic.ClassicProtocol(name=each.name, metadata=each.metadata) for each in classic.supported]
    return _Classic(session_timeout_ms=classic.session_timeout_ms, supported_protocols=offered)


def _classic(structure: _Classic | None) -> r.ClassicProtocols | None:
    if structure is None or structure == _Classic():  # the default, which a value without this tag has
        return None
    offered = tuple(OfferedProtocol(each.name, each.metadata) for each in structure.supported_protocols)
    return r.ClassicProtocols(structure.session_timeout_ms, offered)


def _pattern_key(record: r.RegularExpression | r.RegularExpressionRemoved) -> ConsumerGroupRegularExpressionKey:
    return ConsumerGroupRegularExpressionKey(group_id=record.group_id, regular_expression=record.pattern)


def _pattern_value(record: r.RegularExpression) -> ConsumerGroupRegularExpressionValue:
    return ConsumerGroupRegularExpressionValue(
        topics=list(record.topics), topics_version=record.version, timestamp=record.timestamp_ms
    )


def _pattern(key: ConsumerGroupRegularExpressionKey, value: ConsumerGroupRegularExpressionValue) -> r.RegularExpression:
    topics = tuple(value.topics)
    return r.RegularExpression(key.group_id, key.regular_expression, topics, value.topics_version, value.timestamp)


GROUP = RecordKind(
    number=3,
    key=ConsumerGroupMetadataKey,
    value=ConsumerGroupMetadataValue,
    record=r.GroupMetadata,
    removed=r.GroupMetadataRemoved,
    to_key=_group_key,
    to_value=_group_value,
    from_messages=_group,
    removed_from=lambda key: r.GroupMetadataRemoved(key.group_id),
)

MEMBER = RecordKind(
    number=5,
    key=ConsumerGroupMemberMetadataKey,
    value=ConsumerGroupMemberMetadataValue,
    record=r.MemberMetadata,
    removed=r.MemberMetadataRemoved,
    to_key=_member_key,
    to_value=_member_value,
    from_messages=_member,
    removed_from=lambda key: r.MemberMetadataRemoved(key.group_id, key.member_id),
)

PATTERN = RecordKind(
    number=16,
    key=ConsumerGroupRegularExpressionKey,
    value=ConsumerGroupRegularExpressionValue,
    record=r.RegularExpression,
    removed=r.RegularExpressionRemoved,
    to_key=_pattern_key,
    to_value=_pattern_value,
    from_messages=_pattern,
    removed_from=lambda key: r.RegularExpressionRemoved(key.group_id, key.regular_expression),
)
