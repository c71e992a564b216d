"""Both ways against kafka-python's codec, and what damage does: properties over all kinds of records."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kafka.record.default_records import DefaultRecordBatchBuilder

from kafka_nextgen.errors import CorruptRecordError
from kafka_nextgen.types import TopicPartition
from kafka_nextgen.wire.records import Columns, Compression, NewRecord, RecordLimits, decode_partition, encode_batch
from tests.support.examples import examples
from tests.wire.columns import Row, rows_of, rows_written

ORDERS = TopicPartition("orders", 0)

DATA = st.none() | st.binary(max_size=200)
TIMES = st.integers(-1, 2**50)
HEADERS = st.lists(st.tuples(st.text(max_size=80), DATA), max_size=3).map(tuple)
RECORDS = st.lists(
    st.builds(NewRecord, value=DATA, key=DATA, timestamp=TIMES, headers=HEADERS), min_size=1, max_size=80
)
CODECS = st.sampled_from(Compression)
#: kafka-python needs packages for the others; librdkafka is the peer for those.
SHARED_CODECS = st.sampled_from([Compression.NONE, Compression.GZIP])


def written_by_peer(records: list[NewRecord], codec: Compression) -> bytes:
    builder: Any = DefaultRecordBatchBuilder(2, int(codec), False, -1, -1, -1, 10**9)
    for i, record in enumerate(records):
        builder.append(i, record.timestamp, record.key, record.value, record.headers)
    return bytes(builder.build())


def decode(data: bytes, fetch_offset: int = 0) -> Columns:
    return decode_partition(data, ORDERS, fetch_offset, RecordLimits())


@given(RECORDS, SHARED_CODECS)
def test_we_read_what_the_peer_writes(records: list[NewRecord], codec: Compression) -> None:
    columns = decode(written_by_peer(records, codec))
    assert (rows_of(columns), columns.next_offset) == (rows_written(records), len(records))


@given(RECORDS, CODECS)
def test_uncompressed_both_write_the_same_bytes(records: list[NewRecord], codec: Compression) -> None:
    ours = encode_batch(records, leader_epoch=0)
    assert ours == written_by_peer(records, Compression.NONE)
    assert rows_of(decode(encode_batch(records, codec))) == rows_of(decode(ours))


@given(RECORDS, RECORDS, CODECS, st.data())
def test_reading_from_any_offset_gives_the_records_from_there(
    one: list[NewRecord], two: list[NewRecord], codec: Compression, data: st.DataObject
) -> None:
    log = encode_batch(one, codec) + encode_batch(two, base_offset=len(one))
    every = rows_written(one + two)
    start = data.draw(st.integers(0, len(every) - 1))
    assert rows_of(decode(log, start)) == every[start:]


@settings(max_examples=examples(300))
@given(RECORDS, CODECS, st.data())
def test_one_flipped_byte_is_never_read_as_something_else(
    records: list[NewRecord], codec: Compression, data: st.DataObject
) -> None:
    good = encode_batch(records, codec, leader_epoch=3)
    place = data.draw(st.integers(0, len(good) - 1))
    bad = bytearray(good)
    bad[place] ^= data.draw(st.integers(1, 255))
    if place < 12:  # the base offset moves the records, the length cuts them off
        assert_moved_or_refused(bytes(bad), rows_of(decode(good)), place)
    elif place < 16:  # the leader epoch is no part of the records
        assert rows_of(decode(bytes(bad))) == rows_of(decode(good))
    else:
        with pytest.raises(CorruptRecordError):
            decode(bytes(bad))


def assert_moved_or_refused(bad: bytes, rows: list[Row], place: int) -> None:
    try:
        columns = decode(bad)
    except CorruptRecordError:
        return
    if place >= 8:
        assert columns.truncated
    else:
        assert [row[1:] for row in rows_of(columns)] == [row[1:] for row in rows]
