"""The cluster's topics as the coordinator knows them, and the hash that says whether they changed for a group.

Each state of the topics has a version. When a group was last compared with another version, its next heartbeat compares
the hash over its subscribed topics with the stored one (KIP-848, "Group Epoch - Trigger a rebalance"; the hash is
KIP-1101's). Versions and hashes never leave the coordinator.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Set
from hashlib import blake2b

from attrs import field

from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.testing.coordinator.requests import TopicImage
from kafka_nextgen.types import TopicId, TopicIdPartition, TopicPartition

__all__ = ["NamedTopics", "Topics"]


@frozen
class Topics:
    """All topics. ``version`` increases with every change; ``created_version`` is the version of the last added
    topic."""

    by_name: Mapping[str, TopicImage] = field(factory=dict)
    version: int = 0
    created_version: int = 0
    changed_at_ms: int | None = field(default=None, eq=False)  # when this version arrived
    remembered: Mapping[str, object] = field(factory=dict, eq=False, repr=False)  # by the extensions (``hooks``)
    by_id: Mapping[TopicId, TopicImage] = field(init=False, eq=False, repr=False)
    _digests: dict[str, bytes] = field(init=False, factory=dict, eq=False, repr=False)  # those requested so far

    @by_id.default
    def _index(self) -> Mapping[TopicId, TopicImage]:
        return {topic.topic_id: topic for topic in self.by_name.values()}

    def changed_to(self, by_name: Mapping[str, TopicImage], now_ms: int) -> Topics:
        """The next version; this one if nothing changed. The first one that arrives may be empty."""
        if self.version and by_name == self.by_name:
            return self
        version = self.version + 1
        is_new = any(topic.topic_id not in self.by_id for topic in by_name.values())
        return Topics(dict(by_name), version, version if is_new else self.created_version, now_ms)

    def metadata_hash(self, names: Iterable[str]) -> int:
        """A hash over these topics' ids, names, partition counts and racks. 0 if none exists."""
        present = sorted(name for name in set(names) if name in self.by_name)
        if not present:
            return 0
        total = blake2b(digest_size=8)
        for name in present:
            total.update(self._digest_of(name))
        return int.from_bytes(total.digest(), "big", signed=True)

    def _digest_of(self, name: str) -> bytes:
        found = self._digests.get(name)
        if found is None:
            found = self._digests[name] = _digest(self.by_name[name])
        return found

    def with_ids(self, partitions: Iterable[TopicPartition]) -> frozenset[TopicIdPartition]:
        """The partitions by their topics' ids; those of topics that do not exist are left out."""
        return frozenset(
            TopicIdPartition(self.by_name[partition.topic].topic_id, partition.partition)
            for partition in partitions
            if partition.topic in self.by_name
        )

    def with_names(self, partitions: Iterable[TopicIdPartition]) -> frozenset[TopicPartition]:
        """The partitions by their topics' names; those of topics that do not exist are left out."""
        return frozenset(
            TopicPartition(self.by_id[partition.topic_id].name, partition.partition)
            for partition in partitions
            if partition.topic_id in self.by_id
        )

    def names(self) -> dict[TopicId, str]:
        """Every topic's name by its id."""
        return {topic_id: topic.name for topic_id, topic in self.by_id.items()}


@frozen
class NamedTopics(Container[TopicId]):
    """The ids of the existing topics among ``names``, looked up on demand: a heartbeat needs few of them."""

    names: Set[str]
    topics: Topics

    def __contains__(self, topic_id: object) -> bool:
        topic = self.topics.by_id.get(topic_id)  # type: ignore[call-overload]  # anything may be asked for
        return topic is not None and topic.name in self.names


def _digest(topic: TopicImage) -> bytes:
    racks = [sorted(racks) for racks in topic.partition_racks]
    fields = (topic.topic_id.hex, topic.name, topic.num_partitions, racks)
    return blake2b(repr(fields).encode(), digest_size=16).digest()
