"""Slices of columns, some of whose records have headers."""

from __future__ import annotations

from collections.abc import Sequence

from kafka_nextgen import TopicPartition
from kafka_nextgen.wire.records import ColumnSlice, NewRecord, RecordLimits, decode_partition, encode_batch

A, B = TopicPartition("orders", 2), TopicPartition("audit", 0)
HEADERS = [NewRecord(b"v0", key=b"k0", timestamp=10), NewRecord(None, headers=[("a", b"1"), ("ü", None)], timestamp=11)]
PLAIN = [NewRecord(b"w%d" % n, timestamp=20 + n) for n in range(20)]


def slice_of(
    records: Sequence[NewRecord], tp: TopicPartition = A, start: int = 0, stop: int | None = None
) -> ColumnSlice:
    columns = decode_partition(encode_batch(records, base_offset=5, leader_epoch=3), tp, 0, RecordLimits())
    return ColumnSlice(columns, start, len(columns) if stop is None else stop)


SLICES = [slice_of(HEADERS), slice_of(HEADERS, B, start=1), slice_of(PLAIN, start=9, stop=17), slice_of(PLAIN, B)]
