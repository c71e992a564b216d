"""Which nodes are alive, and which partitions they lead as nodes stop and start.

All replicas of a partition share one log, so every live replica is in sync and can lead. When the leader stops, the
next live replica in the partition's order leads, with a new leader epoch (KIP-101). If the last replica in sync stops,
it stays in the ISR and the partition has no leader until it starts again, as when unclean elections are disabled. A
node that starts again leads only partitions without a leader, until leaders are elected or moved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from kafka_nextgen.testing.broker.node import Node
from kafka_nextgen.testing.broker.topic import Partition
from kafka_nextgen.testing.broker.topics import Topics

__all__ = ["Leadership", "lead", "leave"]


class Leadership:
    """The leaders of all partitions of ``topics``; ``changed`` is called when leaders or topics have changed."""

    def __init__(self, nodes: Sequence[Node], topics: Topics, changed: Callable[[], None]) -> None:
        self._nodes = nodes
        self._topics = topics
        self._changed = changed
        topics.changed = self._update

    def living(self) -> Sequence[Node]:
        """The nodes that are alive; never empty while a client is connected."""
        return [node for node in self._nodes if node.is_alive]

    def homes(self) -> list[int]:
        """The ids of the nodes on which new partitions may be placed."""
        return [node.node_id for node in self.living() or self._nodes]

    def node_left(self, node: Node) -> None:
        """Let other nodes lead and coordinate in place of this one."""
        node.is_alive = False
        self._topics.node_ids = tuple(self.homes())
        self._update()

    def node_came_back(self, node: Node) -> None:
        """Let this node lead the partitions without a leader."""
        node.is_alive = True
        self._topics.node_ids = tuple(self.homes())
        living = {each.node_id for each in self.living()}
        for partition in self._topics.partitions():
            if partition.leader is None and not living.isdisjoint(partition.isr):
                lead(partition, next(node_id for node_id in partition.isr if node_id in living))
            if partition.leader is not None:
                partition.isr = tuple(node_id for node_id in partition.replicas if node_id in living)
        self._update()

    def move(self, partition: Partition, node: Node) -> None:
        """Let another live replica lead a partition."""
        assert node.node_id in partition.isr
        lead(partition, node.node_id)
        self._changed()

    def prefer(self) -> None:
        """Let the first replica of each partition lead it, if it is in sync (Kafka's preferred leader election)."""
        for partition in self._topics.partitions():
            preferred = partition.replicas[0]
            if partition.leader is not None and partition.leader != preferred and preferred in partition.isr:
                lead(partition, preferred)
        self._changed()

    def _update(self) -> None:
        # new partitions may also be on nodes that are not alive
        for node in self._nodes:
            if not node.is_alive:
                leave(self._topics.partitions(), node.node_id)
        self._changed()


def leave(partitions: Iterable[Partition], node_id: int) -> None:
    """Let other nodes lead the partitions that a stopped node led."""
    for partition in partitions:
        rest = tuple(other for other in partition.isr if other != node_id)
        if rest:
            partition.isr = rest
        if partition.leader == node_id:
            lead(partition, rest[0] if rest else None)


def lead(partition: Partition, node_id: int | None) -> None:
    """Set the leader of a partition, None for no leader, and begin the next leader epoch."""
    partition.leader = node_id
    partition.log.begin_epoch(partition.leader_epoch + 1)
