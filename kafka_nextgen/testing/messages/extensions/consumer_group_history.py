"""ConsumerGroupHistory, an extension, on the broker."""

from __future__ import annotations
from kafka_nextgen.bridge.extensions.fields import join_reason, rebalance_reason
from kafka_nextgen.bridge.topics import ERROR
from kafka_nextgen.groups.cause import Cause
from kafka_nextgen.groups.extensions.history import HistoryDescribed
from kafka_nextgen.groups.extensions.records import Rebalance
from kafka_nextgen.testing.coordinator.extensions.requests import DescribeHistory
from kafka_nextgen.wire.field_map import FieldMap, converted, optional_number
from kafka_nextgen.wire.messages import ConsumerGroupHistoryRequest, ConsumerGroupHistoryResponse
from kafka_nextgen.requests.extensions.consumer_group_history import ANSWER

__all__ = ["from_request", "to_response"]


def from_request(message: ConsumerGroupHistoryRequest) -> DescribeHistory:
    """Read the question."""
    return DescribeHistory(message.group_id)


to_response = ANSWER.to_structure
