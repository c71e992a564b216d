"""Columns cut at an offset are what is decoded of a log that ends there."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kafka_nextgen.types import TimestampType, TopicPartition
from kafka_nextgen.wire.records import Columns, NewRecord, RecordLimits, decode_partition, encode_batch
from tests.wire.columns import RECORDS, rows_of

P0 = TopicPartition("orders", 0)


def decode(batches: list[list[NewRecord]]) -> Columns:
    data, base = b"", 0
    for epoch, records in enumerate(batches):
        kind = TimestampType(epoch % 2)
        data += encode_batch(records, base_offset=base, leader_epoch=epoch, timestamp_type=kind)
        base += len(records)
    return decode_partition(data, P0, 0, RecordLimits())


def rows(columns: Columns) -> list[tuple[object, ...]]:
    return list(zip(rows_of(columns), columns.timestamp_types, columns.leader_epochs, strict=True))


@given(st.lists(RECORDS, min_size=1, max_size=4), st.integers(0, 25))
def test_the_same_as_a_log_that_ends_there(batches: list[list[NewRecord]], offset: int) -> None:
    whole = decode(batches)
    cut = whole.before(offset)
    assert rows(cut) == rows(whole)[:offset]
    assert (cut.next_offset, cut.nbytes) == (min(offset, whole.next_offset), whole.nbytes)
    assert cut.end_epoch == (cut.leader_epochs[-1] if cut.offsets else -1)


def test_a_gap_behind_the_last_record_is_cut_as_well() -> None:
    columns = decode_partition(encode_batch([NewRecord(b"a")], last_offset_delta=9), P0, 0, RecordLimits())
    assert (len(columns.before(5)), columns.before(5).next_offset) == (1, 5)
    assert columns.before(10) is columns
