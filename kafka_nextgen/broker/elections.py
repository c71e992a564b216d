"""Who leads a partition when nodes come and go.

There is one log, which all replicas share, so every living replica is in sync and can lead. When the leader goes the
next living replica in the partition's order leads, under the next leader epoch (KIP-101). The last one in sync stays
on the list when it goes: there is no leader until it is back, as without unclean elections. A node that comes back
leads what had no leader; for the rest it waits to be elected, or moved to.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet

from kafka_nextgen.broker.topic import Partition

__all__ = ["lead", "leave", "prefer", "rejoin"]


def leave(partitions: Iterable[Partition], node_id: int) -> None:
    """A node is gone: others lead what it led."""
    for partition in partitions:
        rest = tuple(other for other in partition.isr if other != node_id)
        if rest:
            partition.isr = rest
        if partition.leader == node_id:
            lead(partition, rest[0] if rest else None)


def rejoin(partitions: Iterable[Partition], living: AbstractSet[int]) -> None:
    """A node is back, and these are alive now: it leads what had no leader, if it may, and the living are in sync."""
    for partition in partitions:
        if partition.leader is None and not living.isdisjoint(partition.isr):
            lead(partition, next(node_id for node_id in partition.isr if node_id in living))
        if partition.leader is not None:
            partition.isr = tuple(node_id for node_id in partition.replicas if node_id in living)


def prefer(partitions: Iterable[Partition]) -> None:
    """Let the first replica of each partition lead, if it is in sync (Kafka's preferred election)."""
    for partition in partitions:
        preferred = partition.replicas[0]
        if partition.leader is not None and partition.leader != preferred and preferred in partition.isr:
            lead(partition, preferred)


def lead(partition: Partition, node_id: int | None) -> None:
    """Let a node lead, or none, from the next leader epoch on."""
    partition.leader = node_id
    partition.log.begin_epoch(partition.leader_epoch + 1)
