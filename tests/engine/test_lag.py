"""Lag is what can be read, and one partition without a leader hides no other."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from kafka_nextgen import (
    BrokerError,
    Consumer,
    GroupAdmin,
    OffsetAndMetadata,
    PartitionResults,
    RequestTimeoutError,
    TopicPartition,
    UnknownTopicError,
)
from kafka_nextgen.config import ConsumerConfig
from kafka_nextgen.requests.cluster_image import LOOKS, ClusterImage, PartitionInfo, TopicInfo
from kafka_nextgen.requests.list_offsets import EARLIEST, LATEST, ListedOffset
from kafka_nextgen.testing import Clock, Cluster
from kafka_nextgen.transport.cluster_queries import ClusterQueries
from kafka_nextgen.transport.offset_lookup import Lookup, OffsetAndTimestamp
from kafka_nextgen.types import lag_of
from tests.engine.stage import GROUP, RECORDS_PER_BATCH, SETTINGS, TOPIC, Stage, tp
from tests.support.waiting import GUARD_S

Ask = Callable[[Consumer], PartitionResults[object]]


@pytest.fixture
def halved(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Stage, TopicPartition, TopicPartition]]:
    """Two nodes with a partition each, of ten records; the group has committed 4. One node is down, so its partition
    has no leader: the stage, the partition that is led, and that one.
    """
    with Cluster(brokers=2, config=SETTINGS) as cluster:
        yield _halve(Stage(cluster, monkeypatch))


def _halve(stage: Stage) -> tuple[Stage, TopicPartition, TopicPartition]:
    cluster = stage.cluster
    stage.create(partitions=2, records=10)
    with stage.consumer() as consumer:
        consumer.commit({tp(0): 4, tp(1): 4})
    kept = cluster.coordinator_of(GROUP)
    led, lost = sorted((tp(0), tp(1)), key=lambda tp: cluster.leader_of(*tp) != kept)
    cluster.stop_node(3 - (kept or 0))
    assert (cluster.leader_of(*led), cluster.leader_of(*lost)) == (kept, None)
    return stage, led, lost


@pytest.mark.parametrize(
    ("ask", "found"),
    [
        (lambda consumer: consumer.end_offsets([tp(0), tp(1)], GUARD_S), 10),
        (lambda consumer: consumer.group_lag([tp(0), tp(1)], GUARD_S), 6),
    ],
)
def test_the_others_are_told_and_the_bad_one_is_named_without_waiting_for_it(
    halved: tuple[Stage, TopicPartition, TopicPartition], ask: Ask, found: int
) -> None:
    """Else the error would be a RequestTimeoutError."""
    stage, led, lost = halved
    with stage.consumer() as consumer:
        results = ask(consumer)
    assert results == {led: found}
    assert list(results.failed) == [lost]
    with pytest.raises(BrokerError, match=r"it has no leader \(LEADER_NOT_AVAILABLE\)") as caught:
        results[lost]
    assert (caught.value.partition, caught.value.retriable) == (lost, True)
    with pytest.raises(BrokerError, match="it has no leader"):
        results.all()
    with pytest.raises(KeyError):
        results[TopicPartition("other", 0)]


def test_if_there_is_nothing_else_to_tell_it_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """In turned time, since a slow machine may not have found the cluster before a short timeout."""
    with Cluster(brokers=2, config=SETTINGS, clock=Clock()) as cluster, ThreadPoolExecutor() as pool:
        stage, _, lost = _halve(Stage(cluster, monkeypatch))
        with stage.consumer() as consumer:
            asked = pool.submit(consumer.end_offsets, [lost], 30)
            stage.cluster.advance(seconds=30)
            with pytest.raises(RequestTimeoutError, match="it has no known leader"):
                asked.result(GUARD_S)


def test_a_partition_without_a_leader_is_waited_for_where_all_are_needed() -> None:
    """As by Spark's planner, whose query could not begin without it."""
    patient, other = Lookup({tp(0): LATEST, tp(1): LATEST}, needs_all=True), Lookup({tp(0): LATEST, tp(1): LATEST})
    partitions = {0: PartitionInfo(leader=1), 1: PartitionInfo(leader=-1)}
    image = ClusterImage(topics_by_name={TOPIC: TopicInfo(TOPIC, None, partitions=partitions)})
    for lookup in (patient, other):
        lookup.read({tp(0): ListedOffset(10)})
        for _ in range(LOOKS):
            lookup.note_image(image)
    assert (list(patient.missing), list(other.failed)) == ([tp(1)], [tp(1)])


def test_one_that_gets_a_leader_meanwhile_is_asked_for() -> None:
    lookup = Lookup({tp(0): LATEST, tp(1): LATEST})
    lookup.read({tp(0): ListedOffset(10)})
    for leader in (-1, 1) * LOOKS:
        partitions = {1: PartitionInfo(leader=leader)}
        lookup.note_image(ClusterImage(topics_by_name={TOPIC: TopicInfo(TOPIC, None, partitions=partitions)}))
    assert list(lookup.missing) == [tp(1)]


def test_looks_in_vain_are_counted_anew_once_a_partition_was_found() -> None:
    lookup = Lookup({tp(1): LATEST})
    for partitions in ({}, {1: PartitionInfo(leader=1)}, *[dict[int, PartitionInfo]()] * (LOOKS - 1)):
        lookup.note_image(ClusterImage(topics_by_name={TOPIC: TopicInfo(TOPIC, None, partitions=partitions)}))
    assert list(lookup.missing) == [tp(1)], "one broker had not heard of it"


def test_a_partition_whose_beginning_alone_is_not_known_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    away = RequestTimeoutError("its leader went away")

    async def find(
        queries: object, timestamps: dict[TopicPartition, int], timeout_s: float
    ) -> PartitionResults[OffsetAndTimestamp]:
        failed = {tp(1): away} if EARLIEST in timestamps.values() else {}
        return PartitionResults({each: OffsetAndTimestamp(10) for each in timestamps if each not in failed}, failed)

    monkeypatch.setattr(ClusterQueries, "find_offsets", find)
    cluster: Any = None
    queries = ClusterQueries(cluster, ConsumerConfig.parse(bootstrap_servers="localhost:9092"))
    lag = asyncio.run(queries.lag(dict.fromkeys([tp(0), tp(1)], OffsetAndMetadata(4)), GUARD_S))
    assert (lag, lag.failed) == ({tp(0): 0}, {tp(1): away})


def test_what_is_not_there_is_an_error_still(halved: tuple[Stage, TopicPartition, TopicPartition]) -> None:
    stage, led, _ = halved
    with stage.consumer() as consumer, pytest.raises(UnknownTopicError, match=r"orders\[7\] has no offsets"):
        consumer.end_offsets([led, tp(7)])


def test_an_admin_names_it_at_once(halved: tuple[Stage, TopicPartition, TopicPartition]) -> None:
    stage, led, lost = halved
    with GroupAdmin(bootstrap_servers=stage.cluster.bootstrap_servers) as admin:
        offsets = admin.offsets(GROUP)
    assert (offsets[led].lag, offsets[led].error) == (6, None)
    assert (offsets[lost].lag, offsets[lost].committed is None) == (None, False)
    assert "LEADER_NOT_AVAILABLE" in str(offsets[lost].error)


def test_records_that_retention_deleted_are_no_lag(stage: Stage) -> None:
    stage.create(records=100)
    with stage.consumer() as consumer:
        consumer.commit({tp(): 10})
        stage.drop_batches(0)
        assert consumer.beginning_offsets([tp()]) == {tp(): 100 - RECORDS_PER_BATCH}
        assert consumer.group_lag([tp()]) == {tp(): RECORDS_PER_BATCH}
        with GroupAdmin(bootstrap_servers=stage.cluster.bootstrap_servers) as admin:
            found = admin.offsets(GROUP)[tp()]
    assert (found.start_offset, found.end_offset, found.lag) == (90, 100, 10)


@pytest.mark.parametrize(
    ("position", "start", "end", "lag"),
    [(4, 0, 10, 6), (4, None, 10, 6), (4, 9, 10, 1), (10, 0, 10, 0), (12, 0, 10, 0), (4, 10, 10, 0)],
)
def test_lag_is_what_can_be_read_and_never_negative(position: int, start: int | None, end: int, lag: int) -> None:
    assert lag_of(position, start, end) == lag
