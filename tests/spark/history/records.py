"""Records of the offsets topic, and a story that shows what it knew before each of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from attrs import define, field

from kafka_nextgen.groups.records import GroupMetadata, GroupMetadataRemoved, Record
from kafka_nextgen.history.events import Event, EventKind
from kafka_nextgen.offsets_topic.events import Row
from kafka_nextgen.offsets_topic.extensions import encode

T0_MS = 1_700_000_000_000


@define
class EpochStory:
    """An event for each epoch of a group, whose ``reason`` is the epoch before."""

    partition: int
    _epochs: dict[str, int] = field(factory=dict)

    def tell(self, rows: Iterable[Row]) -> Iterable[Event]:
        for row in rows:
            yield from self._tell(row.record, row.at, row.offset)

    def _tell(self, record: Record, at: int, offset: int) -> Iterable[Event]:
        if isinstance(record, GroupMetadataRemoved):
            self._epochs.pop(record.group_id, None)
        if isinstance(record, GroupMetadata):
            before, self._epochs[record.group_id] = self._epochs.get(record.group_id), record.epoch
            yield Event(
                at,
                offset << 20,
                f"offsets:{self.partition}",
                "c",
                record.group_id,
                EventKind.GROUP_EPOCH,
                epoch=record.epoch,
                reason=str(before),
            )


def row(offset: int, record: Record | bytes, partition: int = 0) -> dict[str, Any]:
    """A record of the topic; bytes are the key of one that can't be read."""
    found = None if isinstance(record, bytes) else encode(record)
    return {
        "partition": partition,
        "offset": offset,
        "at": T0_MS + offset,
        "key": record if found is None else found.key,
        "value": b"" if found is None else found.value,
        "is_known": False,
    }


def batch_of(offset: int, *records: Record) -> list[dict[str, Any]]:
    """Records that the coordinator wrote together: they have one time."""
    rows = [row(offset + index, record) for index, record in enumerate(records)]
    return [{**each, "at": T0_MS + offset} for each in rows]
