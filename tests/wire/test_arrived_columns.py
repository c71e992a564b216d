"""``ArrivedColumns``: what they have in common with ``Columns``, and the records made of them."""

from __future__ import annotations

import gc
from typing import Any

import pytest

from kafka_nextgen.compiled import ACCELERATED, accelerator
from kafka_nextgen.engine.application.record_run import TIMESTAMP_TYPES, RowsInPython, record_rows
from kafka_nextgen.types import Record
from kafka_nextgen.wire.records import Columns, NewRecord, encode_batch
from tests.wire.calls_into_c import growth_of
from tests.wire.columns import content
from tests.wire.steady_twin import Start, body_of, frame_of, partition_of, topic_of

pytestmark = pytest.mark.skipif(not ACCELERATED, reason="the extension was not compiled")

VARIED = encode_batch(
    [
        NewRecord(b"first", key=None),
        NewRecord(None, key=b"k", headers=(("trace", b"1"), ("empty", None))),
        NewRecord(b"third", key=b"kk"),
    ],
    base_offset=3,
)


def arrived(records: bytes = VARIED) -> Any:
    """The columns of an answer with these records."""
    taken = Start().step().answer(frame_of(body_of(topic_of(partition_of(1, records)))), 6)
    assert taken is not None
    (result,) = taken[1]
    return result.columns


def test_they_have_the_attributes_of_columns() -> None:
    columns = arrived()
    full = columns.before(columns.next_offset)
    assert isinstance(full, Columns)
    assert not isinstance(columns, Columns)
    assert content(columns) == content(full)
    for name in ("next_offset", "data_bytes", "end_epoch", "nbytes", "truncated"):
        assert getattr(columns, name) == getattr(full, name)
    assert len(columns) == len(full) == 3


def test_the_records_before_an_offset_are_columns() -> None:
    assert list(arrived().before(5).offsets) == [3, 4]


@pytest.mark.parametrize(("start", "stop"), [(0, 3), (1, 2), (3, 3)])
def test_their_records_are_those_of_columns(start: int, stop: int) -> None:
    columns = arrived()
    assert list(record_rows(columns, start, stop)) == list(RowsInPython(columns, start, stop))


@pytest.mark.parametrize(("start", "stop"), [(-1, 3), (0, 4), (2, 1)])
def test_rows_outside_of_them_are_refused(start: int, stop: int) -> None:
    columns = arrived()

    def use() -> None:
        with pytest.raises(ValueError, match="outside their columns"):
            columns.rows(Record, TIMESTAMP_TYPES, start, stop)

    assert growth_of(use) < 4_000


def test_their_views_outlive_them() -> None:
    columns = arrived()
    offsets, values = columns.offsets, columns.values
    del columns
    assert list(offsets) == [3, 4, 5]
    assert list(values) == [b"first", None, b"third"]


def test_nothing_grows_with_what_is_looked_at() -> None:
    def use() -> None:
        columns = arrived()
        content(columns)
        list(record_rows(columns, 0, 3))

    assert growth_of(use) < 4_000


def test_the_garbage_collector_counts_none_of_them() -> None:
    columns = arrived()
    assert not gc.is_tracked(columns)
    assert isinstance(columns, accelerator.ArrivedColumns)
