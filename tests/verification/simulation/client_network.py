"""The network of a client: its connections, and its search for the coordinator."""

from __future__ import annotations

from collections.abc import Callable

from attrs import define, field

from tests.verification.simulation.cluster import Cluster
from tests.verification.simulation.connections import Connection, UnderWay
from tests.verification.simulation.dice import Dice, Fault
from tests.verification.simulation.exchanges import serve
from tests.verification.simulation.nodes import Node
from tests.verification.simulation.timeline import OwnTime, Plan

_VIEW_S = 0.005


@define(eq=False)
class Network:
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
        return self.time.timeline.now < self.offline_until

    def go_offline(self, seconds: float) -> None:
        """Have no network for so long: connections stay open, and nothing arrives."""
        self.offline_until = self.time.timeline.now + seconds
        for connection in self._connections.values():
            connection.fall_silent()

    def end(self) -> None:
        for connection in self._connections.values():
            connection.cut("the client is gone")

    def nodes(self) -> list[Node]:
        return [] if self.is_offline else self.cluster.alive()

    def later(self, seconds: float, action: Callable[[], None]) -> Plan:
        return self.time.later(seconds, action)

    def view_s(self) -> float:
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


_PAUSE_S, _LONGEST_PAUSE_S = 0.1, 1.0


@define(eq=False)
class SendQueue:
    """Calls that are sent in the order in which they began."""

    waiting: list[Call] = field(factory=list)

    def leave(self, call: Call) -> None:
        """A call was sent, or is over: the next one may go."""
        if call in self.waiting:
            is_first = self.waiting[0] is call
            self.waiting.remove(call)
            if is_first and self.waiting:
                self.waiting[0].go_on()


@define(eq=False)
class Call:
    """A request, from its beginning to its end: ``answered`` or ``lost`` is called, unless it is called off."""

    caller: Network
    frame: bytes
    timeout_s: float
    answered: Callable[[bytes], None]
    lost: Callable[[str], None]
    queue: SendQueue | None = None
    connect_timeout_s: float | None = None
    is_over: bool = False
    is_sent: bool = False
    sent_to: int | None = None
    _pauses: int = 0
    _timer: Plan | None = None
    _way: Plan | None = None

    def start(self) -> None:
        self._timer = self.caller.later(self.timeout_s, self._time_out)
        if self.connect_timeout_s is not None:
            self._way = self.caller.later(self.connect_timeout_s, self._give_up_way)
        if self.queue is not None:
            self.queue.waiting.append(self)
            if self.queue.waiting[0] is not self:
                return
        self.go_on()

    def call_off(self) -> None:
        if not self.is_over:
            self._end()

    def go_on(self) -> None:
        """Send it, if the coordinator is known; else look for that."""
        if self.is_over or self.is_sent:
            return
        if self.caller.coordinator is None:
            self.caller.find_coordinator(self._found)
        else:
            self._send(self.caller.coordinator)

    def _found(self, node_id: int | None) -> None:
        if self.is_over or self.is_sent:
            return
        if node_id is not None:
            self._send(node_id)
            return
        pause = min(_PAUSE_S * 2**self._pauses, _LONGEST_PAUSE_S)
        self._pauses += 1
        self.caller.later(pause, self.go_on)

    def _send(self, node_id: int) -> None:
        self.is_sent, self.sent_to = True, node_id
        self.caller.send(node_id, UnderWay(self.frame, self._hear, self._lose))
        if self.queue is not None:
            self.queue.leave(self)

    def _hear(self, frame: bytes) -> None:
        if not self.is_over:
            self._end()
            self.answered(frame)

    def _lose(self, reason: str) -> None:
        if not self.is_over:
            self._end()
            self.lost(reason)

    def _give_up_way(self) -> None:
        if not self.is_sent:
            self._lose("the coordinator was not found in time")

    def _time_out(self) -> None:
        if self.is_over:
            return
        if self.sent_to is not None:
            self.caller.forget_connection(self.sent_to, "no answer in time")
        self._lose("no answer in time")

    def _end(self) -> None:
        self.is_over = True
        for plan in (self._timer, self._way):
            if plan is not None:
                plan.call_off()
        if self.queue is not None:
            self.queue.leave(self)


def call_off(calls: list[Call]) -> None:
    for call in calls:
        call.call_off()
    calls.clear()
