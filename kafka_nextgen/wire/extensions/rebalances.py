"""Converts a rebalance, in ConsumerGroupHistory responses and in the offsets topic."""

from __future__ import annotations

from kafka_nextgen.groups.cause import Cause
from kafka_nextgen.groups.extensions.records import Rebalance
from kafka_nextgen.wire.extensions.fields import join_reason, rebalance_reason
from kafka_nextgen.wire.field_map import FieldMap, converted, optional_number
from kafka_nextgen.wire.messages import ConsumerGroupHistoryResponse

__all__ = ["REBALANCE"]

_Rebalance = ConsumerGroupHistoryResponse.Rebalance

_CAUSE = FieldMap(
    Cause,
    _Rebalance,
    reason=converted("reason", int, rebalance_reason),
    stated=converted("join_reason", int, join_reason),
)
#: Converts a rebalance in responses and records.
REBALANCE = FieldMap(
    Rebalance,
    _Rebalance,
    cause=_CAUSE.inline,
    caused_at_ms="cause_timestamp",
    target_epoch=optional_number("target_epoch"),
    assigned_at_ms=optional_number("assignment_timestamp"),
)
