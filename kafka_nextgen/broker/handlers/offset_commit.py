"""OffsetCommit: store offsets for a group; by topic id from version 10 on (KIP-848).

Only partitions that exist reach the coordinator.
"""

from __future__ import annotations

from kafka_nextgen.bridge.offset_commit import from_request, refusals, to_response
from kafka_nextgen.bridge.topics import TopicDirectory
from kafka_nextgen.broker.context import Context
from kafka_nextgen.broker.security.rights import READ_GROUP, READ_TOPIC
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.coordinator.requests import OffsetCommit
from kafka_nextgen.coordinator.responses import OffsetsCommitted
from kafka_nextgen.wire.messages import OffsetCommitRequest, OffsetCommitResponse

__all__ = ["handle"]


async def handle(request: OffsetCommitRequest, context: Context) -> OffsetCommitResponse:
    """Commit the partitions that exist; return an error code for each partition."""
    if not context.may(READ_GROUP, request.group_id):
        return OffsetCommitResponse(topics=refusals(request.topics, READ_GROUP.error))
    directory = context.cluster.directory()
    refused = [topic for topic in request.topics if not _may_read(topic, directory, context)]
    allowed = request.replaced(topics=[topic for topic in request.topics if topic not in refused])
    commit = from_request(allowed, directory)
    response = to_response(allowed, directory, _answer(commit, context) if commit.offsets else None)
    return response.replaced(topics=[*response.topics, *refusals(refused, READ_TOPIC.error)])


def _may_read(topic: OffsetCommitRequest.OffsetCommitRequestTopic, directory: TopicDirectory, context: Context) -> bool:
    name = topic.name or directory.name_of(topic.topic_id)
    return name is None or context.may(READ_TOPIC, name)  # an id without a topic is answered as such


def _answer(commit: OffsetCommit, context: Context) -> OffsetsCommitted:
    if not context.coordinates(commit.group_id):
        return OffsetsCommitted(dict.fromkeys(commit.offsets, ErrorCode.NOT_COORDINATOR))
    return context.cluster.groups.ask(commit, OffsetsCommitted)
