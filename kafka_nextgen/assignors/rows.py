"""The partitions of some topics in a row, topic after topic and numbered through, and what is near each of them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence, Set

from attrs import frozen

from kafka_nextgen.assignors.keeping import Share
from kafka_nextgen.assignors.local_plan import Sorts
from kafka_nextgen.assignors.spec import TopicMetadata
from kafka_nextgen.types import TopicId

__all__ = ["Row", "racks_of"]

_NOWHERE: tuple[str, ...] = ()


@frozen
class Row:
    """Topics in the order they were given, where in the row each begins, and the sorts of partitions."""

    topic_ids: Sequence[TopicId]
    begins: Sequence[int]
    sorts: Sorts

    @classmethod
    def of(cls, topics: Mapping[TopicId, TopicMetadata], racks: Set[str | None]) -> Row:
        """Line the partitions up. Only ``racks`` make a difference: nobody is in another."""
        begins: list[int] = []
        sorts: list[int] = []
        known: dict[tuple[str, ...], int] = {}
        sort_of: dict[frozenset[str], int] = {}
        for topic in topics.values():
            begins.append(len(sorts))
            for near in racks_of(topic):
                if near not in known:
                    known[near] = sort_of.setdefault(frozenset(near) & racks, len(sort_of))
                sorts.append(known[near])
        return cls(list(topics), begins, Sorts(sorts, list(sort_of)))

    def places_of(self, share: Share) -> list[int]:
        """The partitions of a share by their places in the row, in order."""
        begins = dict(zip(self.topic_ids, self.begins, strict=True))
        return sorted(begins[topic_id] + number for topic_id, numbers in share.items() for number in numbers)

    def share_of(self, places: Iterable[int]) -> Share:
        """The partitions at these places."""
        share: dict[TopicId, list[int]] = {}
        for place in places:
            index = bisect_right(self.begins, place) - 1
            share.setdefault(self.topic_ids[index], []).append(place - self.begins[index])
        return {topic_id: frozenset(numbers) for topic_id, numbers in share.items()}


def racks_of(topic: TopicMetadata) -> list[tuple[str, ...]]:
    """The racks of each partition's replicas; none where nothing is said of them."""
    known = topic.partition_racks[: topic.num_partitions]
    return [*known, *[_NOWHERE] * (topic.num_partitions - len(known))]
