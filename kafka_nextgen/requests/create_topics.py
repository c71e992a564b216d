"""CreateTopics, versions 2 to 7. -1 partitions or replicas mean the brokers' default (KIP-464)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import field

from kafka_nextgen.errors import DecodeError
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.wire.messages import CreateTopicsRequest, CreateTopicsResponse

__all__ = ["DEFAULT", "CreatedTopic", "NewTopic", "from_response", "to_request"]

#: The number that means the brokers' default.
DEFAULT = -1

_Topic = CreateTopicsRequest.CreatableTopic


@frozen
class NewTopic:
    """A topic to create, with the configuration that differs from the brokers'."""

    name: str
    partitions: int = DEFAULT
    replication_factor: int = DEFAULT
    config: Mapping[str, str] = field(factory=dict)


@frozen
class CreatedTopic:
    """The result for a topic: an error code (0 for none) with the broker's message, or its size.

    The numbers are -1 from brokers before Kafka 2.4, and for a client that may not describe the topic's configuration.
    """

    name: str
    error: int
    message: str | None = None
    partitions: int = -1
    replication_factor: int = -1


def to_request(topics: Sequence[NewTopic], timeout_s: float, *, validate_only: bool = False) -> CreateTopicsRequest:
    """Request these topics; with ``validate_only`` the broker only checks the request."""
    return CreateTopicsRequest(
        topics=[
            _Topic(
                name=topic.name,
                num_partitions=topic.partitions,
                replication_factor=topic.replication_factor,
                assignments=[],
                configs=[
                    _Topic.CreatableTopicConfig(name=name, value=value) for name, value in sorted(topic.config.items())
                ],
            )
            for topic in topics
        ],
        timeout_ms=int(timeout_s * 1000),
        validate_only=validate_only,
    )


def from_response(message: CreateTopicsResponse, asked: Sequence[str]) -> dict[str, CreatedTopic]:
    """Read the result for each topic of ``asked``. Raises ``DecodeError`` if the answer omits one."""
    told = {
        topic.name: CreatedTopic(
            topic.name, topic.error_code, topic.error_message, topic.num_partitions, topic.replication_factor
        )
        for topic in message.topics
    }
    if missing := set(asked) - told.keys():
        raise DecodeError(f"the response to CreateTopics lacks {', '.join(sorted(missing))}")
    return {name: told[name] for name in asked}
