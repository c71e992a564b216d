"""``run`` in a group: side by side, every record once, over members that come and records that fail."""

from __future__ import annotations

import threading
from collections import defaultdict
from types import SimpleNamespace

import pytest

from kafka_nextgen import Consumer, MisuseError, RebalanceListener, Record, StopHandle, TopicPartition
from tests.processing.group import (
    COUNT,
    EVERYTHING,
    PARTITIONS,
    Diary,
    Member,
    filled_topic,
    member_config,
    progress,
)
from tests.support.clients import produce, unique
from tests.support.waiting import GUARD_S, eventually


@pytest.mark.parametrize("order", ["partition", "key"])
def test_a_member_that_joins_late_costs_no_record_and_repeats_none(
    servers: str, revocation: SimpleNamespace, order: str
) -> None:
    many, later = 4_000, 400
    topic, group, diary = filled_topic(servers, many), unique("late"), Diary()
    with Member(servers, group, topic, diary.note, order=order):
        diary.wait_for(100)
        with Member(servers, group, topic, diary.note, order=order) as second:
            eventually("the second has its share", lambda: bool(second.consumer.assignment()))
            assert revocation.ended.is_set()
            produce(servers, topic, later, partitions=PARTITIONS, first=many)
            diary.wait_for(many + later)
    assert set(diary.handled.values()) == {1}
    assert progress(servers, group) == dict.fromkeys(range(PARTITIONS), (many + later) // PARTITIONS)


@pytest.mark.parametrize(("order", "together"), [("partition", PARTITIONS), ("key", 8)])
def test_partitions_or_keys_are_worked_on_side_by_side(servers: str, orders: str, order: str, together: int) -> None:
    diary, meeting, came = Diary(), threading.Barrier(together), defaultdict[int, list[int]](list)

    def handle(record: Record) -> None:
        came[record.partition].append(record.offset)
        if record.offset == 0 if order == "partition" else (record.partition == 0 and record.offset < 8):
            meeting.wait(GUARD_S)  # passed only when all of them are here at once
        diary.note(record)

    with Member(servers, unique("meeting"), orders, handle, concurrency=together, order=order):
        diary.wait_for(COUNT)
    if order == "partition":
        assert dict(came) == {partition: list(range(COUNT // PARTITIONS)) for partition in range(PARTITIONS)}


def test_revocation_waits_for_the_record_that_is_being_worked_on(
    servers: str, orders: str, revocation: SimpleNamespace
) -> None:
    group, diary, second_diary = unique("revoke"), Diary(), Diary()
    begun, opened = threading.Semaphore(0), threading.Event()

    def hold_the_first(record: Record) -> None:
        if record.offset == 0:
            begun.release()
            assert opened.wait(GUARD_S)
        diary.note(record)

    with Member(servers, group, orders, hold_the_first):
        for _ in range(PARTITIONS):
            assert begun.acquire(timeout=GUARD_S)
        with Member(servers, group, orders, second_diary.note) as second:
            assert revocation.begun.wait(GUARD_S)
            assert not revocation.ended.is_set()
            assert second.consumer.assignment() == frozenset()
            opened.set()
            second_diary.wait_for(COUNT // 2 - 2)
            diary.wait_for(COUNT // 2)
    assert diary.handled + second_diary.handled == dict.fromkeys(range(COUNT), 1)
    assert not second_diary.handled.keys() & set(range(PARTITIONS))  # what was held was finished by the first


def test_without_dead_letters_an_error_ends_the_run_and_reading_goes_on_at_its_record(
    servers: str, orders: str
) -> None:
    group = unique("prefix")

    def handle(record: Record) -> None:
        if record.value == b"42":  # partition 2, offset 10
            raise ValueError("no such order")

    with Consumer(member_config(servers, group)) as consumer:
        with pytest.raises(ValueError, match="no such order"):
            consumer.run(handle, [orders])
        assert progress(servers, group)[2] == 10
        again: list[Record] = []
        while not again:
            again = [record for record in consumer.poll(GUARD_S) if record.partition == 2]
        assert again[0].offset == 10


def test_a_consumer_may_run_again_and_takes_the_subscription_there_is(servers: str, orders: str) -> None:
    diary, half = Diary(), StopHandle()

    def stop_in_between(record: Record) -> None:
        diary.note(record)
        if len(diary.handled) == COUNT // 2:
            half.stop()

    with Consumer(member_config(servers, unique("twice"))) as consumer:
        consumer.run(stop_in_between, [orders], stop=half)
        consumer.run(diary.note, stop=diary.stop)
    assert diary.handled == dict.fromkeys(range(COUNT), 1)


def test_partitions_assigned_by_hand_are_worked_on_without_joining(servers: str, orders: str) -> None:
    group, diary = unique("by-hand"), Diary(COUNT // 2)
    mine = [TopicPartition(orders, partition) for partition in (1, 2)]
    with Consumer(member_config(servers, group)) as consumer:
        consumer.assign(mine)
        consumer.run(diary.note, stop=diary.stop)
        assert (consumer.rebalances(), consumer.assignment()) == ((), set(mine))
    assert set(diary.handled.values()) == {1}
    assert progress(servers, group) == {number: EVERYTHING[number] for number in (1, 2)}


def test_run_says_what_it_lacks_or_would_silence(servers: str) -> None:
    partition = TopicPartition("orders", 0)
    with Consumer(member_config(servers, unique("refused"))) as consumer:
        with pytest.raises(MisuseError, match="nothing to read"):
            consumer.run(print)
        consumer.subscribe(["orders"], RebalanceListener())
        with pytest.raises(MisuseError, match="uses its own rebalance listener"):
            consumer.run(print)
    with Consumer(member_config(servers, unique("refused"))) as consumer:
        consumer.assign([partition])
        with pytest.raises(MisuseError, match="assigned manually"):
            consumer.run(print, ["orders"])
    with Consumer(member_config(servers, "", group_id=None)) as consumer:
        consumer.assign([partition])
        with pytest.raises(MisuseError, match=r"set group\.id"):
            consumer.run(print)
