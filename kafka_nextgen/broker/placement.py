"""Where the replicas of new partitions go: where the request says, if it does, else spread by ``Topics``.

There is one copy of every record, which all nodes share. Replicas are kept as numbers so that clients see what
they asked for; the first of a partition's replicas leads it.
"""

from __future__ import annotations

from collections.abc import Sequence

from kafka_nextgen.broker.refusal import Refusal
from kafka_nextgen.codes import ErrorCode

__all__ = ["Replicas", "as_assigned"]

#: The nodes of each partition's replicas, leader first.
Replicas = tuple[tuple[int, ...], ...]


def as_assigned(assignments: Sequence[Sequence[int]], node_ids: Sequence[int]) -> Replicas | Refusal:
    """Take replicas as a request assigned them, partition by partition."""
    replicas = tuple(tuple(nodes) for nodes in assignments)
    for nodes in replicas:
        if not nodes or len(set(nodes)) < len(nodes) or len(nodes) != len(replicas[0]):
            return _refused(f"replicas {list(nodes)} are empty, twice the same, or not as many as the others'")
        if unknown := set(nodes) - set(node_ids):
            return _refused(f"there is no broker {min(unknown)}")
    return replicas


def _refused(message: str) -> Refusal:
    return Refusal(ErrorCode.INVALID_REPLICA_ASSIGNMENT, message)
