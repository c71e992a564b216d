"""Which nodes are alive, and which of them lead what when nodes come and go.

There is one log, which all replicas share, so every living replica is in sync and can lead. When the leader goes the
next living replica in the partition's order leads, under the next leader epoch (KIP-101). The last one in sync stays
on the list when it goes: there is no leader until it is back, as without unclean elections. A node that comes back
leads what had no leader; for the rest it waits to be elected, or moved to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from kafka_nextgen.broker.node import Node
from kafka_nextgen.broker.topic import Partition
from kafka_nextgen.broker.topics import Topics

__all__ = ["Leadership", "lead", "leave"]


class Leadership:
    """The leaders of all partitions of ``topics``, among ``nodes``; ``changed`` is called when they or topics are."""

    def __init__(self, nodes: Sequence[Node], topics: Topics, changed: Callable[[], None]) -> None:
        self._nodes = nodes
        self._topics = topics
        self._changed = changed
        topics.changed = self._follow

    def living(self) -> Sequence[Node]:
        """The nodes that are alive: a client that asks over a connection is at one of them."""
        return [node for node in self._nodes if node.is_alive]

    def homes(self) -> list[int]:
        """The ids of the nodes where new partitions may be."""
        return [node.node_id for node in self.living() or self._nodes]

    def node_left(self, node: Node) -> None:
        """Let others lead and coordinate what this node did."""
        node.is_alive = False
        self._topics.node_ids = tuple(self.homes())
        self._follow()

    def node_came_back(self, node: Node) -> None:
        """Let this node lead what no other node does."""
        node.is_alive = True
        self._topics.node_ids = tuple(self.homes())
        living = {each.node_id for each in self.living()}
        for partition in self._topics.partitions():
            if partition.leader is None and not living.isdisjoint(partition.isr):
                lead(partition, next(node_id for node_id in partition.isr if node_id in living))
            if partition.leader is not None:
                partition.isr = tuple(node_id for node_id in partition.replicas if node_id in living)
        self._follow()

    def move(self, partition: Partition, node: Node) -> None:
        """Let another of a partition's replicas lead it, which is alive."""
        assert node.node_id in partition.isr
        lead(partition, node.node_id)
        self._changed()

    def prefer(self) -> None:
        """Let the first replica of each partition lead it again, if it is in sync (Kafka's preferred election)."""
        for partition in self._topics.partitions():
            preferred = partition.replicas[0]
            if partition.leader is not None and partition.leader != preferred and preferred in partition.isr:
                lead(partition, preferred)
        self._changed()

    def _follow(self) -> None:
        """Also a partition that is new may have been placed on a node that is not alive."""
        for node in self._nodes:
            if not node.is_alive:
                leave(self._topics.partitions(), node.node_id)
        self._changed()


def leave(partitions: Iterable[Partition], node_id: int) -> None:
    """A node is gone: others lead what it led."""
    for partition in partitions:
        rest = tuple(other for other in partition.isr if other != node_id)
        if rest:
            partition.isr = rest
        if partition.leader == node_id:
            lead(partition, rest[0] if rest else None)


def lead(partition: Partition, node_id: int | None) -> None:
    """Let a node lead, or none, from the next leader epoch on."""
    partition.leader = node_id
    partition.log.begin_epoch(partition.leader_epoch + 1)
