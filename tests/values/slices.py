"""Slices of decoded records, as a poll hands them over."""

from __future__ import annotations

from kafka_nextgen import TopicPartition
from kafka_nextgen.wire.records import ColumnSlice, NewRecord, RecordLimits, decode_partition, encode_batch


def slice_of(values: list[bytes | None], partition: int, start: int, key: bytes) -> ColumnSlice:
    batch = encode_batch([NewRecord(value, key=key, timestamp=10) for value in values], base_offset=100)
    columns = decode_partition(batch, TopicPartition("orders", partition), 0, RecordLimits())
    return ColumnSlice(columns, start, len(columns))
