"""Counters of a client's network traffic; the event loop writes them, any thread may read."""

from __future__ import annotations

from attrs import Factory

from kafka_nextgen.lazy_attrs import define
from kafka_nextgen.metrics.timings import Timings

__all__ = ["Traffic"]


@define
class Traffic:
    """Totals over all connections: how many were opened, closed (some of them ``lost``), ``failed`` to open, etc."""

    opened: int = 0
    closed: int = 0
    lost: int = 0
    failed: int = 0
    requests: int = 0
    answers: int = 0
    bytes_out: int = 0
    bytes_in: int = 0
    throttled_ms: int = 0
    latency: Timings = Factory(Timings)

    def note_answers(self, answers: int, bytes_in: int, bytes_out: int) -> None:
        """Add what another thread has received, and sent: one request after each answer."""
        self.answers += answers
        self.requests += answers
        self.bytes_in += bytes_in
        self.bytes_out += bytes_out
