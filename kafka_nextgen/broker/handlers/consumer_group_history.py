"""ConsumerGroupHistory, an extension: why a group rebalanced, for whoever may describe it."""

from __future__ import annotations

from kafka_nextgen.bridge.extensions.consumer_group_history import from_request, to_response
from kafka_nextgen.broker.context import Context
from kafka_nextgen.broker.security.rights import DESCRIBE_GROUP
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.coordinator.extensions.responses import HistoryDescribed
from kafka_nextgen.wire.messages import ConsumerGroupHistoryRequest, ConsumerGroupHistoryResponse

__all__ = ["handle"]


async def handle(request: ConsumerGroupHistoryRequest, context: Context) -> ConsumerGroupHistoryResponse:
    """Tell what the group's coordinator remembers. A group of either protocol has a history."""
    if not context.may(DESCRIBE_GROUP, request.group_id):
        return to_response(HistoryDescribed(DESCRIBE_GROUP.error))
    if not context.coordinates(request.group_id):
        return to_response(HistoryDescribed(ErrorCode.NOT_COORDINATOR))
    return to_response(context.cluster.groups.ask(from_request(request), HistoryDescribed))
