"""The topics of the cluster: created, extended, deleted, and found by name or id.

Names follow Kafka's rules: 1 to 249 of the characters ``a-z A-Z 0-9 . _ -``, neither ``.`` nor ``..``, and no name that
differs from another only in ``.`` and ``_``. A topic that is deleted and created again has a new id (KIP-516). The
nodes lead a topic's partitions in turn, beginning with a different node for each topic.

A topic exists as long as its entry is in the catalogue; its files are created later and deleted later.

``changed`` is called after every change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from uuid import UUID, uuid4

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import StorageError
from kafka_nextgen.testing.broker.given_numbers import GivenEpochs
from kafka_nextgen.testing.broker.log import PartitionLog
from kafka_nextgen.testing.broker.refusal import Refusal
from kafka_nextgen.testing.broker.storage import Storage
from kafka_nextgen.testing.broker.topic import Partition, Topic
from kafka_nextgen.testing.broker.topic_settings import TopicSettings
from kafka_nextgen.testing.coordinator.requests import TopicImage
from kafka_nextgen.types import TopicId, TopicPartition, topic_name_complaint

__all__ = ["MAX_PARTITIONS", "Topics"]

#: The most partitions that Kafka's controller creates in one request.
MAX_PARTITIONS = 10_000

_KIND = "topic"  # of entries in the catalogue


class Topics:
    """All topics, on nodes with these ids, stored in ``storage``. ``racks`` has the racks of nodes by their ids."""

    def __init__(
        self, node_ids: Sequence[int], storage: Storage | None = None, racks: Mapping[int, str] | None = None
    ) -> None:
        self.node_ids = tuple(node_ids)  # where new partitions are placed
        self._racks = racks or {}
        self._storage = Storage() if storage is None else storage
        self._given_epochs = GivenEpochs(self._storage.catalogue)
        self._by_name: dict[str, Topic] = {}
        self._by_id: dict[TopicId, Topic] = {}
        self.changed: Callable[[], None] = lambda: None

    def recover(self, settings_of: Callable[[Mapping[str, str]], TopicSettings]) -> None:
        """Read the topics from the storage; ``settings_of`` turns a topic's overrides into its settings.

        Raises ``StorageError`` if they can't be read or have replicas on nodes that do not exist.
        """
        assert not self._by_name
        for topic_id, entry in self._storage.catalogue.entries(_KIND).items():
            assert isinstance(entry, dict)
            replicas = [tuple(nodes) for nodes in entry["replicas"]]
            self._check_nodes(entry["name"], replicas)
            self._add(Topic(entry["name"], UUID(topic_id), settings_of(entry["settings"])), replicas)
        self._storage.tidy(
            {
                partition.log.partition: topic.topic_id
                for topic in self._by_name.values()
                for partition in topic.partitions
            }
        )
        epoch = self._given_epochs.next
        for partition in self.partitions():
            partition.recover()
            partition.log.begin_epoch(epoch)
        self.store_epochs()
        self.changed()

    def store_epochs(self) -> None:
        """Store the highest leader epoch, before any client gets it. Raises ``StorageError``."""
        self._given_epochs.given(max((partition.leader_epoch for partition in self.partitions()), default=-1))

    def close(self) -> None:
        """Flush all logs to the disk, if they are in files."""
        for topic in self._by_name.values():
            for partition in topic.partitions:
                partition.log.close()

    def named(self, name: str) -> Topic | None:
        """The topic with that name, if there is one."""
        return self._by_name.get(name)

    def partition(self, name: str, index: int) -> Partition | None:
        """The partition with that number in the topic with that name, if there is one."""
        topic = self.named(name)
        return None if topic is None else topic.partition(index)

    def with_id(self, topic_id: TopicId | None) -> Topic | None:
        """The topic with that id, if there is one."""
        return None if topic_id is None else self._by_id.get(topic_id)

    def partitions(self) -> Iterator[Partition]:
        """Every partition of every topic."""
        return (partition for topic in self._by_name.values() for partition in topic.partitions)

    def all(self) -> tuple[Topic, ...]:
        """Every topic, by name."""
        return tuple(self._by_name[name] for name in sorted(self._by_name))

    def images(self) -> Mapping[str, TopicImage]:
        """The topics as a group coordinator sees them."""
        return {
            topic.name: TopicImage(topic.topic_id, topic.name, len(topic.partitions), self._racks_of(topic))
            for topic in self._by_name.values()
        }

    def _racks_of(self, topic: Topic) -> tuple[tuple[str, ...], ...]:
        """The racks of each partition's replicas; empty if no node has one."""
        if not self._racks:
            return ()
        racks_of = (map(self._racks.get, partition.replicas) for partition in topic.partitions)
        return tuple(tuple(sorted({rack for rack in racks if rack is not None})) for racks in racks_of)

    def creation_complaint(self, name: str) -> Refusal | None:
        """The reason why a topic with that name can't be created; None if it can."""
        if name in self._by_name:
            return Refusal(ErrorCode.TOPIC_ALREADY_EXISTS, f"Topic '{name}' already exists.")
        complaint = topic_name_complaint(name) or self._collision(name)
        return Refusal(ErrorCode.INVALID_TOPIC_EXCEPTION, complaint) if complaint else None

    def placement(self, count: int, replication_factor: int, first: int = 0) -> tuple[tuple[int, ...], ...]:
        """Place partitions ``first`` to ``count`` - 1 of the next topic on the nodes."""
        nodes = self.node_ids
        start = len(self._by_name)
        return tuple(
            tuple(nodes[(start + index + replica) % len(nodes)] for replica in range(replication_factor))
            for index in range(first, count)
        )

    def create(self, name: str, replicas: Sequence[tuple[int, ...]], settings: TopicSettings) -> Topic:
        """Create a topic with a partition for each entry of ``replicas``; the caller has checked the name."""
        assert self.creation_complaint(name) is None
        assert replicas
        self._given_epochs.given(0)
        topic = Topic(name, uuid4(), settings)
        self._store(topic, replicas, settings)
        self._add(topic, replicas)
        self.changed()
        return topic

    def grow(self, topic: Topic, replicas: Sequence[tuple[int, ...]]) -> None:
        """Add a partition for each entry of ``replicas``."""
        self._store(topic, [*topic.replicas, *replicas], topic.settings)
        self._extend(topic, replicas)
        self.changed()

    def configure(self, topic: Topic, settings: TopicSettings) -> None:
        """Change the settings of a topic."""
        self._store(topic, topic.replicas, settings)
        topic.settings = settings

    def delete(self, topic: Topic) -> None:
        """Delete a topic and its records."""
        self._storage.catalogue.remove(_KIND, str(topic.topic_id))
        del self._by_name[topic.name], self._by_id[topic.topic_id]
        for partition in topic.partitions:
            partition.log.delete()
        self.changed()

    def _store(self, topic: Topic, replicas: Sequence[tuple[int, ...]], settings: TopicSettings) -> None:
        """Store a topic except its records, in one entry, so that a crash can't leave a partial change."""
        entry = {"name": topic.name, "replicas": tuple(replicas), "settings": dict(settings.overrides)}
        self._storage.catalogue.put(_KIND, str(topic.topic_id), entry)

    def _add(self, topic: Topic, replicas: Sequence[tuple[int, ...]]) -> None:
        self._extend(topic, replicas)
        self._by_name[topic.name] = self._by_id[topic.topic_id] = topic

    def _extend(self, topic: Topic, replicas: Sequence[tuple[int, ...]]) -> None:
        for index, nodes in enumerate(replicas, start=len(topic.partitions)):
            partition = TopicPartition(topic.name, index)
            batches = self._storage.batches_of(partition, topic.topic_id, lambda: topic.settings.segment_bytes)
            topic.partitions.append(Partition(index, nodes, PartitionLog(partition, batches=batches)))

    def _check_nodes(self, name: str, replicas: Sequence[tuple[int, ...]]) -> None:
        missing = {node for nodes in replicas for node in nodes} - set(self.node_ids)
        if missing:
            raise StorageError(
                f"topic {name} has replicas on broker(s) {', '.join(map(str, sorted(missing)))}, but only "
                f"{', '.join(map(str, self.node_ids))} exist: start as many nodes as before"
            )

    def _collision(self, name: str) -> str | None:
        for other in self._by_name:
            if other.replace(".", "_") == name.replace(".", "_"):
                return f"Topic '{name}' collides with existing topic: {other}"
        return None
