"""Topics by name and by id, and partitions grouped as messages want them.

The group protocol speaks of topic ids, and so do newer versions of other APIs; coordinators and applications keep
offsets by name. The caller converts them with a ``TopicDirectory``, a snapshot.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from attrs import frozen

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import DecodeError
from kafka_nextgen.types import TopicId, TopicIdPartition, TopicPartition
from kafka_nextgen.wire.field_map import converted

if TYPE_CHECKING:  # the broker's half is imported where it is used: a consumer has no use for it
    from kafka_nextgen.testing.coordinator.requests import TopicImage

__all__ = ["ERROR", "NO_TOPIC_ID", "TopicDirectory", "by_name", "by_topic_id", "code_of", "topic_id_partitions"]

#: What Kafka writes where there is no topic id.
NO_TOPIC_ID = TopicId(int=0)


@frozen
class TopicDirectory:
    """The topics of a cluster at one moment, by name and by id; make one with ``of``."""

    by_name: Mapping[str, TopicImage]
    by_id: Mapping[TopicId, TopicImage]

    @classmethod
    def of(cls, topics: Iterable[TopicImage]) -> TopicDirectory:
        """Index the topics there are."""
        known = tuple(topics)
        return cls({topic.name: topic for topic in known}, {topic.topic_id: topic for topic in known})

    def name_of(self, topic_id: TopicId | None) -> str | None:
        """The name behind an id, or None."""
        topic = None if topic_id is None else self.by_id.get(topic_id)
        return None if topic is None else topic.name

    def id_of(self, name: str) -> TopicId | None:
        """The id behind a name, or None."""
        topic = self.by_name.get(name)
        return None if topic is None else topic.topic_id

    def ids_of(self, partitions: Iterable[TopicPartition]) -> dict[str, TopicId]:
        """The ids of the topics that these partitions are of, by name; without those that there are not."""
        names = {partition.topic for partition in partitions}
        return {name: self.by_name[name].topic_id for name in names & self.by_name.keys()}

    def has(self, partition: TopicPartition) -> bool:
        """Whether there is such a partition."""
        topic = self.by_name.get(partition.topic)
        return topic is not None and 0 <= partition.partition < topic.num_partitions


def by_name(partitions: Iterable[TopicPartition]) -> dict[str, list[int]]:
    """Group partitions by topic, in order and each once."""
    grouped: dict[str, list[int]] = {}
    for partition in sorted(set(partitions)):
        grouped.setdefault(partition.topic, []).append(partition.partition)
    return grouped


def by_topic_id(partitions: Iterable[TopicIdPartition]) -> dict[TopicId, list[int]]:
    """Group partitions by topic id, in order and each once."""
    grouped: dict[TopicId, list[int]] = {}
    for partition in sorted(set(partitions)):
        grouped.setdefault(partition.topic_id, []).append(partition.partition)
    return grouped


def topic_id_partitions(pairs: Iterable[tuple[TopicId | None, Iterable[int]]]) -> frozenset[TopicIdPartition]:
    """The set of partitions in a message. Raises ``DecodeError`` for a missing id or a negative partition."""
    found = set()
    for topic_id, partitions in pairs:
        for partition in partitions:
            if topic_id is None or partition < 0:
                raise DecodeError(f"partition {partition} of topic id {topic_id or NO_TOPIC_ID}: there is none such")
            found.add(TopicIdPartition(topic_id, partition))
    return frozenset(found)


def code_of(number: int) -> ErrorCode:
    """The error code of a number; ``UNKNOWN_SERVER_ERROR`` for an unknown number."""
    try:
        return ErrorCode(number)
    except ValueError:
        return ErrorCode.UNKNOWN_SERVER_ERROR


#: The error code of a structure.
ERROR = converted("error_code", int, code_of)
