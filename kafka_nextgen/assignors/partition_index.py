"""Number the partitions of several topics consecutively, and group them by the racks of their replicas."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence, Set

from kafka_nextgen.assignors.local_read_plan import RackSets
from kafka_nextgen.assignors.spec import Share, TopicMetadata
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.types import TopicId

__all__ = ["PartitionIndex", "racks_of"]

_NOWHERE: tuple[str, ...] = ()


@frozen
class PartitionIndex:
    """Topics in the order given, the index of each one's first partition, and the rack sets of all partitions."""

    topic_ids: Sequence[TopicId]
    begins: Sequence[int]
    rack_sets: RackSets

    @classmethod
    def of(cls, topics: Mapping[TopicId, TopicMetadata], racks: Set[str | None]) -> PartitionIndex:
        """Number the partitions. Racks other than ``racks``, those of the members, are ignored."""
        begins: list[int] = []
        rack_sets: list[int] = []
        known: dict[tuple[str, ...], int] = {}
        rack_set_of: dict[frozenset[str], int] = {}
        for topic in topics.values():
            begins.append(len(rack_sets))
            for replica_racks in racks_of(topic):
                if replica_racks not in known:
                    known[replica_racks] = rack_set_of.setdefault(frozenset(replica_racks) & racks, len(rack_set_of))
                rack_sets.append(known[replica_racks])
        return cls(list(topics), begins, RackSets(rack_sets, list(rack_set_of)))

    def indexes_of(self, share: Share) -> list[int]:
        """The indexes of a share's partitions, in order."""
        begins = dict(zip(self.topic_ids, self.begins, strict=True))
        return sorted(begins[topic_id] + number for topic_id, numbers in share.items() for number in numbers)

    def share_of(self, indexes: Iterable[int]) -> Share:
        """The partitions with these indexes."""
        share: dict[TopicId, list[int]] = {}
        for index in indexes:
            topic_index = bisect_right(self.begins, index) - 1
            share.setdefault(self.topic_ids[topic_index], []).append(index - self.begins[topic_index])
        return {topic_id: frozenset(numbers) for topic_id, numbers in share.items()}


def racks_of(topic: TopicMetadata) -> list[tuple[str, ...]]:
    """The racks of each partition's replicas; empty where they are unknown."""
    known = topic.partition_racks[: topic.num_partitions]
    return [*known, *[_NOWHERE] * (topic.num_partitions - len(known))]
