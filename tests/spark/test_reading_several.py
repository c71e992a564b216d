"""What a task reads of several ranges at once: all of each, in order, and errors that name the one they are about."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from kafka_nextgen import CorruptRecordError
from kafka_nextgen.spark.errors import DataLossError
from kafka_nextgen.spark.reading import ReadSettings, read_ranges
from kafka_nextgen.spark.values import PartitionRange
from kafka_nextgen.testing import Cluster
from kafka_nextgen.types import TopicPartition
from tests.spark.tasks import close_kept_consumers, offsets, settings
from tests.support.clients import create_topic, delete_records, produce


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the cluster keeps its logs."""
    return tmp_path_factory.mktemp("broker")


@pytest.fixture(scope="module")
def cluster(home: Path) -> Iterator[Cluster]:
    with Cluster(data_dir=home) as cluster:
        yield cluster
        close_kept_consumers()


@pytest.fixture
def topic(cluster: Cluster) -> str:
    """A topic of three partitions with fifty records each."""
    topic = create_topic(cluster.bootstrap_servers, "several", 3)
    produce(cluster.bootstrap_servers, topic, 150, partitions=3)
    return topic


def three(topic: str, *ends: tuple[int, int]) -> list[PartitionRange]:
    return [PartitionRange(topic, number, *each) for number, each in enumerate(ends)]


def by_partition(planned: list[PartitionRange], told: ReadSettings) -> dict[int, list[int]]:
    """The offsets that are read of each partition; the values of the topic's records tell which it is."""
    found: dict[int, list[int]] = {}
    for batch in read_ranges(planned, told):
        (number,) = {int(value) % 3 for value in batch["value"].to_pylist()}
        found.setdefault(number, []).extend(offsets([batch]))
    return found


def test_each_range_is_read_in_its_order(cluster: Cluster, topic: str) -> None:
    found = by_partition(three(topic, (0, 50), (7, 9), (49, 50)), settings(cluster))
    assert found == {0: list(range(50)), 1: [7, 8], 2: [49]}


def test_the_next_task_may_read_other_ranges_of_the_same_partitions(cluster: Cluster, topic: str) -> None:
    by_partition(three(topic, (0, 5), (0, 5), (0, 5)), settings(cluster))
    assert by_partition(three(topic, (5, 7), (0, 2)), settings(cluster)) == {0: [5, 6], 1: [0, 1]}


def test_a_loss_in_one_range_names_it(cluster: Cluster, topic: str) -> None:
    planned = three(topic, (0, 50), (40, 60), (0, 50))
    with pytest.raises(DataLossError, match=r"several-.*\[1\] ends at offset 50, before the planned end 60") as lost:
        by_partition(planned, settings(cluster))
    assert lost.value.partitions == (TopicPartition(topic, 1),)


def test_what_is_lost_of_one_range_is_left_out_and_the_others_are_read(
    cluster: Cluster, topic: str, caplog: pytest.LogCaptureFixture
) -> None:
    delete_records(cluster.bootstrap_servers, topic, 30, partition=2)
    with caplog.at_level(logging.WARNING):
        found = by_partition(three(topic, (0, 50), (40, 60), (10, 40)), settings(cluster, fail_on_data_loss=False))
    assert found == {0: list(range(50)), 1: list(range(40, 50)), 2: list(range(30, 40))}
    assert f"{topic}[1] ends at offset 50" in caplog.text
    assert f"{topic}[2] was to be read from offset 10 and now begins at 30" in caplog.text


def test_a_vanished_topic_among_others_is_left_out(
    cluster: Cluster, topic: str, caplog: pytest.LogCaptureFixture
) -> None:
    planned = [*three(topic, (0, 50), (0, 50)), PartitionRange("gone", 0, 0, 9)]
    with pytest.raises(DataLossError, match=r"gone\[0\] was deleted"):
        by_partition(planned, settings(cluster))
    with caplog.at_level(logging.WARNING):
        found = by_partition(planned, settings(cluster, fail_on_data_loss=False))
    assert found == {0: list(range(50)), 1: list(range(50))}
    assert "gone[0] was deleted, or its topic created again" in caplog.text


def test_a_corrupt_batch_in_one_range_names_it(cluster: Cluster, home: Path, topic: str) -> None:
    (log,) = (home / f"{topic}-1").glob("*.log")
    data = bytearray(log.read_bytes())
    data[-1] ^= 1
    log.write_bytes(data)
    with pytest.raises(CorruptRecordError, match=r"several-.*\[1\]") as corrupt:
        by_partition(three(topic, (0, 50), (0, 50), (0, 50)), settings(cluster))
    assert corrupt.value.partition == TopicPartition(topic, 1)
