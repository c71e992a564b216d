"""The offsets topic with what extensions add to it, which Kafka's coordinators pass over.

| type | record | tags | value's version |
|---|---|---|---|
| 5 | a member | its client-side assignors | 0 |
| 6 | the target assignment's epoch | the client-side assignor that made it, and its error | 0 |
| 7 | a member's share of the target | that assignor's metadata for it | 0 |
| 10000 | a rebalance of a group's history | | 0 |
| 10001 | the places a group keeps for members that are to come | | 0 |
"""

from __future__ import annotations

from functools import partial
from typing import cast

from attrs import evolve

from kafka_nextgen.bridge import offsets_topic as plain
from kafka_nextgen.bridge.extensions.fields import (
    assignors_from,
    assignors_to,
    join_reason,
    metadata_from,
    metadata_to,
    rebalance_reason,
)
from kafka_nextgen.bridge.offsets_topic import Codec, KeyAndValue, LoggedBatch, Skipped, assignments, groups
from kafka_nextgen.bridge.offsets_topic.kind import RecordKind
from kafka_nextgen.coordinator import records as r
from kafka_nextgen.coordinator.cause import Cause
from kafka_nextgen.coordinator.extensions.records import (
    ExpectedMembers,
    ExpectedMembersRemoved,
    Place,
    Rebalance,
    RebalanceRecorded,
    RebalanceRecordedRemoved,
)
from kafka_nextgen.wire.schema import Message
from kafka_nextgen.wire.schemas.offsets_topic import (
    ConsumerGroupMemberMetadataKey,
    ConsumerGroupMemberMetadataValue,
    ConsumerGroupTargetAssignmentMemberKey,
    ConsumerGroupTargetAssignmentMemberValue,
    ConsumerGroupTargetAssignmentMetadataKey,
    ConsumerGroupTargetAssignmentMetadataValue,
    ExpectedMembersKey,
    ExpectedMembersValue,
    GroupRebalanceKey,
    GroupRebalanceValue,
)

__all__ = [
    "CODEC",
    "MEMBER",
    "TARGET",
    "TARGET_SHARE",
    "KeyAndValue",
    "LoggedBatch",
    "Skipped",
    "decode",
    "encode",
    "replay",
]

_Assignors = ConsumerGroupMemberMetadataValue.ClientAssignors
_Place = ExpectedMembersValue.Place

_NOT_YET = -1


def _member_value(record: r.MemberMetadata) -> Message:
    value = groups.MEMBER.to_value(record)
    if not record.client_assignors:
        return value
    assignors = assignors_to(record.client_assignors, _Assignors.ClientAssignor)
    return value.replaced(client_assignors=_Assignors(assignors=assignors))


def _member(key: ConsumerGroupMemberMetadataKey, value: ConsumerGroupMemberMetadataValue) -> r.Record:
    record, told = cast(r.MemberMetadata, groups.MEMBER.from_messages(key, value)), value.client_assignors
    return record if told is None else evolve(record, client_assignors=assignors_from(told.assignors))


def _target_value(record: r.TargetAssignmentMetadata) -> Message:
    value = assignments.TARGET.to_value(record)
    return value.replaced(error=record.error, assignor_name=record.assignor)


def _target(
    key: ConsumerGroupTargetAssignmentMetadataKey, value: ConsumerGroupTargetAssignmentMetadataValue
) -> r.Record:
    record = cast(r.TargetAssignmentMetadata, assignments.TARGET.from_messages(key, value))
    return evolve(record, assignor=value.assignor_name, error=value.error)


def _share_value(record: r.TargetAssignmentMember) -> Message:
    value = assignments.TARGET_SHARE.to_value(record)
    if record.metadata is None:
        return value
    version, payload = metadata_to(record.metadata)
    return value.replaced(metadata_version=version, metadata_bytes=payload)


def _share(key: ConsumerGroupTargetAssignmentMemberKey, value: ConsumerGroupTargetAssignmentMemberValue) -> r.Record:
    record = cast(r.TargetAssignmentMember, assignments.TARGET_SHARE.from_messages(key, value))
    metadata = metadata_from(value.metadata_version, value.metadata_bytes)
    return record if metadata is None else evolve(record, metadata=metadata)


def _rebalance_key(record: RebalanceRecorded | RebalanceRecordedRemoved) -> GroupRebalanceKey:
    return GroupRebalanceKey(group_id=record.group_id, slot=record.slot)


def _rebalance_value(record: RebalanceRecorded) -> GroupRebalanceValue:
    rebalance, cause = record.rebalance, record.rebalance.cause
    return GroupRebalanceValue(
        number=rebalance.number,
        reason=cause.reason,
        member_id=cause.member_id,
        instance_id=cause.instance_id,
        join_reason=cause.stated,
        text=cause.text,
        cause_timestamp=rebalance.caused_at_ms,
        is_classic=rebalance.is_classic,
        epoch=rebalance.epoch,
        target_epoch=_NOT_YET if rebalance.target_epoch is None else rebalance.target_epoch,
        assignment_timestamp=_NOT_YET if rebalance.assigned_at_ms is None else rebalance.assigned_at_ms,
    )


def _rebalance(key: GroupRebalanceKey, value: GroupRebalanceValue) -> RebalanceRecorded:
    cause = Cause(
        rebalance_reason(value.reason),
        value.member_id,
        value.instance_id,
        join_reason(value.join_reason),
        value.text,
    )
    rebalance = Rebalance(
        value.number,
        cause,
        value.cause_timestamp,
        value.is_classic,
        value.epoch,
        None if value.target_epoch == _NOT_YET else value.target_epoch,
        None if value.assignment_timestamp == _NOT_YET else value.assignment_timestamp,
    )
    return RebalanceRecorded(key.group_id, key.slot, rebalance)


def _rebalance_removed(key: GroupRebalanceKey) -> RebalanceRecordedRemoved:
    return RebalanceRecordedRemoved(key.group_id, key.slot)


def _places_key(record: ExpectedMembers | ExpectedMembersRemoved) -> ExpectedMembersKey:
    return ExpectedMembersKey(group_id=record.group_id)


def _places_value(record: ExpectedMembers) -> ExpectedMembersValue:
    return ExpectedMembersValue(
        places=[
            _Place(
                instance_id=place.instance_id,
                kept_until=place.until_ms,
                rebalance_timeout_ms=place.rebalance_timeout_ms,
                assignor=place.assignor,
            )
            for place in record.places
        ]
    )


def _places(key: ExpectedMembersKey, value: ExpectedMembersValue) -> ExpectedMembers:
    places = (
        Place(place.instance_id, place.kept_until, place.rebalance_timeout_ms, place.assignor) for place in value.places
    )
    return ExpectedMembers(key.group_id, tuple(places))


def _places_removed(key: ExpectedMembersKey) -> ExpectedMembersRemoved:
    return ExpectedMembersRemoved(key.group_id)


MEMBER = evolve(groups.MEMBER, to_value=_member_value, from_messages=_member)
TARGET = evolve(assignments.TARGET, to_value=_target_value, from_messages=_target)
TARGET_SHARE = evolve(assignments.TARGET_SHARE, to_value=_share_value, from_messages=_share)

REBALANCE = RecordKind(
    number=10_000,
    key=GroupRebalanceKey,
    value=GroupRebalanceValue,
    record=RebalanceRecorded,
    removed=RebalanceRecordedRemoved,
    to_key=_rebalance_key,
    to_value=_rebalance_value,
    from_messages=_rebalance,
    removed_from=_rebalance_removed,
)

PLACES = RecordKind(
    number=10_001,
    key=ExpectedMembersKey,
    value=ExpectedMembersValue,
    record=ExpectedMembers,
    removed=ExpectedMembersRemoved,
    to_key=_places_key,
    to_value=_places_value,
    from_messages=_places,
    removed_from=_places_removed,
)

CODEC = Codec((*plain.KINDS, MEMBER, TARGET, TARGET_SHARE, REBALANCE, PLACES))
encode = CODEC.encode
decode = CODEC.decode
replay = partial(plain.replay, codec=CODEC)
