"""ConsumerGroupHistory, an extension, from both ends: the rebalances that a coordinator remembers of a group."""

from __future__ import annotations

from kafka_nextgen.bridge.extensions.fields import join_reason, rebalance_reason
from kafka_nextgen.bridge.topics import code_of
from kafka_nextgen.coordinator.cause import Cause
from kafka_nextgen.coordinator.extensions.records import Rebalance
from kafka_nextgen.coordinator.extensions.requests import DescribeHistory
from kafka_nextgen.coordinator.extensions.responses import HistoryDescribed
from kafka_nextgen.wire.messages import ConsumerGroupHistoryRequest, ConsumerGroupHistoryResponse

__all__ = ["from_request", "from_response", "to_request", "to_response"]

_NOT_YET = -1

_Rebalance = ConsumerGroupHistoryResponse.Rebalance


def to_request(group_id: str) -> ConsumerGroupHistoryRequest:
    """Ask for the history of a group."""
    return ConsumerGroupHistoryRequest(group_id=group_id)


def from_request(message: ConsumerGroupHistoryRequest) -> DescribeHistory:
    """Read the question."""
    return DescribeHistory(message.group_id)


def to_response(answer: HistoryDescribed) -> ConsumerGroupHistoryResponse:
    """Write the answer."""
    return ConsumerGroupHistoryResponse(
        error_code=answer.error,
        error_message=answer.message,
        rebalances=[_to_rebalance(rebalance) for rebalance in answer.rebalances],
    )


def from_response(message: ConsumerGroupHistoryResponse) -> HistoryDescribed:
    """Read the answer."""
    return HistoryDescribed(
        error=code_of(message.error_code),
        message=message.error_message,
        rebalances=tuple(_from_rebalance(told) for told in message.rebalances),
    )


def _to_rebalance(rebalance: Rebalance) -> _Rebalance:
    cause = rebalance.cause
    return _Rebalance(
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


def _from_rebalance(told: _Rebalance) -> Rebalance:
    stated, reason = join_reason(told.join_reason), rebalance_reason(told.reason)
    return Rebalance(
        number=told.number,
        cause=Cause(reason, told.member_id, told.instance_id, stated, told.text),
        caused_at_ms=told.cause_timestamp,
        is_classic=told.is_classic,
        epoch=told.epoch,
        target_epoch=None if told.target_epoch == _NOT_YET else told.target_epoch,
        assigned_at_ms=None if told.assignment_timestamp == _NOT_YET else told.assignment_timestamp,
    )
