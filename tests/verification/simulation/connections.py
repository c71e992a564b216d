"""Requests and answers on their way: in order, as on a connection of ``transport``.

A broker serves one request of a connection at a time, and the next one when that is answered. A connection may be cut,
before a request is served or after it, or fall silent, both ways or only back, until the client gives it up. What was
on its way then may still arrive, late, and is served; the client does not hear the answer any more. A node may ask to
be left alone for a while (KIP-219).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from attrs import define, field

from tests.verification.simulation.dice import Dice, Fault
from tests.verification.simulation.nodes import Node
from tests.verification.simulation.timeline import Timeline

#: What a node does with a frame: it calls the second argument with the answer's frame, or with None to hang up.
Serve = Callable[[Node, bytes, Callable[[bytes | None], None]], None]

_LATENCY_S = 0.002
_LONGEST_THROTTLE_S = 8.0


@define(eq=False)
class UnderWay:
    """A request that has no answer yet."""

    frame: bytes
    answered: Callable[[bytes], None]
    lost: Callable[[str], None]


@define(eq=False)
class Connection:
    """One connection of a client to a node; when it is closed, both ends forget it."""

    node: Node
    timeline: Timeline
    dice: Dice
    serve: Serve
    is_open: bool = True
    is_silent: bool = False
    _pending: deque[UnderWay] = field(factory=deque)
    _unserved: deque[UnderWay] = field(factory=deque)
    _crashes: int = field(init=False)
    _arrived: deque[UnderWay] = field(factory=deque)  # and not yet let in, while the node does nothing
    _inbox: deque[UnderWay] = field(factory=deque)
    _is_busy: bool = False
    _arrival: float = 0.0
    _delivery: float = 0.0
    _quiet_until: float = 0.0  # the node asked for that
    _held_until: float = 0.0  # the node was suspended

    def __attrs_post_init__(self) -> None:
        self._crashes = self.node.crashes

    @property
    def _is_reached(self) -> bool:
        """Whether the node is the one that the connection was made to."""
        return self.node.is_alive and self.node.crashes == self._crashes

    def send(self, request: UnderWay) -> None:
        self._pending.append(request)
        self._unserved.append(request)
        if self.is_silent or self.dice.happens(Fault.SILENCE, 0.05):
            self.is_silent = True
        elif self.dice.happens(Fault.REQUEST_LOST, 0.1):
            self.is_silent = True
            self._unserved.pop()
            self.timeline.after(self._latency(), lambda: self.cut("connection reset"))
        else:
            self._arrival = max(self._arrival, self._quiet_until, self.timeline.now + self._latency())
            self.timeline.at(self._arrival, lambda: self._arrive(request))

    def fall_silent(self) -> None:
        """Nothing arrives any more, in either direction."""
        self.is_silent = True

    def cut(self, reason: str) -> None:
        """End it: whatever has no answer is lost, served or not. What is on its way may arrive after all."""
        if not self.is_open:
            return
        self.is_open = False
        for request in self._unserved if self._is_reached else ():
            if self.dice.happens(Fault.LATE_REQUEST):
                self.timeline.after(self._lateness(), lambda each=request: self._serve_late(each))  # type: ignore[misc]
        pending, self._pending = self._pending, deque()
        for request in pending:
            request.lost(reason)

    def _lateness(self) -> float:
        """A time of about a second, at times half a minute (seconds)."""
        return 0.01 * float(3000 ** self.dice.chance())

    def _latency(self) -> float:
        if self.dice.happens(Fault.SLOW_MESSAGE, 0.1):
            return self.dice.between(0.05, 5.0)
        return self.dice.tail(_LATENCY_S)

    def _arrive(self, request: UnderWay) -> None:
        self._arrived.append(request)
        self._let_in()

    def _let_in(self) -> None:
        """Serve the request that arrived first, as soon as the node does anything."""
        if not self.is_open:
            return
        if not self._is_reached:
            self.cut("connection refused")
            return
        self._held_until = max(self._held_until, self.node.stalled_until)
        if self.timeline.now < self._held_until:
            self.timeline.at(self._held_until, self._let_in)
            return
        self._inbox.append(self._arrived.popleft())
        self._serve_next()

    def _serve_next(self) -> None:
        if self._is_busy or not self._inbox or not self.is_open:
            return
        self._is_busy = True
        request = self._inbox.popleft()
        self._unserved.remove(request)
        self.serve(self.node, request.frame, lambda answer: self._answer(request, answer))
        if self.node.is_alive and self.dice.happens(Fault.DUPLICATE_REQUEST, 0.1):
            self.serve(self.node, request.frame, _ignore)

    def _answer(self, request: UnderWay, answer: bytes | None) -> None:
        self._is_busy = False
        if not self.is_open or self.is_silent:
            return
        if self.dice.happens(Fault.ANSWERS_SILENT, 0.03):
            self.is_silent = True
            return
        if answer is None or self.dice.happens(Fault.ANSWER_LOST, 0.1):
            self.is_silent = True
            self.timeline.after(self._latency(), lambda: self.cut("connection reset"))
            return
        if self.dice.happens(Fault.THROTTLED, 0.05):
            self._quiet_until = self.timeline.now + self.dice.between(0.1, _LONGEST_THROTTLE_S)
        self._delivery = max(self._delivery, self.timeline.now + self._latency())
        self.timeline.at(self._delivery, lambda: self._deliver(request, answer))
        self._serve_next()

    def _deliver(self, request: UnderWay, answer: bytes) -> None:
        if self.is_open:
            assert self._pending[0] is request, "answers come in the order of requests"
            self._pending.popleft()
            request.answered(answer)

    def _serve_late(self, request: UnderWay) -> None:
        if self._is_reached:
            self.node.is_serving_late = True
            self.serve(self.node, request.frame, _ignore)
            self.node.is_serving_late = False


def _ignore(_: bytes | None) -> None:
    """Nobody hears it."""
