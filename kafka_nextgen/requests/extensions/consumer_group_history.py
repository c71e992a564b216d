"""ConsumerGroupHistory, an extension: the recent rebalances of a group, as its coordinator recorded them."""

from __future__ import annotations

from kafka_nextgen.groups.extensions.history import HistoryDescribed
from kafka_nextgen.wire.error_codes import ERROR
from kafka_nextgen.wire.extensions.rebalances import REBALANCE
from kafka_nextgen.wire.field_map import FieldMap
from kafka_nextgen.wire.messages import ConsumerGroupHistoryRequest, ConsumerGroupHistoryResponse

__all__ = ["ANSWER", "from_response", "to_request"]

#: The response, for client and broker.
ANSWER = FieldMap(
    HistoryDescribed,
    ConsumerGroupHistoryResponse,
    error=ERROR,
    message="error_message",
    rebalances=REBALANCE.array("rebalances"),
)


def to_request(group_id: str) -> ConsumerGroupHistoryRequest:
    """Request the history of a group."""
    return ConsumerGroupHistoryRequest(group_id=group_id)


from_response = ANSWER.from_structure
