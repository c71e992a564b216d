"""Leaving a broker alone for as long as it asks, because of a quota (KIP-219).

Since Kafka 2.0 a broker answers at once, says for how long it would have liked to wait, and reads nothing from that
connection meanwhile; the client is to send nothing. Here as in Kafka's own client, what is sent to a broker and what
is sent to it as a coordinator are muted apart: whoever fetches too much keeps its membership. Within each of the two,
all connections keep quiet, those opened later as well.

A request that has to wait is subject to its caller's time limit as any other, whose error then names the throttle.

Five minutes are believed at most. Kafka's byte quotas ask for as long as it takes to get back to the rate allowed,
which is minutes after one large answer. A coordinator is believed for ten seconds: Kafka asks for one window of a
request quota there, a second by default, and a member that kept quiet for longer would lose its session.

A client that closes keeps quiet no longer: what it has to send, its last commit and its leave, would come too late.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from attrs import define

from kafka_nextgen.errors import OutageError
from kafka_nextgen.properties import ServerAddress
from kafka_nextgen.transport.targets import Purpose
from kafka_nextgen.wire.apis import Answer

__all__ = ["LONG_S", "Mute", "Mutes", "ThrottledError", "throttle_in", "throttle_time_s"]

#: A throttle of so many seconds is told as a problem; a quota that is slightly exceeded takes less.
LONG_S = 5.0

_MOST_S = 300.0
_MOST_AS_COORDINATOR_S = 10.0
_AS_COORDINATOR = frozenset({Purpose.COORDINATOR, Purpose.REBALANCE})


NodeOf = Callable[[ServerAddress], "int | None"]


class ThrottledError(OutageError):
    """A request was not sent in its time, for the broker asked to be left alone."""


def throttle_in(error: BaseException) -> ThrottledError | None:
    """The throttle that an error was caused by, if it was."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, ThrottledError):
        cause = cause.__cause__
    return cause


@define(eq=False)
class Mute:
    """Nothing is to be sent to ``address`` before ``until``, on the loop's clock, as long as it ``is_heeded``."""

    address: ServerAddress | None = None
    most_s: float = _MOST_S
    until: float = 0.0
    is_long: bool = False
    is_heeded: bool = True
    node_of: NodeOf = lambda _: None
    _ends: str = ""

    def extend(self, until: float, now: float) -> bool:
        """Keep quiet until then at least; whether that is news."""
        until = min(until, now + self.most_s)
        if not self.is_heeded or until <= self.until:
            return False
        self.until, self.is_long = until, until - now >= LONG_S
        self._ends = time.strftime("%H:%M:%S", time.localtime(time.time() + until - now))
        return True

    def lift(self) -> None:
        """Heed this broker's throttle no longer."""
        self.until, self.is_heeded = 0.0, False

    def __str__(self) -> str:
        node_id = None if self.address is None else self.node_of(self.address)
        broker = self.address if node_id is None else f"{node_id} ({self.address})"
        return f"throttled by broker {broker} until {self._ends}, because of a quota"


class Mutes:
    """The mute of each broker, and of each as a coordinator."""

    def __init__(self, node_of: NodeOf) -> None:
        self._node_of = node_of
        self._by_role: dict[tuple[ServerAddress, bool], Mute] = {}
        self._are_heeded = True

    def of(self, address: ServerAddress, purpose: Purpose) -> Mute:
        """The one that connections for this purpose share."""
        as_coordinator = purpose in _AS_COORDINATOR
        mute = self._by_role.get((address, as_coordinator))
        if mute is None:
            most_s = _MOST_AS_COORDINATOR_S if as_coordinator else _MOST_S
            mute = Mute(address, most_s, is_heeded=self._are_heeded, node_of=self._node_of)
            self._by_role[address, as_coordinator] = mute
        return mute

    def long_one(self, now: float) -> Mute | None:
        """A long throttle that is not over, if there is one; may be asked from any thread."""
        return next((mute for mute in tuple(self._by_role.values()) if mute.is_long and mute.until > now), None)

    def lift(self) -> None:
        """Heed no throttle any longer."""
        self._are_heeded = False
        for mute in self._by_role.values():
            mute.lift()


def throttle_time_s(answer: Answer) -> float:
    """For how long (seconds) the broker asks to be left alone; 0 if it does not, five minutes at most."""
    throttle_ms: int = getattr(answer, "throttle_time_ms", 0)
    return min(throttle_ms / 1000, _MOST_S) if throttle_ms > 0 else 0.0
