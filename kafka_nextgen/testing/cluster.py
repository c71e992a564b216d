"""A Kafka cluster for a test, in a thread of this process."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, nullcontext
from os import PathLike
from types import TracebackType
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from kafka_nextgen import clocks
from kafka_nextgen.errors import MisuseError
from kafka_nextgen.history.events import Event
from kafka_nextgen.metrics.coordinator_metrics import CoordinatorMetrics
from kafka_nextgen.properties.secret import Secret
from kafka_nextgen.testing.arguments import flag, mapping, number, text, texts, whole_number
from kafka_nextgen.testing.broker import Broker
from kafka_nextgen.testing.faults.apis import Api
from kafka_nextgen.testing.faults.fault import Fault
from kafka_nextgen.testing.faults.making import How, make
from kafka_nextgen.testing.faults.registry import Faults
from kafka_nextgen.testing.kit.backend import Backend
from kafka_nextgen.testing.kit.kafka_cluster import KafkaCluster
from kafka_nextgen.transport.native_threads import check_native_threads, threads_are_frozen
from kafka_nextgen.transport.private_loop import new_private_loop
from kafka_nextgen.transport.turned_clock import Clock, governing

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["Cluster"]

_TIMEOUT_S = 10.0

P = ParamSpec("P")
T = TypeVar("T")


def _node(given: object) -> int:
    return whole_number("a node id", given)


def _passwords(given: object) -> Mapping[str, Secret | str]:
    users = mapping("users", given).items()
    return {name: each if isinstance(each, Secret) else text(f"password of {name}", each) for name, each in users}


class Cluster(KafkaCluster):
    """A Kafka cluster that any client can connect to inside the ``with`` block, in memory or in a directory.

        with Cluster(brokers=1, config={"group.consumer.assignment.interval.ms": 0}) as cluster:
            cluster.create_topic("orders", partitions=6)
            consumer = Consumer(bootstrap_servers=cluster.bootstrap_servers, group_id="billing")

            cluster.produce("orders", [{"id": 1}])

    It listens on loopback only, on ports that the system chooses, in one daemon thread. A cluster can be used once.
    ``produce``, ``records``, ``committed``, ``group`` and the other calls of ``KafkaCluster`` need no client.

    Args:
        brokers: the number of broker nodes.
        config: broker settings by Kafka's names; see ``kafka_nextgen.testing.broker.BrokerSettings``.
        profile: the release of Kafka to imitate, from ``"4.0"`` to ``"4.4"``; the newest by default.
        users: passwords by user name, for listeners with SASL.
        data_dir: the directory of topics, records and groups, from which another ``Cluster`` can continue.
        rules: ACLs such as ``"allow User:alice READ TOPIC orders"``; see ``kafka_nextgen.testing.broker.Broker``.
        extensions: whether clients may use the extensions that Apache Kafka does not have.
        history: called with each group event, on the cluster's thread; see ``kafka_nextgen.testing.broker.Broker``.
        clock: the clock of the cluster and of the consumers in this process that connect to it; required by
            ``advance``. The default is the system's clock.

    Raises:
        ConfigError: a setting is unknown or invalid.
        TypeError: an argument of this or another call has a wrong type.
    """

    def __init__(
        self,
        brokers: int = 1,
        config: Mapping[str, object] | None = None,
        *,
        profile: str | None = None,
        users: Mapping[str, Secret | str] | None = None,
        data_dir: str | PathLike[str] | None = None,
        rules: Iterable[str] | None = None,
        extensions: bool = True,
        history: Callable[[Event], None] | None = None,
        clock: Clock | None = None,
    ) -> None:
        super().__init__()
        if not isinstance(clock, Clock | None):
            raise TypeError(f"clock must be a Clock, not {clock!r}")
        if history is not None and not callable(history):
            raise TypeError(f"history must be a function, not {history!r}")
        self._clock = clock
        with nullcontext() if clock is None else clocks.followed(clock):
            self._broker = Broker(
                None if config is None else mapping("config", config),
                nodes=whole_number("brokers", brokers),
                profile=profile,
                users=None if users is None else _passwords(users),
                rules=None if rules is None else texts("rules", rules),
                data_dir=data_dir,
                extensions=flag("extensions", extensions),
                history=history,
            )
        self._faults: Faults | None = None
        self._governing = ExitStack()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._is_running = False
        self._pid = os.getpid()

    @property
    def bootstrap_servers(self) -> str:
        """The ``bootstrap.servers`` for clients. Raises ``MisuseError`` unless the cluster is running."""
        self._check_running()
        return self._broker.bootstrap_servers

    def bootstrap_servers_of(self, listener: str) -> str:
        """The same for one listener. Raises ``MisuseError`` if it does not exist, or the cluster is not running."""
        self._check_running()
        return self._broker.bootstrap_servers_of(listener)

    def advance(self, seconds: float) -> None:
        """Let ``seconds`` pass for the cluster and its consumers in this process; ``Clock.advance`` has the details.

        In the meantime, running members keep their sessions, and those that have stopped expire; retention, timeouts,
        throttles and retries happen when they are due. Raises ``MisuseError`` without a ``clock``, unless the cluster
        is running, or in a thread with an event loop; ``ValueError`` for negative ``seconds``; ``TimeoutError`` if a
        client never becomes idle.
        """
        self._check_here()
        self.clock.advance(seconds)

    @property
    def clock(self) -> Clock:
        """The clock of this cluster. Raises ``MisuseError`` if that is the system's."""
        if self._clock is None:
            raise MisuseError("this cluster uses the system's clock: create it with Cluster(clock=Clock())")
        return self._clock

    def create_topic(self, name: str, partitions: int = 1) -> None:
        """Create a topic. Raises ``MisuseError`` if it exists, or the name or the number is invalid."""
        self._call(self._broker.create_topic, text("topic", name), whole_number("partitions", partitions))

    @property
    def history_failures(self) -> int:
        """The number of events for which ``history`` raised."""
        return self._broker.history_failures

    def set_quota(
        self, kind: str, amount: float | None, *, user: str | None = None, client_id: str | None = None
    ) -> None:
        """Set a quota, beyond which a client is throttled; see ``Broker.set_quota``.

        Raises ``MisuseError`` if the quota does not exist, no user or client is given, or the amount is not above 0.
        """
        if amount is not None:
            number(kind, amount)
        for name, given in (("user", user), ("client id", client_id)):
            if given is not None:
                text(name, given)
        self._call(self._broker.set_quota, kind, amount, user=user, client_id=client_id)

    def stop_node(self, node_id: int) -> None:
        """Stop a node (from 1) as if it were killed. Other nodes take over partitions and groups that have replicas.

        ``offsets.topic.replication.factor`` is 3 unless there are fewer nodes, ``default.replication.factor`` is 1.
        Raises ``MisuseError`` if the node does not exist or is not running.
        """
        self._check_here()
        self._run(self._broker.stop_node(_node(node_id)))

    def start_node(self, node_id: int) -> None:
        """Start a stopped node at its former address. Raises ``MisuseError`` if it is running."""
        self._check_here()
        self._run(self._broker.start_node(_node(node_id)))

    def leader_of(self, topic: str, partition: int) -> int | None:
        """Return the leader of a partition; None if it is down. Raises ``MisuseError`` if the partition is unknown."""
        return self._call(self._broker.leader_of, text("topic", topic), whole_number("partition", partition))

    def move_leader(self, topic: str, partition: int, node_id: int) -> None:
        """Make another replica the leader of a partition. Raises ``MisuseError`` unless it is a running replica."""
        place = text("topic", topic), whole_number("partition", partition)
        self._call(self._broker.move_leader, *place, _node(node_id))

    def elect_preferred_leaders(self) -> None:
        """Make the first replica of each partition its leader again, if that replica is running."""
        self._call(self._broker.elect_preferred_leaders)

    def coordinator_of(self, group_id: str) -> int | None:
        """Return the coordinator of a group, which need not exist; None if it is down."""
        return self._call(self._broker.coordinator_of, text("group id", group_id))

    def move_coordinator(self, group_id: str, node_id: int) -> None:
        """Move a group, and other groups in its partition, to another coordinator.

        Raises ``MisuseError`` if the group can't be moved there.
        """
        self._call(self._broker.move_coordinator, text("group id", group_id), _node(node_id))

    def fault(self, api: Api | None = None, **how: Unpack[How]) -> Fault:
        """Create a fault for requests of ``api``, or of any API: ``with cluster.fault(Api.FETCH, delay_s=5): ...``.

        It is active in a ``with`` block, or from ``start`` to ``stop``. It counts the affected requests in ``met``, and
        raises ``FaultNotMetError`` at the end if there were none. docs/guides/faults.md describes each kind.

        Args:
            api: an API, such as ``Api.OFFSET_COMMIT``.
            error: the error code in the answer; the request is not carried out. It needs ``api``.
            delay_s: seconds by the cluster's clock after which the request is handled.
            throttle_s: seconds for which the client is throttled.
            drop: ``"before"`` or ``"after"`` the request is carried out, the connection is closed without an answer.
            cut_connection: the connection is closed in the middle of the answer.
            silent: no request is answered until the fault ends.
            move_leader: the next replica leads the partition.
            recreate_topic: the topic is deleted and created again.
            lose_tail: at least this number of records at the end of the partition are lost in a fail-over.
            corrupt_offset: the batch with this offset has a wrong checksum when it is fetched.
            expire_login: the connection of a client that logged in with SASL is closed.
            client_id: only requests of clients with this ``client.id``.
            group_id: only requests that name this group.
            node: only requests that arrive at this node.
            topic: only requests that name this topic; an error then applies to this topic only.
            partition: only requests that name this partition of the topic.
            times: the number of requests to which it applies. The default is once for changes of the cluster, otherwise
                no limit.
            after: the number of matching requests that are handled as usual before.

        Raises:
            MisuseError: the arguments contradict each other.
        """
        if self._faults is None:
            self._faults = Faults(self._broker.state)
        return Fault(make(api, how), self._faults, self._call)

    def set_group_version(self, level: int) -> None:
        """Enable the consumer group protocol (1) or disable it (0), while groups exist.

        Raises ``MisuseError`` for any other level.
        """
        self._call(self._broker.set_group_version, whole_number("level", level))

    @contextmanager
    def loading_held(self) -> Iterator[None]:
        """Keep moved coordinators from loading their logs inside the block; clients get a retriable error."""
        held = self._broker.loading_held()
        self._call(held.__enter__)
        try:
            yield
        finally:
            self._call(held.__exit__, None, None, None)

    def metrics(self) -> CoordinatorMetrics:
        """Return the metrics of the group coordinators. Raises ``MisuseError`` unless the cluster is running."""
        return self._call(self._broker.metrics)

    def __enter__(self) -> Cluster:
        if self._thread is not None:
            raise MisuseError("a Cluster can be used only once: create another")
        check_native_threads("Cluster")
        self._loop = new_private_loop(self._clock)
        self._thread = threading.Thread(target=self._loop.run_forever, name="kafka-nextgen-cluster", daemon=True)
        self._thread.start()
        try:
            self._run(self._broker.start(), timeout_s=None)  # a large data_dir takes a long time to read
        except BaseException:
            self._stop()
            raise
        self._is_running = True
        if self._clock is not None:
            self._governing.enter_context(governing(self._addresses(), self._clock))
        return self

    def __exit__(
        self, exc_type: type[BaseException] | None, exc: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if not self._is_running:
            return
        self._is_running = False
        self._governing.close()
        # Frozen if called by a __del__: the interpreter is shutting down. In both cases the thread does not exist.
        if threads_are_frozen() or self._is_foreign:
            return
        try:
            self._run(self._broker.close())
        finally:
            self._stop()

    def _backend(self) -> Backend:
        from kafka_nextgen.testing.kit.embedded import EmbeddedBackend

        self._check_running()
        return EmbeddedBackend(self._broker.state, self._call)

    def _pass_time(self, seconds: float) -> None:
        if self._clock is not None and seconds > 0:
            self._clock.advance(seconds)

    def _strangers(self) -> list[str]:
        """The connected clients whose time is not that of the clock, if there is one.

        Other clients of this library than members of groups, such as a ``GroupAdmin``, don't mind how time passes.
        """
        clock = self._clock
        if clock is None:
            return []
        peers = [each for each in self._call(self._broker.peers) if each.is_member or not each.knows_extensions]
        return [str(each) for each in peers if not clock.has_end(each.host, each.port)]

    def _addresses(self) -> list[str]:
        listeners = self._broker.listeners
        told = [each for name in listeners for each in self._broker.bootstrap_servers_of(name).split(",")]
        return told + [f"localhost:{each.rpartition(':')[2]}" for each in told]

    def _stop(self) -> None:
        assert self._loop is not None
        assert self._thread is not None
        self._run(self._loop.shutdown_default_executor())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_TIMEOUT_S)
        self._loop.close()

    def _run(self, coroutine: Coroutine[None, None, T], timeout_s: float | None = _TIMEOUT_S) -> T:
        assert self._loop is not None
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(timeout_s)

    def _call(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call a function on the cluster's loop. Raises ``MisuseError`` unless the cluster is running here."""

        async def call() -> T:
            return function(*args, **kwargs)

        self._check_here()
        return self._run(call())

    def _check_here(self) -> None:
        self._check_running()
        if self._is_foreign:
            why = "this Cluster was created before a fork, and runs in the parent process"
            raise MisuseError(f"{why}: the child process can only connect to its bootstrap_servers")

    @property
    def _is_foreign(self) -> bool:
        return os.getpid() != self._pid

    def _check_running(self) -> None:
        if not self._is_running:
            raise MisuseError("the cluster is not running: use it in a with block")
