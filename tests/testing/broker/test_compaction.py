"""Compaction: what stays of a log, in memory and in files, and what readers see of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kafka_nextgen.testing.broker.cleanup import compact, compact_if_due
from kafka_nextgen.testing.broker.log import FoundOffset, PartitionLog
from kafka_nextgen.testing.broker.topic_settings import TopicSettings
from kafka_nextgen.wire.records import (
    BatchView,
    Compression,
    EndMarker,
    NewRecord,
    RecordLimits,
    decode_partition,
    encode_batch,
    encode_end_marker,
    read_batches,
    split_batches,
)
from kafka_nextgen.wire.records.encode import seal
from tests.support.examples import examples
from tests.testing.broker.storage.batches import ORDERS, log_on, scratch, segment_names

COMPACTED = TopicSettings({"cleanup.policy": "compact", "delete.retention.ms": "100"})
NOW_MS = 1_000

Pair = tuple[str | None, str | None]
Found = dict[int, tuple[bytes | None, bytes | None]]  # key and value, by offset


def batch_of(
    pairs: Sequence[Pair], time: int = NOW_MS, codec: Compression = Compression.NONE, producer_id: int = -1
) -> BatchView:
    """A batch with a record for each key and value; of a transaction if it has a producer."""
    records = [
        NewRecord(value and value.encode(), key and key.encode(), time, headers=[("at", b"%d" % index)])
        for index, (key, value) in enumerate(pairs)
    ]
    numbers = dict.fromkeys(("producer_epoch", "base_sequence"), 0 if producer_id >= 0 else -1)
    data = encode_batch(records, codec, producer_id=producer_id, transactional=producer_id >= 0, **numbers)
    return read_batches(data)[0]


def marker(producer_id: int, *, is_commit: bool) -> BatchView:
    return read_batches(encode_end_marker(EndMarker(is_commit, 0), producer_id, 0, NOW_MS))[0]


def found_in(log: PartitionLog) -> Found:
    columns = decode_partition(log.read(log.start_offset, 2**30, at_least_one=True), ORDERS, 0, RecordLimits())
    assert columns.next_offset == log.end_offset
    return {
        offset: (key, value) for offset, key, value in zip(columns.offsets, columns.keys, columns.values, strict=True)
    }


def values_of(log: PartitionLog) -> list[str | None]:
    return [value and bytes(value).decode() for _, value in found_in(log).values()]


@pytest.fixture(params=["in memory", "in files"])
def log(request: pytest.FixtureRequest, tmp_path: Path) -> PartitionLog:
    return PartitionLog(ORDERS) if request.param == "in memory" else log_on(tmp_path, segment_bytes=200)


def write(log: PartitionLog, *batches: BatchView) -> None:
    for each in batches:
        log.append(each)


keys = st.sampled_from(["a", "b", "c", None])
batches = st.lists(st.lists(st.tuples(keys, st.sampled_from(["1", "2", None])), min_size=1, max_size=4), max_size=8)


@settings(max_examples=examples(50))
@given(batches, st.sampled_from(list(Compression)), st.sampled_from([1, 200, 2**30]))
def test_what_stays_is_the_last_of_each_key_where_it_was(
    pairs: list[list[Pair]], codec: Compression, segment_bytes: int
) -> None:
    with scratch() as data_dir:
        logs = [PartitionLog(ORDERS), log_on(data_dir, segment_bytes)]
        for log in logs:
            for each in pairs:
                log.append(batch_of(each, codec=codec))
            before = found_in(log)
            last = {key: offset for offset, (key, _) in before.items()}
            compact(log, COMPACTED, NOW_MS)
            assert found_in(log) == {
                offset: pair for offset, pair in before.items() if pair[0] is None or last[pair[0]] == offset
            }
            log.append(batch_of([("z", "next")]))
        assert found_in(logs[0]) == found_in(logs[1]) == found_in(log_on(data_dir, segment_bytes))


def test_records_that_stay_keep_headers_and_time(log: PartitionLog) -> None:
    log.append(batch_of([("a", "1"), ("b", "2"), ("a", "3")], time=7))
    compact(log, COMPACTED, NOW_MS)
    columns = decode_partition(log.read(0, 1_000, at_least_one=True), ORDERS, 0, RecordLimits())
    assert (list(columns.offsets), list(columns.timestamps)) == ([1, 2], [7, 7])
    assert list(columns.headers or ()) == [(("at", b"1"),), (("at", b"2"),)]


@pytest.mark.parametrize(("age_ms", "stays"), [(99, True), (100, False)])
def test_the_last_word_without_a_value_stays_for_a_while(log: PartitionLog, age_ms: int, stays: bool) -> None:
    write(log, batch_of([("a", "1")]), batch_of([("a", None)], time=NOW_MS - age_ms))
    compact(log, COMPACTED, NOW_MS)
    assert (values_of(log), log.end_offset) == ([None] if stays else [], 2)


def test_what_was_aborted_neither_stays_nor_counts(log: PartitionLog) -> None:
    write(
        log,
        batch_of([("a", "before")]),
        batch_of([("a", "aborted"), ("b", "aborted")], producer_id=7),
        marker(7, is_commit=False),
        batch_of([("c", "committed")], producer_id=7),
        marker(7, is_commit=True),
    )
    compact(log, COMPACTED, NOW_MS)
    assert values_of(log) == ["before", "committed"]


def test_what_follows_an_open_transaction_is_left_alone(log: PartitionLog) -> None:
    for value in ("1", "2"):
        log.append(batch_of([("a", value)]))
    write(log, batch_of([("b", "open")], producer_id=7), batch_of([("a", "3")]))
    compact(log, COMPACTED, NOW_MS)
    assert values_of(log)[-2:] == ["open", "3"]
    assert "2" in values_of(log)
    log.append(marker(7, is_commit=True))
    compact(log, COMPACTED, NOW_MS)
    assert values_of(log) == ["open", "3"]


def test_times_are_found_among_what_is_left(log: PartitionLog) -> None:
    write(log, batch_of([("a", "1")], time=90), batch_of([("b", "2")], time=20), batch_of([("a", "3")], time=30))
    compact(log, COMPACTED, NOW_MS)
    found = log.offset_of_latest_time()
    assert (found.offset, found.timestamp) == (2, 30)


def test_a_log_is_compacted_when_as_much_again_has_come(log: PartitionLog) -> None:
    sizes = []
    for _ in range(300):
        log.append(batch_of([("a", "x" * 10_000)]))
        compact_if_due(log, COMPACTED, NOW_MS)
        sizes.append(log.size)
    assert 1_000_000 < max(sizes) < 1_200_000
    assert min(sizes[100:]) < 40_000
    assert len(found_in(log)) < 110


def test_what_was_written_over_leaves_one_empty_batch_however_often_that_was(log: PartitionLog) -> None:
    for number in range(100):
        log.append(batch_of([("a", str(number))]))
        if number in (30, 60):
            compact(log, COMPACTED, NOW_MS)
    compact(log, COMPACTED, NOW_MS)
    assert found_in(log) == {99: (b"a", b"99")}
    assert len(split_batches(log.read(0, 10_000, at_least_one=True))) == 2
    assert [log.offset_for_time(NOW_MS), log.end_offset] == [FoundOffset(99, NOW_MS), 100]
    log.append(batch_of([("a", "next")]))
    assert found_in(log) == {99: (b"a", b"99"), 100: (b"a", b"next")}


def test_empty_batches_of_several_leader_epochs_stay_apart(log: PartitionLog) -> None:
    for epoch in (3, 3, 4):
        log.begin_epoch(epoch)
        log.append(batch_of([("a", "1")]))
    log.append(batch_of([("a", "2")]))
    compact(log, COMPACTED, NOW_MS)
    batches = split_batches(log.read(0, 10_000, at_least_one=True))
    assert [(batch.header.leader_epoch, batch.header.next_offset) for batch in batches] == [(3, 2), (4, 3), (4, 4)]


def test_a_topic_that_is_not_compacted_stays_as_it_is() -> None:
    log = PartitionLog(ORDERS)
    for _ in range(200):
        log.append(batch_of([("a", "x" * 10_000)]))
        compact_if_due(log, TopicSettings(), NOW_MS)
    assert len(found_in(log)) == 200


def test_what_a_crash_leaves_of_a_compaction_is_told_by_its_offsets(tmp_path: Path) -> None:
    log = log_on(tmp_path, segment_bytes=1)
    for value in "123":
        log.append(batch_of([("a", value)]))
    left = [(path, path.read_bytes()) for path in sorted((tmp_path / "orders-0").glob("*.log"))][1:]
    compact(log, COMPACTED, NOW_MS)
    assert segment_names(tmp_path) == [f"{0:020}.log"]
    for path, content in left:
        path.write_bytes(content)
    again = log_on(tmp_path, segment_bytes=1)
    assert (found_in(again), again.end_offset) == ({2: (b"a", b"3")}, 3)
    assert segment_names(tmp_path) == [f"{0:020}.log"]


def test_a_log_with_a_batch_nobody_can_read_stays_as_it_is(log: PartitionLog, caplog: pytest.LogCaptureFixture) -> None:
    unreadable = bytearray(batch_of([("a", "x" * 600_000)]).data)
    unreadable[-100:] = bytes(100)
    for data in (unreadable, unreadable):
        log.append(read_batches(seal(data))[0])
    compact_if_due(log, COMPACTED, NOW_MS)
    assert "orders[0] is not compacted: orders[0] can't be read at offset 0" in caplog.text
    assert len(read_batches(log.read(0, 2**30, at_least_one=True))) == 2
