"""A partition's log: where batches are put, what is read from where, and what goes in time."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafka_nextgen.testing import Cluster
from kafka_nextgen.testing.broker.cleanup import drop_expired
from kafka_nextgen.testing.broker.log import FoundOffset, PartitionLog, watching
from kafka_nextgen.testing.broker.storage import MemoryBatches
from kafka_nextgen.testing.broker.topic import Topic
from kafka_nextgen.testing.broker.topic_settings import TopicSettings
from kafka_nextgen.testing.broker.topics import Topics
from kafka_nextgen.types import TimestampType, TopicPartition
from kafka_nextgen.wire.records import (
    BatchView,
    Compression,
    NewRecord,
    RecordLimits,
    decode_partition,
    encode_batch,
    read_batches,
)
from tests.testing.broker.client import Client
from tests.testing.broker.requests import list_offset, produce, values
from tests.testing.broker.topic_requests import create, new_topic_request

ORDERS = TopicPartition("orders", 0)


def batch(*timestamps: int, compression: Compression = Compression.NONE) -> BatchView:
    """A batch with one record for each timestamp."""
    records = [NewRecord(b"x" * 10, timestamp=timestamp) for timestamp in timestamps]
    return read_batches(encode_batch(records, compression))[0]


def log_of(*batches: BatchView, segment_bytes: int = 2**30) -> PartitionLog:
    log = PartitionLog(ORDERS, batches=MemoryBatches(lambda: segment_bytes))
    for each in batches:
        log.append(each)
    return log


def offsets(data: bytes) -> list[int]:
    return list(decode_partition(data, ORDERS, 0, RecordLimits()).offsets)


@given(
    sizes=st.lists(st.integers(1, 4), min_size=1, max_size=8),
    start=st.integers(0, 40),
    max_bytes=st.integers(0, 600),
    at_least_one=st.booleans(),
)
def test_a_read_gives_whole_batches_from_the_one_with_the_offset_within_the_limit(
    sizes: list[int], start: int, max_bytes: int, at_least_one: bool
) -> None:
    log = log_of(*(batch(*range(size)) for size in sizes))
    assert log.end_offset == sum(sizes)
    start = min(start, log.end_offset)
    data = log.read(start, max_bytes, at_least_one=at_least_one)
    read = read_batches(data)
    if read:
        assert read[0].header.base_offset <= start < read[0].header.next_offset
        assert len(data) <= max_bytes or (at_least_one and len(read) == 1)
    elif at_least_one:
        assert start == log.end_offset
    assert all(one.header.next_offset == two.header.base_offset for one, two in pairwise(read))


def test_only_offsets_of_the_log_and_its_end_may_be_read() -> None:
    log = log_of(batch(1, 2))
    assert [log.holds(offset) for offset in (-1, 0, 1, 2, 3)] == [False, True, True, True, False]


def test_retention_drops_whole_segments_and_moves_the_start() -> None:
    size = batch(1).header.size
    log = log_of(*(batch(time) for time in range(5)), segment_bytes=2 * size)
    log.retain(3 * size + 1)
    assert log.start_offset == 0
    log.retain(2 * size)
    assert (log.start_offset, log.end_offset, log.size) == (2, 5, 3 * size)
    assert offsets(log.read(2, 10_000, at_least_one=True)) == [2, 3, 4]
    log.drop_before(3)
    assert (log.start_offset, log.size) == (3, 3 * size)
    log.retain(1)
    assert (log.start_offset, log.size) == (4, size)
    log.retain(0)
    assert (log.start_offset, log.size) == (5, 0)
    assert log.append(batch(4)) == 5


def test_retention_leaves_the_active_segment_alone_while_it_holds_what_is_to_stay() -> None:
    log = log_of(batch(1), batch(2), batch(3))
    log.retain(1)
    log.drop_older(3)
    assert log.start_offset == 0


def test_retention_by_time_keeps_batches_before_the_first_timestamp() -> None:
    log = log_of(batch(-1), batch(-1), segment_bytes=1)
    log.drop_older(3)
    assert log.start_offset == 0
    log.append(batch(2))
    log.append(batch(-1))
    log.append(batch(3))
    log.drop_older(3)
    assert log.start_offset == 4


def test_a_time_is_looked_up_record_by_record_also_in_compressed_batches() -> None:
    log = log_of(batch(10, 30, 20, compression=Compression.ZSTD), batch(25), batch(40))
    assert log.offset_for_time(0) == FoundOffset(0, 10)
    assert log.offset_for_time(11) == FoundOffset(1, 30)
    assert log.offset_for_time(31) == FoundOffset(4, 40)
    assert log.offset_for_time(41) is None
    assert log_of().offset_of_latest_time() is None
    assert log.offset_of_latest_time() == FoundOffset(4, 40)


@given(st.lists(st.lists(st.integers(0, 9), min_size=1, max_size=3), max_size=5), st.integers(0, 10))
def test_the_record_found_is_the_first_that_is_late_enough(times: list[list[int]], wanted: int) -> None:
    log = log_of(*(batch(*each) for each in times))
    all_times = [time for each in times for time in each]
    late = [FoundOffset(offset, time) for offset, time in enumerate(all_times) if time >= wanted]
    assert log.offset_for_time(wanted) == (late[0] if late else None)


def test_the_latest_time_is_known_as_long_as_its_segment_is_there() -> None:
    log = log_of(batch(10, 30), batch(20), segment_bytes=1)
    log.drop_before(1)
    assert (log.offset_for_time(0), log.offset_of_latest_time()) == (FoundOffset(1, 30), FoundOffset(1, 30))
    log.drop_before(2)
    assert (log.offset_for_time(0), log.offset_of_latest_time()) == (FoundOffset(2, 20), FoundOffset(2, 20))
    log.drop_before(3)
    assert (log.offset_for_time(0), log.offset_of_latest_time()) == (None, FoundOffset(2, 20))
    log.retain(0)
    assert log.offset_of_latest_time() is None


def test_a_header_that_promises_later_records_than_there_are_finds_none() -> None:
    honest = batch(10)
    liar = batch(10, 99)
    log = log_of(BatchView(liar.header, honest.data))
    assert log.offset_for_time(50) is None


def test_the_brokers_time_replaces_the_producers() -> None:
    log = PartitionLog(ORDERS)
    log.append(batch(1, 2), log_append_time=77)
    columns = decode_partition(log.read(0, 1000, at_least_one=True), ORDERS, 0, RecordLimits())
    assert list(columns.timestamps) == [77, 77]
    assert set(columns.timestamp_types) == {TimestampType.LOG_APPEND_TIME}
    assert log.offset_for_time(3) == FoundOffset(0, 77)


async def test_who_watches_learns_of_appends_and_of_the_end_until_it_looks_away() -> None:
    log = PartitionLog(ORDERS)
    with watching([log]) as watch:
        log.append(batch(1))
        assert await watch.wait(0)
        watch.clear()
        log.delete()
        assert await watch.wait(0)
        watch.clear()
    log.append(batch(2))
    assert not await watch.wait(0)


# ---- retention: segments go that are too old (retention.ms), and what is too much (retention.bytes)


def topic_of(*timestamps: int, **overrides: str) -> Topic:
    """A topic with one partition, and a batch for each timestamp, each in a segment of its own."""
    given = {"segment_bytes": "1", **overrides}
    settings = TopicSettings({key.replace("_", "."): value for key, value in given.items()})
    made = Topics([1]).create("orders", ((1,),), settings)
    for timestamp in timestamps:
        made.partitions[0].log.append(batch(timestamp))
    return made


@pytest.mark.parametrize(
    ("timestamps", "now_ms", "begins"),
    [
        pytest.param((1_000, 2_000, 3_000), 3_000, 0, id="nothing is older than a second and a half, but to the ms"),
        pytest.param((1_000, 2_000, 3_000), 3_501, 2, id="two are"),
        pytest.param((1_000, 2_000, 3_000), 9_000, 3, id="all are"),
        pytest.param((1_000, 9_000, 2_000, 3_000), 5_000, 1, id="a wrong time keeps what follows it"),
        pytest.param((), 9_000, 0, id="there is nothing"),
    ],
)
def test_what_is_older_goes(timestamps: tuple[int, ...], now_ms: int, begins: int) -> None:
    orders = topic_of(*timestamps, retention_ms="1500" if now_ms > 3_000 else "2000")
    drop_expired(orders, now_ms)
    assert orders.partitions[0].log.start_offset == begins


@pytest.mark.parametrize("overrides", [{"retention_ms": "-1"}, {"retention_ms": "1", "cleanup_policy": "compact"}])
def test_a_topic_may_keep_everything(overrides: dict[str, str]) -> None:
    orders = topic_of(1_000, **overrides)
    drop_expired(orders, 10**12)
    assert orders.partitions[0].log.start_offset == 0


def test_what_is_too_old_stays_with_what_is_not_in_its_segment() -> None:
    orders = topic_of(1_000, 2_000, 3_000, retention_ms="1500", segment_bytes="1000")
    drop_expired(orders, 3_501)
    assert orders.partitions[0].log.start_offset == 0


@pytest.mark.parametrize(("segment_bytes", "begins"), [(100, 2), (1_048_576, 0)])
def test_what_is_too_much_goes_by_segments(segment_bytes: int, begins: int) -> None:
    with Cluster(config={"log.segment.bytes": segment_bytes}) as cluster, Client(cluster.bootstrap_servers) as client:
        create(client, new_topic_request("orders", configs={"retention.bytes": "1"}))
        for value in "abc":
            last = produce(client, "orders", values(value))
        assert last.log_start_offset == list_offset(client, "orders", -2).offset == begins


def test_a_truncated_log_loses_whole_batches_and_goes_on_from_there() -> None:
    log = log_of(batch(1, 2), batch(3), batch(4, 5))
    log.begin_epoch(1)
    kept = log.truncate(4, MemoryBatches())
    assert ([each.header.base_offset for each in kept], log.end_offset) == ([0, 2], 3)
    assert offsets(log.read(0, 10_000, at_least_one=True)) == [0, 1, 2]
    assert log.epochs.end_of(0, log.leader_epoch, log.end_offset) == (0, 3)
    assert log.append(batch(6)) == 3
    assert log.offset_of_latest_time() == FoundOffset(3, 6)
    assert log.truncate(0, MemoryBatches()) == ()
    assert (log.size, log.end_offset, log.append(batch(7))) == (0, 0, 0)
