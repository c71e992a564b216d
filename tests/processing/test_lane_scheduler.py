"""Lanes: one record of each at a time, side by side."""

from __future__ import annotations

import pytest

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


def begin(scheduler: LaneScheduler) -> Task:
    task = scheduler.take(0.0)
    assert task is not None
    return task


@pytest.mark.parametrize(("order", "other"), [(Order.PARTITION, task(P1, 2, b"a")), (Order.KEY, task(P0, 2, b"b"))])
def test_partitions_or_keys_are_side_by_side_but_one_record_of_each(order: Order, other: Task) -> None:
    scheduler = scheduler_of(task(P0, 0, b"a"), task(P0, 1, b"a"), other, order=order)
    first = begin(scheduler)
    assert places(first, *take(scheduler, 2)) == [(0, 0), *places(other), None]
    scheduler.done(first)
    assert places(scheduler.take(0)) == [(0, 1)]


def test_records_without_a_key_share_a_lane_of_their_partition() -> None:
    scheduler = scheduler_of(task(P0, 0), task(P0, 1), task(P1, 0), task(P0, 2, b""), order=Order.KEY)
    assert places(*take(scheduler, 4)) == [(0, 0), (1, 0), (0, 2), None]


def test_no_more_is_at_work_than_the_concurrency_allows() -> None:
    scheduler = scheduler_of(task(P0, 0), task(P1, 0), concurrency=1)
    first = begin(scheduler)
    assert places(first, scheduler.take(0)) == [(0, 0), None]
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
    failing, other = begin(scheduler), begin(scheduler)
    scheduler.try_again(failing, at=5.0)
    scheduler.done(other)
    assert places(*take(scheduler, 2, now=4.9)) == [(1, 1), None]
    assert scheduler.deadline() == 5.0
    assert places(scheduler.take(5.0)) == [(0, 0)]
    assert scheduler.deadline() is None


def test_what_was_given_back_is_never_begun() -> None:
    waiting, kept = task(P0, 1), task(P1, 0)
    scheduler = scheduler_of(task(P0, 0), waiting, kept)
    first = begin(scheduler)
    waiting.ticket.stage = Stage.GIVEN_BACK
    scheduler.drop_given_back([P0])
    scheduler.done(first)
    assert places(*take(scheduler, 2)) == [(1, 0), None]


def test_an_old_record_at_work_holds_up_its_partition_that_came_back() -> None:
    scheduler = scheduler_of(task(P0, 0))
    old = begin(scheduler)
    old.ticket.stage = Stage.GIVEN_BACK
    scheduler.add(task(P0, 0))
    assert scheduler.take(0) is None
    scheduler.done(old)
    assert places(scheduler.take(0)) == [(0, 0)]


def test_a_task_ends_once() -> None:
    scheduler = scheduler_of(task(P0, 0))
    one = begin(scheduler)
    scheduler.done(one)
    with pytest.raises(AssertionError, match="not in progress"):
        scheduler.done(one)
