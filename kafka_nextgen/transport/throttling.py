"""Leaving a broker alone for as long as it asks, because of a quota (KIP-219).

Since Kafka 2.0 a broker answers at once, says for how long it would have liked to wait, and reads nothing from that
connection meanwhile; the client is to send nothing. Here as in Kafka's own client, what is sent to a broker and what
is sent to it as a coordinator are muted apart: whoever fetches too much keeps its membership. Within each of the two,
all connections keep quiet, those opened later as well.

A request that has to wait is subject to its caller's time limit as any other.
"""

from __future__ import annotations

from attrs import define

from kafka_nextgen.properties import ServerAddress
from kafka_nextgen.transport.targets import Purpose
from kafka_nextgen.wire.apis import Answer

__all__ = ["Mute", "Mutes", "throttle_time_s"]

_MOST_THROTTLE_MS = 300_000
_AS_COORDINATOR = frozenset({Purpose.COORDINATOR, Purpose.REBALANCE})


@define(eq=False)
class Mute:
    """Nothing is to be sent before ``until``, on the loop's clock."""

    until: float = 0.0

    def extend(self, until: float) -> None:
        """Keep quiet until then at least."""
        self.until = max(self.until, until)


class Mutes:
    """The mute of each broker, and of each as a coordinator."""

    def __init__(self) -> None:
        self._by_role: dict[tuple[ServerAddress, bool], Mute] = {}

    def of(self, address: ServerAddress, purpose: Purpose) -> Mute:
        """The one that connections for this purpose share."""
        return self._by_role.setdefault((address, purpose in _AS_COORDINATOR), Mute())


def throttle_time_s(answer: Answer) -> float:
    """For how long (seconds) the broker asks to be left alone; 0 if it does not.

    Five minutes are believed at most: Kafka's quotas are over windows of seconds.
    """
    throttle_ms: int = getattr(answer, "throttle_time_ms", 0)
    return min(throttle_ms, _MOST_THROTTLE_MS) / 1000 if throttle_ms > 0 else 0.0
