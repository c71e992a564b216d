"""``run`` in a group: side by side, every record once, over members that come and records that fail."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Iterator

import pytest

from kafka_nextgen import Consumer, MisuseError, RebalanceListener, Record, StopHandle, TopicPartition
from kafka_nextgen.testing import Cluster
from tests.processing.group import BROKER, PARTITIONS, PATIENCE_S, Diary, Member, fill, member_config
from tests.support.clients import stored_offsets, unique

COUNT = 400


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with Cluster(config=BROKER) as running:
        yield running


@pytest.fixture
def servers(cluster: Cluster) -> str:
    return cluster.bootstrap_servers


@pytest.fixture
def topic(cluster: Cluster, servers: str) -> str:
    """Return a topic of four partitions with records 0 to 399."""
    name = unique("orders")
    cluster.create_topic(name, PARTITIONS)
    return fill(servers, COUNT, name)


@pytest.mark.parametrize("order", ["partition", "key"])
def test_a_member_that_joins_late_costs_no_record_and_repeats_none(servers: str, topic: str, order: str) -> None:
    group, diary = unique("late"), Diary()
    many, later = 4_000, 400
    fill(servers, many, topic, first=COUNT)
    with Member(servers, group, topic, diary.note, order=order) as first:
        diary.wait_for(100)
        with Member(servers, group, topic, diary.note, order=order) as second:
            assert second.consumer.has_partitions.wait(PATIENCE_S)
            assert first.consumer.has_revoked.is_set()
            fill(servers, later, topic, first=COUNT + many)
            diary.wait_for(COUNT + many + later)
    assert set(diary.handled.values()) == {1}
    everything = COUNT + many + later
    assert stored_offsets(servers, group) == dict.fromkeys(range(PARTITIONS), everything // PARTITIONS)


def test_records_of_a_partition_keep_their_order(servers: str, topic: str) -> None:
    diary, order = Diary(), defaultdict(list)

    def handle(record: Record) -> None:
        order[record.partition].append(record.offset)
        diary.note(record)

    with Member(servers, unique("order"), topic, handle):
        diary.wait_for(COUNT)
    assert dict(order) == {partition: list(range(COUNT // PARTITIONS)) for partition in range(PARTITIONS)}


def test_partitions_are_worked_on_side_by_side(servers: str, topic: str) -> None:
    diary, meeting = Diary(), threading.Barrier(PARTITIONS)

    def handle(record: Record) -> None:
        if record.offset == 0:
            meeting.wait(PATIENCE_S)  # passed only when all partitions are here at once
        diary.note(record)

    with Member(servers, unique("meeting"), topic, handle, concurrency=PARTITIONS):
        diary.wait_for(COUNT)


def test_keys_of_one_partition_are_worked_on_side_by_side(servers: str, topic: str) -> None:
    diary, meeting = Diary(), threading.Barrier(8)

    def handle(record: Record) -> None:
        if record.partition == 0 and record.offset < 8:
            meeting.wait(PATIENCE_S)
        diary.note(record)

    with Member(servers, unique("keys"), topic, handle, concurrency=8, order="key"):
        diary.wait_for(COUNT)


def test_revocation_waits_for_the_record_that_is_being_worked_on(servers: str, topic: str) -> None:
    group, diary, second_diary = unique("revoke"), Diary(), Diary()
    begun, opened = threading.Semaphore(0), threading.Event()

    def hold_the_first(record: Record) -> None:
        if record.offset == 0:
            begun.release()
            assert opened.wait(PATIENCE_S)
        diary.note(record)

    with Member(servers, group, topic, hold_the_first) as first:
        for _ in range(PARTITIONS):
            assert begun.acquire(timeout=PATIENCE_S)
        with Member(servers, group, topic, second_diary.note) as second:
            assert first.consumer.is_revoking.wait(PATIENCE_S)
            assert not first.consumer.has_revoked.is_set()
            assert second.consumer.assignment() == frozenset()
            opened.set()
            assert second.consumer.has_partitions.wait(PATIENCE_S)
            second_diary.wait_for(COUNT // 2 - 2)
            diary.wait_for(COUNT // 2)
    assert diary.handled + second_diary.handled == dict.fromkeys(range(COUNT), 1)
    assert not second_diary.handled.keys() & set(range(PARTITIONS))  # what was held was finished by the first


def test_a_record_that_keeps_failing_goes_to_the_dead_letters_once(servers: str, topic: str) -> None:
    group, diary, tries, dead = unique("dead"), Diary(), [], []

    def handle(record: Record) -> None:
        if record.value == b"42":
            tries.append(record.offset)
            raise ValueError("no such order")
        diary.note(record)

    def bury(record: Record, error: Exception) -> None:
        dead.append((record.value, str(error)))

    with Member(servers, group, topic, handle, attempts=3, dead_letter=bury):
        diary.wait_for(COUNT - 1)
    assert len(tries) == 3
    assert dead == [(b"42", "no such order")]
    assert stored_offsets(servers, group) == dict.fromkeys(range(PARTITIONS), COUNT // PARTITIONS)


def test_a_record_that_fails_once_is_tried_again(servers: str, topic: str) -> None:
    diary, failed = Diary(), []

    def handle(record: Record) -> None:
        if record.value == b"42" and not failed:
            failed.append(record.offset)
            raise ValueError("not now")
        diary.note(record)

    with Member(servers, unique("again"), topic, handle):
        diary.wait_for(COUNT)
    assert set(diary.handled.values()) == {1}


def test_without_dead_letters_an_error_ends_the_run_and_only_the_prefix_is_committed(servers: str, topic: str) -> None:
    group = unique("prefix")

    def handle(record: Record) -> None:
        if record.value == b"42":  # partition 2, offset 10
            raise ValueError("no such order")

    with Consumer(**member_config(servers, group)) as consumer:
        with pytest.raises(ValueError, match="no such order"):
            consumer.run(handle, [topic])
        assert stored_offsets(servers, group)[2] == 10
        again = consumer.poll(timeout=PATIENCE_S)
        while not any(record.partition == 2 for record in again):
            again = consumer.poll(timeout=PATIENCE_S)
        assert min(record.offset for record in again if record.partition == 2) == 10


def test_dead_letters_nobody_takes_end_the_run_and_are_not_committed(servers: str, topic: str) -> None:
    group = unique("refused")

    def handle(record: Record) -> None:
        if record.value == b"42":
            raise ValueError("no such order")

    def bury(record: Record, error: Exception) -> None:
        raise OSError("the dead letter topic is gone") from error

    refused = pytest.raises(OSError, match="the dead letter topic is gone")
    with Consumer(**member_config(servers, group)) as consumer, refused:
        consumer.run(handle, [topic], dead_letter=bury)
    assert stored_offsets(servers, group)[2] == 10


def test_run_takes_the_subscription_there_is(servers: str, topic: str) -> None:
    diary, handle = Diary(), StopHandle()

    def note(record: Record) -> None:
        diary.note(record)
        if len(diary.handled) == COUNT:
            handle.stop()

    with Consumer(**member_config(servers, unique("subscribed"))) as consumer:
        consumer.subscribe([topic])
        consumer.run(note, stop=handle)
    assert diary.handled == dict.fromkeys(range(COUNT), 1)


def test_run_needs_something_to_read(servers: str) -> None:
    with (
        Consumer(**member_config(servers, unique("nothing"))) as consumer,
        pytest.raises(MisuseError, match="nothing to read"),
    ):
        consumer.run(lambda record: None)


def test_run_does_not_silence_a_listener(servers: str, topic: str) -> None:
    with Consumer(**member_config(servers, unique("listener"))) as consumer:
        consumer.subscribe([topic], RebalanceListener())
        with pytest.raises(MisuseError, match="listens to rebalances itself"):
            consumer.run(lambda record: None)


def test_a_consumer_may_run_again(servers: str, topic: str) -> None:
    diary, handle = Diary(), StopHandle()

    def stop_in_between(record: Record) -> None:
        diary.note(record)
        if len(diary.handled) == COUNT // 2:
            handle.stop()

    second = StopHandle()

    def go_on(record: Record) -> None:
        diary.note(record)
        if len(diary.handled) == COUNT:
            second.stop()

    with Consumer(**member_config(servers, unique("twice"))) as consumer:
        consumer.run(stop_in_between, [topic], stop=handle)
        consumer.run(go_on, stop=second)
    assert diary.handled == dict.fromkeys(range(COUNT), 1)


def test_partitions_assigned_by_hand_are_worked_on_without_joining(servers: str, topic: str) -> None:
    group, diary, stop = unique("by-hand"), Diary(), StopHandle()
    mine = [TopicPartition(topic, partition) for partition in (1, 2)]

    def handle(record: Record) -> None:
        diary.note(record)
        if len(diary.handled) == COUNT // 2:
            stop.stop()

    with Consumer(member_config(servers, group)) as consumer:
        consumer.assign(mine)
        consumer.run(handle, stop=stop)
        assert consumer.rebalances() == ()
        assert consumer.assignment() == set(mine)
    assert set(diary.handled.values()) == {1}
    assert stored_offsets(servers, group) == dict.fromkeys((1, 2), COUNT // PARTITIONS)


def test_who_assigned_by_hand_can_not_run_topics_as_well(servers: str, topic: str) -> None:
    with Consumer(member_config(servers, unique("by-hand"))) as consumer:
        consumer.assign([TopicPartition(topic, 0)])
        with pytest.raises(MisuseError, match="assigned by hand"):
            consumer.run(lambda _: None, [topic])


def test_without_a_group_there_is_nothing_to_commit_for(servers: str, topic: str) -> None:
    with Consumer(member_config(servers, "", group_id=None)) as consumer:
        consumer.assign([TopicPartition(topic, 0)])
        with pytest.raises(MisuseError, match=r"set group\.id"):
            consumer.run(lambda _: None)
