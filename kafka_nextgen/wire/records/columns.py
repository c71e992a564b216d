"""Records as columns: one list per field instead of one object per record.

All columns of one ``Columns`` are equally long, index i of each being record i. Only ``headers`` may be None: no
record here has any, which is the common case and then costs nothing. A record's position in the log is its
offset; ``next_offset`` is where reading goes on, which is more than the last offset plus one if a control batch
or records taken out by compaction follow.
"""

from __future__ import annotations

from array import array

from attrs import Factory, define, frozen

from kafka_nextgen.types import TopicPartition

__all__ = ["ColumnSlice", "Columns", "Headers"]

Headers = tuple[tuple[str, bytes | None], ...]


def _int64s() -> array[int]:
    return array("q")


def _int32s() -> array[int]:
    return array("i")


def _int8s() -> array[int]:
    return array("b")


@define
class Columns:
    """Records of one partition in order of their offsets.

    ``timestamps`` are in milliseconds since the epoch, -1 where there is none; ``timestamp_types`` are numbers
    of ``TimestampType``; ``leader_epochs`` are -1 where the broker gave none. ``data_bytes`` is what the batches
    took, uncompressed: the measure of what holding this costs. ``truncated`` says that there was data, but no
    whole batch that leads beyond the offset asked for, so that the same request would bring the same again.
    """

    partition: TopicPartition
    next_offset: int
    offsets: array[int] = Factory(_int64s)
    timestamps: array[int] = Factory(_int64s)
    keys: list[bytes | None] = Factory(list)
    values: list[bytes | None] = Factory(list)
    headers: list[Headers] | None = None
    leader_epochs: array[int] = Factory(_int32s)
    timestamp_types: array[int] = Factory(_int8s)
    data_bytes: int = 0
    truncated: bool = False

    def __len__(self) -> int:
        return len(self.offsets)


@frozen
class ColumnSlice:
    """A run of records in ``columns``, from index ``start`` up to before ``stop``; nothing is copied."""

    columns: Columns
    start: int
    stop: int

    def __len__(self) -> int:
        return self.stop - self.start

    @property
    def partition(self) -> TopicPartition:
        """The partition all these records are of."""
        return self.columns.partition

    @property
    def next_offset(self) -> int:
        """The offset at which reading goes on after these records."""
        if self.stop == len(self.columns):
            return self.columns.next_offset
        return self.columns.offsets[self.stop - 1] + 1

    @property
    def leader_epoch(self) -> int:
        """The leader epoch of the last of these records, -1 if the broker gave none."""
        return self.columns.leader_epochs[self.stop - 1]
