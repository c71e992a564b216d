"""OffsetDelete: delete a group's committed offsets (KIP-496)."""

from __future__ import annotations

from kafka_nextgen.bridge.offset_delete import from_request, refusals, to_response
from kafka_nextgen.broker.context import Context
from kafka_nextgen.broker.security.rights import DELETE_GROUP, READ_TOPIC
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.coordinator.responses import OffsetsDeleted
from kafka_nextgen.wire.messages import OffsetDeleteRequest, OffsetDeleteResponse

__all__ = ["handle"]


async def handle(request: OffsetDeleteRequest, context: Context) -> OffsetDeleteResponse:
    """Delete the offsets of partitions that exist; return an error code for each partition."""
    if not context.may(DELETE_GROUP, request.group_id):
        return to_response(request, OffsetsDeleted(error=DELETE_GROUP.error))
    refused = [topic for topic in request.topics if not context.may(READ_TOPIC, topic.name)]
    allowed = request.replaced(topics=[topic for topic in request.topics if topic not in refused])
    response = to_response(allowed, _answer(allowed, context))
    if response.error_code:
        return response
    return response.replaced(topics=[*response.topics, *refusals(refused, READ_TOPIC.error)])


def _answer(request: OffsetDeleteRequest, context: Context) -> OffsetsDeleted:
    if not context.coordinates(request.group_id):
        return OffsetsDeleted(error=ErrorCode.NOT_COORDINATOR)
    return context.cluster.groups.ask(from_request(request, context.cluster.directory()), OffsetsDeleted)
