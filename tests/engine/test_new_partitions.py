"""Where reading begins in partitions that a topic got after the group had committed others of it (KIP-1327)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import pytest

from kafka_nextgen import Consumer
from kafka_nextgen.config import ConsumerConfig
from kafka_nextgen.engine.offsets.group_offsets import Found
from kafka_nextgen.engine.reading.position_queries import PositionQueries
from kafka_nextgen.fetching import NeedCommittedOffset
from kafka_nextgen.requests.cluster_image import ClusterImage, PartitionInfo, TopicInfo
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition
from tests.engine.stage import GROUP, TOPIC, Stage, poll_until, read, tp, values
from tests.testing.broker.client import Client
from tests.verification.worlds.topics import grow_topic

KEY = "auto_offset_reset_new_partitions"
WAYS = ["by hand", "consumer", "classic"]


def start(stage: Stage, way: str = "by hand", **more: object) -> Consumer:
    """A reader of all three partitions: by hand, or the only member of its group."""
    protocol = {} if way == "by hand" else {"group_protocol": way}
    consumer = stage.consumer(**protocol, **more)
    if way == "by hand":
        consumer.assign([tp(0), tp(1), tp(2)])
    else:
        consumer.subscribe([TOPIC])
    return consumer


def grow(stage: Stage) -> None:
    """From one partition to three, with ten records in each of the new ones."""
    with Client(stage.cluster.bootstrap_servers) as client:
        grow_topic(client, TOPIC, 3)
    stage.write(1, 10)
    stage.write(2, 10)


@pytest.fixture
def grown(stage: Stage) -> Stage:
    """The group has read the ten records of a topic of one partition, which has three by now."""
    stage.create(records=10)
    with stage.consumer() as consumer:
        consumer.commit({tp(): 10})
    grow(stage)
    return stage


def told(caplog: pytest.LogCaptureFixture) -> list[str]:
    return sorted(record.message for record in caplog.records if record.levelno == logging.WARNING)


def reads_on(stage: Stage, consumer: Consumer) -> list[tuple[int, int]]:
    """Where it stands in the new partitions: what it reads of a record that follows, once it has found its place."""
    poll_until(consumer, lambda: {tp(1), tp(2)} <= consumer.assignment())
    assert (consumer.position(tp(1)), consumer.position(tp(2))) == (10, 10)
    stage.write(1, 1)
    stage.write(2, 1)
    return sorted((record.partition, record.offset) for record in read(consumer, 2))


@pytest.mark.parametrize("way", WAYS)
def test_earliest_reads_all_that_new_partitions_have(grown: Stage, way: str, caplog: pytest.LogCaptureFixture) -> None:
    with start(grown, way, auto_offset_reset="latest", **{KEY: "earliest"}) as consumer:
        records = read(consumer, 20)
    assert sorted((record.partition, record.offset) for record in records) == [
        (partition, offset) for partition in (1, 2) for offset in range(10)
    ]
    assert told(caplog) == []


@pytest.mark.parametrize("way", WAYS)
def test_latest_skips_what_they_have_and_says_how_much(
    grown: Stage, way: str, caplog: pytest.LogCaptureFixture
) -> None:
    with start(grown, way, auto_offset_reset="latest") as consumer:
        assert reads_on(grown, consumer) == [(1, 10), (2, 10)]
        if way == "by hand":
            consumer.assign([tp(2)])
            consumer.assign([tp(1), tp(2)])
            assert (consumer.position(tp(1)), consumer.position(tp(2))) == (11, 11), "each is told of once"
    first, second = told(caplog)[:2]
    assert first.startswith(f"group {GROUP}: {TOPIC}[1] is new: ")
    assert second.startswith(f"group {GROUP}: {TOPIC}[2] is new: ")
    assert "at its end, offset 10, and skips the 10 records before it" in first
    assert "Set auto.offset.reset.new.partitions to earliest" in first
    assert len(told(caplog)) == 2


def test_latest_that_was_asked_for_needs_no_warning(grown: Stage, caplog: pytest.LogCaptureFixture) -> None:
    with start(grown, auto_offset_reset="latest", **{KEY: "latest"}) as consumer:
        assert reads_on(grown, consumer) == [(1, 10), (2, 10)]
    assert told(caplog) == []


def test_a_group_without_any_commit_follows_auto_offset_reset(stage: Stage, caplog: pytest.LogCaptureFixture) -> None:
    stage.create(partitions=3, records=10)
    with start(stage, auto_offset_reset="latest", **{KEY: "earliest"}) as consumer:
        assert reads_on(stage, consumer) == [(1, 10), (2, 10)]
    with start(stage, auto_offset_reset="latest") as consumer:
        assert (consumer.position(tp(1)), consumer.position(tp(2))) == (11, 11)
    assert told(caplog) == []


def test_commits_of_another_topic_make_nothing_new(grown: Stage) -> None:
    grown.cluster.create_topic("payments")
    with grown.consumer(auto_offset_reset="none", **{KEY: "earliest"}) as consumer:
        consumer.assign([tp(1)])
        assert consumer.position(tp(1)) == 0


def test_a_reader_of_one_new_partition_looks_at_those_that_others_read(grown: Stage) -> None:
    with grown.consumer(auto_offset_reset="none", **{KEY: "earliest"}) as consumer:
        consumer.assign([tp(2)])
        assert values(read(consumer, 10)) == list(range(10))


# ---- what can't be told just now


class Offsets:
    """Tells of the commits of these partitions, and of no other partition."""

    def __init__(self, found: Found) -> None:
        self.found = found

    async def committed(self, partitions: Collection[TopicPartition], timeout_s: float) -> Found:
        return {tp: self.found[tp] for tp in partitions if tp in self.found}


class Metadata:
    """A cluster client that has not heard of the topic before it asks."""

    def __init__(self) -> None:
        self.metadata = ClusterImage()

    async def refresh_metadata(self, topics: Collection[str]) -> None:
        partitions = {number: PartitionInfo(leader=1) for number in range(3)}
        self.metadata = ClusterImage(topics_by_name={TOPIC: TopicInfo(TOPIC, None, partitions=partitions)})


def look_up(found: Found) -> tuple[Found, frozenset[TopicPartition]]:
    """What becomes of a look-up of partition 2 if the coordinator tells this."""
    config = ConsumerConfig.parse(bootstrap_servers="localhost:9092", group_id=GROUP)
    cluster: Any = Metadata()
    offsets: Any = Offsets(found)
    told: list[tuple[Found, frozenset[TopicPartition]]] = []
    results = SimpleNamespace(committed_found=lambda need, offsets, now, new: told.append((offsets, new)))
    fetches: Any = nullcontext(SimpleNamespace(results=results))
    asyncio.run(PositionQueries(config, cluster, offsets, fetches).ask(NeedCommittedOffset({tp(2): 1})))
    return told[0]


def test_a_topic_that_metadata_lacks_is_looked_up_for_its_other_partitions() -> None:
    assert look_up({tp(0): OffsetAndMetadata(10), tp(1): None, tp(2): None}) == ({tp(2): None}, {tp(2)})
    assert look_up({tp(0): None, tp(1): None, tp(2): None}) == ({tp(2): None}, frozenset())


def test_a_partition_is_asked_for_again_if_it_may_be_new_and_that_cannot_be_told() -> None:
    assert look_up({tp(0): None, tp(2): None}) == ({}, frozenset())


def test_one_commit_tells_that_it_is_new_whatever_is_unknown_beside_it() -> None:
    assert look_up({tp(0): OffsetAndMetadata(10), tp(2): None}) == ({tp(2): None}, {tp(2)})
