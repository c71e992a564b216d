"""What a task reads of its ranges, without Spark: batches, records that are gone, time."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from unittest.mock import Mock

import pytest
from attrs import evolve

from kafka_nextgen import Consumer, ConsumerConfig, LogTruncationError, RequestTimeoutError
from kafka_nextgen.groups.partition_results import PartitionResults
from kafka_nextgen.spark import kept_consumers, reading
from kafka_nextgen.spark.errors import DataLossError
from kafka_nextgen.spark.kafka_options import read_kafka_options
from kafka_nextgen.spark.kept_consumers import kept_consumer
from kafka_nextgen.spark.reading import ReadSettings, _OpenRanges, read_ranges
from kafka_nextgen.spark.values import PartitionRange
from kafka_nextgen.testing import Cluster
from kafka_nextgen.types import OffsetAndMetadata, OffsetRange, TopicId, TopicPartition
from tests.spark.tasks import SCHEMA, close_kept_consumers, offsets, settings
from tests.support.clients import create_named_topic, create_topic, delete_records, delete_topic, produce


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with Cluster() as cluster:
        cluster.create_topic("t")
        produce(cluster.bootstrap_servers, "t", 100)
        yield cluster
        close_kept_consumers()


def test_a_range_is_read_in_batches_that_are_not_too_large(cluster: Cluster) -> None:
    batches = list(read_ranges([PartitionRange("t", 0, 10, 95)], settings(cluster)))
    assert offsets(iter(batches)) == list(range(10, 95))
    assert max(batch.num_rows for batch in batches) <= 30
    assert {batch.schema for batch in batches} == {SCHEMA}


def test_the_next_range_takes_the_same_consumer(cluster: Cluster) -> None:
    assert offsets(read_ranges([PartitionRange("t", 0, 0, 5)], settings(cluster))) == list(range(5))
    (kept,) = kept_consumers._KEPT.values()
    assert offsets(read_ranges([PartitionRange("t", 0, 5, 7)], settings(cluster))) == [5, 6]
    assert list(kept_consumers._KEPT.values()) == [kept]


@pytest.mark.parametrize(("said", "fetched"), [({}, 4 * 1024 * 1024), ({"max.partition.fetch.bytes": "77"}, 77)])
def test_more_of_a_partition_is_fetched_at_once_unless_the_query_says_how_much(
    said: dict[str, str], fetched: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[ConsumerConfig] = []
    monkeypatch.setattr(kept_consumers, "Consumer", lambda config: made.append(config) or Mock())
    monkeypatch.setattr(kept_consumers, "_KEPT", {})
    with kept_consumer(read_kafka_options({"bootstrap.servers": "localhost:9092", **said})):
        pass
    assert [config.max_partition_fetch_bytes for config in made] == [fetched]


def test_a_process_forked_off_makes_its_own_consumer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_consumers, "Consumer", lambda config: Mock())
    monkeypatch.setattr(kept_consumers, "_KEPT", {})
    config = read_kafka_options({"bootstrap.servers": "localhost:9092"})
    with kept_consumer(config) as parent:
        pass
    monkeypatch.setattr(kept_consumers.os, "getpid", lambda: -1)
    with kept_consumer(config) as child:
        assert child is not parent


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> dict[str | None, Mock]:
    """Consumers that are made from here on, by their ``client.id``; none is kept at first."""
    made: dict[str | None, Mock] = {}
    monkeypatch.setattr(kept_consumers, "Consumer", lambda config: made.setdefault(config.client_id, Mock()))
    monkeypatch.setattr(kept_consumers, "_KEPT", {})
    return made


def test_the_consumers_of_the_four_latest_configurations_are_kept(made: dict[str | None, Mock]) -> None:
    for name in "abcdae":
        with kept_consumer(read_kafka_options({"bootstrap.servers": "localhost:9092", "client.id": name})) as consumer:
            assert consumer is made[name]
    assert [name for name, consumer in made.items() if consumer.close.called] == ["b"], "a was used again since"


def test_a_consumer_is_closed_after_an_error(made: dict[str | None, Mock]) -> None:
    with pytest.raises(ZeroDivisionError), kept_consumer(read_kafka_options({"bootstrap.servers": "localhost:9092"})):
        raise ZeroDivisionError
    (consumer,) = made.values()
    assert consumer.close.called
    assert not kept_consumers._KEPT


def test_what_is_there_at_a_second_task_is_left_out_of_garbage_collections(
    made: dict[str | None, Mock], monkeypatch: pytest.MonkeyPatch
) -> None:
    collector, freezes = Mock(), []
    collector.get_freeze_count = lambda: collector.freeze.call_count
    monkeypatch.setattr(kept_consumers, "gc", collector)
    for _ in range(3):
        with kept_consumer(read_kafka_options({"bootstrap.servers": "localhost:9092"})):
            freezes.append(collector.freeze.call_count)
    assert freezes == [0, 1, 1]


def test_a_query_that_wants_no_more_closes_the_consumer(cluster: Cluster) -> None:
    batches = read_ranges([PartitionRange("t", 0, 0, 100)], settings(cluster))
    next(batches)
    batches.close()
    assert not kept_consumers._KEPT


@pytest.mark.parametrize("is_planned_once", [True, False])
def test_only_a_batch_query_is_told_that_its_plan_may_be_old(cluster: Cluster, is_planned_once: bool) -> None:
    """Spark keeps the plan of a DataFrame's first action, however much later the next one is."""
    told = evolve(settings(cluster), is_planned_once=is_planned_once)
    with pytest.raises(DataLossError) as failed:
        list(read_ranges([PartitionRange("t", 0, 90, 120)], told))
    assert ("planned by its first action" in str(failed.value)) is is_planned_once
    assert ("call load() again" in str(failed.value)) is is_planned_once


def topic_id_of(cluster: Cluster, topic: str) -> TopicId | None:
    with Consumer(bootstrap_servers=cluster.bootstrap_servers) as consumer:
        return consumer.describe_topics([topic])[topic].topic_id


def test_a_topic_that_was_made_again_is_never_read_for_the_one_that_was_planned(cluster: Cluster) -> None:
    topic = create_topic(cluster.bootstrap_servers, "again")
    produce(cluster.bootstrap_servers, topic, 10)
    old = PartitionRange(topic, 0, 0, 10, topic_id_of(cluster, topic))
    assert offsets(read_ranges([old], settings(cluster))) == list(range(10))
    delete_topic(cluster.bootstrap_servers, topic)
    create_named_topic(cluster.bootstrap_servers, topic)
    produce(cluster.bootstrap_servers, topic, 20)
    new = PartitionRange(topic, 0, 0, 20, topic_id_of(cluster, topic))
    assert offsets(read_ranges([new], settings(cluster))) == list(range(20)), "also by the consumer that is kept"
    assert offsets(read_ranges([old], settings(cluster, fail_on_data_loss=False))) == []
    with pytest.raises(DataLossError, match=r"again-.*\[0\] was deleted, or its topic created again"):
        list(read_ranges([old], settings(cluster)))


def test_records_that_age_out_before_they_are_read_are_left_out_also_if_that_is_all_of_the_range(
    cluster: Cluster, caplog: pytest.LogCaptureFixture
) -> None:
    topic = create_topic(cluster.bootstrap_servers, "aged")
    produce(cluster.bootstrap_servers, topic, 50)
    delete_records(cluster.bootstrap_servers, topic, 30)
    with caplog.at_level(logging.WARNING):
        assert offsets(read_ranges([PartitionRange(topic, 0, 5, 20)], settings(cluster, fail_on_data_loss=False))) == []
        assert "offsets 5 to 19 are skipped; the batch has no other records from it" in caplog.text
        found = offsets(read_ranges([PartitionRange(topic, 0, 5, 40)], settings(cluster, fail_on_data_loss=False)))
    assert found == list(range(30, 40))


class QuietConsumer:
    """Has records of offset 0 up to 10 that can't be seen; each poll takes two seconds and passes some offsets."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, offsets_per_poll: int) -> None:
        self.at, self.now_s, self._offsets_per_poll, self.done = 0, 0.0, offsets_per_poll, set[TopicPartition]()
        monkeypatch.setattr(reading, "clocks", Mock(monotonic=lambda: self.now_s))

    def assign(self, ranges: dict[TopicPartition, OffsetRange]) -> None:
        """Nothing is fetched."""

    def finished(self) -> set[TopicPartition]:
        return {*self.done, *([TopicPartition("t", 0)] if self.at >= 10 else [])}

    def poll(self, timeout: float, max_records: int) -> Mock:
        assert self.now_s < 60, "somebody polls for ever"
        self.now_s += timeout
        self.at += self._offsets_per_poll
        return Mock(batches=list, __len__=lambda records: 0, __bool__=lambda records: False)

    def position(self, tp: TopicPartition) -> int:
        return self.at

    def beginning_offsets(self, partitions: list[TopicPartition]) -> PartitionResults[int]:
        assert self.done.isdisjoint(partitions), "these are read to their ends"
        return PartitionResults(dict.fromkeys(partitions, 0))

    def end_offsets(self, partitions: list[TopicPartition]) -> PartitionResults[int]:
        return PartitionResults(dict.fromkeys(partitions, 10))


def read_quietly(consumer: QuietConsumer, poll_timeout_s: float, *starts: int, fail_on_data_loss: bool = True) -> None:
    """Have a task read partitions up to offset 10, from these offsets on."""
    told = ReadSettings(Mock(), SCHEMA, 30, poll_timeout_s, fail_on_data_loss)
    planned = [PartitionRange("t", number, start, 10) for number, start in enumerate(starts)]
    assert list(_OpenRanges(planned, told, consumer).batches()) == []


@pytest.mark.parametrize("offsets_per_poll", [2, 10])
def test_what_is_read_without_a_record_is_progress(monkeypatch: pytest.MonkeyPatch, offsets_per_poll: int) -> None:
    read_quietly(QuietConsumer(monkeypatch, offsets_per_poll), 1.0 if offsets_per_poll == 10 else 3.0, 0)


@pytest.mark.parametrize("start", [0, 5])
def test_a_task_that_gets_nowhere_ends_in_time(monkeypatch: pytest.MonkeyPatch, start: int) -> None:
    consumer = QuietConsumer(monkeypatch, 0)
    consumer.at = start
    says = rf"no records arrived for 4 s from t\[0\] {start}..10, where reading is at offset {start};"
    with pytest.raises(RequestTimeoutError, match=says):
        read_quietly(consumer, 3.0, start)


def test_one_range_that_gets_nowhere_ends_the_task_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    consumer = QuietConsumer(monkeypatch, 0)
    consumer.at, consumer.done = 3, {TopicPartition("t", 0)}
    with pytest.raises(RequestTimeoutError, match=r"for 4 s from t\[1\] 0..10, where reading is at offset 3;"):
        read_quietly(consumer, 3.0, 0, 0)


def test_a_log_that_parts_from_what_was_read_fails_the_task_so_that_it_is_read_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    at = {"partition": TopicPartition("t", 0), "position": OffsetAndMetadata(5)}
    consumer = QuietConsumer(monkeypatch, 0)
    parted = LogTruncationError("parted", code=1, diverging=None, **at)
    monkeypatch.setattr(consumer, "poll", Mock(side_effect=[parted, Mock(batches=list)]))
    with pytest.raises(LogTruncationError):
        read_quietly(consumer, 3.0, 0, fail_on_data_loss=False)
