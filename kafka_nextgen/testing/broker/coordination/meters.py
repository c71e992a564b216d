"""The counters of a broker's coordinators.

The coordinator has no clock, so its driver does the counting, based on the stored records and the request that caused
them. A removed offset counts as expired if a timer removed it, and as deleted if an administrator deleted it. One that
was removed with its group or its topic does not count as expired or deleted, as in Kafka.
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import field

from kafka_nextgen.groups import records as r
from kafka_nextgen.lazy_attrs import define, frozen
from kafka_nextgen.metrics.timings import Meter, Timings
from kafka_nextgen.testing.coordinator.classic.requests import SyncGroup
from kafka_nextgen.testing.coordinator.requests import OffsetCommit, OffsetDelete, Request, TxnOffsetCommit

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


@frozen
class _Rule:
    """``records`` are counted by this meter if they were stored for one of ``causes``; None means any cause."""

    meter: str
    records: tuple[type, ...]
    causes: tuple[type, ...] | None


_A_TIMER = type(None)

_RULES = (
    _Rule("commits", (r.OffsetCommitted, r.PendingOffsetCommitted), (OffsetCommit, TxnOffsetCommit)),
    _Rule("deletions", (r.OffsetRemoved,), (OffsetDelete,)),
    _Rule("expirations", (r.OffsetRemoved,), (_A_TIMER,)),
    _Rule("rebalances", (r.GroupMetadata,), None),
    _Rule("classic_rebalances", (r.ClassicGroupMetadata,), (SyncGroup,)),
)
