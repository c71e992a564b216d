"""Lag is what can be read, and one partition without a leader hides no other."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator

import pytest

from kafka_nextgen import (
    AsyncConsumer,
    Consumer,
    GroupAdmin,
    PartitionResults,
    RequestTimeoutError,
    TopicPartition,
    UnknownTopicError,
)
from kafka_nextgen.testing import Cluster
from kafka_nextgen.types import lag_of
from tests.engine.stage import GROUP, RECORDS_PER_BATCH, SETTINGS, Stage, tp

#: Long enough for a leader that answers, since those that have none are waited for until then.
WAIT_S = 5.0

Ask = Callable[[Consumer], PartitionResults[object]]


@pytest.fixture
def halved(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Stage, TopicPartition, TopicPartition]]:
    """Two nodes with a partition each, of ten records; the group has committed 4. One node is down, so its partition
    has no leader: the stage, the partition that is led, and that one.
    """
    with Cluster(brokers=2, config=SETTINGS) as cluster:
        stage = Stage(cluster, monkeypatch)
        stage.create(partitions=2, records=10)
        with stage.consumer() as consumer:
            consumer.commit({tp(0): 4, tp(1): 4})
        kept = cluster.coordinator_of(GROUP)
        led, lost = sorted((tp(0), tp(1)), key=lambda tp: cluster.leader_of(*tp) != kept)
        cluster.stop_node(3 - (kept or 0))
        assert (cluster.leader_of(*led), cluster.leader_of(*lost)) == (kept, None)
        yield stage, led, lost


@pytest.mark.parametrize(
    ("ask", "found"),
    [
        (lambda consumer: consumer.end_offsets([tp(0), tp(1)], WAIT_S), 10),
        (lambda consumer: consumer.group_lag([tp(0), tp(1)], WAIT_S), 6),
    ],
)
def test_the_others_are_told_and_the_bad_one_is_named(
    halved: tuple[Stage, TopicPartition, TopicPartition], ask: Ask, found: int
) -> None:
    stage, led, lost = halved
    with stage.consumer() as consumer:
        results = ask(consumer)
    assert results == {led: found}
    assert list(results.failed) == [lost]
    with pytest.raises(RequestTimeoutError, match=rf"offsets of orders\[{lost.partition}\]: .*it has no leader"):
        results[lost]
    with pytest.raises(RequestTimeoutError, match="it has no leader"):
        results.all()
    with pytest.raises(KeyError):
        results[TopicPartition("other", 0)]


def test_an_async_consumer_tells_the_same(halved: tuple[Stage, TopicPartition, TopicPartition]) -> None:
    stage, led, lost = halved

    async def ask() -> PartitionResults[int | None]:
        async with AsyncConsumer(**stage.config()) as consumer:
            return await consumer.group_lag([tp(0), tp(1)], WAIT_S)

    lag = asyncio.run(ask())
    assert (lag, list(lag.failed)) == ({led: 6}, [lost])


def test_if_there_is_nothing_else_to_tell_it_is_an_error(halved: tuple[Stage, TopicPartition, TopicPartition]) -> None:
    stage, _, lost = halved
    with stage.consumer() as consumer, pytest.raises(RequestTimeoutError, match="it has no leader"):
        consumer.end_offsets([lost], 0.2)


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
