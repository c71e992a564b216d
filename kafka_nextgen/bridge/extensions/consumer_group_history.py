"""ConsumerGroupHistory, an extension, from both ends: the rebalances that a coordinator remembers of a group."""

from __future__ import annotations

from kafka_nextgen.bridge.extensions.fields import join_reason, rebalance_reason
from kafka_nextgen.bridge.topics import ERROR
from kafka_nextgen.groups.cause import Cause
from kafka_nextgen.groups.extensions.history import HistoryDescribed
from kafka_nextgen.groups.extensions.records import Rebalance
from kafka_nextgen.testing.coordinator.extensions.requests import DescribeHistory
from kafka_nextgen.wire.field_map import FieldMap, converted, optional_number
from kafka_nextgen.wire.messages import ConsumerGroupHistoryRequest, ConsumerGroupHistoryResponse

__all__ = ["REBALANCE", "from_request", "from_response", "to_request", "to_response"]

_Rebalance = ConsumerGroupHistoryResponse.Rebalance

_CAUSE = FieldMap(
    Cause,
    _Rebalance,
    reason=converted("reason", int, rebalance_reason),
    stated=converted("join_reason", int, join_reason),
)
#: A rebalance, as answers and records have it.
REBALANCE = FieldMap(
    Rebalance,
    _Rebalance,
    cause=_CAUSE.inline,
    caused_at_ms="cause_timestamp",
    target_epoch=optional_number("target_epoch"),
    assigned_at_ms=optional_number("assignment_timestamp"),
)
_ANSWER = FieldMap(
    HistoryDescribed,
    ConsumerGroupHistoryResponse,
    error=ERROR,
    message="error_message",
    rebalances=REBALANCE.array("rebalances"),
)


def to_request(group_id: str) -> ConsumerGroupHistoryRequest:
    """Ask for the history of a group."""
    return ConsumerGroupHistoryRequest(group_id=group_id)


def from_request(message: ConsumerGroupHistoryRequest) -> DescribeHistory:
    """Read the question."""
    return DescribeHistory(message.group_id)


to_response, from_response = _ANSWER.to_structure, _ANSWER.from_structure
