"""ConsumerGroupDescribe: groups of the consumer group protocol, with members and assignments (KIP-848)."""

from __future__ import annotations

from kafka_nextgen.bridge.consumer_group_describe import from_request, to_response
from kafka_nextgen.broker.cluster import Context
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.coordinator.requests import ConsumerGroupDescribe
from kafka_nextgen.coordinator.responses import ConsumerGroupDescribed, DescribedGroup
from kafka_nextgen.wire.messages import ConsumerGroupDescribeRequest, ConsumerGroupDescribeResponse

__all__ = ["handle"]


async def handle(request: ConsumerGroupDescribeRequest, context: Context) -> ConsumerGroupDescribeResponse:
    """Describe the groups in the order they were asked for."""
    groups = tuple(_describe(group_id, context) for group_id in from_request(request).group_ids)
    return to_response(ConsumerGroupDescribed(groups), context.cluster.directory())


def _describe(group_id: str, context: Context) -> DescribedGroup:
    if not context.has_consumer_protocol:
        return DescribedGroup(group_id, ErrorCode.UNSUPPORTED_VERSION)
    if not context.coordinates(group_id):
        return DescribedGroup(group_id, ErrorCode.NOT_COORDINATOR)
    described = context.cluster.groups.ask(ConsumerGroupDescribe((group_id,)), ConsumerGroupDescribed)
    return described.groups[0]
