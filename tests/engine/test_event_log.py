"""What a consumer writes of itself into its group's history."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from kafka_nextgen import (
    Consumer,
    EventLog,
    Hooks,
    MemberName,
    RebalanceCause,
    RebalanceConsumer,
    RebalanceListener,
    TopicPartition,
)
from kafka_nextgen.engine.observability.counters import PollCounters
from kafka_nextgen.engine.observability.hooks import HookList
from kafka_nextgen.history.analysis import analyze
from kafka_nextgen.history.events import EventKind
from kafka_nextgen.history.facts import Holdup, Owner
from kafka_nextgen.history.log_reader import Problems, read_log
from kafka_nextgen.testing import Cluster
from tests.collecting.members import Kept
from tests.engine.injected_callbacks import PROTOCOLS, throw_out
from tests.engine.stage import GROUP, TOPIC, Stage, poll_until, read, tp


class Slow(RebalanceListener):
    """Takes its time, and raises once."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    def on_partitions_revoked(self, consumer: RebalanceConsumer, partitions: object) -> None:
        self._cluster.advance(seconds=2)
        raise ZeroDivisionError("revoked")


@pytest.fixture
def kept() -> Kept:
    return Kept()


@pytest.mark.parametrize("protocol", ["consumer", "classic"])
def test_a_members_life_from_join_to_leave(stage: Stage, kept: Kept, protocol: str) -> None:
    stage.create(partitions=2)
    stage.write(0, 5)
    before_ms = time.time() * 1000
    with stage.subscribed(hooks=[EventLog(kept)], group_protocol=protocol) as consumer:
        read(consumer, 5)
        consumer.commit()
        member_id = consumer.group_metadata().member_id
    assert kept.is_closed
    lasting = [event for event in kept.events if event.kind is not EventKind.COMMITTED]
    assert [event.kind.value for event in lasting] == ["joined", "assigned", "revoked", "left"]
    assert {(event.group, event.member, event.protocol) for event in lasting} == {(GROUP, member_id, protocol)}
    assert all(event.cluster and before_ms - 1 <= event.at <= time.time() * 1000 + 1 for event in kept.events)
    assert [event.seq for event in kept.events] == list(range(1, len(kept.events) + 1))
    assert {(event.topic, event.partitions, event.offset) for event in kept.of(EventKind.COMMITTED)} >= {
        (TOPIC, (0,), 5)
    }
    assert [event.partitions for event in kept.of(EventKind.ASSIGNED, EventKind.REVOKED)] == [(0, 1), (0, 1)]


def test_callbacks_errors_and_late_polls(timed: Stage, kept: Kept) -> None:
    timed.create(partitions=1)
    timed.write(0, 1)
    with timed.subscribed(Slow(timed.cluster), hooks=[EventLog(kept)]) as consumer, ThreadPoolExecutor(1) as thread:
        read(consumer, 1)
        polling = thread.submit(lambda: (consumer.poll(3), consumer.poll(0)))  # a poll that takes long is no gap
        while not polling.done():
            timed.cluster.advance(seconds=1)
        assert kept.of(EventKind.POLL_GAP) == []
        timed.cluster.advance(seconds=2)
        consumer.poll(0)
        with pytest.raises(ZeroDivisionError):
            consumer.unsubscribe()
    (gap,) = kept.of(EventKind.POLL_GAP)
    assert gap.ms is not None
    assert gap.ms >= 2_000
    callbacks = [(event.cause, event.reason) for event in kept.of(EventKind.CALLBACK)]
    assert callbacks == [("assigned", None), ("revoked", "ZeroDivisionError: revoked")]
    errors = [(event.cause, event.reason) for event in kept.of(EventKind.ERROR)]
    assert errors == [("ZeroDivisionError", "revoked")], "each is told once"
    revoked = kept.of(EventKind.REVOKED)[0]
    assert revoked.ms is not None
    assert revoked.ms >= 2_000, "it was not read while the callback ran"
    ended_at = kept.of(EventKind.CALLBACK)[-1].at
    assert revoked.at > ended_at - 25, "it is given up when the callback has returned"


def test_a_callback_ends_when_it_returns_and_not_when_the_member_knows() -> None:
    polls = PollCounters(HookList())
    polls.begin_callback()
    polls.note_callback_end()
    returned = time.monotonic()
    while time.monotonic() == returned:
        pass
    polls.note_callback_end()  # the member is told again
    began, ended = polls.end_callback()
    assert began <= ended <= returned
    polls.begin_callback()
    assert polls.end_callback()[1] > returned


def test_the_callback_of_a_commit_is_no_rebalance_callback(stage: Stage, kept: Kept) -> None:
    called: list[object] = []
    stage.create(records=1)
    with stage.subscribed(hooks=[EventLog(kept)]) as consumer:
        read(consumer, 1)
        consumer.commit_async(callback=lambda offsets, error: called.append(error))
        poll_until(consumer, lambda: bool(called))
    assert called == [None]
    assert kept.of(EventKind.CALLBACK) == []


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_rebalance_names_the_member_that_was_fenced(stage: Stage, protocol: str) -> None:
    def is_fenced() -> bool:
        return any(each.cause is RebalanceCause.FENCED for each in consumer.rebalances())

    stage.create(partitions=1)
    with stage.subscribed(client_id="c", **PROTOCOLS[protocol]) as consumer:
        poll_until(consumer, lambda: bool(consumer.rebalances()))
        member_id = consumer.group_metadata().member_id
        throw_out(stage, consumer)
        poll_until(consumer, is_fenced)
        (fenced,) = [each for each in consumer.rebalances() if each.cause is RebalanceCause.FENCED]
    name = fenced.member
    assert (name.group_id, name.protocol, name.member_id, name.client_id) == (GROUP, protocol, member_id, "c")


def test_what_was_read_and_not_committed_when_a_member_is_fenced(stage: Stage, kept: Kept) -> None:
    stage.create(partitions=1)
    stage.write(0, 7)
    with stage.subscribed(hooks=[EventLog(kept)], enable_auto_commit=False) as consumer:
        read(consumer, 7)
        consumer.commit({tp(0): 2})
        stage.fence(consumer)
        poll_until(consumer, lambda: bool(kept.of(EventKind.LOST)))
    (lost,) = kept.of(EventKind.LOST)
    assert (lost.topic, lost.partitions, lost.offset, lost.cause) == (TOPIC, (0,), 7, "fenced")
    assert [event.cause for event in kept.of(EventKind.FENCED)] == ["fenced"]
    (repeat,) = analyze(kept.events).facts["repeats"]
    assert getattr(repeat, "offset", None) == 2


def test_a_consumer_tells_when_its_cluster_is_known(stage: Stage) -> None:
    clusters: list[str] = []

    class Hears(Hooks):
        def attached(self, name: Callable[[], MemberName]) -> None:
            self.name = name

        def reached(self) -> None:
            clusters.append(self.name().cluster_id)

    stage.create()
    with stage.subscribed(hooks=[Hears()]) as consumer:
        poll_until(consumer, lambda: bool(clusters))
        consumer.hooks.add(Hears())  # when it has been known for long
        assert clusters == 2 * [consumer._core.engine.name().cluster_id]
        assert clusters[0]


def test_one_line_of_configuration_keeps_a_log(stage: Stage, tmp_path: Path) -> None:
    stage.create(partitions=1)
    stage.write(0, 1)
    with stage.subscribed(client_id="bill/ing", history_log_dir=str(tmp_path)) as consumer:
        read(consumer, 1)
    (log,) = tmp_path.iterdir()
    assert log.name.startswith("bill_ing-")
    problems = Problems()
    events = list(read_log([tmp_path], problems))
    assert not problems
    assert {event.source.split("/")[0] for event in events} == {"consumer:bill"}
    facts = analyze(events).facts
    assert [(each.partition, each.member) for each in facts["owners"] if isinstance(each, Owner)] == [(0, None)]
    assert any(isinstance(each, Holdup) for each in facts["holdups"])


def test_a_consumer_without_a_group_keeps_none(stage: Stage, tmp_path: Path) -> None:
    stage.create(partitions=1)
    settings = stage.config(group_id=None, enable_auto_commit=False, history_log_dir=str(tmp_path))
    with Consumer(settings) as consumer:
        consumer.assign([TopicPartition(TOPIC, 0)])
        consumer.poll(0.1)
        assert not [each for each in threading.enumerate() if str(tmp_path) in each.name], "nor a thread for it"
    assert list(tmp_path.iterdir()) == []
