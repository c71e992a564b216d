"""Requests and answers on their way: in order, as on a connection of ``transport``.

A broker serves one request of a connection at a time, and the next one when that is answered. A connection may be cut,
before a request is served or after it, or fall silent. A client gives a silent one up; what it had sent may still
arrive then, late, and is served, and the answer is heard by no client any more.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from attrs import define, field

from tests.simulation.dice import Dice, Fault
from tests.simulation.nodes import Node
from tests.simulation.timeline import Timeline

__all__ = ["Connection", "Serve", "UnderWay"]

#: What a node does with a frame: it calls the second argument with the answer's frame, or with None to hang up.
Serve = Callable[[Node, bytes, Callable[[bytes | None], None]], None]

_LATENCY_S = 0.002


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
    _inbox: deque[UnderWay] = field(factory=deque)
    _is_busy: bool = False
    _arrival: float = 0.0
    _delivery: float = 0.0

    def send(self, request: UnderWay) -> None:
        """Put a request on its way."""
        self._pending.append(request)
        if self.is_silent or self.dice.happens(Fault.SILENCE, 0.05):
            self.is_silent = True
        elif self.dice.happens(Fault.REQUEST_LOST, 0.1):
            self.is_silent = True
            self.timeline.after(self._latency(), lambda: self.cut("connection reset"))
        else:
            self._arrival = max(self._arrival, self.timeline.now + self._latency())
            self.timeline.at(self._arrival, lambda: self._arrive(request))

    def give_up(self, reason: str) -> None:
        """The client closes it. What was sent into the silence may arrive after all."""
        if self.is_silent and self.is_open:
            for request in self._pending:
                if self.dice.happens(Fault.LATE_REQUEST):
                    self.timeline.after(self.dice.between(0.01, 30.0), lambda each=request: self._serve_late(each))  # type: ignore[misc]
        self.cut(reason)

    def cut(self, reason: str) -> None:
        """End it: whatever has no answer is lost, served or not."""
        if not self.is_open:
            return
        self.is_open = False
        self._inbox.clear()
        pending, self._pending = self._pending, deque()
        for request in pending:
            request.lost(reason)

    def _latency(self) -> float:
        if self.dice.happens(Fault.SLOW_MESSAGE, 0.1):
            return self.dice.between(0.05, 5.0)
        return self.dice.tail(_LATENCY_S)

    def _arrive(self, request: UnderWay) -> None:
        if not self.is_open:
            return
        if not self.node.is_alive:
            self.cut("connection refused")
            return
        self._inbox.append(request)
        self._serve_next()

    def _serve_next(self) -> None:
        if self._is_busy or not self._inbox or not self.is_open:
            return
        self._is_busy = True
        request = self._inbox.popleft()
        self.serve(self.node, request.frame, lambda answer: self._answer(request, answer))

    def _answer(self, request: UnderWay, answer: bytes | None) -> None:
        self._is_busy = False
        if not self.is_open or self.is_silent:
            return
        if answer is None or self.dice.happens(Fault.ANSWER_LOST, 0.1):
            self.is_silent = True
            self.timeline.after(self._latency(), lambda: self.cut("connection reset"))
            return
        self._delivery = max(self._delivery, self.timeline.now + self._latency())
        self.timeline.at(self._delivery, lambda: self._deliver(request, answer))
        self._serve_next()

    def _deliver(self, request: UnderWay, answer: bytes) -> None:
        if self.is_open:
            assert self._pending[0] is request, "answers come in the order of requests"
            self._pending.popleft()
            request.answered(answer)

    def _serve_late(self, request: UnderWay) -> None:
        if self.node.is_alive:
            self.serve(self.node, request.frame, _ignore)


def _ignore(_: bytes | None) -> None:
    """Nobody hears it."""
