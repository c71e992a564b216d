"""OffsetCommit, OffsetFetch and OffsetDelete: a group's committed offsets (KIP-496).

OffsetCommit and OffsetFetch identify topics by id from version 10 on (KIP-848).
"""

from __future__ import annotations

from attrs import evolve

from kafka_nextgen.testing.broker.context import Context
from kafka_nextgen.testing.broker.security.acls import Right
from kafka_nextgen.testing.coordinator.requests import OffsetFetch
from kafka_nextgen.testing.coordinator.responses import OffsetsCommitted, OffsetsDeleted, OffsetsFetched
from kafka_nextgen.testing.messages import offset_commit as commit_messages
from kafka_nextgen.testing.messages import offset_delete as delete_messages
from kafka_nextgen.testing.messages import offset_fetch as fetch_messages
from kafka_nextgen.testing.messages.topics import TopicDirectory
from kafka_nextgen.wire import messages as m

__all__ = ["offset_commit", "offset_delete", "offset_fetch"]

_FetchedTopic = m.OffsetFetchResponse.OffsetFetchResponseGroup.OffsetFetchResponseTopics


async def offset_commit(request: m.OffsetCommitRequest, context: Context) -> m.OffsetCommitResponse:
    """Commit the partitions that exist; return an error code for each partition."""
    if not context.may(Right.READ_GROUP, request.group_id):
        return m.OffsetCommitResponse(topics=commit_messages.refusals(request.topics, Right.READ_GROUP.error))
    directory = context.cluster.directory()
    refused = [topic for topic in request.topics if not _may_read(topic, directory, context)]
    allowed = request.replaced(topics=[topic for topic in request.topics if topic not in refused])
    commit = commit_messages.from_request(allowed, directory)
    answer = context.ask_group(Right.READ_GROUP, commit, OffsetsCommitted) if commit.offsets else None
    response = commit_messages.to_response(allowed, directory, answer)
    return response.replaced(topics=[*response.topics, *commit_messages.refusals(refused, Right.READ_TOPIC.error)])


async def offset_fetch(request: m.OffsetFetchRequest, context: Context) -> m.OffsetFetchResponse:
    """Read each group's offsets; several groups from version 8 on.

    With ``require_stable`` an offset that an open transaction may change is an error, UNSTABLE_OFFSET_COMMIT (KIP-447).
    Topics that the client may not describe each get an error; they are left out if all offsets are requested.
    """
    directory = context.cluster.directory()
    answers = [_fetch(fetch, context) for fetch in fetch_messages.from_request(request, directory)]
    return _hide(fetch_messages.to_response(request, directory, answers), context)


async def offset_delete(request: m.OffsetDeleteRequest, context: Context) -> m.OffsetDeleteResponse:
    """Delete the offsets of partitions that exist; return an error code for each partition."""
    refused = [topic for topic in request.topics if not context.may(Right.READ_TOPIC, topic.name)]
    allowed = request.replaced(topics=[topic for topic in request.topics if topic not in refused])
    asked = delete_messages.from_request(allowed, context.cluster.directory())
    response = delete_messages.to_response(allowed, context.ask_group(Right.DELETE_GROUP, asked, OffsetsDeleted))
    if response.error_code:
        return response
    return response.replaced(topics=[*response.topics, *delete_messages.refusals(refused, Right.READ_TOPIC.error)])


def _may_read(
    topic: m.OffsetCommitRequest.OffsetCommitRequestTopic, directory: TopicDirectory, context: Context
) -> bool:
    name = topic.name or directory.name_of(topic.topic_id)
    return name is None or context.may(Right.READ_TOPIC, name)  # unknown ids have their own error


def _fetch(fetch: OffsetFetch, context: Context) -> OffsetsFetched:
    fetched = context.ask_group(Right.DESCRIBE_GROUP, fetch, OffsetsFetched)
    return _visible(fetched, context) if fetch.partitions is None else fetched


def _visible(fetched: OffsetsFetched, context: Context) -> OffsetsFetched:
    seen = {tp: offset for tp, offset in fetched.offsets.items() if context.may(Right.DESCRIBE_TOPIC, tp.topic)}
    unstable = frozenset(tp for tp in fetched.unstable if context.may(Right.DESCRIBE_TOPIC, tp.topic))
    return evolve(fetched, offsets=seen, unstable=unstable)


def _hide(response: m.OffsetFetchResponse, context: Context) -> m.OffsetFetchResponse:
    groups = [group.replaced(topics=[_hidden(topic, context) for topic in group.topics]) for group in response.groups]
    return response.replaced(topics=[_hidden(topic, context) for topic in response.topics], groups=groups)


def _hidden(topic: _FetchedTopic, context: Context) -> _FetchedTopic:
    if not topic.name or context.may(Right.DESCRIBE_TOPIC, topic.name):
        return topic
    nothing = {"committed_offset": -1, "committed_leader_epoch": -1, "metadata": ""}
    refused = [partition.replaced(error_code=Right.DESCRIBE_TOPIC.error, **nothing) for partition in topic.partitions]
    return topic.replaced(partitions=refused)
