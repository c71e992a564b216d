"""A broker node, as all nodes of a cluster know it."""

from __future__ import annotations

from attrs import define, field

from kafka_nextgen.broker.security.listeners import Endpoint

__all__ = ["Node"]


@define
class Node:
    """A broker node, with the address of each of its listeners, by name: known once it listens.

    One that is not alive leads nothing, and clients are not told of it.
    """

    node_id: int
    rack: str | None = None
    endpoints: dict[str, Endpoint] = field(factory=dict)
    is_alive: bool = True
