"""Records on their way into columns: buffers that grow batch by batch, until ``finish`` makes columns of them.

What is gathered takes about what the columns will: an object per record would take ten times as much of small ones.
"""

from __future__ import annotations

from array import array

from attrs import Factory, define

from kafka_nextgen.types import TopicPartition
from kafka_nextgen.wire.records.columns import Columns
from kafka_nextgen.wire.records.growing import GrowingBinary, GrowingHeaders

__all__ = ["Gathering"]


@define
class Gathering:
    """What was read of a partition so far, as ``Columns`` describes it."""

    next_offset: int
    offsets: array[int] = Factory(lambda: array("q"))
    timestamps: array[int] = Factory(lambda: array("q"))
    keys: GrowingBinary = Factory(GrowingBinary)
    values: GrowingBinary = Factory(GrowingBinary)
    headers: GrowingHeaders | None = None
    leader_epochs: array[int] = Factory(lambda: array("i"))
    timestamp_types: array[int] = Factory(lambda: array("b"))
    data_bytes: int = 0
    end_epoch: int = -1

    def __len__(self) -> int:
        return len(self.offsets)

    def need_headers(self) -> GrowingHeaders:
        """The headers; the records before had none if nobody asked for this yet."""
        if self.headers is None:
            self.headers = GrowingHeaders(array("i", (0,)) * (len(self) + 1))
        return self.headers

    def cut(self, count: int, with_headers: bool) -> None:
        """Keep the first ``count`` records only, however far the one behind them got; ``with_headers`` if they had."""
        for numbers in (self.offsets, self.timestamps, self.leader_epochs, self.timestamp_types):
            del numbers[count:]
        self.keys.cut(count)
        self.values.cut(count)
        if not with_headers:
            self.headers = None
        elif self.headers is not None:
            self.headers.cut(count)

    def finish(self, partition: TopicPartition, truncated: bool) -> Columns:
        """The columns of all this, which is nothing any more."""
        return Columns(
            partition,
            self.next_offset,
            memoryview(self.offsets),
            memoryview(self.timestamps),
            self.keys.finish(),
            self.values.finish(),
            None if self.headers is None else self.headers.finish(),
            memoryview(self.leader_epochs),
            memoryview(self.timestamp_types),
            self.data_bytes,
            truncated,
            self.end_epoch,
        )
