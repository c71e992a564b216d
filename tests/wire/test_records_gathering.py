"""How records become columns in Python: in memory that hardly exceeds what columns take."""

from __future__ import annotations

import tracemalloc
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafka_nextgen.types import TopicPartition
from kafka_nextgen.wire.records import Columns, Compression, NewRecord, RecordLimits, encode_batch
from kafka_nextgen.wire.records.columns import BinaryBuilder
from kafka_nextgen.wire.records.decode import decode_in_python
from kafka_nextgen.wire.records.encode import seal
from tests.wire.columns import Row, column_of, rows_of, rows_written

TP = TopicPartition("orders", 0)

ENTRIES = st.lists(st.none() | st.binary(max_size=3), max_size=100)

#: What the decoder takes for itself, however many records there are.
ROOM_BYTES = 16 * 1024
#: The records of a batch.
COUNT = 2_000


def decode(data: bytes, fetch_offset: int = 0) -> Columns:
    return decode_in_python(memoryview(data), TP, fetch_offset, RecordLimits())


def some(number: int) -> NewRecord:
    """A record that has some of everything, and now and then nothing."""
    headers = [(f"h{each}", None if each % 2 else b"%d" % number) for each in range(number % 4 // 2)]
    return NewRecord(b"%d" % number if number % 5 else None, b"k" * (number % 7) if number % 3 else None, 1, headers)


def expected(numbers: range) -> list[Row]:
    return rows_written([some(number) for number in numbers], numbers.start)


def test_a_batch_is_read_to_its_end() -> None:
    data = encode_batch([some(number) for number in range(COUNT)])
    assert rows_of(decode(data)) == expected(range(COUNT))


@pytest.mark.parametrize("first", [1, COUNT // 2, COUNT - 1])
def test_records_before_the_offset_asked_for_are_dropped_with_their_headers(first: int) -> None:
    data = encode_batch([some(number) for number in range(COUNT)])
    assert rows_of(decode(data, first)) == expected(range(first, COUNT))


@pytest.mark.parametrize("has_headers", [False, True], ids=["the first headers", "more headers"])
def test_of_a_batch_that_turns_out_corrupt_at_its_end_nothing_is_kept(has_headers: bool) -> None:
    numbers = range(20) if has_headers else range(2)
    sound = encode_batch([some(number) for number in numbers])
    many = [*map(some, range(len(numbers), COUNT)), NewRecord(None)]
    broken = bytearray(encode_batch(many, base_offset=len(numbers)))
    broken[-1] ^= 0xFF  # the number of headers of the last record
    columns = decode(sound + seal(broken))
    assert rows_of(columns) == expected(numbers)
    assert (columns.headers is not None) is has_headers
    assert columns.next_offset == len(numbers)


@given(ENTRIES, st.integers(0, 100))
def test_a_column_that_was_cut_is_that_of_the_entries_left(entries: Sequence[bytes | None], kept: int) -> None:
    growing = BinaryBuilder()
    for entry in entries:
        growing.append(entry)
    assert len(growing) == len(entries)
    growing.cut(kept)
    for entry in (None, b"x"):
        growing.append(entry)
    column, whole = growing.finish(), column_of([*entries[:kept], None, b"x"])
    assert (column.data, column.bounds, column.validity) == (whole.data, whole.bounds, whole.validity)


SMALL = {
    "nulls": (NewRecord(None), 6_000),
    "keys and values": (NewRecord(b"vv", b"kk"), 6_000),
    "a header each": (NewRecord(None, headers=[("", None)]), 6_000),
    "one record of nothing but headers": (NewRecord(None, headers=[("k", b"vv")] * 12_000), 1),
}


@pytest.mark.parametrize("name", SMALL)
def test_small_records_take_what_columns_take_and_not_what_objects_do(name: str) -> None:
    record, count = SMALL[name]
    data = encode_batch([record] * count, compression=Compression.ZSTD)
    tracemalloc.start()
    try:
        columns = decode(data)
        assert tracemalloc.get_traced_memory()[1] < 2 * columns.nbytes + 2 * columns.data_bytes + ROOM_BYTES
    finally:
        tracemalloc.stop()
