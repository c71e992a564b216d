"""Throttling: sending nothing to a broker for as long as it asks, because of a quota (KIP-219).

Since Kafka 2.0, a broker answers immediately with a ``throttle_time_ms``, and reads nothing from that connection during
that time. All connections to a broker share its throttle, except that connections to it as a coordinator have a
separate one, as in Kafka's client: a member that fetches too much keeps its membership.

A request that has to wait still ends at its caller's deadline, and its error then names the throttle. A closing client
ignores throttles: otherwise its last commit and its leave would be too late.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from kafka_nextgen import clocks
from kafka_nextgen.errors import OutageError
from kafka_nextgen.lazy_attrs import define
from kafka_nextgen.properties.value_types import ServerAddress
from kafka_nextgen.transport.targets import Purpose
from kafka_nextgen.wire.apis import Answer

__all__ = ["LONG_THROTTLE_S", "Throttle", "ThrottledError", "Throttles", "throttle_in", "throttle_time_s"]

#: Throttles of at least this many seconds are reported as a problem; slightly exceeding a quota causes shorter ones.
LONG_THROTTLE_S = 5.0

#: Byte quotas throttle until the rate is allowed again, which can take minutes after one large answer.
_MAX_S = 300.0
#: A coordinator throttles for one window of a request quota, by default a second; a longer throttle would cost the
#: member its session.
_MAX_AS_COORDINATOR_S = 10.0
_AS_COORDINATOR = frozenset({Purpose.COORDINATOR, Purpose.REBALANCE})

NodeOf = Callable[[ServerAddress], "int | None"]


class ThrottledError(OutageError):
    """A request was not sent before its deadline because the broker is throttling this client."""


def throttle_in(error: BaseException) -> ThrottledError | None:
    """The throttle that caused an error, if any."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, ThrottledError):
        cause = cause.__cause__
    return cause


def throttle_time_s(answer: Answer) -> float:
    """How long (seconds) the client must send nothing, according to the answer: 0 to 300."""
    throttle_ms: int = getattr(answer, "throttle_time_ms", 0)
    return min(throttle_ms / 1000, _MAX_S) if throttle_ms > 0 else 0.0


@define(eq=False)
class Throttle:
    """Nothing may be sent to ``address`` before ``until`` (the loop's clock). ``node_of`` finds its node id."""

    address: ServerAddress | None = None
    max_s: float = _MAX_S
    until: float = 0.0
    is_long: bool = False
    is_ignored: bool = False
    node_of: NodeOf = lambda _: None
    _ends: str = ""

    def extend(self, until: float, now: float) -> bool:
        """Send nothing before ``until``; returns whether that extends the throttle."""
        until = min(until, now + self.max_s)
        if self.is_ignored or until <= self.until:
            return False
        self.until, self.is_long = until, until - now >= LONG_THROTTLE_S
        self._ends = time.strftime("%H:%M:%S", time.localtime(clocks.time() + until - now))
        return True

    def lift(self) -> None:
        """End the throttle, and ignore later ones."""
        self.until, self.is_ignored = 0.0, True

    def __str__(self) -> str:
        node_id = None if self.address is None else self.node_of(self.address)
        broker = self.address if node_id is None else f"{node_id} ({self.address})"
        return f"throttled by broker {broker} until {self._ends}, because of a quota"


class Throttles:
    """Two throttles for each broker: one for it as a coordinator, one for everything else."""

    def __init__(self, node_of: NodeOf) -> None:
        self._node_of = node_of
        self._by_role: dict[tuple[ServerAddress, bool], Throttle] = {}
        self._are_ignored = False

    def of(self, address: ServerAddress, purpose: Purpose) -> Throttle:
        """The throttle of connections to ``address`` for ``purpose``."""
        as_coordinator = purpose in _AS_COORDINATOR
        throttle = self._by_role.get((address, as_coordinator))
        if throttle is None:
            max_s = _MAX_AS_COORDINATOR_S if as_coordinator else _MAX_S
            throttle = Throttle(address, max_s, is_ignored=self._are_ignored, node_of=self._node_of)
            self._by_role[address, as_coordinator] = throttle
        return throttle

    def find_long(self, now: float) -> Throttle | None:
        """The current long throttle, if any. May be called from any thread."""
        return next((each for each in tuple(self._by_role.values()) if each.is_long and each.until > now), None)

    def lift(self) -> None:
        """End all throttles, and ignore later ones."""
        self._are_ignored = True
        for throttle in self._by_role.values():
            throttle.lift()
