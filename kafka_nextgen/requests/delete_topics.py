"""DeleteTopics, versions 1 to 6: by id from version 6 on (KIP-516); a newer topic of the same name has another one."""

from __future__ import annotations

from collections.abc import Mapping

from kafka_nextgen.errors import DecodeError
from kafka_nextgen.types import TopicId
from kafka_nextgen.wire.messages import DeleteTopicsRequest, DeleteTopicsResponse

__all__ = ["from_response", "to_request"]

_WITH_IDS = 6

_State = DeleteTopicsRequest.DeleteTopicState


def to_request(topics: Mapping[str, TopicId | None], timeout_s: float, version: int) -> DeleteTopicsRequest:
    """Request the deletion of these topics, by their ids if they are known and the broker takes ids."""
    timeout_ms = int(timeout_s * 1000)
    if version < _WITH_IDS:
        return DeleteTopicsRequest(topic_names=list(topics), timeout_ms=timeout_ms)
    states = [
        _State(name=name) if topic_id is None else _State(name=None, topic_id=topic_id)
        for name, topic_id in topics.items()
    ]
    return DeleteTopicsRequest(topics=states, timeout_ms=timeout_ms)


def from_response(
    message: DeleteTopicsResponse, asked: Mapping[str, TopicId | None]
) -> dict[str, tuple[int, str | None]]:
    """Read an error code (0 for none) and the broker's message for each topic of ``asked``.

    Raises ``DecodeError`` if the answer omits one.
    """
    names = {topic_id: name for name, topic_id in asked.items() if topic_id is not None}
    told = {}
    for result in message.responses:
        name = names.get(result.topic_id) if result.topic_id in names else result.name
        if name is not None:
            told[name] = (result.error_code, result.error_message)
    if missing := asked.keys() - told.keys():
        raise DecodeError(f"the response to DeleteTopics lacks {', '.join(sorted(missing))}")
    return {name: told[name] for name in asked}
