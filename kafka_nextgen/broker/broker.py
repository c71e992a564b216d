"""A broker of one or more nodes in this process, for development and tests; in memory, or on a directory."""

from __future__ import annotations

import asyncio
import logging
import socket
import time
from collections.abc import Callable, Iterable, Mapping
from os import PathLike, fspath
from pathlib import Path

from attrs import evolve

from kafka_nextgen.broker.cluster import Cluster, Node
from kafka_nextgen.broker.dispatch import Dispatcher
from kafka_nextgen.broker.security.access import Authorizer
from kafka_nextgen.broker.security.listeners import Endpoint, Listener, SecurityProtocol
from kafka_nextgen.broker.security.rule_text import parse_rules
from kafka_nextgen.broker.security.users import Users
from kafka_nextgen.broker.server import Server
from kafka_nextgen.broker.settings import BrokerSettings
from kafka_nextgen.broker.storage import DataDir
from kafka_nextgen.errors import ConfigError, MisuseError
from kafka_nextgen.secret import Secret

__all__ = ["Broker"]

_log = logging.getLogger(__name__)

_WILDCARDS = ("", "0.0.0.0", "::")
_FIRST_NODE_ID = 1


class Broker:
    """A Kafka cluster that listens on TCP; for development and tests, not for production.

    Args:
        config: broker settings by Kafka's names, such as ``{"num.partitions": 3}``.
        profile: the release of Kafka to be like, from ``"4.0"`` to ``"4.3"``; the newest by default.
        host: the address to listen on, this machine only by default.
        port: the first node's port, each further node taking the next; 0 lets the system choose.
        nodes: how many broker nodes there are; they share the topics and divide leaders and groups.
        advertised_host: the host that clients are told; by default the listener's, or this machine's name if that
            is a wildcard.
        users: who may log in where SASL is spoken: passwords by user name.
        data_dir: the directory to keep topics, records and groups in, also over a kill of the process; it is made if it
            is not there. None keeps them in memory. It needs a POSIX system.
        rules: who may do what, such as ``"allow User:alice READ TOPIC orders"``; see
            ``kafka_nextgen.broker.security.rule_text``. Given at all, they switch the authorizer on
            (``authorizer.class.name``).

    ``host`` and ``port`` are those of the one listener there is without the setting ``listeners``; a listener that
    names no host takes ``host``.

    Raises:
        ConfigError: a setting is unknown or can't be.
    """

    def __init__(
        self,
        config: Mapping[str, object] | None = None,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        nodes: int = 1,
        profile: str | None = None,
        advertised_host: str | None = None,
        users: Mapping[str, Secret | str] | None = None,
        data_dir: str | PathLike[str] | None = None,
        rules: Iterable[str] | None = None,
    ) -> None:
        if nodes < 1:
            raise ConfigError(f"a cluster has at least one node, not {nodes}")
        settings = BrokerSettings.from_properties({**(config or {}), **({"profile": profile} if profile else {})})
        self._advertised_host = advertised_host
        self._listeners = tuple(
            (listener, settings.tls_context(listener.protocol)) for listener in _listeners(settings, host, port)
        )
        self._users = Users(users)
        self._cluster = Cluster(
            settings,
            [Node(_FIRST_NODE_ID + i, rack=settings.rack_of(i, nodes)) for i in range(nodes)],
            _steady_clock(),
            None if data_dir is None else DataDir(Path(data_dir), settings.log_flush_interval_messages),
            _authorizer(settings, rules),
        )
        self._data_dir = data_dir
        self._is_closed = False
        self._servers: list[Server] = []

    @property
    def port(self) -> int:
        """The first node's port, on its first listener. Raises ``MisuseError`` before ``start``."""
        self._check_started()
        return next(iter(self._cluster.nodes[0].endpoints.values())).port

    @property
    def bootstrap_servers(self) -> str:
        """What clients of the first listener take as ``bootstrap.servers``. Raises ``MisuseError`` before ``start``."""
        return self.bootstrap_servers_of(self._listeners[0][0].name)

    def bootstrap_servers_of(self, listener: str) -> str:
        """What clients of the listener of that name take as ``bootstrap.servers``.

        Raises ``MisuseError`` before ``start``, or if there is no such listener.
        """
        self._check_started()
        names = [known.name for known, _ in self._listeners]
        if listener not in names:
            raise MisuseError(f"there is no listener {listener}, only {', '.join(names)}")
        return ",".join(str(node.endpoints[listener]) for node in self._cluster.nodes)

    async def start(self) -> None:
        """Read what was kept, and listen. Nothing is left open if that fails.

        Raises ``StorageError`` if ``data_dir`` can't be used, ``OSError`` if the address can't, ``MisuseError`` if the
        broker listens already or was closed.
        """
        if self._servers:
            raise MisuseError(f"the broker listens already, on {self.bootstrap_servers}")
        if self._is_closed:
            raise MisuseError("the broker was closed: make another")
        self._cluster.open()
        try:
            for index, node in enumerate(self._cluster.nodes):
                await self._start_node(node, index)
        except OSError:
            await self.close()
            raise
        kept = "in memory" if self._data_dir is None else f"on {fspath(self._data_dir)}"
        _log.info("a broker for development and tests, %s, listens on %s", kept, self.bootstrap_servers)

    async def close(self) -> None:
        """Close every connection and stop; what is not kept in a ``data_dir`` is gone."""
        self._is_closed = True
        await asyncio.gather(*(server.close() for server in self._servers))
        self._servers.clear()
        self._cluster.close()

    def create_topic(self, name: str, partitions: int | None = None) -> None:
        """Make a topic of ``partitions`` partitions (default: ``num.partitions``), on the broker's own loop.

        Raises ``MisuseError`` if there is such a topic or the name or number can't be.
        """
        refusal = self._cluster.topics.creation_complaint(name)
        if refusal is not None:
            raise MisuseError(refusal.message)
        if partitions is not None and partitions < 1:
            raise MisuseError(f"topic {name} needs at least one partition, not {partitions}")
        self._cluster.create_topic(name, partitions)

    async def _start_node(self, node: Node, index: int) -> None:
        server = Server(Dispatcher(self._cluster, node), lambda: self._cluster.settings, self._users)
        self._servers.append(server)
        for listener, tls in self._listeners:
            port = await server.start(evolve(listener, port=listener.port and listener.port + index), tls)
            node.endpoints[listener.name] = Endpoint(self._advertised(listener), port)

    def _advertised(self, listener: Listener) -> str:
        return self._advertised_host or (socket.getfqdn() if listener.host in _WILDCARDS else listener.host)

    def _check_started(self) -> None:
        if not self._servers:
            raise MisuseError("the broker does not listen: start() it first")


def _authorizer(settings: BrokerSettings, rules: Iterable[str] | None) -> Authorizer | None:
    if rules is None and not settings.authorizer_class_name:
        return None
    return Authorizer(settings, parse_rules(rules or ()))


def _listeners(settings: BrokerSettings, host: str, port: int) -> tuple[Listener, ...]:
    listeners = settings.parsed_listeners() or (Listener("PLAINTEXT", SecurityProtocol.PLAINTEXT, port=port),)
    return tuple(evolve(listener, host=listener.host or host) for listener in listeners)


def _steady_clock() -> Callable[[], float]:
    """Seconds since the epoch as of now, going on evenly even if somebody sets the machine's clock."""
    began, wall = time.monotonic(), time.time()
    return lambda: wall + time.monotonic() - began
