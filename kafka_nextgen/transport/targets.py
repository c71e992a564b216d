"""The brokers that a call can target, and which connection to the broker carries it.

A broker answers the requests of one connection in order, so a heartbeat behind a Fetch would wait until there are
records. Each purpose therefore has its own connection, as in Kafka's consumer. A coordinator holds a JoinGroup or
SyncGroup back until the whole group has sent one, so commits and heartbeats use another connection. A broker holds a
Fetch back until there are records, so a Fetch outside of the session uses another one.
"""

from __future__ import annotations

from enum import Enum

from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.wire.apis import FETCH, JOIN_GROUP, SYNC_GROUP, Api

__all__ = ["ANY", "AnyBroker", "Coordinator", "Node", "Purpose", "Target", "purpose_of"]


class Purpose(Enum):
    """What a connection is for."""

    GENERAL = "general"
    COORDINATOR = "coordinator"
    FETCH = "fetch"
    FETCH_OUT_OF_SESSION = "fetch out of session"
    REBALANCE = "rebalance"


@frozen
class Node:
    """The broker with this node id; ``purpose`` replaces the purpose that the API implies."""

    node_id: int
    purpose: Purpose | None = None

    def __str__(self) -> str:
        return f"broker {self.node_id}"


@frozen
class Coordinator:
    """The coordinator of this group."""

    group_id: str

    def __str__(self) -> str:
        return f"the coordinator of group {self.group_id}"


@frozen
class AnyBroker:
    """The least loaded broker; use ``ANY``."""

    def __str__(self) -> str:
        return "any broker"


ANY = AnyBroker()

Target = Node | Coordinator | AnyBroker


_HELD_BACK = frozenset({JOIN_GROUP.key, SYNC_GROUP.key})


def purpose_of(target: Target, api: Api) -> Purpose:
    """The purpose of the connection that carries requests of ``api`` to ``target``."""
    if isinstance(target, Coordinator):
        return Purpose.REBALANCE if api.key in _HELD_BACK else Purpose.COORDINATOR
    if isinstance(target, Node) and target.purpose is not None:
        return target.purpose
    return Purpose.FETCH if api.key == FETCH.key else Purpose.GENERAL
