"""Records as kafka-python reads them, and ours in the same form."""

from __future__ import annotations

from typing import Any

from kafka.record.memory_records import MemoryRecords

from kafka_nextgen.wire.records import (
    Columns,
)

__all__ = ["Row", "read_by_peer", "rows_of"]

Row = tuple[int, int, bytes | None, bytes | None, tuple[tuple[str, bytes | None], ...]]


def rows_of(columns: Columns) -> list[Row]:
    headers = columns.headers or [()] * len(columns)
    fields = (columns.offsets, columns.timestamps, columns.keys, columns.values, headers)
    return list(zip(*fields, strict=True))


def read_by_peer(data: bytes) -> list[Row]:
    rows: list[Row] = []
    batches: Any = MemoryRecords(data)
    while (batch := batches.next_batch()) is not None:
        assert batch.validate_crc()
        rows += [(r.offset, r.timestamp, r.key, r.value, tuple(r.headers)) for r in batch]
    return rows
