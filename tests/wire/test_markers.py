"""The markers that end a transaction, as bytes (KIP-98, "Control Messages")."""

from __future__ import annotations

import struct

import pytest

from kafka_nextgen.errors import CorruptRecordError
from kafka_nextgen.wire.records import (
    EndMarker,
    NewRecord,
    encode_batch,
    encode_end_marker,
    read_batches,
    read_end_marker,
    read_header,
)

COMMIT = EndMarker(is_commit=True, coordinator_epoch=3)


@pytest.mark.parametrize("marker", [COMMIT, EndMarker(is_commit=False, coordinator_epoch=-1)])
def test_a_marker_there_and_back(marker: EndMarker) -> None:
    (batch,) = read_batches(encode_end_marker(marker, 7, 2, timestamp=5))
    assert read_end_marker(batch.header, batch.data) == marker
    header = batch.header
    assert (header.producer_id, header.producer_epoch, header.base_sequence, header.max_timestamp) == (7, 2, -1, 5)
    assert header.is_control
    assert header.is_transactional


def test_the_bytes_are_kafkas() -> None:
    (batch,) = read_batches(encode_end_marker(COMMIT, 7, 2, timestamp=5))
    record = bytes(batch.data[61:])
    assert record == bytes.fromhex("20 00 00 00 08 00000001 0c 0000 00000003 00")


def control(key: bytes | None, value: bytes | None) -> EndMarker | None:
    data = encode_batch([NewRecord(value, key, timestamp=1)], producer_id=7, transactional=True, control=True)
    (batch,) = read_batches(data)
    return read_end_marker(batch.header, batch.data)


def test_control_records_of_other_types_end_nothing_and_a_later_version_may_say_more() -> None:
    assert control(struct.pack(">hh", 0, 2), b"whatever a leader changes") is None
    assert control(struct.pack(">hhi", 1, 1, 9), struct.pack(">hiq", 1, 3, 9)) == COMMIT


@pytest.mark.parametrize(
    ("key", "value"),
    [
        pytest.param(None, struct.pack(">hi", 0, 3), id="no key"),
        pytest.param(b"\0\0\0", struct.pack(">hi", 0, 3), id="half a key"),
        pytest.param(struct.pack(">hh", 0, 1), None, id="no value"),
        pytest.param(struct.pack(">hh", 0, 1), b"\0\0\0", id="half a value"),
    ],
)
def test_what_is_no_control_record_is_corrupt(key: bytes | None, value: bytes | None) -> None:
    with pytest.raises(CorruptRecordError):
        control(key, value)


def test_compaction_may_have_taken_the_record() -> None:
    data = encode_batch([], producer_id=7, transactional=True, control=True, last_offset_delta=0)
    header = read_header(data, 0)
    assert header is not None
    assert read_end_marker(header, data) is None
