"""Counters and timings of a broker's coordinators.

The coordinator machine has no clock, so its driver counts, by the stored records and the requests that caused them. A
removed offset has expired if a timer removed it, and was deleted if OffsetDelete did. As in Kafka, an offset that was
removed with its group or topic counts as neither.
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
    """Used on the coordinators' event loop; times are in seconds, by its clock."""

    commits: Meter = field(factory=Meter)
    deletions: Meter = field(factory=Meter)
    expirations: Meter = field(factory=Meter)
    rebalances: Meter = field(factory=Meter)
    classic_rebalances: Meter = field(factory=Meter)
    processing: Timings = field(factory=Timings)
    flushing: Timings = field(factory=Timings)
    loading: Timings = field(factory=Timings)

    def note_stored(self, request: Request | None, records: Sequence[r.Record], now: float) -> None:
        """Count records that were stored for a request, or for a timer if there is none."""
        if isinstance(request, OffsetCommit | TxnOffsetCommit):
            _count(self.commits, r.OffsetCommitted | r.PendingOffsetCommitted, records, now)
        elif isinstance(request, OffsetDelete):
            _count(self.deletions, r.OffsetRemoved, records, now)
        elif isinstance(request, SyncGroup):
            _count(self.classic_rebalances, r.ClassicGroupMetadata, records, now)
        elif request is None:
            _count(self.expirations, r.OffsetRemoved, records, now)
        _count(self.rebalances, r.GroupMetadata, records, now)


def _count(meter: Meter, kind: type[r.Record] | UnionType, records: Sequence[r.Record], now: float) -> None:
    count = sum(isinstance(record, kind) for record in records)
    if count:
        meter.note(count, now)
