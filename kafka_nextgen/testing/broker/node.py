"""A broker node, and the selection of the replica that a consumer reads from (KIP-392).

A partition's leader selects it by ``replica.selector.class``, for consumers that give their rack. Kafka selects the
most caught-up replica in that rack; here all replicas share one log, so the first one is selected.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from attrs import field

from kafka_nextgen.lazy_attrs import define
from kafka_nextgen.testing.broker.security.listeners import Endpoint

__all__ = ["SELECTORS", "Node", "Selector"]


@define
class Node:
    """A broker node. ``endpoints`` has the address of each listener, by name, once it listens.

    A node that is not alive leads nothing, and is hidden from clients.
    """

    node_id: int
    rack: str | None = None
    endpoints: dict[str, Endpoint] = field(factory=dict)
    is_alive: bool = True


#: Takes the consumer's rack, empty if it gave none, and the nodes of a partition's replicas, leader first.
Selector = Callable[[str, Sequence[Node]], Node]


def _leader(_rack: str, replicas: Sequence[Node]) -> Node:
    return replicas[0]


def _in_same_rack(rack: str, replicas: Sequence[Node]) -> Node:
    return next((replica for replica in replicas if rack and replica.rack == rack), replicas[0])


_PACKAGE = "org.apache.kafka.common.replica"

#: By the names of Kafka's classes; the default is the leader.
SELECTORS: Mapping[str, Selector] = {
    "": _leader,
    f"{_PACKAGE}.LeaderSelector": _leader,
    f"{_PACKAGE}.RackAwareReplicaSelector": _in_same_rack,
}
