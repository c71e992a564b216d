"""Topics by name and by id.

A coordinator stores offsets by topic name, and messages have names or ids. The broker converts them with a
``TopicDirectory``, a snapshot.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.testing.coordinator.requests import TopicImage
from kafka_nextgen.types import TopicId, TopicPartition

__all__ = ["TopicDirectory"]


@frozen
class TopicDirectory:
    """The topics of a cluster at one moment, by name and by id; create it with ``of``."""

    by_name: Mapping[str, TopicImage]
    by_id: Mapping[TopicId, TopicImage]

    @classmethod
    def of(cls, topics: Iterable[TopicImage]) -> TopicDirectory:
        """Index the existing topics."""
        known = tuple(topics)
        return cls({topic.name: topic for topic in known}, {topic.topic_id: topic for topic in known})

    def name_of(self, topic_id: TopicId | None) -> str | None:
        """The name of the topic with this id, or None."""
        topic = None if topic_id is None else self.by_id.get(topic_id)
        return None if topic is None else topic.name

    def id_of(self, name: str) -> TopicId | None:
        """The id of the topic with this name, or None."""
        topic = self.by_name.get(name)
        return None if topic is None else topic.topic_id

    def ids_of(self, partitions: Iterable[TopicPartition]) -> dict[str, TopicId]:
        """The ids of the topics of these partitions, by name; topics that do not exist are left out."""
        names = {partition.topic for partition in partitions}
        return {name: self.by_name[name].topic_id for name in names & self.by_name.keys()}

    def has(self, partition: TopicPartition) -> bool:
        """Whether the partition exists."""
        topic = self.by_name.get(partition.topic)
        return topic is not None and 0 <= partition.partition < topic.num_partitions
