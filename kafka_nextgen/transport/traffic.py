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
