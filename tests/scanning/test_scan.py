"""Part of a topic as Arrow data: which part, that it ends, and who can read it."""

from __future__ import annotations

import gc
import sys
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta, timezone
from types import FrameType
from typing import Any

import duckdb
import polars
import pyarrow as pa
import pytest
from confluent_kafka import Producer

import kafka_nextgen
from kafka_nextgen import (
    ArrowSchemaError,
    ConfigError,
    ConsumerConfig,
    DeserializationError,
    MisuseError,
    OffsetOutOfRangeError,
    TopicPartition,
    UnknownTopicError,
)
from kafka_nextgen.scanning import Scan, arrow_stream
from kafka_nextgen.testing import Cluster
from kafka_nextgen.values import Avro, Json
from tests.scanning.conftest import FIRST_MS, MINUTE_MS, ORDER, write_orders
from tests.support.clients import delete_records, delete_topic
from tests.support.waiting import GUARD_S
from tests.values.decoding import encoded, framed

AVRO = Avro(ORDER)
#: Most orders are no values of this schema.
WRONG = Avro({"type": "record", "name": "Order", "fields": [{"name": "id", "type": "string"}]})
ONE = TopicPartition("orders", 0)
TENTH = FIRST_MS + 10 * MINUTE_MS


def ids(table: pa.Table) -> list[int]:
    return sorted(table["id"].to_pylist())


def read(servers: str, **more: object) -> list[int]:
    return ids(kafka_nextgen.read_arrow("orders", bootstrap_servers=servers, value=AVRO, **more))


def test_a_topic_is_a_table(servers: str) -> None:
    table = kafka_nextgen.read_arrow("orders", {"bootstrap.servers": servers}, value=AVRO)
    assert table.column_names == ["partition", "offset", "timestamp", "id"]
    assert ids(table) == list(range(30))
    assert table.num_rows == len(set(zip(table["partition"].to_pylist(), table["offset"].to_pylist(), strict=True)))


def test_without_a_format_keys_and_values_are_bytes(servers: str) -> None:
    table = kafka_nextgen.read_arrow("orders", bootstrap_servers=servers)
    assert table.column_names == ["topic", "partition", "offset", "timestamp", "key", "value", "headers"]
    assert table.num_rows == 30


def test_a_scan_that_is_over_is_no_empty_table(servers: str) -> None:
    found = kafka_nextgen.scan("orders", bootstrap_servers=servers, value=AVRO)
    assert duckdb.sql("SELECT count(*) FROM found").fetchall() == [(30,)]
    readers = [found.__arrow_c_stream__, found.reader, found.read_all, found.__iter__]
    for again in readers:
        with pytest.raises(MisuseError, match=r"this scan was read to its end, or closed: call scan\(\) again"):
            again()


@pytest.mark.parametrize(
    ("wrong", "error", "told"),
    [
        ({"since": {"orders": 3}}, TypeError, "since must map TopicPartitions to offsets, but it contains 'orders': 3"),
        ({"since": {TopicPartition("orders", 0): "3"}}, TypeError, "since must map TopicPartitions to offsets"),
        (
            {"until": {TopicPartition("orders", 0): -1}},
            ValueError,
            "until has offset -1 for orders\\[0\\], but offsets must not be negative",
        ),
        (
            {"since": {TopicPartition("ordres", 0): 1}},
            ValueError,
            "since has offsets of ordres\\[0\\], which the scan does",
        ),
        ({"since": TENTH, "until": TENTH - 1}, ValueError, "since=.* is later than until="),
        ({"since": timedelta(hours=-1)}, ValueError, "is a negative duration: durations count back from now"),
        ({"batch_rows": 1.5}, ValueError, "batch_rows=1.5 is not a positive number of rows"),
        ({"batch_rows": 0}, ValueError, "batch_rows=0 is not a positive number of rows"),
    ],
)
def test_wrong_arguments_are_named(servers: str, wrong: dict[str, object], error: type[Exception], told: str) -> None:
    with pytest.raises(error, match=told):
        kafka_nextgen.scan("orders", bootstrap_servers=servers, **wrong)


@pytest.mark.parametrize("topics", [None, 5, b"orders"])
def test_topics_are_names(topics: object) -> None:
    with pytest.raises(TypeError, match="topics must be names or TopicPartitions, not"):
        kafka_nextgen.scan(topics, bootstrap_servers="localhost:1")


def test_columns_of_views_are_read_without_bad_rows(servers: str) -> None:
    views = Json(polars.Schema({"id": polars.String}))
    table = kafka_nextgen.read_arrow("orders", bootstrap_servers=servers, value=views, on_error="skip")
    assert (table.num_rows, table.schema.field("id").type) == (0, pa.string_view())


def test_since_begins_with_the_first_record_that_is_not_older(servers: str) -> None:
    assert read(servers, since=TENTH) == list(range(10, 30))
    assert read(servers, since=TENTH + 1) == list(range(11, 30))
    assert read(servers, since="2026-11-26T14:10:00") == list(range(10, 30))


def test_a_moment_can_be_that_of_the_first_record(servers: str) -> None:
    assert read(servers, since=FIRST_MS) == list(range(30))
    assert read(servers, until=FIRST_MS) == []


def test_until_ends_before_it(servers: str) -> None:
    assert read(servers, until=datetime.fromtimestamp(TENTH / 1000, timezone.utc)) == list(range(10))
    assert read(servers, since=TENTH, until=TENTH + 5 * MINUTE_MS) == list(range(10, 15))


def test_a_range_without_records_ends_at_once(servers: str) -> None:
    assert read(servers, since=FIRST_MS + 10**9) == []
    assert read(servers, since=TENTH, until=TENTH) == []
    assert kafka_nextgen.read_arrow("empty", bootstrap_servers=servers).num_rows == 0


def test_offsets_by_partition_go_on_where_an_earlier_scan_ended() -> None:
    with Cluster() as cluster:
        cluster.create_topic("orders", 3)
        write_orders(cluster.bootstrap_servers, range(6))
        with kafka_nextgen.scan("orders", bootstrap_servers=cluster.bootstrap_servers, value=AVRO) as first:
            write_orders(cluster.bootstrap_servers, range(6, 9))  # after the scan began
            assert ids(first.read_all()) == list(range(6))
        assert read(cluster.bootstrap_servers, since=first.positions) == [6, 7, 8]


def test_partitions_that_the_offsets_lack_are_read_whole(servers: str) -> None:
    others = [number for number in range(30) if number % 3]
    assert read(servers, since={ONE: 8}) == sorted([24, 27, *others])
    assert read(servers, until={ONE: 2}) == sorted([0, 3, *others])


def test_an_offset_of_until_beyond_the_end_means_the_present_end(servers: str) -> None:
    with kafka_nextgen.scan(ONE, bootstrap_servers=servers, until={ONE: 1000}) as found:
        assert [(each.start, each.end) for each in found.ranges.values()] == [(0, 10)]


@pytest.fixture
def without_two() -> Iterator[str]:
    """The servers of a cluster whose topic has lost the first two of ten records of its partition 0."""
    with Cluster() as cluster:
        cluster.create_topic("orders", 2)
        write_orders(cluster.bootstrap_servers, range(20), partitions=2)
        delete_records(cluster.bootstrap_servers, "orders", 2)
        yield cluster.bootstrap_servers


@pytest.mark.parametrize("until", [None, {ONE: 9}, {ONE: 2}, TENTH])
@pytest.mark.parametrize("reset", ["latest", "earliest", "none"])
def test_deleted_records_after_an_offset_of_since_are_an_error(without_two: str, until: Any, reset: str) -> None:
    """They are not skipped, whatever auto.offset.reset says."""
    with pytest.raises(OffsetOutOfRangeError) as caught:
        read(without_two, since={ONE: 1}, until=until, auto_offset_reset=reset)
    assert caught.value.partition == ONE
    assert "deleted before they were read: orders[0] from offset 1 to 1. To read what is left" in str(caught.value)


def test_all_partitions_that_lost_records_are_named(without_two: str) -> None:
    other = TopicPartition("orders", 1)
    delete_records(without_two, "orders", 5, partition=1)
    with pytest.raises(
        OffsetOutOfRangeError, match=r"orders\[0\] from offset 0 to 1, orders\[1\] from offset 3 to 4\."
    ):
        read(without_two, since={other: 3, ONE: 0})


@pytest.mark.parametrize("since", [None, FIRST_MS, "2020-01-01", {}, {ONE: 2}, {TopicPartition("orders", 1): 0}])
def test_without_an_offset_before_it_a_scan_begins_at_the_first_record_that_is_left(
    without_two: str, since: Any
) -> None:
    assert read(without_two, since=since) == [1, 3, *range(4, 20)]


def test_an_offset_before_the_log_is_no_error_if_the_range_is_empty(without_two: str) -> None:
    assert read(without_two, since={ONE: 1}, until={ONE: 1, TopicPartition("orders", 1): 0}) == []


def test_another_topic_of_the_same_name_is_not_read_instead() -> None:
    with Cluster() as cluster:
        cluster.create_topic("orders", 1)
        write_orders(cluster.bootstrap_servers, range(3), partitions=1)
        with kafka_nextgen.scan("orders", bootstrap_servers=cluster.bootstrap_servers) as found:
            delete_topic(cluster.bootstrap_servers, "orders")
            cluster.create_topic("orders", 1)
            write_orders(cluster.bootstrap_servers, range(9), partitions=1)
            with pytest.raises(UnknownTopicError, match="its topic was deleted and created again"):
                found.read_all()


def test_positions_never_go_back(servers: str) -> None:
    with kafka_nextgen.scan(ONE, bootstrap_servers=servers, since={ONE: 5}, until={ONE: 3}) as found:
        assert found.read_all().num_rows == 0
    assert found.positions == {ONE: 5}


def test_positions_are_behind_offsets_without_records_in_the_end() -> None:
    with Cluster() as cluster:
        cluster.create_topic("orders", 1)
        producer = Producer({"bootstrap.servers": cluster.bootstrap_servers, "transactional.id": "t"})
        producer.init_transactions(GUARD_S)
        producer.begin_transaction()
        producer.produce("orders", b"v")
        producer.commit_transaction(GUARD_S)
        with kafka_nextgen.scan("orders", bootstrap_servers=cluster.bootstrap_servers, since={ONE: 1}) as found:
            assert found.read_all().num_rows == 0
    assert found.positions == {ONE: 2}, "the marker of the commit has an offset, too"


def test_positions_stay_before_a_batch_that_can_not_be_read(servers: str) -> None:
    with kafka_nextgen.scan(ONE, bootstrap_servers=servers, value=WRONG) as found:
        with pytest.raises(DeserializationError):
            found.read_all()
        assert found.positions == {ONE: 0}


def test_a_scan_that_can_not_begin_leaves_no_consumer(servers: str, monkeypatch: pytest.MonkeyPatch) -> None:
    closed = []

    class Watched(kafka_nextgen.Consumer):
        def close(self, *arguments: Any, **more: Any) -> None:
            super().close(*arguments, **more)
            closed.append(self)

    monkeypatch.setattr(arrow_stream, "Consumer", Watched)
    with pytest.raises(UnknownTopicError):
        kafka_nextgen.scan("ordres", bootstrap_servers=servers)
    assert closed


@pytest.mark.parametrize("is_read", [False, True])
def test_a_scan_that_is_not_read_to_its_end_is_collected(servers: str, is_read: bool) -> None:
    """Arrow's reader and the scan hold each other, which the garbage collector can't see."""
    found = kafka_nextgen.scan("orders", bootstrap_servers=servers, batch_rows=1)
    if is_read:
        next(iter(found))
    found.close()
    left = weakref.ref(found)
    del found
    gc.collect()
    assert left() is None


@pytest.mark.filterwarnings("ignore:a consumer was dropped:ResourceWarning")
def test_a_scan_that_is_dropped_before_it_is_read_leaves_no_thread(servers: str) -> None:
    """As after an interrupt between the call of ``scan`` and the block that closes it."""
    found = kafka_nextgen.scan("orders", bootstrap_servers=servers)
    thread = found._consumer._core.engine.thread._thread
    del found
    gc.collect()
    thread.join(GUARD_S)
    assert not thread.is_alive()


class InterruptedHereError(BaseException):
    """Stands for KeyboardInterrupt, which would end pytest itself."""


def drop(held: list[Scan]) -> None:
    held.clear()
    gc.collect()


@contextmanager
def interrupted_at_entry_of(method: Callable[..., Any]) -> Iterator[None]:
    """Raise when ``method`` has been called, before its first line, as a signal handler can."""

    def interrupt(frame: FrameType, event: str, argument: object) -> None:
        if event == "call" and frame.f_code is method.__code__:
            sys.setprofile(None)
            raise InterruptedHereError

    sys.setprofile(interrupt)
    try:
        yield
    finally:
        sys.setprofile(None)


def _enter(found: Scan) -> None:
    with found:
        raise AssertionError("the block is not entered")


def _leave(found: Scan) -> None:
    with found:
        pass


@pytest.mark.parametrize(
    ("method", "use"),
    [(Scan.__enter__, _enter), (Scan.__exit__, _leave), (Scan.close, _leave), (Scan.close, Scan.close)],
)
def test_a_scan_that_is_interrupted_before_it_can_close_leaves_no_thread(
    servers: str, method: Callable[..., Any], use: Callable[[Scan], None]
) -> None:
    """Its consumer stays open until it is garbage-collected, and a warning reports that."""
    held = [kafka_nextgen.scan("orders", bootstrap_servers=servers)]
    thread = held[0]._consumer._core.engine.thread._thread
    with pytest.raises(InterruptedHereError), interrupted_at_entry_of(method):
        use(held[0])
    assert thread.is_alive()
    with pytest.warns(ResourceWarning, match="a consumer was dropped"):
        drop(held)
    thread.join(GUARD_S)
    assert not thread.is_alive()


def test_a_scan_whose_columns_change_is_refused_and_can_be_repeated() -> None:
    """A stream has one schema, and those who read it do not check its batches."""
    schemas: dict[int, object] = {1: ORDER}
    union = Avro(registry=schemas, columns="union")
    wider = {**ORDER, "fields": [*ORDER["fields"], {"name": "note", "type": "string"}]}
    with Cluster() as cluster:
        cluster.create_topic("orders", 1)
        producer = Producer({"bootstrap.servers": cluster.bootstrap_servers})
        producer.produce("orders", framed(1, encoded(ORDER, {"id": 1})))
        producer.produce("orders", framed(2, encoded(wider, {"id": 2, "note": "x"})))
        assert producer.flush() == 0
        with kafka_nextgen.scan("orders", bootstrap_servers=cluster.bootstrap_servers, value=union) as found:
            schemas[2] = wider
            with pytest.raises(ArrowSchemaError, match="scan again with the same format"):
                found.read_all()
        table = kafka_nextgen.read_arrow("orders", bootstrap_servers=cluster.bootstrap_servers, value=union)
    assert table.select(["id", "note"]).to_pylist() == [{"id": 1, "note": None}, {"id": 2, "note": "x"}]


def test_single_partitions_can_be_named(servers: str) -> None:
    one = TopicPartition("orders", 1)
    table = kafka_nextgen.read_arrow([one], bootstrap_servers=servers, value=AVRO)
    assert ids(table) == list(range(1, 30, 3))


def test_a_schema_says_which_columns_of_the_record_stand_beside_the_value_s(servers: str) -> None:
    schema = pa.schema([("topic", pa.string()), ("offset", pa.int64())])
    table = kafka_nextgen.read_arrow("orders", bootstrap_servers=servers, schema=schema, value=AVRO)
    assert table.column_names == ["topic", "offset", "id"]
    assert set(table["topic"].to_pylist()) == {"orders"}


def test_batches_have_at_most_so_many_rows(servers: str) -> None:
    with kafka_nextgen.scan("orders", bootstrap_servers=servers, batch_rows=4) as found:
        sizes = [batch.num_rows for batch in found]
    assert sum(sizes) == 30
    assert max(sizes) <= 4


def test_polars_reads_the_stream(servers: str) -> None:
    with kafka_nextgen.scan("orders", bootstrap_servers=servers, value=AVRO) as found:
        frame = polars.DataFrame(found)
    assert frame["id"].sort().to_list() == list(range(30))


def test_a_group_in_the_configuration_is_neither_joined_nor_committed_for(servers: str) -> None:
    config = ConsumerConfig.parse({"bootstrap.servers": servers, "group.id": "g", "group.instance.id": "i"})
    assert kafka_nextgen.read_arrow("orders", config).num_rows == 30
    with kafka_nextgen.GroupAdmin({"bootstrap.servers": servers}) as admin:
        assert not admin.list().groups


def test_what_does_not_exist_is_named(servers: str) -> None:
    with pytest.raises(UnknownTopicError, match="topic 'ordres' does not exist"):
        kafka_nextgen.read_arrow("ordres", bootstrap_servers=servers)
    with pytest.raises(UnknownTopicError, match=r"orders\[7\]|orders-7"):
        kafka_nextgen.read_arrow(TopicPartition("orders", 7), bootstrap_servers=servers)


def test_wrong_arguments_are_refused_before_anything_is_connected() -> None:
    with pytest.raises(ConfigError, match=r"bootstrap\.servers is required"):
        kafka_nextgen.read_arrow("orders")
    with pytest.raises(ValueError, match="topics is empty"):
        kafka_nextgen.read_arrow([], bootstrap_servers="localhost:1")
    with pytest.raises(TypeError, match="not 7"):
        kafka_nextgen.read_arrow([7], bootstrap_servers="localhost:1")


def test_a_bad_value_names_its_record(servers: str) -> None:
    with pytest.raises(DeserializationError, match=r"orders\[\d\] at offset \d+: bad value"):
        kafka_nextgen.read_arrow("orders", bootstrap_servers=servers, value=WRONG)
    found = kafka_nextgen.read_arrow("orders", bootstrap_servers=servers, value=WRONG, on_error="null")
    assert found["value_error"].null_count < 30
