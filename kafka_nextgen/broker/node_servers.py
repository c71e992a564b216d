"""The servers of a cluster's nodes: each node listens by every listener, at a port of its own.

A node that is stopped and started again is at the same address, as clients expect of a broker that was restarted.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Sequence

from attrs import evolve

from kafka_nextgen.broker.cluster import Cluster
from kafka_nextgen.broker.dispatch import Dispatcher
from kafka_nextgen.broker.node import Node
from kafka_nextgen.broker.security.listeners import Endpoint, Listener
from kafka_nextgen.broker.server import Server

__all__ = ["NodeServers"]

_WILDCARDS = ("", "0.0.0.0", "::")


class NodeServers:
    """Starts and stops nodes. ``listeners`` come with their TLS; ``advertised_host`` goes before their own.

    A listener's port is the first node's, each further node takes the next; 0 lets the system choose.
    """

    def __init__(
        self,
        cluster: Cluster,
        listeners: Sequence[tuple[Listener, ssl.SSLContext | None]],
        advertised_host: str | None,
    ) -> None:
        self._cluster = cluster
        self._listeners = listeners
        self._advertised_host = advertised_host
        self._running: dict[int, Server] = {}

    def runs(self, node: Node | None = None) -> bool:
        """Whether this node listens; or any."""
        return bool(self._running) if node is None else node.node_id in self._running

    async def start(self, node: Node) -> None:
        """Listen for a node. Raises ``OSError`` if an address can't be used."""
        users = self._cluster.security.users
        server = Server(Dispatcher(self._cluster, node), lambda: self._cluster.settings, users)
        self._running[node.node_id] = server
        for listener, tls in self._listeners:
            port = await server.start(evolve(listener, port=self._port(node, listener)), tls)
            node.endpoints[listener.name] = Endpoint(self._advertised(listener), port)

    async def stop(self, node: Node) -> None:
        """Close every connection of a node and listen no more."""
        await self._running.pop(node.node_id).close()

    async def stop_all(self) -> None:
        """The same for all nodes that run."""
        servers = list(self._running.values())
        self._running.clear()
        await asyncio.gather(*(server.close() for server in servers))

    def _port(self, node: Node, listener: Listener) -> int:
        if listener.name in node.endpoints:
            return node.endpoints[listener.name].port
        return listener.port and listener.port + self._cluster.nodes.index(node)

    def _advertised(self, listener: Listener) -> str:
        return self._advertised_host or (socket.getfqdn() if listener.host in _WILDCARDS else listener.host)
