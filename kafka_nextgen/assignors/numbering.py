"""All partitions of a group's topics as the numbers 0, 1, 2, ..., topics in the order of their names.

A partition as (topic id, number) costs an object and a hash at every touch. The uniform assignor touches each a
few times, in groups of hundreds of thousands, and so counts them through once and works on plain integers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set

from kafka_nextgen.assignors.spec import MemberAssignment, TopicMetadata
from kafka_nextgen.types import TopicId

__all__ = ["Numbering"]


class Numbering:
    """The numbers of all partitions of ``topics``."""

    def __init__(self, topics: Mapping[TopicId, TopicMetadata]) -> None:
        self.first: dict[TopicId, int] = {}
        self._topics = topics
        self._topic_of: list[TopicId] = []
        for topic_id, topic in sorted(topics.items(), key=lambda item: (item[1].name, item[0])):
            self.first[topic_id] = len(self._topic_of)
            self._topic_of.extend([topic_id] * topic.num_partitions)

    def __len__(self) -> int:
        return len(self._topic_of)

    def of_topic(self, topic_id: TopicId) -> range:
        """The numbers of one topic's partitions."""
        first = self.first[topic_id]
        return range(first, first + self._topics[topic_id].num_partitions)

    def of_subscribed(self, target: Mapping[TopicId, Set[int]], subscribed: Set[str]) -> list[int]:
        """A previous target as numbers, ascending, without what is gone or is no longer subscribed to."""
        numbers: list[int] = []
        for topic_id, partitions in target.items():
            topic = self._topics.get(topic_id)
            if topic is None or topic.name not in subscribed:
                continue
            first = self.first[topic_id]
            numbers.extend(first + partition for partition in partitions if 0 <= partition < topic.num_partitions)
        numbers.sort()
        return numbers

    def topic_of(self, number: int) -> TopicId:
        """The topic a number belongs to."""
        return self._topic_of[number]

    def to_assignment(self, numbers: Iterable[int]) -> MemberAssignment:
        """The numbers of one member's share, back as partitions."""
        partitions: dict[TopicId, set[int]] = {}
        for number in numbers:
            topic_id = self._topic_of[number]
            partitions.setdefault(topic_id, set()).add(number - self.first[topic_id])
        return MemberAssignment({topic_id: frozenset(numbers) for topic_id, numbers in partitions.items()})
