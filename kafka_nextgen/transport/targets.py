"""Whom a call is for, and which of the connections to a broker carries it.

A broker answers one connection's requests in their order, so a heartbeat behind a Fetch that waits for records would
wait as long. Each purpose therefore has a connection of its own, as in Kafka's own consumer. A JoinGroup or SyncGroup
is held back until the whole group is there, and commits and heartbeats go past it on another one; so is a Fetch until
there are records, and what is new goes past it.
"""

from __future__ import annotations

from enum import Enum

from attrs import frozen

from kafka_nextgen.wire.apis import FETCH, JOIN_GROUP, SYNC_GROUP, Api

__all__ = ["ANY", "AnyBroker", "Coordinator", "Node", "Purpose", "Target", "purpose_of"]


class Purpose(Enum):
    """What a connection is for."""

    GENERAL = "general"
    COORDINATOR = "coordinator"
    FETCH = "fetch"
    FETCH_OUT_OF_SESSION = "fetch aside"
    REBALANCE = "rebalance"


@frozen
class Node:
    """The broker with this node id; ``over`` is the connection for what must not wait behind others of its kind."""

    node_id: int
    over: Purpose | None = None

    def __str__(self) -> str:
        return f"broker {self.node_id}"


@frozen
class Coordinator:
    """The coordinator of this group, whichever broker that is."""

    group_id: str

    def __str__(self) -> str:
        return f"the coordinator of group {self.group_id}"


@frozen
class AnyBroker:
    """Whichever broker is the least busy; ``ANY`` is one."""

    def __str__(self) -> str:
        return "any broker"


ANY = AnyBroker()

Target = Node | Coordinator | AnyBroker


#: What a coordinator answers only when others have asked as well.
_HELD_BACK = frozenset({JOIN_GROUP.key, SYNC_GROUP.key})


def purpose_of(target: Target, api: Api) -> Purpose:
    """Which connection carries requests of ``api`` to ``target``."""
    if isinstance(target, Coordinator):
        return Purpose.REBALANCE if api.key in _HELD_BACK else Purpose.COORDINATOR
    if isinstance(target, Node) and target.over is not None:
        return target.over
    return Purpose.FETCH if api.key == FETCH.key else Purpose.GENERAL
