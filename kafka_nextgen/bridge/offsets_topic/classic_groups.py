"""Classic groups. Version 3 of the value brought instance ids, 1 the rebalance timeout: before it was the session's."""

from __future__ import annotations

from kafka_nextgen.bridge.offsets_topic.kind import RecordKind
from kafka_nextgen.coordinator.records import ClassicGroupMetadata, ClassicGroupMetadataRemoved, ClassicMemberMetadata
from kafka_nextgen.wire.schemas.offsets_topic import GroupMetadataKey, GroupMetadataValue

__all__ = ["CLASSIC_GROUP"]

_NO_REBALANCE_TIMEOUT = -1

_Member = GroupMetadataValue.MemberMetadata


def _to_key(record: ClassicGroupMetadata | ClassicGroupMetadataRemoved) -> GroupMetadataKey:
    return GroupMetadataKey(group=record.group_id)


def _to_value(record: ClassicGroupMetadata) -> GroupMetadataValue:
    return GroupMetadataValue(
        protocol_type=record.protocol_type,
        generation=record.generation,
        protocol=record.protocol,
        leader=record.leader_id,
        current_state_timestamp=record.timestamp_ms,
        members=[_to_member(member) for member in record.members],
    )


def _to_member(member: ClassicMemberMetadata) -> _Member:
    return _Member(
        member_id=member.member_id,
        group_instance_id=member.instance_id,
        client_id=member.client_id,
        client_host=member.client_host,
        rebalance_timeout=member.rebalance_timeout_ms,
        session_timeout=member.session_timeout_ms,
        subscription=member.subscription,
        assignment=member.assignment,
    )


def _from_messages(key: GroupMetadataKey, value: GroupMetadataValue) -> ClassicGroupMetadata:
    return ClassicGroupMetadata(
        group_id=key.group,
        protocol_type=value.protocol_type,
        generation=value.generation,
        protocol=value.protocol,
        leader_id=value.leader,
        timestamp_ms=value.current_state_timestamp,
        members=tuple(_from_member(member) for member in value.members),
    )


def _from_member(member: _Member) -> ClassicMemberMetadata:
    has_own = member.rebalance_timeout != _NO_REBALANCE_TIMEOUT
    return ClassicMemberMetadata(
        member_id=member.member_id,
        instance_id=member.group_instance_id,
        client_id=member.client_id,
        client_host=member.client_host,
        rebalance_timeout_ms=member.rebalance_timeout if has_own else member.session_timeout,
        session_timeout_ms=member.session_timeout,
        subscription=member.subscription,
        assignment=member.assignment,
    )


def _removed_from(key: GroupMetadataKey) -> ClassicGroupMetadataRemoved:
    return ClassicGroupMetadataRemoved(key.group)


CLASSIC_GROUP = RecordKind(
    number=2,
    key=GroupMetadataKey,
    value=GroupMetadataValue,
    version=3,
    record=ClassicGroupMetadata,
    removed=ClassicGroupMetadataRemoved,
    to_key=_to_key,
    to_value=_to_value,
    from_messages=_from_messages,
    removed_from=_removed_from,
)
