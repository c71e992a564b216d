"""What reading a partition answers: which records, where it goes on, and what it refuses."""

from __future__ import annotations

import struct

import pytest
from attrs import astuple, evolve

from kafka_nextgen.errors import CorruptRecordError, OldFormatError
from kafka_nextgen.types import TimestampType, TopicPartition
from kafka_nextgen.wire.records import (
    Columns,
    ColumnSlice,
    Compression,
    NewRecord,
    RecordLimits,
    decode_partition,
    encode_batch,
)
from kafka_nextgen.wire.records.batch_header import HEADER, BatchHeader
from kafka_nextgen.wire.records.encode import seal

ORDERS = TopicPartition("orders", 3)


def decode(data: bytes, fetch_offset: int = 0, limits: RecordLimits | None = None) -> Columns:
    return decode_partition(data, ORDERS, fetch_offset, limits or RecordLimits())


def batch(*values: bytes, base_offset: int = 0) -> bytes:
    return encode_batch([NewRecord(value) for value in values], base_offset=base_offset)


def raw_batch(body: bytes, record_count: int = 1, codec: int = 0, **fields: int) -> bytes:
    """A batch with any body and any header, its checksum right."""
    length = HEADER.size - 12 + len(body)
    header = BatchHeader(0, length, -1, 2, 0, codec, max(record_count - 1, 0), 0, 0, -1, -1, -1, record_count)
    header = evolve(header, **fields)
    return seal(bytearray(HEADER.pack(*astuple(header)) + body))


#: length 7: attributes, timestamp delta 0, offset delta 0, no key, the value "a", no headers
RECORD = bytes([14, 0, 0, 0, 1, 2, ord("a"), 0])


def test_nothing_is_no_records_and_no_progress() -> None:
    columns = decode(b"", fetch_offset=7)
    assert (len(columns), columns.next_offset, columns.truncated) == (0, 7, False)


def test_a_record_comes_back_with_everything_it_has() -> None:
    headers = (("trace", b"1"), ("trace", None), ("größe", b""))
    data = encode_batch(
        [NewRecord(None, key=b"k", timestamp=1000, headers=headers), NewRecord(b"v", timestamp=900)],
        base_offset=40,
        leader_epoch=5,
    )
    columns = decode(data, fetch_offset=40)
    assert (columns.partition, columns.next_offset) == (ORDERS, 42)
    assert (list(columns.offsets), list(columns.timestamps)) == ([40, 41], [1000, 900])
    assert (list(columns.keys), list(columns.values)) == ([b"k", None], [None, b"v"])
    assert list(columns.headers or ()) == [headers, ()]
    assert list(columns.timestamp_types) == [TimestampType.CREATE_TIME] * 2
    assert list(columns.leader_epochs) == [5, 5]


def test_headers_cost_nothing_where_no_record_has_any_and_are_aligned_where_only_a_later_batch_has_them() -> None:
    assert decode(batch(b"a", b"b")).headers is None
    with_headers = encode_batch([NewRecord(b"b", headers=[("h", b"x")])], base_offset=1)
    columns = decode(batch(b"a") + with_headers + batch(b"c", base_offset=2))
    assert list(columns.headers or ()) == [(), (("h", b"x"),), ()]


def test_records_before_the_offset_asked_for_are_dropped() -> None:
    columns = decode(batch(b"a", b"b", b"c") + batch(b"d", base_offset=3), fetch_offset=2)
    assert (list(columns.offsets), list(columns.values)) == ([2, 3], [b"c", b"d"])
    columns = decode(batch(b"a", b"b"), fetch_offset=2)
    assert (len(columns), columns.next_offset, columns.truncated) == (0, 2, True), "no progress"


def test_log_append_time_is_the_same_for_all_records_of_a_batch() -> None:
    records = [NewRecord(b"a", timestamp=10), NewRecord(b"b", timestamp=20)]
    columns = decode(encode_batch(records, timestamp_type=TimestampType.LOG_APPEND_TIME))
    assert list(columns.timestamps) == [20, 20]
    assert list(columns.timestamp_types) == [TimestampType.LOG_APPEND_TIME] * 2


def test_a_slice_goes_on_after_its_last_record_and_the_last_slice_after_the_batch() -> None:
    columns = decode(encode_batch([NewRecord(b"a"), NewRecord(b"b")], last_offset_delta=9))
    assert ColumnSlice(columns, 0, 1).next_offset == 1
    assert ColumnSlice(columns, 1, 2).next_offset == 10


# Offsets without records: reading goes on after them.


def test_control_batches_give_no_record_but_lead_on() -> None:
    marker = encode_batch([NewRecord(b"\0" * 6, key=b"\0\0\0\1")], base_offset=1, control=True, transactional=True)
    columns = decode(batch(b"a") + marker)
    assert (list(columns.values), columns.next_offset) == ([b"a"], 2)
    assert decode(marker, fetch_offset=1).next_offset == 2


def test_gaps_left_by_compaction_lead_on() -> None:
    records = [NewRecord(b"b", offset_delta=2), NewRecord(b"e", offset_delta=5)]
    columns = decode(encode_batch(records, base_offset=100, last_offset_delta=9), fetch_offset=100)
    assert (list(columns.offsets), columns.next_offset) == ([102, 105], 110)


def test_a_batch_emptied_by_compaction_leads_on() -> None:
    columns = decode(encode_batch([], base_offset=100, last_offset_delta=9), fetch_offset=100)
    assert (len(columns), columns.next_offset, columns.truncated) == (0, 110, False)


def test_the_epoch_at_the_end_is_that_of_the_last_batch_even_if_it_has_no_record() -> None:
    data = encode_batch([NewRecord(b"a"), NewRecord(b"b")], leader_epoch=4)
    marker = encode_batch([NewRecord(b"")], base_offset=2, leader_epoch=6, control=True)
    assert decode(data).end_epoch == 4
    columns = decode(data + marker)
    assert columns.end_epoch == 6
    assert [ColumnSlice(columns, 0, stop).leader_epoch for stop in (1, 2)] == [4, 6]
    assert decode(data + marker, fetch_offset=2).end_epoch == 6
    assert decode(b"").end_epoch == -1


# Cut off, as Fetch does at its size limit.


def test_every_cut_of_a_batch_leaves_the_batches_before_it_and_is_told_apart_from_having_nothing() -> None:
    first, second = batch(b"a", b"b"), batch(b"c", base_offset=2)
    for cut in range(len(second)):
        columns = decode(first + second[:cut])
        assert (list(columns.values), columns.next_offset, columns.truncated) == ([b"a", b"b"], 2, False)
    for cut in range(1, len(first)):
        columns = decode(first[:cut])
        assert (len(columns), columns.next_offset, columns.truncated) == (0, 0, True)


# Corrupt.


def test_corruption_names_the_partition_and_the_offset() -> None:
    data = bytearray(batch(b"a", base_offset=7))
    data[-1] ^= 1
    with pytest.raises(CorruptRecordError, match=r"orders\[3\] can't be read at offset 7: .*CRC-32C") as caught:
        decode(bytes(data), fetch_offset=7)
    assert (caught.value.partition, caught.value.offset) == (ORDERS, 7)


def test_corruption_behind_whole_batches_is_met_by_the_next_request() -> None:
    bad = bytearray(batch(b"b", base_offset=1))
    bad[-1] ^= 1
    columns = decode(batch(b"a") + bytes(bad) + batch(b"c", base_offset=2))
    assert (list(columns.values), columns.next_offset) == ([b"a"], 1)
    with pytest.raises(CorruptRecordError, match="offset 1"):
        decode(bytes(bad) + batch(b"c", base_offset=2), fetch_offset=1)


def test_a_wrong_checksum_passes_only_where_checking_is_off() -> None:
    data = bytearray(batch(b"a"))
    data[17] ^= 1
    assert list(decode_partition(bytes(data), ORDERS, 0, RecordLimits(), check_crc=False).values) == [b"a"]


@pytest.mark.parametrize("magic", [0, 1])
def test_old_formats_are_refused_by_name(magic: int) -> None:
    message = struct.pack(">qiIbb", 0, 22, 0, magic, 0) + bytes(16)
    told = rf"orders\[3\] can't be read at offset 7: message format {magic} is not supported.*seek past these records"
    with pytest.raises(OldFormatError, match=told) as caught:
        decode(message, fetch_offset=7)
    assert (caught.value.partition, caught.value.offset) == (ORDERS, 7)


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        ({"magic": 3}, "format 3 is unknown"),
        ({"length": 48}, "a length of 48 is too small"),
        ({"length": -1}, "a length of -1 is too small"),
        ({"base_offset": -1}, "base offset is -1"),
        ({"last_offset_delta": -1}, "last offset delta is -1"),
        ({"base_offset": 2**63 - 1}, "last offset delta is 0"),
        ({"record_count": -1}, "-1 records"),
        ({"record_count": 2, "last_offset_delta": 0}, "2 records are declared for 1 offsets"),
        ({"record_count": 2, "last_offset_delta": 1}, "2 records are declared in 8 bytes"),
        ({"record_count": 0}, "8 bytes follow the last record"),
        ({"attributes": 5}, "codec 5 is unknown"),
        ({"attributes": 7}, "codec 7 is unknown"),
        ({"attributes": 2}, "snappy data is broken"),
    ],
)
def test_headers_that_cannot_be_true(fields: dict[str, int], complaint: str) -> None:
    with pytest.raises(CorruptRecordError, match=complaint):
        decode(raw_batch(RECORD, **fields))


def test_the_sound_record_the_next_table_breaks() -> None:
    assert list(decode(raw_batch(RECORD)).values) == [b"a"]


@pytest.mark.parametrize(
    ("record", "complaint"),
    [
        (bytes([16, 0, 0, 0, 1, 2, 97, 0]), "length is off by 1 bytes"),
        (bytes([13, 0, 0, 0, 1, 2, 97, 0]), "length is off by -14 bytes"),
        (bytes([20, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0]), "a varint of 32 bits does not end"),
        (bytes([34, 0] + [0xFF] * 10 + [0, 1, 2, 97, 0, 0, 0, 0]), "a varint of 64 bits does not end"),
        (bytes([14, 0, 0, 0, 1, 40, 97, 0]), "ends after the batch"),
        (bytes([14, 0, 0, 0, 40, 2, 97, 0]), "ends after the batch"),
        (bytes([14, 0, 0, 0, 1, 2, 97, 1]), "-1 headers"),
        (bytes([14, 0, 0, 0, 1, 2, 97, 2]), "ends after the batch"),
        (bytes([18, 0, 0, 0, 1, 2, 97, 2, 1, 1]), "the length of a header's key is -1"),
        (RECORD + b"x", "1 bytes follow the last record"),
    ],
)
def test_records_that_cannot_be_true(record: bytes, complaint: str) -> None:
    with pytest.raises(CorruptRecordError, match=complaint):
        decode(raw_batch(record))


def record_at(offset_delta: int) -> bytes:
    return bytes([14, 0, 0, 2 * offset_delta, 1, 2, ord("a") + offset_delta, 0])


def test_where_records_are_missing_the_others_offsets_rise_inside_the_batch() -> None:
    two_of_three = {"record_count": 2, "last_offset_delta": 2, "base_offset": 7}
    assert list(decode(raw_batch(record_at(0) + record_at(2), **two_of_three)).offsets) == [7, 9]
    with pytest.raises(CorruptRecordError, match="offset delta 0 follows 0"):
        decode(raw_batch(record_at(0) * 2, **two_of_three))
    with pytest.raises(CorruptRecordError, match="lies outside the batch's 3 offsets"):
        decode(raw_batch(record_at(0) + record_at(3), **two_of_three))


@pytest.mark.parametrize("stated", [(0, 0, 0), (2, 1, 0), (0, 1, 9), (0, 2, 1)])
def test_where_none_is_missing_each_record_has_the_offset_of_its_place(stated: tuple[int, ...]) -> None:
    """Brokers store such batches: the offsets that records state are not looked at when they are produced."""
    data = raw_batch(b"".join(map(record_at, stated)), record_count=3, base_offset=7)
    columns = decode(data)
    assert list(columns.offsets) == [7, 8, 9]
    assert list(columns.values) == [b"%c" % (ord("a") + delta) for delta in stated]
    assert list(decode(data, fetch_offset=8).offsets) == [8, 9]


#: What brokers store and Kafka's own consumer reads as RECORD, or as it is said here.
@pytest.mark.parametrize(
    ("record", "read"),
    [
        (bytes([0x8E, 0, 0, 0, 0, 1, 2, 97, 0]), (None, b"a")),
        (bytes([0x8E, 0x80, 0x80, 0x80, 0, 0, 0, 0, 1, 2, 97, 0]), (None, b"a")),
        (bytes([0x8E, 0x80, 0x80, 0x80, 0x70, 0, 0, 0, 1, 2, 97, 0]), (None, b"a")),
        (bytes([32, 0] + [0x80] * 9 + [0, 0, 1, 2, 97, 0]), (None, b"a")),
        (bytes([32, 0] + [0x80] * 9 + [0x7E, 0, 1, 2, 97, 0]), (None, b"a")),
        (bytes([16, 0, 0, 0, 0x81, 0, 2, 97, 0]), (None, b"a")),
        (bytes([14, 0, 0, 0, 3, 2, 97, 0]), (None, b"a")),
        (bytes([12, 0, 0, 0, 1, 3, 0]), (None, None)),
        (bytes([20, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F, 1, 0]), (None, None)),
        (bytes([16, 0, 0, 0, 1, 2, 97, 0x80, 0]), (None, b"a")),
        (bytes([14, 0x7F, 0, 0, 1, 2, 97, 0]), (None, b"a")),
    ],
)
def test_records_that_are_odd_and_read_all_the_same(record: bytes, read: tuple[bytes | None, bytes | None]) -> None:
    columns = decode(raw_batch(record))
    assert (columns.keys[0], columns.values[0], columns.headers) == (*read, None)


@pytest.mark.parametrize(
    ("key", "read"),
    [
        (b"gr\xc3\xb6\xc3\x9fe", "größe"),
        (b"caf\xe9", "caf\ufffd"),
        (b"\xe2\x82", "\ufffd"),
        (b"\xff\xfe", "\ufffd\ufffd"),
        (b"a\0b", "a\0b"),
        (b"", ""),
    ],
)
def test_a_header_s_key_is_text_whatever_its_bytes_are(key: bytes, read: str) -> None:
    record = bytes([0, 0, 0, 1, 2, 97, 4, 2 * len(key)]) + key + bytes([1, 0, 3])
    columns = decode(raw_batch(bytes([2 * len(record)]) + record))
    assert columns.headers is not None
    assert columns.headers[0] == ((read, None), ("", None))
    assert bytes(columns.headers.keys.data).decode() == read, "valid UTF-8, as Arrow wants it"


def test_timestamps_are_added_up_in_64_bits() -> None:
    records = bytes([14, 0, 2, 0, 1, 2, 97, 0]) + bytes([14, 0, 0, 2, 1, 2, 97, 0])
    columns = decode(raw_batch(records, record_count=2, base_timestamp=2**63 - 1))
    assert list(columns.timestamps) == [-(2**63), 2**63 - 1]


def test_batches_may_not_overlap() -> None:
    columns = decode(batch(b"a", b"b") + batch(b"c", base_offset=1))
    assert (list(columns.values), columns.next_offset) == ([b"a", b"b"], 2)


# Bombs.

CODECS = [Compression.GZIP, Compression.SNAPPY, Compression.LZ4, Compression.ZSTD]


@pytest.mark.parametrize("codec", CODECS)
def test_what_batches_become_is_limited_by_leaving_some_for_the_next_request(codec: Compression) -> None:
    data = encode_batch([NewRecord(bytes(3_000_000))], codec)
    assert list(decode(data, limits=RecordLimits(3_000_100)).values) == [bytes(3_000_000)]
    with pytest.raises(CorruptRecordError, match=r"2000000 bytes|bytes allowed"):
        decode(data, limits=RecordLimits(2_000_000))
    data = b"".join(encode_batch([NewRecord(bytes(400_000))], codec, base_offset=i) for i in range(5))
    first = decode(data, limits=RecordLimits(1_000_000))
    assert (len(first), first.next_offset) == (2, 2)


def test_bare_snappy_blocks_are_read_too_and_none_larger_than_it_may_be() -> None:
    import cramjam

    assert list(decode(raw_batch(bytes(cramjam.snappy.compress_raw(RECORD)), codec=2)).values) == [b"a"]
    with pytest.raises(CorruptRecordError, match="its data takes more than 67108864 bytes"):
        decode(raw_batch(b"\xff\xff\xff\xff\x0f" + bytes(20), codec=2))
    with pytest.raises(CorruptRecordError, match="a snappy block ends 252 bytes after"):
        decode(raw_batch(b"\x82SNAPPY\0\0\0\0\1\0\0\0\1" + b"\0\0\0\xff" + b"abc", codec=2))


@pytest.mark.parametrize("codec", CODECS)
def test_broken_compressed_data_is_corrupt(codec: Compression) -> None:
    good = encode_batch([NewRecord(b"a" * 1000)], codec)[HEADER.size :]
    with pytest.raises(CorruptRecordError, match=r"broken|after the batch"):
        decode(raw_batch(good[:-5], codec=codec))
