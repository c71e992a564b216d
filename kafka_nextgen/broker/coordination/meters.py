"""The counters of a broker's coordinators.

The coordinator has no clock, so its driver counts, by the stored records and the request they were stored for. A
removed offset counts as expired if a timer removed it, and as deleted if an administrator asked for it. One that was
removed with its group or its topic counts as neither, as in Kafka.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import UnionType

from attrs import define, field

from kafka_nextgen.coordinator import records as r
from kafka_nextgen.coordinator.classic.requests import SyncGroup
from kafka_nextgen.coordinator.requests import OffsetCommit, OffsetDelete, Request, TxnOffsetCommit
from kafka_nextgen.metrics.timings import Meter, Timings

__all__ = ["Meters"]


@define
class Meters:
    """Counters and timings, written on the coordinators' event loop; times are in seconds."""

    commits: Meter = field(factory=Meter)
    deletions: Meter = field(factory=Meter)
    expirations: Meter = field(factory=Meter)
    rebalances: Meter = field(factory=Meter)
    classic_rebalances: Meter = field(factory=Meter)
    processing: Timings = field(factory=Timings)
    flushing: Timings = field(factory=Timings)
    loading: Timings = field(factory=Timings)

    def note_stored(self, request: Request | None, records: Sequence[r.Record], now: float) -> None:
        """Count records that were stored for a request, or for a timer if it is None."""
        for rule in _RULES:
            if rule.causes is None or isinstance(request, rule.causes):
                count = sum(isinstance(record, rule.records) for record in records)
                if count:
                    meter: Meter = getattr(self, rule.meter)
                    meter.note(count, now)


def _count(meter: Meter, kind: type[r.Record] | UnionType, records: Sequence[r.Record], now: float) -> None:
    count = sum(isinstance(record, kind) for record in records)
    if count:
        meter.note(count, now)
