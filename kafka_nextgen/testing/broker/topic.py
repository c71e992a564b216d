"""One topic with its partitions: their logs, replicas and leaders."""

from __future__ import annotations

from attrs import field

from kafka_nextgen.lazy_attrs import define
from kafka_nextgen.testing.broker.log import PartitionLog
from kafka_nextgen.testing.broker.producers import Producers
from kafka_nextgen.testing.broker.topic_settings import TopicSettings
from kafka_nextgen.types import TopicId

__all__ = ["Partition", "Topic"]

INTERNAL_TOPICS = frozenset({"__consumer_offsets", "__transaction_state"})


@define
class Partition:
    """One partition: its leader, its log, and its idempotent producers.

    ``leader`` is None if no replica in sync (``isr``) is alive; see ``leadership``.
    """

    index: int
    replicas: tuple[int, ...]
    log: PartitionLog
    producers: Producers = field(factory=Producers)
    leader: int | None = field(init=False)
    isr: tuple[int, ...] = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.leader, self.isr = self.replicas[0], self.replicas

    def recover(self) -> None:
        """Recover the log, and restore the producers from it."""
        for batch in self.log.recover():
            self.producers.remember(batch.header, batch.header.base_offset)

    @property
    def leader_id(self) -> int:
        """The leader's id as it is sent to clients: -1 if there is none."""
        return -1 if self.leader is None else self.leader

    @property
    def leader_epoch(self) -> int:
        """The current leader epoch."""
        return self.log.leader_epoch


@define
class Topic:
    """A topic with its partitions in order."""

    name: str
    topic_id: TopicId
    settings: TopicSettings
    partitions: list[Partition] = field(factory=list)

    def partition(self, index: int) -> Partition | None:
        """The partition with that number, if there is one."""
        return self.partitions[index] if 0 <= index < len(self.partitions) else None

    def lacks_replicas(self, partition: Partition) -> bool:
        """Whether fewer replicas are in sync than ``min.insync.replicas`` or, if lower, the replica count."""
        return len(partition.isr) < min(self.settings.min_insync_replicas, len(partition.replicas))

    @property
    def is_internal(self) -> bool:
        """Whether the topic is internal to brokers."""
        return self.name in INTERNAL_TOPICS

    @property
    def replicas(self) -> list[tuple[int, ...]]:
        """The nodes of each partition's replicas."""
        return [partition.replicas for partition in self.partitions]

    @property
    def replication_factor(self) -> int:
        """The number of replicas of each partition."""
        return len(self.partitions[0].replicas)
