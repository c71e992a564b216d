"""ConsumerGroupHistory, an extension, on the broker."""

from __future__ import annotations

from kafka_nextgen.requests.extensions.consumer_group_history import ANSWER
from kafka_nextgen.testing.coordinator.extensions.requests import DescribeHistory
from kafka_nextgen.wire.messages import ConsumerGroupHistoryRequest

__all__ = ["from_request", "to_response"]


def from_request(message: ConsumerGroupHistoryRequest) -> DescribeHistory:
    """Read the request."""
    return DescribeHistory(message.group_id)


to_response = ANSWER.to_structure
