"""What a script does to a group of a three-node cluster, and what its history answers."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
from kafka import KafkaProducer

from kafka_nextgen import (
    CommitFailedError,
    Consumer,
    EventLog,
    GroupAdmin,
    RebalanceConsumer,
    RebalanceListener,
    TopicPartition,
)
from kafka_nextgen.history.events import EventKind
from kafka_nextgen.testing import Cluster
from tests.collecting.members import Kept, Member, shared
from tests.support.waiting import eventually

GROUP, TOPIC, PARTITIONS = "billing", "orders", 6
SETTINGS = {
    "group.consumer.min.heartbeat.interval.ms": "50",
    "group.consumer.heartbeat.interval.ms": "50",
    "group.consumer.min.session.timeout.ms": "500",
    "group.consumer.session.timeout.ms": "1000",
}
SLOW_S = 1.5


class SlowToGiveUp(RebalanceListener):
    def on_partitions_revoked(self, consumer: RebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
        time.sleep(SLOW_S)


class Script:
    """Does things to the group, and asks its history."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.told = Kept()

    def member(self, name: str, listener: RebalanceListener | None = None, **more: object) -> Member:
        config = {
            "bootstrap_servers": self.cluster.bootstrap_servers,
            "group_id": GROUP,
            "client_id": name,
            "enable_auto_commit": False,
            "auto_offset_reset": "earliest",
            **more,
        }
        return Member(config, TOPIC, EventLog(self.told), listener)

    def produce(self, count: int) -> None:
        """Write records to partition 0."""
        producer = KafkaProducer(bootstrap_servers=self.cluster.bootstrap_servers)
        for _ in range(count):
            producer.send(TOPIC, b"order", partition=0)
        producer.close()

    def facts(self, name: str) -> list[Any]:
        return self.told.facts(GROUP, name)

    def member_fact(self, client: str) -> Any:
        (fact,) = [each for each in self.facts("members") if each.client == client]
        return fact

    def rebalances(self, count: int) -> list[Any]:
        """The first of the group, once they are over."""
        found: list[Any] = []

        def are_over() -> bool:
            found[:] = self.facts("rebalances")[:count]
            return len(found) == count and all(each.ended is not None for each in found)

        eventually(f"{count} rebalances are over", are_over)
        return found

    def told_until(self, what: str, is_told: Callable[[], bool]) -> None:
        eventually(f"{what}; {self.told.events[-5:]}", is_told)


@pytest.fixture
def script() -> Iterator[Script]:
    told: list[Script] = []
    with Cluster(3, SETTINGS, history=lambda event: told[0].told.write(event)) as cluster:
        told.append(Script(cluster))
        cluster.create_topic(TOPIC, PARTITIONS)
        yield told[0]


def test_a_rebalance_is_held_up_by_the_member_with_the_slow_callback(script: Script) -> None:
    with script.member("slow", SlowToGiveUp()) as slow:
        shared(PARTITIONS, slow)
        with script.member("joiner") as joiner:
            shared(PARTITIONS, slow, joiner)
            last = script.rebalances(2)[-1]
            assert (last.by, last.holder, last.held_by) == (joiner.id, slow.id, "callback")
            assert (last.moved, last.needless) == (3, 0)
            assert last.ended - last.began >= SLOW_S * 1000
            stood = [each for each in script.facts("standstills") if each.epoch == last.epoch]
            assert [(each.former, each.member) for each in stood] == [(slow.id, joiner.id)] * 3
            assert all(each.ms >= SLOW_S * 1000 for each in stood)
    assert script.member_fact("slow").callback_ms >= SLOW_S * 1000
    assert script.member_fact("joiner").callback_ms == 0, "it has no listener"


def test_a_rebalance_is_held_up_by_the_member_that_does_not_poll(script: Script) -> None:
    with script.member("busy") as busy:
        shared(PARTITIONS, busy)
        busy.busy(SLOW_S + 1)
        with script.member("joiner") as joiner:
            shared(PARTITIONS, busy, joiner)
            last = script.rebalances(2)[-1]
            assert (last.by, last.holder, last.held_by) == (joiner.id, busy.id, "processing")
    assert script.member_fact("busy").longest_poll_gap_ms >= SLOW_S * 1000
    assert script.member_fact("joiner").longest_poll_gap_ms == 0


def test_a_member_that_dies_was_put_out_and_its_partitions_stood_still(script: Script) -> None:
    with script.member("staying") as staying:
        shared(PARTITIONS, staying)
        dying = script.member("dying")
        shared(PARTITIONS, staying, dying)
        with pytest.warns(ResourceWarning, match="without close"):
            dying.die()
        shared(PARTITIONS, staying)
        script.told_until("all have an owner", lambda: {each.member for each in script.facts("owners")} == {staying.id})
        dead = script.member_fact("dying")
        assert (dead.fenced, dead.left) == (1, 0)
        stood = [each for each in script.facts("standstills") if each.former == dying.id]
        assert [(each.member, each.cause) for each in stood] == [(staying.id, "member expired")] * 3
    assert script.facts("overlaps") == []


def test_a_member_that_an_administrator_takes_out_loses_all_and_comes_back(script: Script) -> None:
    with script.member("first", group_instance_id="one") as member:
        shared(PARTITIONS, member)
        with GroupAdmin(bootstrap_servers=script.cluster.bootstrap_servers) as admin:
            (removed,) = admin.remove_members(GROUP, ["one"], reason="maintenance")
        assert removed.error is None
        script.told_until("it is back", lambda: bool(script.member_fact("first").joined == 2))
        script.told_until("it has all", lambda: {each.member for each in script.facts("owners")} == {member.id})
    fact = script.member_fact("first")
    assert (fact.joined, fact.left, fact.fenced) == (2, 1, 1)
    causes = [event.cause for event in script.told.events if event.kind is EventKind.FENCED]
    assert sorted(map(str, causes)) == ["admin", "fenced"], "as the coordinator and the member see it"


def test_a_fail_over_in_the_middle_changes_no_answer(script: Script) -> None:
    with script.member("one") as one, script.member("two") as two:
        shared(PARTITIONS, one, two)
        node = script.cluster.coordinator_of(GROUP)
        assert node is not None
        script.cluster.move_coordinator(GROUP, node % 3 + 1)
        with script.member("three") as three:
            shared(PARTITIONS, one, two, three)
            assert script.cluster.coordinator_of(GROUP) != node
    causes = [each.cause for each in script.facts("rebalances")]
    assert causes[:3] == ["member joined"] * 3
    assert script.facts("overlaps") == []
    members = {(each.client, each.joined, each.left, each.fenced) for each in script.facts("members")}
    assert members == {(name, 1, 1, 0) for name in ("one", "two", "three")}


def test_what_was_read_behind_the_last_commit_was_done_twice(script: Script) -> None:
    with script.member("late", max_poll_interval_ms=700) as late:
        shared(PARTITIONS, late)
        script.produce(5)
        eventually("it has read all", lambda: late.records == 5)
        late.do(lambda consumer: consumer.commit({TopicPartition(TOPIC, 0): 2}))
        late.busy(1.2)
        script.told_until("it was out", lambda: bool(script.facts("repeats")))
        eventually("it is back, and reads again", lambda: late.owned == PARTITIONS and late.records >= 8)
    (repeat,) = script.facts("repeats")
    told = (repeat.topic, repeat.partition, repeat.member, repeat.offset, repeat.end, repeat.cause)
    assert told == (TOPIC, 0, late.id, 2, 5, "poll timeout")
    assert late.records == 8, "three came twice, as the history says"
    assert [event.cause for event in script.told.events if event.kind is EventKind.FENCED] == ["poll timeout"]
    fact = script.member_fact("late")
    assert fact.poll_timeouts == 1
    assert fact.longest_poll_gap_ms >= 1_000


def test_errors_of_a_member_are_told(script: Script) -> None:
    def commit_elsewhere(consumer: Consumer) -> None:
        with pytest.raises(CommitFailedError):
            consumer.commit({TopicPartition("nowhere", 0): 1}, timeout=0.5)

    with script.member("wrong") as member:
        shared(PARTITIONS, member)
        member.do(commit_elsewhere)
    (error,) = [event for event in script.told.events if event.kind is EventKind.ERROR]
    assert (error.cause, error.member) == ("CommitFailedError", member.id)
    assert error.reason is not None
    assert "nowhere" in error.reason
    assert script.member_fact("wrong").errors == 1
