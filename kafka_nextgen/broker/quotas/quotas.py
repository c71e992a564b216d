"""What all clients do, against the limits there are.

Bytes delay a client for as long as it takes until its rate is allowed again, time for a window at most, as in Kafka.
"""

from __future__ import annotations

from kafka_nextgen.broker.quotas.limits import Entity, LimitKind, Limits
from kafka_nextgen.broker.quotas.rates import Rate, Windows

__all__ = ["Quotas"]

_PERCENT = 100.0


class Quotas:
    """The limits, and the rates of those who have one."""

    def __init__(self, windows: Windows) -> None:
        self.limits = Limits()
        self._windows = windows
        self._rates: dict[tuple[LimitKind, Entity], Rate] = {}

    def delay_s(self, kind: LimitKind, user: str, client_id: str, amount: float, now: float) -> float:
        """Count what a client did, and return for how many seconds it is to be left alone.

        ``amount`` is in bytes, or in seconds of a thread's time; ``now`` in seconds.
        """
        limit = self.limits.of(user, client_id, kind)
        if limit is None:
            return 0.0
        rate = self._rates.setdefault((kind, limit.holder), Rate(self._windows))
        rate.record(amount * _PERCENT if kind is LimitKind.REQUEST_TIME else amount, now)
        delay_s = rate.delay_s(limit.amount, now)
        return min(delay_s, self._windows.length_s) if kind is LimitKind.REQUEST_TIME else delay_s

    def take_back(self, kind: LimitKind, user: str, client_id: str, amount: float, now: float) -> None:
        """Count ``amount`` bytes less: they were not sent after all; ``now`` in seconds."""
        limit = self.limits.of(user, client_id, kind)
        if limit is not None and (kind, limit.holder) in self._rates:
            self._rates[kind, limit.holder].record(-amount, now)

    def most_bytes(self, user: str, client_id: str) -> int | None:
        """How many bytes one answer to a fetch may have: what its quota allows in all windows; None for no limit."""
        limit = self.limits.of(user, client_id, LimitKind.FETCHED_BYTES)
        return None if limit is None else int(limit.amount * self._windows.least_s)
