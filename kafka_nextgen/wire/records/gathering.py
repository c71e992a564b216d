"""Records on their way into columns: lists that grow batch by batch, until ``finish`` makes columns of them."""

from __future__ import annotations

from array import array
from itertools import accumulate, chain

from attrs import Factory, define

from kafka_nextgen.types import TopicPartition
from kafka_nextgen.wire.records.binary_column import BinaryColumn
from kafka_nextgen.wire.records.columns import Columns, HeaderColumn, Headers

__all__ = ["Gathering"]


@define
class Gathering:
    """What was read of a partition so far, as ``Columns`` describes it."""

    next_offset: int
    offsets: array[int] = Factory(lambda: array("q"))
    timestamps: array[int] = Factory(lambda: array("q"))
    keys: list[bytes | None] = Factory(list)
    values: list[bytes | None] = Factory(list)
    headers: list[Headers] | None = None
    leader_epochs: array[int] = Factory(lambda: array("i"))
    timestamp_types: array[int] = Factory(lambda: array("b"))
    data_bytes: int = 0
    end_epoch: int = -1

    def finish(self, partition: TopicPartition, truncated: bool) -> Columns:
        """The columns of all this."""
        return Columns(
            partition,
            self.next_offset,
            memoryview(self.offsets),
            memoryview(self.timestamps),
            BinaryColumn.of(self.keys),
            BinaryColumn.of(self.values),
            None if self.headers is None else _header_column(self.headers),
            memoryview(self.leader_epochs),
            memoryview(self.timestamp_types),
            self.data_bytes,
            truncated,
            self.end_epoch,
        )


def _header_column(headers: list[Headers]) -> HeaderColumn:
    pairs = list(chain.from_iterable(headers))
    return HeaderColumn(
        memoryview(array("i", accumulate(map(len, headers), initial=0))),
        BinaryColumn.of([key.encode() for key, _ in pairs]),
        BinaryColumn.of([value for _, value in pairs]),
    )
