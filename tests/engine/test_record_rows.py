"""Rows of columns as records, by the compiled part and by its twin: the same records, and none too many."""

from __future__ import annotations

import gc
from array import array
from collections.abc import Callable
from itertools import islice
from typing import Any

import pytest

from kafka_nextgen.compiled import ACCELERATED, accelerator
from kafka_nextgen.engine.application.record_run import CHUNK_RECORDS, RecordRows, RowsInPython, record_rows
from kafka_nextgen.types import Record, TimestampType, TopicPartition
from kafka_nextgen.wire.records import Columns, NewRecord, RecordLimits, decode_partition, encode_batch
from kafka_nextgen.wire.records.columns import BinaryColumn
from tests.wire.columns import column_of

ORDERS = TopicPartition("orders", 3)
CREATE = TimestampType.CREATE_TIME
HEADERS = [("h", b"1"), ("größe", None), ("", b"")]

MakesRows = Callable[[Columns, int, int], RecordRows]
either = pytest.mark.parametrize("rows", [record_rows, RowsInPython] if ACCELERATED else [RowsInPython])
compiled = pytest.mark.skipif(not ACCELERATED, reason="nothing is compiled here")


def columns_of(*records: NewRecord) -> Columns:
    return decode_partition(encode_batch(records, base_offset=40, leader_epoch=5), ORDERS, 40, RecordLimits())


def two() -> Columns:
    return columns_of(NewRecord(None, key=b"k", timestamp=7, headers=HEADERS), NewRecord(b"v", timestamp=8))


def many(count: int = 2 * CHUNK_RECORDS + 1) -> Columns:
    headers = [(), HEADERS[:1], HEADERS]
    return columns_of(*[NewRecord(b"%d" % n, timestamp=n // 3, headers=headers[n % 3]) for n in range(count)])


@either
def test_a_record_has_what_its_row_has(rows: MakesRows) -> None:
    assert list(rows(two(), 0, 2)) == [
        Record("orders", 3, 40, 7, CREATE, b"k", None, tuple(HEADERS), 5),
        Record("orders", 3, 41, 8, CREATE, None, b"v", (), 5),
    ]


@either
@pytest.mark.parametrize("step", [1, 3], ids=["all", "every third"])
def test_records_that_are_kept_stay_what_they_are(rows: MakesRows, step: int) -> None:
    kept = [record for record in rows(many(), 0, 1025) if record.offset % step == 40 % step]
    assert [(record.offset - 40, record.value, record.timestamp, len(record.headers)) for record in kept] == [
        (n, b"%d" % n, n // 3, (0, 1, 3)[n % 3]) for n in range(0, 1025, step)
    ]


@either
def test_records_of_large_values_are_as_the_others(rows: MakesRows) -> None:
    columns = columns_of(*[NewRecord(b"%d" % n * size) for n in range(9) for size in (1, 5000)])
    assert [len(record.value) for record in rows(columns, 0, 18)] == [1, 5000] * 9  # type: ignore[arg-type]


@either
def test_a_record_that_nobody_has_any_more_does_not_leave_its_hash_behind(rows: MakesRows) -> None:
    for record in rows(many(), 0, 100):
        assert hash(record) == hash(tuple(record))


@either
def test_a_part_of_the_rows_is_made_and_counted(rows: MakesRows) -> None:
    taken = rows(many(), 600, 1020)
    records = iter(taken)
    for row in range(600, 1020):
        assert taken.row == row
        assert next(records).offset == 40 + row
    assert (next(records, None), taken.row) == (None, 1020)


@either
@pytest.mark.parametrize("count", [0, 1, CHUNK_RECORDS - 1, CHUNK_RECORDS, CHUNK_RECORDS + 1])
def test_after_the_end_there_is_no_other(rows: MakesRows, count: int) -> None:
    taken = rows(many(), 0, 1000)
    records = iter(taken)
    assert len(list(islice(records, count))) == count
    taken.end()
    assert (next(records, None), taken.row) == (None, count)


# ---- only the compiled part


@compiled
def test_records_are_of_no_concern_to_the_garbage_collector_and_are_let_go() -> None:
    columns = two()
    assert not any(gc.is_tracked(record) for record in record_rows(columns, 0, 2))
    gc.collect()
    before = len(gc.get_objects())
    for _ in range(50):
        list(record_rows(columns, 0, 2))
        next(iter(record_rows(columns, 0, 2)))
    gc.collect()
    assert len(gc.get_objects()) <= before + 10


@compiled
def test_rows_that_a_finalizer_ends_while_one_is_made_give_it_not_out() -> None:
    class Ends:
        def __init__(self) -> None:
            self.itself = self

        def __del__(self) -> None:
            rows.end()

    threshold = gc.get_threshold()
    rows = record_rows(many(), 0, 1000)
    records = iter(rows)
    kept = [next(records)]  # so that each is a new object, which the collector counts
    gc.set_threshold(20)
    try:
        Ends()
        while (record := next(records, None)) is not None:
            kept.append(record)
    finally:
        gc.set_threshold(*threshold)
    assert 0 < len(kept) == rows.row < 1000
    assert [record.offset for record in kept] == list(range(40, 40 + rows.row))


@compiled
@pytest.mark.parametrize("bounds", [[0, 0, 9], [0, -1, 1], [0, 5, 1]])
def test_strings_outside_of_their_column_are_refused_and_not_counted(bounds: list[int]) -> None:
    columns = columns_of(NewRecord(b"v"), NewRecord(b"w"))
    columns.values = BinaryColumn(b"v", memoryview(array("i", bounds)))
    rows = record_rows(columns, 0, 2)
    for _ in range(2):
        with pytest.raises(ValueError, match="outside its column"):
            list(rows)
    assert rows.row == (0 if bounds[1] else 1)


def make(columns: Columns, type: type[object] = Record, headers: object = None) -> object:
    numbers = columns.offsets, columns.timestamps, columns.timestamp_types, columns.leader_epochs
    strings = columns.keys.buffers, columns.values.buffers
    return accelerator.RecordRows(type, "orders", 3, (CREATE,), headers, *numbers, *strings, 0, 2)  # type: ignore[arg-type]


def with_headers(**changed: Any) -> Columns:
    columns = two()
    for name, value in changed.items():
        setattr(columns.headers, name, value)
    return columns


def of_unknown_timestamp_type() -> Columns:
    columns = two()
    columns.timestamp_types = memoryview(array("b", [0, -1]))
    return columns


class Roomy(Record):
    """Has a dictionary behind its fields."""


REFUSED: dict[str, tuple[Callable[[], object], type[Exception], str]] = {
    **{
        f"rows from {start} to {stop}": (
            lambda start=start, stop=stop: list(record_rows(two(), start, stop)),
            ValueError,
            "outside their columns",
        )
        for start, stop in [(0, 3), (-1, 1), (2, 1), (0, 2**40)]
    },
    **{
        f"headers bounded by {bounds}": (
            lambda bounds=bounds: list(record_rows(with_headers(bounds=memoryview(array("i", bounds))), 0, 2)),
            ValueError,
            "outside their columns",
        )
        for bounds in ([0, 9, 9], [0])
    },
    "a key of a header that is no text": (
        lambda: list(record_rows(with_headers(keys=column_of([b"\xff"] * 3)), 0, 2)),
        UnicodeDecodeError,
        "",
    ),
    "an unknown timestamp type": (
        lambda: list(record_rows(of_unknown_timestamp_type(), 0, 2)),
        ValueError,
        "no such timestamp type",
    ),
    **{
        f"a {kind.__name__} in place of a record": (
            lambda kind=kind: make(two(), type=kind),
            TypeError,
            "a subtype of RecordFields",
        )
        for kind in (list, tuple, Roomy)
    },
    **{
        f"{headers} in place of headers": (lambda headers=headers: make(two(), headers=headers), TypeError, "")
        for headers in ([], (b"", (b"", b"", None)), (3, (b"", b"", None), (b"", b"", None)))
    },
}


@compiled
@pytest.mark.parametrize(("call", "error", "words"), REFUSED.values(), ids=REFUSED)
def test_what_makes_no_records_is_refused(call: Callable[[], object], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        call()
