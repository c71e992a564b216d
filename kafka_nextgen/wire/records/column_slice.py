"""A range of the records in columns."""

from __future__ import annotations

from kafka_nextgen.lazy_attrs import define
from kafka_nextgen.types import TopicPartition
from kafka_nextgen.wire.records.columns import Columns

__all__ = ["ColumnSlice"]


@define(unsafe_hash=True)
class ColumnSlice:
    """The records in ``columns`` from index ``start`` up to, but not including, ``stop``; nothing is copied.

    Treat it as immutable. It is not frozen, because creating it would take three times as long, for each run.
    """

    columns: Columns
    start: int
    stop: int

    def __len__(self) -> int:
        return self.stop - self.start

    @property
    def partition(self) -> TopicPartition:
        """The partition of all these records."""
        return self.columns.partition

    @property
    def next_offset(self) -> int:
        """The offset at which reading continues after these records."""
        if self.stop == len(self.columns):
            return self.columns.next_offset
        return self.columns.offsets[self.stop - 1] + 1

    @property
    def leader_epoch(self) -> int:
        """The leader epoch of the data before ``next_offset``, -1 if the broker sent none."""
        if self.stop == len(self.columns):
            return self.columns.end_epoch
        return self.columns.leader_epochs[self.stop - 1]
