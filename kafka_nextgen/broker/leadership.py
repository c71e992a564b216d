"""Which nodes are alive, and so which leads what. Registered callbacks are told of every change."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kafka_nextgen.broker import elections
from kafka_nextgen.broker.node import Node
from kafka_nextgen.broker.topic import Partition
from kafka_nextgen.broker.topics import Topics

__all__ = ["Leadership"]


class Leadership:
    """The leaders of all partitions of ``topics``, among ``nodes``; ``changed`` is called when they or topics are."""

    def __init__(self, nodes: Sequence[Node], topics: Topics, changed: Callable[[], None]) -> None:
        self._nodes = nodes
        self._topics = topics
        self._changed = changed
        topics.on_change(self._follow)

    def living(self) -> Sequence[Node]:
        """The nodes that are alive: a client that asks over a connection is at one of them."""
        return [node for node in self._nodes if node.is_alive]

    def homes(self) -> list[int]:
        """The ids of the nodes where new partitions may be."""
        return [node.node_id for node in self.living() or self._nodes]

    def node_left(self, node: Node) -> None:
        """Let others lead and coordinate what this node did."""
        node.is_alive = False
        self._topics.set_nodes(self.homes())
        self._follow()

    def node_came_back(self, node: Node) -> None:
        """Let this node lead what no other node does."""
        node.is_alive = True
        self._topics.set_nodes(self.homes())
        elections.rejoin(self._topics.partitions(), {each.node_id for each in self.living()})
        self._follow()

    def move(self, partition: Partition, node: Node) -> None:
        """Let another of a partition's replicas lead it, which is alive."""
        assert node.node_id in partition.isr
        elections.lead(partition, node.node_id)
        self._changed()

    def prefer(self) -> None:
        """Let the first replica of each partition lead it again, where that is alive."""
        elections.prefer(self._topics.partitions())
        self._changed()

    def _follow(self) -> None:
        """Also a partition that is new may have been placed on a node that is not alive."""
        for node in self._nodes:
            if not node.is_alive:
                elections.leave(self._topics.partitions(), node.node_id)
        self._changed()
