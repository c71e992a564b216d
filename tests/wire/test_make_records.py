"""Records made by the compiled part: the same as those made in Python, and nothing outside of the columns is read."""

from __future__ import annotations

import gc
from array import array

import pytest

from kafka_nextgen.types import Record, TimestampType, TopicPartition
from kafka_nextgen.wire.records import Columns, NewRecord, RecordLimits, decode_partition, encode_batch, make_records
from kafka_nextgen.wire.records.accelerated import ACCELERATED
from kafka_nextgen.wire.records.binary_column import BinaryColumn

pytestmark = pytest.mark.skipif(not ACCELERATED, reason="nothing is compiled here")

ORDERS = TopicPartition("orders", 3)
KINDS = (TimestampType.CREATE_TIME, TimestampType.LOG_APPEND_TIME)


def columns_of(*records: NewRecord, leader_epoch: int = 5) -> Columns:
    data = encode_batch(records, base_offset=40, leader_epoch=leader_epoch)
    return decode_partition(data, ORDERS, 40, RecordLimits())


def two() -> Columns:
    return columns_of(NewRecord(None, key=b"k", timestamp=7, headers=[("h", b"1")]), NewRecord(b"v", timestamp=8))


def made(columns: Columns, start: int, stop: int) -> list[Record]:
    records = make_records(columns, start, stop, Record, KINDS)
    assert records is not None
    return records


def test_a_record_has_what_its_row_has() -> None:
    create = TimestampType.CREATE_TIME
    assert made(two(), 0, 2) == [
        Record("orders", 3, 40, 7, create, b"k", None, (("h", b"1"),), 5),
        Record("orders", 3, 41, 8, create, None, b"v", (), 5),
    ]


def test_a_part_of_the_rows_is_made() -> None:
    assert [record.offset for record in made(two(), 1, 2)] == [41]
    assert made(two(), 1, 1) == []


def test_records_are_of_no_concern_to_the_garbage_collector() -> None:
    (record,) = made(columns_of(NewRecord(b"v")), 0, 1)
    assert not gc.is_tracked(record)


def test_rows_outside_of_the_columns_are_refused() -> None:
    columns = columns_of(NewRecord(b"v"), NewRecord(b"w"))
    for start, stop in [(0, 3), (-1, 1), (2, 1), (0, 2**40)]:
        with pytest.raises(ValueError, match="outside of its columns"):
            made(columns, start, stop)


@pytest.mark.parametrize("bounds", [[0, 0, 9], [0, -1, 1], [0, 5, 1]])
def test_strings_outside_of_their_column_are_refused(bounds: list[int]) -> None:
    columns = two()
    columns.values = BinaryColumn(b"v", memoryview(array("i", bounds)))
    with pytest.raises(ValueError, match="outside of its column"):
        made(columns, 0, 2)


def test_a_timestamp_type_nobody_knows_is_refused() -> None:
    columns = two()
    columns.timestamp_types = memoryview(array("b", [0, -1]))
    with pytest.raises(ValueError, match="no such timestamp type"):
        made(columns, 0, 2)


def test_what_is_made_must_be_a_tuple() -> None:
    with pytest.raises(TypeError, match="a type of tuples"):
        make_records(two(), 0, 2, list, KINDS)


def test_what_was_made_is_let_go() -> None:
    columns = two()
    made(columns, 0, 2)
    gc.collect()
    before = len(gc.get_objects())
    for _ in range(50):
        made(columns, 0, 2)
    gc.collect()
    assert len(gc.get_objects()) <= before + 10
