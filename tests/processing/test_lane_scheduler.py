"""Lanes: one record of each at a time, side by side."""

from __future__ import annotations

from collections import defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafka_nextgen.processing.arguments import Order
from kafka_nextgen.processing.lane_scheduler import LaneScheduler, Task
from kafka_nextgen.processing.progress import Stage
from tests.processing.stage import P0, P1, task

Place = tuple[int, int]  # partition, offset


def places(*tasks: Task | None) -> list[Place | None]:
    return [(task.ticket.partition.partition, task.ticket.offset) if task else None for task in tasks]


def scheduler_of(*tasks: Task, order: Order = Order.PARTITION, concurrency: int = 8) -> LaneScheduler:
    scheduler = LaneScheduler(order, concurrency)
    for one in tasks:
        scheduler.add(one)
    return scheduler


def take(scheduler: LaneScheduler, count: int, now: float = 0.0) -> list[Task | None]:
    return [scheduler.take(now) for _ in range(count)]


def test_partitions_are_side_by_side_but_one_record_of_each() -> None:
    scheduler = scheduler_of(task(P0, 0), task(P0, 1), task(P1, 7))
    first, second, third = take(scheduler, 3)
    assert places(first, second, third) == [(0, 0), (1, 7), None]
    assert first is not None
    scheduler.done(first)
    assert places(scheduler.take(0)) == [(0, 1)]


def test_keys_are_side_by_side_but_one_record_of_each() -> None:
    scheduler = scheduler_of(task(P0, 0, b"a"), task(P0, 1, b"a"), task(P0, 2, b"b"), order=Order.KEY)
    first, *others = take(scheduler, 3)
    assert places(first, *others) == [(0, 0), (0, 2), None]
    assert first is not None
    scheduler.done(first)
    assert places(scheduler.take(0)) == [(0, 1)]


def test_records_without_a_key_share_a_lane_of_their_partition() -> None:
    scheduler = scheduler_of(task(P0, 0), task(P0, 1), task(P1, 0), task(P0, 2, b""), order=Order.KEY)
    assert places(*take(scheduler, 4)) == [(0, 0), (1, 0), (0, 2), None]


def test_no_more_is_at_work_than_the_concurrency_allows() -> None:
    scheduler = scheduler_of(task(P0, 0), task(P1, 0), concurrency=1)
    first, second = take(scheduler, 2)
    assert places(first, second) == [(0, 0), None]
    assert first is not None
    scheduler.done(first)
    assert places(scheduler.take(0)) == [(1, 0)]


def test_lanes_take_turns() -> None:
    scheduler = scheduler_of(task(P0, 0), task(P0, 1), task(P1, 0), task(P1, 1), concurrency=1)
    order = []
    while (one := scheduler.take(0)) is not None:
        order += places(one)
        scheduler.done(one)
    assert order == [(0, 0), (1, 0), (0, 1), (1, 1)]


def test_a_record_tried_again_holds_up_its_lane_only() -> None:
    scheduler = scheduler_of(task(P0, 0), task(P0, 1), task(P1, 0), task(P1, 1))
    failing, other = take(scheduler, 2)
    assert failing is not None
    assert other is not None
    scheduler.try_again(failing, at=5.0)
    scheduler.done(other)
    assert places(*take(scheduler, 2, now=4.9)) == [(1, 1), None]
    assert scheduler.deadline() == 5.0
    assert places(scheduler.take(5.0)) == [(0, 0)]
    assert scheduler.deadline() is None


def test_what_was_given_back_is_never_begun() -> None:
    waiting, kept = task(P0, 1), task(P1, 0)
    scheduler = scheduler_of(task(P0, 0), waiting, kept)
    first = scheduler.take(0)
    assert first is not None
    waiting.ticket.stage = Stage.GIVEN_BACK
    scheduler.drop_given_back([P0])
    scheduler.done(first)
    assert places(*take(scheduler, 2)) == [(1, 0), None]


def test_an_old_record_at_work_holds_up_its_partition_that_came_back() -> None:
    scheduler = scheduler_of(task(P0, 0))
    old = scheduler.take(0)
    assert old is not None
    old.ticket.stage = Stage.GIVEN_BACK
    scheduler.add(task(P0, 0))
    assert scheduler.take(0) is None
    scheduler.done(old)
    assert places(scheduler.take(0)) == [(0, 0)]


def test_what_is_at_work_is_known_by_partition() -> None:
    scheduler = scheduler_of(task(P0, 0), task(P1, 0))
    take(scheduler, 2)
    assert places(*scheduler.at_work([P1])) == [(1, 0)]
    assert len(scheduler.at_work()) == 2


def test_a_task_ends_once() -> None:
    scheduler = scheduler_of(task(P0, 0))
    one = scheduler.take(0)
    assert one is not None
    scheduler.done(one)
    with pytest.raises(AssertionError, match="not in progress"):
        scheduler.done(one)


RECORDS = st.lists(st.tuples(st.sampled_from([P0, P1]), st.sampled_from([None, b"a", b"b", b"c"])), max_size=30)


@given(RECORDS, st.sampled_from(Order), st.integers(1, 4), st.data())
def test_every_record_is_worked_on_in_the_order_of_its_lane(
    records: list[tuple[object, bytes | None]], order: Order, concurrency: int, data: st.DataObject
) -> None:
    scheduler = LaneScheduler(order, concurrency)
    for offset, (partition, key) in enumerate(records):
        scheduler.add(task(partition, offset, key))  # type: ignore[arg-type]
    lanes: dict[object, list[int]] = defaultdict(list)
    at_work: list[Task] = []
    now = 0.0
    while True:
        while (begun := scheduler.take(now)) is not None:
            at_work.append(begun)
        assert len(at_work) <= concurrency
        busy = [_lane(one, order) for one in at_work]
        assert len(busy) == len(set(busy))
        deadline = scheduler.deadline()
        if not at_work and deadline is None:
            break
        if not at_work:
            assert deadline is not None
            now = deadline
            continue
        ended = at_work.pop(data.draw(st.integers(0, len(at_work) - 1)))
        if ended.failures < 2 and data.draw(st.booleans()):
            ended.failures += 1
            scheduler.try_again(ended, at=now + 1)
        else:
            lanes[_lane(ended, order)].append(ended.ticket.offset)
            scheduler.done(ended)
    assert sorted(offset for lane in lanes.values() for offset in lane) == list(range(len(records)))
    assert all(lane == sorted(lane) for lane in lanes.values())


def _lane(one: Task, order: Order) -> object:
    return (one.ticket.partition, one.record.key) if order is Order.KEY else one.ticket.partition
