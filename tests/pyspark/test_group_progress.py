"""The group of ``groupId`` shows the progress of a streaming query: where the checkpoint is, never ahead of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import confluent_kafka
import pytest

from tests.pyspark.checkpoints import batches_done, ends_of_batches
from tests.pyspark.failures import failure_of
from tests.pyspark.sources import OURS, Kept, Sources, run_to_the_end
from tests.pyspark.topics import write
from tests.support.clients import admin_client, create_topic, members_of, stored_offsets, unique
from tests.support.kafka_server import KafkaServer
from tests.support.waiting import GUARD_S, eventually

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

PARTITIONS = 2


@pytest.fixture
def topic(newest_kafka: KafkaServer) -> str:
    """A topic of ten records in each of two partitions."""
    topic = create_topic(newest_kafka.bootstrap_servers, "progress", PARTITIONS)
    add_records(newest_kafka.bootstrap_servers, topic)
    return topic


@pytest.fixture
def group() -> str:
    return unique("spark")


@pytest.fixture
def member(newest_kafka: KafkaServer, topic: str, group: str) -> Iterator[confluent_kafka.Consumer]:
    """A live member of the group, of another application."""
    consumer = confluent_kafka.Consumer(
        {
            "bootstrap.servers": newest_kafka.bootstrap_servers,
            "group.id": group,
            "group.protocol": "consumer",
            "enable.auto.commit": False,
        }
    )
    consumer.subscribe([topic])
    consumer.poll(0)
    eventually("it is a member", lambda: bool(members_of(newest_kafka.bootstrap_servers, group)))
    yield consumer
    consumer.close()


def add_records(servers: str, topic: str, count: int = 10) -> None:
    for partition in range(PARTITIONS):
        write(servers, topic, [b"%d" % number for number in range(count)], partition)


def commit(servers: str, group: str, topic: str, offsets: dict[int, int]) -> None:
    places = [confluent_kafka.TopicPartition(topic, partition, offset) for partition, offset in offsets.items()]
    asked = confluent_kafka.ConsumerGroupTopicPartitions(group, places)
    admin = admin_client(servers)
    admin.alter_consumer_group_offsets([asked])[group].result(timeout=GUARD_S)


def end_of(checkpoint: Path, topic: str) -> dict[int, int]:
    return {int(partition): offset for partition, offset in ends_of_batches(checkpoint)[-1][topic].items()}


def wait_for_group(servers: str, group: str, offsets: dict[int, int], query: Kept) -> None:
    eventually(f"the group is at {offsets}", lambda: query.goes_on() and stored_offsets(servers, group) == offsets)


@pytest.mark.oldest_spark
def test_after_a_run_the_group_is_where_the_checkpoint_is(
    sources: Sources, topic: str, group: str, tmp_path: Path
) -> None:
    checkpoint = tmp_path / "checkpoint"
    options = {"subscribe": topic, "groupId": group, "startingOffsets": "earliest", "maxOffsetsPerTrigger": 6}
    for end in (10, 13):
        sources.run(OURS, checkpoint, tmp_path / "rows", **options)
        assert stored_offsets(sources.bootstrap_servers, group) == end_of(checkpoint, topic) == {0: end, 1: end}
        add_records(sources.bootstrap_servers, topic, 3)


def test_an_idle_query_has_shown_its_last_batch(sources: Sources, topic: str, group: str, tmp_path: Path) -> None:
    checkpoint, servers = tmp_path / "checkpoint", sources.bootstrap_servers
    options = {"subscribe": topic, "groupId": group, "startingOffsets": "earliest"}
    query = Kept(lambda: sources.start(OURS, checkpoint, tmp_path / "rows", available_now=False, **options))
    for end in (10, 12):
        wait_for_group(servers, group, {0: end, 1: end}, query)
        assert end_of(checkpoint, topic) == {0: end, 1: end}
        assert len(batches_done(checkpoint)) == len(ends_of_batches(checkpoint))
        add_records(servers, topic, 2)
    query.stop()


def test_during_a_batch_the_group_is_where_the_one_before_ended(
    sources: Sources, topic: str, group: str, tmp_path: Path
) -> None:
    seen: list[dict[int, int]] = []

    def look(rows: DataFrame, number: int) -> None:
        seen.append(stored_offsets(sources.bootstrap_servers, group))

    checkpoint = tmp_path / "checkpoint"
    rows = sources.stream(OURS, subscribe=topic, groupId=group, startingOffsets="earliest", maxOffsetsPerTrigger=8)
    writer = rows.writeStream.foreachBatch(look).option("checkpointLocation", str(checkpoint))
    run_to_the_end(writer.trigger(availableNow=True).start)
    assert seen == [{0: 0, 1: 0}, {0: 4, 1: 4}, {0: 8, 1: 8}]


def test_a_query_starts_where_its_group_is(sources: Sources, topic: str, group: str, tmp_path: Path) -> None:
    commit(sources.bootstrap_servers, group, topic, {0: 7})
    options = {"subscribe": topic, "groupId": group, "startingOffsets": "group", "groupFallback": "earliest"}
    sources.run(OURS, tmp_path / "checkpoint", tmp_path / "rows", **options)
    read = sources.written(tmp_path / "rows").groupBy("partition").count().orderBy("partition").collect()
    assert [tuple(row) for row in read] == [(0, 3), (1, 10)]
    assert sources.batch(OURS, **options).count() == 0, "by now the group is at the end"


def test_a_checkpoint_counts_more_than_the_group(sources: Sources, topic: str, group: str, tmp_path: Path) -> None:
    options = {"subscribe": topic, "groupId": group, "startingOffsets": "group", "groupFallback": "earliest"}
    sources.run(OURS, tmp_path / "checkpoint", tmp_path / "rows", **options)
    commit(sources.bootstrap_servers, group, topic, {0: 2, 1: 2})
    sources.run(OURS, tmp_path / "checkpoint", tmp_path / "rows", **options)
    assert sources.written(tmp_path / "rows").count() == 20
    assert stored_offsets(sources.bootstrap_servers, group) == {0: 10, 1: 10}


@pytest.mark.usefixtures("member")
def test_a_group_that_is_in_use_refuses_the_query(sources: Sources, topic: str, group: str, tmp_path: Path) -> None:
    options = {"subscribe": topic, "groupId": group, "startingOffsets": "earliest"}
    failure = failure_of(lambda: sources.run(OURS, tmp_path / "checkpoint", tmp_path / "rows", **options))
    assert "GroupNotEmptyError" in failure
    assert f'group "{group}" is in use' in failure


def test_a_member_that_comes_later_does_not_end_the_query(
    request: pytest.FixtureRequest, sources: Sources, topic: str, group: str, tmp_path: Path
) -> None:
    options = {"subscribe": topic, "groupId": group, "startingOffsets": "earliest"}
    servers, checkpoint = sources.bootstrap_servers, tmp_path / "checkpoint"
    query = Kept(lambda: sources.start(OURS, checkpoint, tmp_path / "rows", available_now=False, **options))
    wait_for_group(servers, group, {0: 10, 1: 10}, query)
    member = request.getfixturevalue("member")
    add_records(servers, topic)
    eventually("the rows are read", lambda: query.goes_on() and end_of(checkpoint, topic) == {0: 20, 1: 20})
    assert stored_offsets(servers, group) == {0: 10, 1: 10}
    member.close()
    wait_for_group(servers, group, {0: 20, 1: 20}, query)
    query.stop()
