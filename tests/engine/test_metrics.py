"""``metrics()`` of a consumer at work: what it read, committed, heard and sent is counted, once."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from itertools import islice

import pytest

from kafka_nextgen import (
    CommitFailedError,
    Consumer,
    RebalanceConsumer,
    RebalanceListener,
    TopicPartition,
    UnsupportedAssignorError,
)
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.wire.apis import FETCH
from tests.engine.stage import ONE_ATTEMPT, TOPIC, Stage, poll_for, poll_until, read, tp
from tests.support.kafka_properties import refusing_address
from tests.support.waiting import GUARD_S


def test_reading_is_counted_by_what_was_handed_over(stage: Stage) -> None:
    stage.create(partitions=2, records=30)
    with stage.subscribed() as consumer:
        read(consumer, 45)
        poll_until(consumer, lambda: consumer.metrics().reading.records == 60)
        reading = consumer.metrics().reading
        assert reading.topics[TOPIC].records == reading.records == reading.fetched_records == 60
        assert reading.bytes == reading.topics[TOPIC].bytes == reading.fetched_bytes > 60
        assert reading.fetches >= 1
        assert reading.fetch_latency.avg_ms is not None
        assert reading.lag_max == 0
        one = reading.partitions[tp(1)]
        assert (one.position, one.lag, one.lead, one.buffered_records, one.is_paused) == (30, 0, 30, 0, False)


def test_what_waits_is_buffered_and_what_was_handed_over_in_part_counts_in_part(stage: Stage) -> None:
    stage.create(records=30)
    with stage.subscribed() as consumer:
        read(consumer, 10)
        reading = consumer.metrics().reading
        assert (reading.records, reading.partitions[tp()].buffered_records, reading.lag_max) == (10, 20, 20)
        assert reading.buffered_bytes > 0
        assert 0 < reading.bytes < reading.fetched_bytes
        consumer.pause([tp()])
        assert consumer.metrics().reading.partitions[tp()].is_paused


def test_iteration_counts_what_it_gave_out_and_another_thread_that_asks_moves_nothing(stage: Stage) -> None:
    stage.create(records=30)
    with stage.subscribed() as consumer, ThreadPoolExecutor(1) as another:
        list(islice(consumer, 7))
        assert another.submit(consumer.metrics).result().reading.records == 7
        assert consumer.lag() == {tp(): 23}
        consumer.commit()
        assert stage.committed() == {0: 7}
        list(islice(consumer, 3))
        assert consumer.metrics().reading.records == 10


def test_commits_and_their_failures_are_counted(stage: Stage) -> None:
    with stage.after_reading(10, **ONE_ATTEMPT) as consumer:
        consumer.commit()
        assert (consumer.metrics().commits.commits, consumer.metrics().commits.failed) == (1, 0)
        with pytest.raises(CommitFailedError):
            consumer.commit({TopicPartition("nowhere", 0): 1}, timeout=GUARD_S)
        commits = consumer.metrics().commits
        assert (commits.commits, commits.failed) == (2, 1)
        assert commits.latency.total_ms > 0


class Slow(RebalanceListener):
    def __init__(self) -> None:
        self.was_called = threading.Event()

    def on_partitions_assigned(self, consumer: RebalanceConsumer, partitions: object) -> None:
        self.was_called.wait(0.02)


def test_the_group_is_counted_and_how_long_rebalances_took(stage: Stage) -> None:
    stage.create(partitions=3, records=3)
    with stage.consumer() as consumer:
        assert consumer.metrics().group.member_epoch == -1
        consumer.subscribe([TOPIC], Slow())
        poll_until(consumer, lambda: consumer.metrics().group.rebalances == 1)
        group = consumer.metrics().group
        assert group.assigned_partitions == 3
        assert group.member_epoch == consumer.group_metadata().member_epoch
        assert group.heartbeats >= 2
        assert group.failed_heartbeats == 0
        assert group.heartbeat_latency.max_ms is not None
        assert group.since_heartbeat_s is not None
        assert group.since_rebalance_s is not None
        assert group.rebalances_by_cause["joined"] == 1
        assert group.rebalance_latency.total_ms == pytest.approx(consumer.rebalances()[0].duration_ms)
        stage.fence(consumer)
        poll_until(consumer, lambda: consumer.metrics().group.rebalances_by_cause["fenced"] == 1)
        assert consumer.metrics().group.failed_heartbeats >= 1


def test_polls_are_counted_with_the_time_between_them_and_in_callbacks(stage: Stage) -> None:
    stage.create()
    with stage.consumer() as consumer:
        assert consumer.metrics().polling.since_poll_s is None
        consumer.subscribe([TOPIC], Slow())
        poll_until(consumer, lambda: consumer.metrics().polling.callbacks.max_ms is not None)
        consumer.poll(timeout=0.01)
        polling = consumer.metrics().polling
        assert polling.polls > 1
        assert polling.callbacks.total_ms >= 15
        assert polling.between.total_ms >= 15
        assert polling.since_poll_s is not None
        assert polling.idle_ratio is not None
        assert 0 < polling.idle_ratio <= 1


def test_a_refused_member_is_a_failed_rebalance(stage: Stage) -> None:
    stage.create()
    with stage.subscribed(group_remote_assignor="nonsense") as consumer:
        with pytest.raises(UnsupportedAssignorError):
            poll_for(consumer)
        assert consumer.metrics().group.failed_rebalances == 1


def test_connections_are_counted_and_open_ones_are_those_not_closed(stage: Stage) -> None:
    consumer = stage.after_reading(10)
    at_work = consumer.metrics().connections
    assert at_work.open == at_work.opened >= 1
    assert at_work.requests >= at_work.answers > 3
    assert at_work.bytes_in > 100 < at_work.bytes_out
    assert at_work.request_latency.avg_ms is not None
    consumer.close()
    after = consumer.metrics().connections  # an exporter still gets the last numbers
    assert (after.open, after.lost, after.closed) == (0, 0, after.opened)


def test_a_broker_that_is_not_there_is_a_failure_to_connect() -> None:
    with refusing_address() as nobody, Consumer(bootstrap_servers=nobody, group_id="billing") as consumer:
        consumer.subscribe([TOPIC])
        poll_until(consumer, lambda: consumer.metrics().connections.failed >= 1)


def test_failed_fetches_are_counted(stage: Stage) -> None:
    failures = iter([ErrorCode.KAFKA_STORAGE_ERROR])
    stage.change(FETCH, lambda answer: answer.replaced(error_code=next(failures, ErrorCode.NONE)))
    with stage.after_reading(10) as consumer:
        assert consumer.metrics().reading.failed_fetches == 1
