"""What a broker does to batches: split and check what is produced, write offset, epoch and time into it."""

from __future__ import annotations

import pytest

from kafka_nextgen.errors import CorruptRecordError
from kafka_nextgen.types import TimestampType, TopicPartition
from kafka_nextgen.wire.records import NewRecord, RecordLimits, decode_partition, encode_batch, read_batches, rebase

A = encode_batch([NewRecord(b"a", timestamp=10), NewRecord(b"b", timestamp=30)], producer_id=9, base_sequence=4)
B = encode_batch([NewRecord(b"c")], transactional=True)


def test_batches_are_split_with_their_headers() -> None:
    first, second = read_batches(A + B)
    assert (bytes(first.data), bytes(second.data)) == (A, B)
    header = first.header
    assert (header.record_count, header.last_offset_delta, header.max_timestamp) == (2, 1, 30)
    assert (header.producer_id, header.base_sequence, header.is_transactional) == (9, 4, False)
    assert second.header.is_transactional


def test_nothing_is_no_batches() -> None:
    assert read_batches(b"") == ()


def test_a_producer_sends_whole_batches_only() -> None:
    for cut in range(1, len(B)):
        with pytest.raises(CorruptRecordError, match=f"at byte {len(A)} ends after"):
            read_batches(A + B[:cut])


def test_a_wrong_checksum_is_refused() -> None:
    with pytest.raises(CorruptRecordError, match="at byte 0 is corrupt: its CRC-32C"):
        read_batches(A[:-1] + b"\1")


def test_a_producer_leaves_no_gaps() -> None:
    gap = encode_batch([NewRecord(b"a"), NewRecord(b"b", offset_delta=5)])
    with pytest.raises(CorruptRecordError, match="has 2 records, but spans 6 offsets"):
        read_batches(gap)


def test_offset_and_epoch_are_written_without_touching_the_checksum() -> None:
    moved = rebase(A, 1000, 7)
    (view,) = read_batches(moved)
    assert (view.header.base_offset, view.header.leader_epoch) == (1000, 7)
    assert moved[16:] == A[16:]


def test_the_time_of_the_append_replaces_the_producers() -> None:
    data = rebase(A, 1000, 7, log_append_time=77)
    columns = decode_partition(data, TopicPartition("t", 0), 1000, RecordLimits())
    assert list(columns.timestamps) == [77, 77]
    assert list(columns.timestamp_types) == [TimestampType.LOG_APPEND_TIME] * 2
    assert list(columns.leader_epochs) == [7, 7]
