"""Runs of records: what was taken is known at any moment, and a run ends between any two records."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafka_nextgen import DeserializationError, TopicPartition
from kafka_nextgen.compiled import ACCELERATED
from kafka_nextgen.engine.application.deserializers import Deserializers
from kafka_nextgen.engine.application.deserializing_poll import DeserializingPoll
from kafka_nextgen.engine.application.record_run import CHUNK_RECORDS, RecordRun, RowsInPython, record_rows
from kafka_nextgen.engine.application.records import Records
from kafka_nextgen.properties.deserialization import DeserializationPolicy
from kafka_nextgen.wire.records import ColumnSlice, NewRecord, RecordLimits, decode_partition, encode_batch
from tests.engine.injection import InjectedError, injected

A, B = TopicPartition("orders", 0), TopicPartition("audit", 3)
PLAIN = Deserializers()


@pytest.fixture(autouse=True, params=["compiled", "in Python"], scope="module")
def rows(request: pytest.FixtureRequest) -> Iterator[str]:
    with pytest.MonkeyPatch.context() as patch:
        makes = RowsInPython if request.param == "in Python" else record_rows
        patch.setattr("kafka_nextgen.engine.application.record_run.record_rows", makes)
        yield request.param


def run_of(*slices: ColumnSlice, deserializers: Deserializers = PLAIN) -> RecordRun:
    return RecordRun(slices, deserializers.needed)


def columns(tp: TopicPartition, count: int, start: int = 0) -> ColumnSlice:
    """``count`` records behind ``start`` others in the same columns."""
    batch = encode_batch([NewRecord(b"%d" % n, key=b"k" if n % 2 else None) for n in range(start + count)])
    return ColumnSlice(decode_partition(batch, tp, 0, RecordLimits()), start, start + count)


def told(slices: list[ColumnSlice]) -> list[tuple[TopicPartition, int, int]]:
    return [(part.partition, part.start, part.stop) for part in slices]


def taken_of(slices: list[ColumnSlice], count: int) -> list[tuple[TopicPartition, int, int]]:
    """What the first ``count`` records of these are, counted the plain way."""
    found = []
    for part in slices:
        if count > 0:
            found.append((part.partition, part.start, min(part.stop, part.start + count)))
        count -= len(part)
    return found


@pytest.mark.parametrize("count", [0, 1, 2, 3, CHUNK_RECORDS + 2, CHUNK_RECORDS + 3, CHUNK_RECORDS + 4])
def test_progress_is_exact_within_and_between_chunks_and_slices(count: int) -> None:
    slices = [columns(A, CHUNK_RECORDS + 1, start=2), columns(B, 1), columns(A, 5)]
    run = run_of(*slices)
    taken = list(islice(run.records, count))
    assert len(taken) == count
    assert told(run.progress()) == taken_of(slices, count)
    assert told(run.progress(but_last=True)) == taken_of(slices, count - 1)


@given(st.lists(st.integers(1, 4), max_size=4), st.integers(0, 17))
def test_an_ended_run_gives_out_nothing_more_and_knows_what_it_gave_out(sizes: list[int], count: int) -> None:
    slices = [columns(A, size) for size in sizes]
    run = run_of(*slices)
    count = len(list(islice(run.records, count)))
    run.end()
    assert next(run.records, None) is None
    assert told(run.progress()) == taken_of(slices, count)


def test_whatever_thread_ends_it_no_record_is_given_out_uncounted() -> None:
    for _ in range(20):
        run = run_of(columns(A, 3 * CHUNK_RECORDS))
        ender = threading.Thread(target=run.end)
        taken: list[int] = []
        for record in run.records:
            taken.append(record.offset)
            if len(taken) == 10:
                ender.start()
        ender.join()
        assert told(run.progress()) == [(A, 0, len(taken))]
        assert taken == list(range(len(taken)))


def refuse_two(data: bytes) -> int:
    if data == b"2":
        raise ValueError(data)
    return int(data)


@pytest.mark.parametrize("others", [[], [columns(B, 3)]], ids=["one slice", "two slices"])
def test_a_bad_record_ends_the_run_in_front_of_it(others: list[ColumnSlice]) -> None:
    run = run_of(columns(A, 5), *others, deserializers=Deserializers(key=bytes.decode, value=refuse_two))
    assert [(record.key, record.value) for record in islice(run.records, 2)] == [(None, 0), ("k", 1)]
    with pytest.raises(DeserializationError, match=r"orders\[0\]: the value deserializer .* offset 2: ValueError"):
        next(run.records)
    assert list(run.records) == []
    assert told(run.progress()) == [(A, 0, 2)]
    assert told(run.progress(but_last=True)) == [(A, 0, 2)], "the last one that was given out is processed"


def test_a_record_that_is_skipped_is_behind_the_run() -> None:
    run = run_of(
        columns(A, 3), columns(B, 3), deserializers=Deserializers(None, refuse_two, DeserializationPolicy.SKIP)
    )
    assert [record.value for record in run.records] == [0, 1, 0, 1]
    assert told(run.progress()) == [(A, 0, 3), (B, 0, 3)]


def test_wherever_a_signal_handler_raises_what_was_not_given_out_is_put_back_and_no_more(rows: str) -> None:
    if rows == "in Python" or not ACCELERATED:
        pytest.skip("rows in Python end without a word if it is raised while they are made")
    slices, place = [columns(A, 3), columns(B, 2), columns(A, 2)], 1
    while True:
        given, left = interrupted(slices, place)
        if left is None:
            break
        if given:
            assert given + [record.offset for record in Records(left)] == [0, 1, 2, 0, 1, 0, 1], place
        place += 1
    assert given == [0, 1, 2, 0, 1, 0, 1]
    assert place > 30


def interrupted(slices: list[ColumnSlice], place: int) -> tuple[list[int], list[ColumnSlice] | None]:
    """What came until it was raised there, and what was put back then; None if nothing was raised."""
    given, left = list[int](), list[ColumnSlice]()

    def put_back(parts: Iterable[ColumnSlice], last: TopicPartition) -> None:
        left[:] = parts

    hand_over = DeserializingPoll(slices, put_back, lambda parts: None)
    records = RecordRun(slices, Deserializers(None, int), hand_over).records
    with injected(place) as injection, suppress(InjectedError):
        for record in records:
            given.append(record.offset)
    hand_over.settle()
    return given, None if injection.where is None else left
