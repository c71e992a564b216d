"""DeleteTopics: delete topics with all their records; by name, or by name or id from version 6 on (KIP-516).

A topic that is named twice is not deleted: the request contradicts itself.
"""

from __future__ import annotations

from collections import Counter

from kafka_nextgen.bridge.topics import NO_TOPIC_ID
from kafka_nextgen.broker.context import Context
from kafka_nextgen.broker.security.rights import DELETE_TOPIC, DESCRIBE_TOPIC
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.types import TopicId
from kafka_nextgen.wire.messages import DeleteTopicsRequest, DeleteTopicsResponse

__all__ = ["handle"]

_Result = DeleteTopicsResponse.DeletableTopicResult

_WITH_TOPIC_IDS = 6
_UNAUTHORIZED = "Topic authorization failed."


async def handle(request: DeleteTopicsRequest, context: Context) -> DeleteTopicsResponse:
    """Delete the topics that exist; return a result for each."""
    if context.version < _WITH_TOPIC_IDS:
        asked: list[tuple[str | None, TopicId | None]] = [(name, None) for name in request.topic_names]
    else:
        asked = [(topic.name, topic.topic_id) for topic in request.topics]
    return DeleteTopicsResponse(
        responses=[
            _delete(name, topic_id, context) if count == 1 else _result(name, topic_id, ErrorCode.INVALID_REQUEST)
            for (name, topic_id), count in Counter(asked).items()
        ]
    )


def _delete(name: str | None, topic_id: TopicId | None, context: Context) -> _Result:
    if (name is None) == (topic_id is None):
        return _result(name, topic_id, ErrorCode.INVALID_REQUEST)
    topics = context.cluster.topics
    topic = topics.with_id(topic_id) if name is None else topics.named(name)
    if topic is None and name is None:
        return _result(None, topic_id, ErrorCode.UNKNOWN_TOPIC_ID)
    refusal = _refusal_by_name(name, context) if name is not None else None
    if refusal is not None:
        return refusal
    if topic is None:
        return _result(name, topic_id, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
    if not context.may(DELETE_TOPIC, topic.name):  # the name behind an id is for those who may see the topic
        seen = topic.name if context.may(DESCRIBE_TOPIC, topic.name) else None
        return _result(seen, topic.topic_id, DELETE_TOPIC.error, _UNAUTHORIZED)
    topics.delete(topic)
    return _result(topic.name, topic.topic_id, ErrorCode.NONE)


def _refusal_by_name(name: str, context: Context) -> _Result | None:
    if context.may(DESCRIBE_TOPIC, name):
        return None
    return _result(name, None, DESCRIBE_TOPIC.error, _UNAUTHORIZED)


def _result(name: str | None, topic_id: TopicId | None, error: ErrorCode, message: str | None = None) -> _Result:
    return _Result(name=name, topic_id=topic_id or NO_TOPIC_ID, error_code=error, error_message=message)
