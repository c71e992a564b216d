"""A broker node, as all nodes of a cluster know it, and which one a consumer is to read from (KIP-392).

A partition's leader selects by ``replica.selector.class``, for consumers that tell their rack. Kafka takes the replica
that is most caught up among those in that rack; here all nodes share one log and every replica has all of it, so that
the first is as good as any.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from attrs import define, field

from kafka_nextgen.broker.security.listeners import Endpoint

__all__ = ["SELECTORS", "Node", "Selector"]


@define
class Node:
    """A broker node, with the address of each of its listeners, by name: known once it listens.

    One that is not alive leads nothing, and clients are not told of it.
    """

    node_id: int
    rack: str | None = None
    endpoints: dict[str, Endpoint] = field(factory=dict)
    is_alive: bool = True


#: Takes the consumer's rack, empty if it told none, and the nodes of a partition's replicas, its leader first.
Selector = Callable[[str, Sequence[Node]], Node]


def _leader(_rack: str, replicas: Sequence[Node]) -> Node:
    return replicas[0]


def _in_same_rack(rack: str, replicas: Sequence[Node]) -> Node:
    there = [replica for replica in replicas if rack and replica.rack == rack]
    return there[0] if there else replicas[0]  # where the leader is there, it comes first


_PACKAGE = "org.apache.kafka.common.replica"

#: By the names of Kafka's classes; without one the leader is read.
SELECTORS: Mapping[str, Selector] = {
    "": _leader,
    f"{_PACKAGE}.LeaderSelector": _leader,
    f"{_PACKAGE}.RackAwareReplicaSelector": _in_same_rack,
}
