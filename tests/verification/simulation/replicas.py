"""The log of one partition of the offsets topic on three nodes: what is written, replicated, lost and compacted.

The leader appends; its followers copy. A record counts as stored when all replicas in sync have it: the high watermark
is behind it. A new leader has all that is stored, and whatever else it had copied; the rest is lost. The others cut
their logs off where the new leader began (KIP-101).

Rows are the bytes that ``offsets_topic`` makes. A batch is one outcome of a coordinator.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from attrs import define, field, frozen

from kafka_nextgen.groups.records import Record
from kafka_nextgen.offsets_topic.extensions import Skipped, decode, encode


@define(eq=False)
class Row:
    """A record as bytes, which stay as they are: they are read once, when that is first asked for."""

    key: bytes
    value: bytes | None
    _record: Record | None = None

    def record(self) -> Record:
        if self._record is None:
            record = decode(self.key, self.value)
            assert not isinstance(record, Skipped), f"{self} is none of ours"
            self._record = record
        return self._record


@frozen
class Batch:
    """What one outcome wrote from offset ``base`` on, by the leader of this epoch. Compaction leaves rows out."""

    base: int
    end: int
    leader_epoch: int
    rows: tuple[tuple[int, Row], ...]


def batch_of(records: Iterable[Record], base: int, leader_epoch: int) -> Batch:
    written = (encode(record) for record in records)
    rows = tuple((base + index, Row(each.key, each.value)) for index, each in enumerate(written))
    return Batch(base, base + len(rows), leader_epoch, rows)


def records_of(batch: Batch) -> Iterator[Record]:
    return (row.record() for _, row in batch.rows)


@define
class Replica:
    batches: list[Batch] = field(factory=list)
    leader_epoch: int = 0
    end: int = 0

    def append(self, batch: Batch) -> None:
        assert batch.base == self.end, f"the log ends at {self.end}, and the batch begins at {batch.base}"
        self.batches.append(batch)
        self.end = batch.end

    def copy_from(self, leader: Replica) -> bool:
        """Copy what the leader has more; False if there was nothing."""
        missing = leader.from_offset(self.end)
        for batch in missing:
            self.batches.append(batch)
        self.end = leader.end
        return bool(missing)

    def from_offset(self, offset: int) -> Sequence[Batch]:
        """The batches that begin at this offset or later."""
        count = 0
        for batch in reversed(self.batches):
            if batch.base < offset:
                break
            count += 1
        return self.batches[len(self.batches) - count :]

    def cut_off(self, offset: int) -> int:
        """Drop what begins at this offset or later; how many batches that were."""
        dropped = len(self.from_offset(offset))
        if dropped:
            del self.batches[-dropped:]
        self.end = min(self.end, offset)
        return dropped

    def compact(self, below: int, tombstones_below: int) -> int:
        """Leave out rows whose key is written again before ``below``; how many were left out.

        Tombstones are left out below ``tombstones_below``: nobody may be behind that, who would never learn of them.
        """
        latest = {row.key: offset for batch in self.batches if batch.end <= below for offset, row in batch.rows}
        kept = [
            _compacted(batch, latest, batch.end <= tombstones_below) if batch.end <= below else batch
            for batch in self.batches
        ]
        dropped = sum(len(batch.rows) for batch in self.batches) - sum(len(batch.rows) for batch in kept)
        self.batches = kept
        return dropped


def _compacted(batch: Batch, latest: dict[bytes, int], drops_tombstones: bool) -> Batch:
    rows = tuple(
        (offset, row)
        for offset, row in batch.rows
        if latest[row.key] == offset and not (drops_tombstones and row.value is None)
    )
    return batch if len(rows) == len(batch.rows) else Batch(batch.base, batch.end, batch.leader_epoch, rows)
