"""How far the assigned partitions are read, for metrics and lag."""

from __future__ import annotations

from collections.abc import Mapping

from kafka_nextgen.fetching.buffers import Buffers, HandedOverCount
from kafka_nextgen.fetching.context import Assigned
from kafka_nextgen.fetching.positions import PartitionState
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.types import TopicPartition, lag_of

__all__ = ["FetchProgress", "PartitionProgress"]


@frozen
class PartitionProgress:
    """One assigned partition. ``position`` is None during its lookup; the log's ends are None before a fetch."""

    position: int | None
    log_start: int | None
    log_end: int | None
    buffered_records: int
    is_paused: bool

    @classmethod
    def of(cls, state: PartitionState, buffers: Buffers) -> PartitionProgress:
        """Copy the progress of a partition."""
        return cls(
            None if state.position is None else state.position.offset,
            state.log_start_offset if state.log_start_offset >= 0 else None,
            state.end_offset if state.end_offset >= 0 else None,
            buffers.records_of(state.partition),
            state.paused,
        )

    @property
    def lag(self) -> int | None:
        """How many offsets are left to read, not counting those already deleted from the beginning of the log."""
        if self.position is None or self.log_end is None:
            return None
        return lag_of(self.position, self.log_start, self.log_end)

    @property
    def lead(self) -> int | None:
        """How far the position is from the beginning of the log."""
        return None if self.position is None or self.log_start is None else max(0, self.position - self.log_start)


@frozen
class FetchProgress:
    """All assigned partitions, the buffered records, and the records handed over so far by topic.

    ``received`` are the records that the application's thread received itself.
    """

    partitions: Mapping[TopicPartition, PartitionProgress]
    buffered_bytes: int
    handed_over: Mapping[str, HandedOverCount]
    received: HandedOverCount

    @classmethod
    def of(cls, now: Assigned, then: Assigned, received: HandedOverCount) -> FetchProgress:
        """Copy the progress from ``now``, except for partitions in ``then``, which are copied from there."""
        partitions = {
            state.partition: PartitionProgress.of(state, each.buffers) for each in (now, then) for state in each.states
        }
        replaced_bytes = sum(map(now.buffers.bytes_of, then.by_partition))
        buffered_bytes = now.buffers.total_bytes - replaced_bytes + then.buffers.total_bytes
        return cls(partitions, buffered_bytes, then.buffers.handed_over(), received)
