"""The rebalances that are remembered of a group: an extension, whose type Kafka's coordinators skip."""

from __future__ import annotations

from kafka_nextgen.bridge.join_reasons import join_reason, rebalance_reason
from kafka_nextgen.bridge.offsets_topic.kind import RecordKind
from kafka_nextgen.coordinator.cause import Cause
from kafka_nextgen.coordinator.extensions.records import Rebalance, RebalanceRecorded, RebalanceRecordedRemoved
from kafka_nextgen.wire.schemas.offsets_topic import GroupRebalanceKey, GroupRebalanceValue

__all__ = ["REBALANCE"]

_NOT_YET = -1


def _to_key(record: RebalanceRecorded | RebalanceRecordedRemoved) -> GroupRebalanceKey:
    return GroupRebalanceKey(group_id=record.group_id, slot=record.slot)


def _to_value(record: RebalanceRecorded) -> GroupRebalanceValue:
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


def _from_messages(key: GroupRebalanceKey, value: GroupRebalanceValue) -> RebalanceRecorded:
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


def _removed_from(key: GroupRebalanceKey) -> RebalanceRecordedRemoved:
    return RebalanceRecordedRemoved(key.group_id, key.slot)


REBALANCE = RecordKind(
    number=10_000,
    key=GroupRebalanceKey,
    value=GroupRebalanceValue,
    record=RebalanceRecorded,
    removed=RebalanceRecordedRemoved,
    to_key=_to_key,
    to_value=_to_value,
    from_messages=_from_messages,
    removed_from=_removed_from,
)
