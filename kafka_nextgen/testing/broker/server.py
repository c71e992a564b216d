"""The servers of a cluster's nodes: each node has a port for each listener.

A node that is stopped and started again keeps its address, as clients expect of a restarted broker.

Connections are accepted here rather than by ``asyncio.start_server``, which loses a connection that arrives while it
closes; here ``close`` closes all of them. The TLS handshake runs in the connection's own task, so that a slow client
does not delay others.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress

from attrs import evolve

from kafka_nextgen.logs import logger_of
from kafka_nextgen.testing.broker.cluster import Cluster
from kafka_nextgen.testing.broker.connection import SMALL_REQUEST_BYTES, Connection, RequestMemory
from kafka_nextgen.testing.broker.dispatch import Dispatcher
from kafka_nextgen.testing.broker.node import Node
from kafka_nextgen.testing.broker.peer import Peer
from kafka_nextgen.testing.broker.security.listeners import Endpoint, Listener
from kafka_nextgen.testing.broker.security.principals import ANONYMOUS, Principal, of_certificate
from kafka_nextgen.testing.broker.security.sasl import SaslServer, SaslSettings
from kafka_nextgen.testing.broker.security.users import Users
from kafka_nextgen.testing.broker.settings import BrokerSettings
from kafka_nextgen.text import describe_error

__all__ = ["NodeServers", "Server"]

_WILDCARDS = ("", "0.0.0.0", "::")

_log = logger_of(__name__)

_BACKLOG = 128  # connections that the system queues before they are accepted
_PAUSE_S = 1.0  # after a connection could not be accepted
_TLS_HANDSHAKE_TIMEOUT_S = 10.0
_CANCEL_AGAIN_S = 0.1


class NodeServers:
    """Starts and stops nodes.

    Each listener has its TLS context, if any; ``advertised_host`` overrides the listeners' hosts. A listener's port is
    the first node's, each further node uses the next one; 0 lets the system choose.
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
        """Whether this node is listening; without a node, whether any node is."""
        return bool(self._running) if node is None else node.node_id in self._running

    def peers(self) -> list[Peer]:
        """The clients of all connections of all nodes."""
        return [peer for server in self._running.values() for peer in server.peers]

    async def start(self, node: Node) -> None:
        """Listen for a node. Raises ``OSError`` if an address can't be used."""
        users = self._cluster.security.users
        server = Server(Dispatcher(self._cluster, node), lambda: self._cluster.settings, users)
        self._running[node.node_id] = server
        for listener, tls in self._listeners:
            port = await server.start(evolve(listener, port=self._port(node, listener)), tls)
            node.endpoints[listener.name] = Endpoint(self._advertised(listener), port)

    async def stop(self, node: Node) -> None:
        """Stop listening for a node, and close its connections."""
        await self._running.pop(node.node_id).close()

    async def stop_all(self) -> None:
        """Stop all nodes."""
        servers = list(self._running.values())
        self._running.clear()
        await asyncio.gather(*(server.close() for server in servers))

    def _port(self, node: Node, listener: Listener) -> int:
        if listener.name in node.endpoints:
            return node.endpoints[listener.name].port
        return listener.port and listener.port + self._cluster.nodes.index(node)

    def _advertised(self, listener: Listener) -> str:
        return self._advertised_host or (socket.getfqdn() if listener.host in _WILDCARDS else listener.host)


class Server:
    """Listens for one node and serves its connections, each in its task; ``settings`` returns the current settings."""

    def __init__(self, dispatcher: Dispatcher, settings: Callable[[], BrokerSettings], users: Users) -> None:
        self._dispatcher = dispatcher
        self._settings = settings
        self._users = users
        self._sasl = SaslSettings(settings().sasl_enabled_mechanisms, settings().connections_max_reauth_ms)
        self._memory = RequestMemory(settings().queued_max_request_bytes)
        self._listening: dict[asyncio.Task[None], socket.socket] = {}
        self._connections: dict[asyncio.Task[None], socket.socket] = {}
        self.peers: set[Peer] = set()

    async def start(self, listener: Listener, tls: ssl.SSLContext | None) -> int:
        """Listen; return the port, which the system chooses if that of ``listener`` is 0. Raises ``OSError``."""
        loop = asyncio.get_running_loop()
        flags = socket.AI_PASSIVE
        addresses = await loop.getaddrinfo(listener.host or None, listener.port, type=socket.SOCK_STREAM, flags=flags)
        family, _, _, _, address = addresses[0]
        bound = socket.create_server(address, family=family, backlog=_BACKLOG)
        bound.setblocking(False)
        self._listening[loop.create_task(self._accept_all(bound, listener, tls))] = bound
        port: int = bound.getsockname()[1]
        return port

    async def close(self) -> None:
        """Stop listening, and close every connection."""
        for tasks in (self._listening, self._connections):
            open_sockets = dict(tasks)
            await _end(open_sockets)
            for each in open_sockets.values():
                each.close()
        self._listening.clear()

    async def _accept_all(self, bound: socket.socket, listener: Listener, tls: ssl.SSLContext | None) -> None:
        loop = asyncio.get_running_loop()
        while True:
            try:
                connected, _ = await loop.sock_accept(bound)
                self._accept(connected, listener, tls)
            except ConnectionError as error:  # the peer has already gone
                _log.debug("a connection ended before it was accepted: %s", error)
            except OSError as error:  # too many open files
                _log.warning("a connection could not be accepted: %s", error)
                await asyncio.sleep(_PAUSE_S)

    def _accept(self, connected: socket.socket, listener: Listener, tls: ssl.SSLContext | None) -> None:
        with suppress(OSError):  # the peer has already gone
            # Kafka sets this, too; asyncio does not set it for a socket that is accepted here
            connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        max_connections = self._settings().max_connections
        if len(self._connections) >= max_connections:
            _log.warning("refusing a connection: there are already max.connections=%d", max_connections)
            connected.close()
            return
        task = asyncio.get_running_loop().create_task(self._serve(connected, listener, tls))
        self._connections[task] = connected
        task.add_done_callback(self._forget)

    def _forget(self, task: asyncio.Task[None]) -> None:
        self._connections.pop(task).close()

    async def _serve(self, connected: socket.socket, listener: Listener, tls: ssl.SSLContext | None) -> None:
        try:
            reader, writer = await _open(connected, tls)
        except (OSError, asyncio.TimeoutError) as error:  # ssl.SSLError is an OSError
            _log.warning("TLS handshake on listener %s failed: %s", listener.name, describe_error(error))
            return
        peer = self._peer(listener, writer)
        self.peers.add(peer)
        try:
            await Connection(self._dispatcher, peer, reader, writer, self._settings(), self._memory).serve()
        finally:
            self.peers.discard(peer)

    def _peer(self, listener: Listener, writer: asyncio.StreamWriter) -> Peer:
        address = writer.get_extra_info("peername") or ("gone", 0)  # the client may have left already
        sasl = SaslServer(self._sasl, self._users) if listener.protocol.uses_sasl else None
        return Peer(listener, address[0], _certified(writer), sasl, port=address[1])


async def _end(tasks: Iterable[asyncio.Task[None]]) -> None:
    """Cancel tasks until they end, since ``wait_for`` may lose a cancellation before Python 3.12 (bpo-37658)."""
    left = set(tasks)
    while left:
        for task in left:
            task.cancel()
        _, left = await asyncio.wait(left, timeout=_CANCEL_AGAIN_S)


async def _open(
    connected: socket.socket, tls: ssl.SSLContext | None
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=SMALL_REQUEST_BYTES)
    protocol = asyncio.StreamReaderProtocol(reader)
    transport, _ = await loop.connect_accepted_socket(
        lambda: protocol,
        connected,
        ssl=tls,
        ssl_handshake_timeout=None if tls is None else _TLS_HANDSHAKE_TIMEOUT_S,
    )
    return reader, asyncio.StreamWriter(transport, protocol, reader, loop)


def _certified(writer: asyncio.StreamWriter) -> Principal:
    certificate = writer.get_extra_info("peercert")
    return of_certificate(certificate["subject"]) if certificate else ANONYMOUS
