"""A broker of one or more nodes in this process, for development and tests; in memory or in a directory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from os import PathLike, fspath
from pathlib import Path

from attrs import evolve

from kafka_nextgen import clocks
from kafka_nextgen.errors import ConfigError, MisuseError
from kafka_nextgen.history.events import Event
from kafka_nextgen.logs import logger_of
from kafka_nextgen.metrics.coordinator_metrics import CoordinatorMetrics
from kafka_nextgen.properties.secret import Secret
from kafka_nextgen.properties.value_types import SecurityProtocol
from kafka_nextgen.testing.broker.client_quotas import Entity, LimitKind
from kafka_nextgen.testing.broker.cluster import Cluster
from kafka_nextgen.testing.broker.coordination import OFFSETS_TOPIC
from kafka_nextgen.testing.broker.coordination.chronicle import Listener as HistoryListener
from kafka_nextgen.testing.broker.features import GROUP_VERSION, FeatureUpdate, UpdateType
from kafka_nextgen.testing.broker.node import Node
from kafka_nextgen.testing.broker.peer import Peer
from kafka_nextgen.testing.broker.security.access import Authorizer, BrokerSecurity
from kafka_nextgen.testing.broker.security.listeners import Listener
from kafka_nextgen.testing.broker.security.rules import parse_rules
from kafka_nextgen.testing.broker.security.users import Users
from kafka_nextgen.testing.broker.server import NodeServers
from kafka_nextgen.testing.broker.settings import BrokerSettings
from kafka_nextgen.testing.broker.storage import DataDir
from kafka_nextgen.testing.broker.topic import Partition
from kafka_nextgen.testing.broker.topics import MAX_PARTITIONS

__all__ = ["Broker"]

_log = logger_of(__name__)

_FIRST_NODE_ID = 1


class Broker:
    """A Kafka cluster that listens on TCP; for development and tests, not for production.

    Args:
        config: broker settings by Kafka's names, such as ``{"num.partitions": 3}``.
        profile: the Kafka release to emulate, from ``"4.0"`` to ``"4.4"``; the newest by default.
        host: the address to listen on, this machine only by default.
        port: the first node's port; each further node uses the next one. 0 lets the system choose.
        nodes: the number of broker nodes; leaders and group coordinators are distributed over them.
        advertised_host: the host that is advertised to clients; by default the listener's, or this machine's name if
            that is a wildcard.
        users: the users who can log in with SASL: passwords by user name.
        data_dir: the directory that stores topics, records and groups; it is created if it is missing. None keeps them
            in memory. It needs a POSIX system.
        rules: who may do what, such as ``"allow User:alice READ TOPIC orders"``; see
            ``kafka_nextgen.testing.broker.security.rules``. Any value, even an empty one, enables the authorizer
            (``authorizer.class.name``).
        extensions: whether to offer features that Apache Kafka never shipped, such as assignors in the client, to
            clients that can use them. With False the broker serves only what that release of Kafka has.
        history: called with each event of the groups' history, on the broker's event loop, so it must not block. The
            first exception is logged; all are counted (``history_failures``).

    ``host`` and ``port`` set the only listener unless the setting ``listeners`` is given; a listener that names no host
    uses ``host``.

    Raises:
        ConfigError: a setting is unknown or has an invalid value.
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
        extensions: bool = True,
        history: Callable[[Event], None] | None = None,
    ) -> None:
        if nodes < 1:
            raise ConfigError(f"a cluster must have at least one node, not {nodes}")
        arguments = {**({"profile": profile} if profile else {}), **({} if extensions else {"extensions": False})}
        settings = BrokerSettings.from_properties({**(config or {}), **arguments})
        self._listeners = tuple(
            (listener, settings.tls_context(listener.protocol)) for listener in _listeners(settings, host, port)
        )
        self._history = None if history is None else HistoryListener(history)
        self._cluster = Cluster(
            settings,
            [Node(_FIRST_NODE_ID + i, rack=settings.rack_of(i, nodes)) for i in range(nodes)],
            _steady_clock(),
            None if data_dir is None else DataDir(Path(data_dir), settings.log_flush_interval_messages),
            BrokerSecurity(Users(users), _authorizer(settings, rules)),
            self._history,
        )
        self._data_dir = data_dir
        self._is_started = self._is_closed = False
        self._servers = NodeServers(self._cluster, self._listeners, advertised_host)

    @property
    def port(self) -> int:
        """The first node's port, on its first listener. Raises ``MisuseError`` before ``start``."""
        self._check_started()
        return next(iter(self._cluster.nodes[0].endpoints.values())).port

    @property
    def bootstrap_servers(self) -> str:
        """The ``bootstrap.servers`` for clients of the first listener. Raises ``MisuseError`` before ``start``."""
        return self.bootstrap_servers_of(self._listeners[0][0].name)

    @property
    def listeners(self) -> tuple[str, ...]:
        """The names of the listeners, in the order of the ``listeners`` setting."""
        return tuple(listener.name for listener, _ in self._listeners)

    def bootstrap_servers_of(self, listener: str) -> str:
        """The ``bootstrap.servers`` for clients of the listener with that name.

        Raises ``MisuseError`` before ``start``, or if the listener does not exist.
        """
        self._check_started()
        if listener not in self.listeners:
            raise MisuseError(f"there is no listener {listener}, only {', '.join(self.listeners)}")
        return ",".join(str(node.endpoints[listener]) for node in self._cluster.nodes)

    @property
    def state(self) -> Cluster:
        """The state of all nodes, for callers on the broker's event loop."""
        return self._cluster

    def peers(self) -> list[Peer]:
        """The clients of all connections. Call it on the broker's event loop."""
        return self._servers.peers()

    async def start(self) -> None:
        """Read the stored state, and listen. Nothing is left open if that fails.

        Raises ``StorageError`` if ``data_dir`` can't be used, ``OSError`` if the address can't, ``MisuseError`` if the
        broker is already listening or was closed.
        """
        if self._is_started:
            raise MisuseError(f"the broker is already listening on {self.bootstrap_servers}")
        if self._is_closed:
            raise MisuseError("the broker was closed: create another")
        self._cluster.open()
        try:
            for node in self._cluster.nodes:
                await self._servers.start(node)
        except OSError:
            await self.close()
            raise
        self._is_started = True
        kept = "in memory" if self._data_dir is None else f"in {fspath(self._data_dir)}"
        _log.info("broker for development and tests (%s) is listening on %s", kept, self.bootstrap_servers)
        threads = self._cluster.settings.group_coordinator_threads
        if threads != BrokerSettings().group_coordinator_threads:
            _log.info("group.coordinator.threads=%d has no effect: all coordinators run on one event loop", threads)

    async def close(self) -> None:
        """Close every connection and stop; without a ``data_dir``, all data is lost."""
        self._is_started, self._is_closed = False, True
        await self._servers.stop_all()
        self._cluster.close()

    def metrics(self) -> CoordinatorMetrics:
        """The metrics of the group coordinators of all nodes. Call it on the broker's event loop."""
        return self._cluster.groups.metrics()

    @property
    def history_failures(self) -> int:
        """The number of events for which ``history`` raised an exception."""
        return 0 if self._history is None else self._history.failures

    def create_topic(self, name: str, partitions: int | None = None) -> None:
        """Create a topic of ``partitions`` partitions (default: ``num.partitions``). Call it on the event loop.

        Raises ``MisuseError`` if the topic exists, or its name or number of partitions is invalid.
        """
        refusal = self._cluster.topics.creation_complaint(name)
        if refusal is not None:
            raise MisuseError(refusal.message)
        if partitions is not None and not 1 <= partitions <= MAX_PARTITIONS:
            raise MisuseError(f"topic {name} needs 1 to {MAX_PARTITIONS:,} partitions, not {partitions:,}")
        self._cluster.create_topic(name, partitions)

    def set_quota(
        self, kind: str, amount: float | None, *, user: str | None = None, client_id: str | None = None
    ) -> None:
        """Limit a user, a client id, or both in combination. Call it on the broker's event loop.

        ``kind`` is ``producer_byte_rate`` or ``consumer_byte_rate``, in bytes per second, or ``request_percentage``, in
        percent of one thread's time. An ``amount`` of None removes the limit. Clients without a login are the user
        ``ANONYMOUS``.

        Raises ``MisuseError`` if ``kind`` is unknown, neither user nor client is given, or ``amount`` is not above 0.
        """
        kinds = {each.value: each for each in LimitKind}
        if kind not in kinds:
            raise MisuseError(f"there is no quota {kind}, only {', '.join(kinds)}")
        if user is None and client_id is None:
            raise MisuseError("a quota needs a user, a client id, or both")
        if amount is not None and not amount > 0:
            raise MisuseError(f"{kind} must be above 0, not {amount}")
        self._cluster.quotas.limits.set(Entity(user, client_id), kinds[kind], amount)

    def set_group_version(self, level: int) -> None:
        """Enable the consumer group protocol (1) or disable it (0), as UpdateFeatures does. Call it on the event loop.

        Raises ``MisuseError`` for any other level.
        """
        features = self._cluster.features
        lowers = level < features.level(GROUP_VERSION)
        update = FeatureUpdate(GROUP_VERSION, level, UpdateType.SAFE_DOWNGRADE if lowers else UpdateType.UPGRADE)
        if refusal := features.refusal([update], self._cluster.controller.node_id):
            raise MisuseError(refusal)
        features.update([update])

    async def stop_node(self, node_id: int) -> None:
        """Stop a node as if it were killed: its connections end, and other nodes take over its partitions and groups.

        Raises ``MisuseError`` if the node does not exist or is not running.
        """
        node = self._node(node_id)
        if not self._servers.runs(node):
            raise MisuseError(f"node {node_id} is not running")
        await self._servers.stop(node)
        self._cluster.leadership.node_left(node)

    async def start_node(self, node_id: int) -> None:
        """Start a stopped node at its old address. It leads only partitions that no other node can; see
        ``move_leader``.

        Raises ``MisuseError`` if the node does not exist or is running, ``OSError`` if its address is taken.
        """
        node = self._node(node_id)
        if self._servers.runs(node):
            raise MisuseError(f"node {node_id} is already running")
        await self._servers.start(node)
        self._cluster.leadership.node_came_back(node)

    def move_leader(self, topic: str, partition: int, node_id: int) -> None:
        """Move the leadership of a partition to another replica, with a new leader epoch.

        Raises ``MisuseError`` unless the node is running and has a replica.
        """
        found = self._partition(topic, partition)
        if self._node(node_id).node_id not in found.isr:
            raise MisuseError(f"node {node_id} can't lead {topic}[{partition}], only {list(found.isr)} can")
        self._cluster.leadership.move(found, self._node(node_id))

    def move_coordinator(self, group_id: str, node_id: int) -> None:
        """Move the coordination of a group to another node, with all groups of the same offsets partition.

        Raises ``MisuseError`` unless the node is running and has a replica of it
        (``offsets.topic.replication.factor``).
        """
        self._check_started()
        self.move_leader(OFFSETS_TOPIC, self._cluster.groups.partition_of(group_id).index, node_id)

    def elect_preferred_leaders(self) -> None:
        """Make each partition's first replica its leader, if it is running (Kafka's preferred leader election)."""
        self._check_started()
        self._cluster.leadership.prefer()

    def leader_of(self, topic: str, partition: int) -> int | None:
        """The node that leads a partition, None if it is down. Raises ``MisuseError`` if the partition does not
        exist."""
        return self._partition(topic, partition).leader

    def coordinator_of(self, group_id: str) -> int | None:
        """The node that coordinates a group, whether or not it exists; None if that node is down."""
        self._check_started()
        node = self._cluster.coordinator_of(group_id)
        return None if node is None else node.node_id

    def loading_held(self) -> AbstractContextManager[None]:
        """While the block runs, moved coordinators do not load their logs, and clients get an error and retry."""
        return self._cluster.groups.loading_held()

    def _partition(self, topic: str, partition: int) -> Partition:
        self._check_started()
        known = self._cluster.topics.named(topic)
        found = None if known is None else known.partition(partition)
        if found is None:
            raise MisuseError(f"there is no partition {topic}[{partition}]")
        return found

    def _node(self, node_id: int) -> Node:
        self._check_started()
        for node in self._cluster.nodes:
            if node.node_id == node_id:
                return node
        known = ", ".join(str(node.node_id) for node in self._cluster.nodes)
        raise MisuseError(f"there is no node {node_id}, only {known}")

    def _check_started(self) -> None:
        if not self._is_started:
            raise MisuseError("the broker is not running: call start() first")


def _authorizer(settings: BrokerSettings, rules: Iterable[str] | None) -> Authorizer | None:
    if rules is None and not settings.authorizer_class_name:
        return None
    return Authorizer(settings, parse_rules(rules or ()))


def _listeners(settings: BrokerSettings, host: str, port: int) -> tuple[Listener, ...]:
    listeners = settings.parsed_listeners() or (Listener("PLAINTEXT", SecurityProtocol.PLAINTEXT, port=port),)
    return tuple(evolve(listener, host=listener.host or host) for listener in listeners)


def _steady_clock() -> Callable[[], float]:
    """A clock in seconds since the epoch that is not affected when the machine's clock is set."""
    began, wall = clocks.monotonic(), clocks.time()
    return lambda: wall + clocks.monotonic() - began
