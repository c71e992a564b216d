"""One call of a client: it looks for the coordinator, pauses between attempts to find it, is sent, and ends once.

Calls do not wait for each other, except commits: one that still looks for the coordinator is not overtaken by the next
(``SendQueue``). A call that is called off before it was sent never is; the answer to one that was sent is not
heard any more (``engine.member.exchanges``).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from attrs import define, field

from tests.simulation.connections import UnderWay
from tests.simulation.timeline import Plan

__all__ = ["Call", "Caller", "SendQueue", "call_off"]

_PAUSE_S, _LONGEST_PAUSE_S = 0.1, 1.0


class Caller(Protocol):
    """What a call needs of its client."""

    coordinator: int | None

    def find_coordinator(self, found: Callable[[int | None], None]) -> None:
        """Ask a node who coordinates; None if nobody could say."""

    def send(self, node_id: int, request: UnderWay) -> None:
        """Send by the connection to this node."""

    def forget_connection(self, node_id: int, reason: str) -> None:
        """Give up the connection to this node."""

    def later(self, seconds: float, action: Callable[[], None]) -> Plan:
        """Plan something by the client's clock."""


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

    caller: Caller
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
        """Begin, or wait for one's turn."""
        self._timer = self.caller.later(self.timeout_s, self._time_out)
        if self.connect_timeout_s is not None:
            self._way = self.caller.later(self.connect_timeout_s, self._give_up_way)
        if self.queue is not None:
            self.queue.waiting.append(self)
            if self.queue.waiting[0] is not self:
                return
        self.go_on()

    def call_off(self) -> None:
        """Hear nothing of it any more."""
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
    """Hear nothing of these any more."""
    for call in calls:
        call.call_off()
    calls.clear()
