"""Metadata as an administrator reads it: topics with the in-sync replicas of their partitions.

Consumers read the same answers by ``kafka_nextgen.requests.metadata``, which leaves out what they do not need.
"""

from __future__ import annotations

from collections.abc import Sequence

from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.types import TopicId
from kafka_nextgen.wire.messages import MetadataResponse

__all__ = ["DescribedPartition", "DescribedTopic", "from_response"]

_Topic = MetadataResponse.MetadataResponseTopic


@frozen
class DescribedPartition:
    """A partition: its leader's node id (-1 for none), and the nodes of its replicas."""

    partition: int
    leader: int
    replicas: tuple[int, ...]
    in_sync: tuple[int, ...]


@frozen
class DescribedTopic:
    """A topic, or its error code (0 for none)."""

    name: str
    topic_id: TopicId | None
    is_internal: bool
    partitions: tuple[DescribedPartition, ...]
    error: int = 0


def from_response(message: MetadataResponse) -> dict[str, DescribedTopic]:
    """Read all topics in an answer, sorted by name."""
    topics = {topic.name: topic for topic in message.topics if topic.name is not None}
    return {
        name: DescribedTopic(
            name, topic.topic_id, topic.is_internal, _partitions(topic.partitions), error=topic.error_code
        )
        for name, topic in sorted(topics.items())
    }


def _partitions(partitions: Sequence[_Topic.MetadataResponsePartition]) -> tuple[DescribedPartition, ...]:
    described = (
        DescribedPartition(each.partition_index, each.leader_id, tuple(each.replica_nodes), tuple(each.isr_nodes))
        for each in partitions
    )
    return tuple(sorted(described, key=lambda each: each.partition))
