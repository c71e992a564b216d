"""The network of a client: its connections, and its search for the coordinator."""

from __future__ import annotations

from collections.abc import Callable

from attrs import define, field

from tests.simulation.calls import Call, SendQueue
from tests.simulation.cluster import Cluster
from tests.simulation.connections import Connection, UnderWay
from tests.simulation.dice import Dice, Fault
from tests.simulation.exchanges import serve
from tests.simulation.nodes import Node
from tests.simulation.own_time import OwnTime
from tests.simulation.timeline import Plan

__all__ = ["Network"]

_VIEW_S = 0.005


@define(eq=False)
class Network:
    """For the life of one client."""

    name: str
    cluster: Cluster
    time: OwnTime
    dice: Dice
    request_timeout_s: float
    asks: Callable[[], None]  # a call is made
    coordinator: int | None = None
    searches: int = 0  # for the coordinator
    heard_from: int | None = None  # the node whose answer was heard last
    offline_until: float = 0.0
    _connections: dict[int, Connection] = field(factory=dict)
    _connections_made: int = 0

    @property
    def is_offline(self) -> bool:
        """Whether no node can be reached."""
        return self.time.timeline.now < self.offline_until

    def go_offline(self, seconds: float) -> None:
        """Have no network for so long: connections stay open, and nothing arrives."""
        self.offline_until = self.time.timeline.now + seconds
        for connection in self._connections.values():
            connection.fall_silent()

    def end(self) -> None:
        """The client is gone."""
        for connection in self._connections.values():
            connection.cut("the client is gone")

    def nodes(self) -> list[Node]:
        """The nodes that can be reached."""
        return [] if self.is_offline else self.cluster.alive()

    def later(self, seconds: float, action: Callable[[], None]) -> Plan:
        """Plan something by the client's clock."""
        return self.time.later(seconds, action)

    def view_s(self) -> float:
        """How long a node takes to tell of topics."""
        slow = self.dice.happens(Fault.SLOW_MESSAGE, 0.3)
        return self.dice.between(0.05, 5.0) if slow else self.dice.tail(_VIEW_S)

    def find_coordinator(self, found: Callable[[int | None], None]) -> None:
        """Ask a node that can be reached, which says what it believes."""
        self.searches += 1
        nodes = self.nodes()
        if not nodes:
            self.time.later(0.05, lambda: found(None))
            return
        node = self.dice.pick(nodes)
        believed = node.believed_leader
        known = believed if self.cluster.nodes[believed].is_alive else None

        def learn() -> None:
            self.coordinator = known
            found(known)

        self.time.later(self.dice.tail(0.004), learn)

    def send(self, node_id: int, request: UnderWay) -> None:
        """Send by the connection to this node."""
        connection = self._connections.get(node_id)
        if connection is None or not connection.is_open:
            node = self.cluster.nodes[node_id]
            self._connections_made += 1
            dice = self.dice.stream(f"{self.name} connection {self._connections_made} to {node_id}")
            connection = self._connections[node_id] = Connection(node, self.time.timeline, dice, serve)
        if self.is_offline:
            connection.fall_silent()
        connection.send(request)

    def forget_connection(self, node_id: int, reason: str) -> None:
        """Give up the connection to this node."""
        connection = self._connections.pop(node_id, None)
        if connection is not None:
            connection.cut(reason)

    def call(
        self,
        frame: bytes,
        answered: Callable[[bytes], None],
        lost: Callable[[str], None],
        timeout_s: float | None = None,
        queue: SendQueue | None = None,
        connect_timeout_s: float | None = None,
    ) -> Call:
        """Make a call; it ends while the client is awake."""
        self.asks()

        def forget_and_lose(reason: str) -> None:
            self.coordinator = None
            lost(reason)

        def hear(heard: bytes) -> None:
            self.heard_from = call.sent_to
            answered(heard)

        call = Call(
            self,
            frame,
            self.request_timeout_s if timeout_s is None else timeout_s,
            lambda heard: self.time.when_awake(lambda: hear(heard)),
            lambda reason: self.time.when_awake(lambda: forget_and_lose(reason)),
            queue,
            connect_timeout_s,
        )
        call.start()
        return call
