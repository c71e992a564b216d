"""Rates, limits and the time of requests, without a broker."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafka_nextgen.testing.broker.client_quotas import DEFAULT, Entity, LimitKind, Limits, Quotas, Rate, Timed, Windows

WINDOWS = Windows(count=11, length_s=1.0)
BYTES = LimitKind.PRODUCED_BYTES


def test_a_client_may_begin_with_a_burst_of_what_it_may_do_in_ten_seconds() -> None:
    rate = Rate(WINDOWS)
    rate.record(10_000, now=100)
    assert rate.delay_s(1_000, now=100) == 0
    rate.record(5_000, now=100)
    assert rate.delay_s(1_000, now=100) == pytest.approx(5), "as long as it would have taken at the limit"


def test_what_was_done_long_ago_is_forgotten() -> None:
    rate = Rate(WINDOWS)
    rate.record(1_000_000, now=100)
    assert rate.delay_s(1, now=111) == 0


@given(st.lists(st.tuples(st.integers(1, 5_000), st.floats(0, 3)), min_size=1, max_size=60))
def test_whoever_keeps_to_its_delays_stays_near_the_limit(work: list[tuple[int, float]]) -> None:
    rate, now, done = Rate(WINDOWS), 0.0, 0
    for amount, pause in work:
        rate.record(amount, now)
        done += amount
        now += rate.delay_s(1_000, now) + pause
    assert done <= 1_000 * (now + WINDOWS.least_s) + 5_000


@pytest.mark.parametrize(
    ("entities", "amount", "holder"),
    [
        ([], None, None),
        ([Entity("alice", "app")], 0, Entity("alice", "app")),
        ([Entity("alice"), Entity("alice", "app")], 1, Entity("alice", "app")),
        ([Entity("alice", DEFAULT)], 0, Entity("alice", "app")),
        ([Entity("alice"), Entity(DEFAULT, "app")], 0, Entity("alice")),
        ([Entity(DEFAULT), Entity(DEFAULT, DEFAULT)], 1, Entity("alice", "app")),
        ([Entity(None, "app"), Entity(DEFAULT)], 1, Entity("alice")),
        ([Entity(None, DEFAULT), Entity(None, "app")], 1, Entity(None, "app")),
        ([Entity("bob"), Entity(None, "other")], None, None),
    ],
)
def test_the_most_particular_limit_holds(entities: list[Entity], amount: float | None, holder: Entity | None) -> None:
    limits = Limits()
    for number, entity in enumerate(entities):
        limits.set(entity, BYTES, number)
    found = limits.of("alice", "app", BYTES)
    assert (found and found.amount, found and found.holder) == (amount, holder)


def test_a_limit_of_another_kind_is_no_limit_and_one_taken_back_neither() -> None:
    limits = Limits()
    limits.set(Entity("alice"), LimitKind.FETCHED_BYTES, 1)
    assert limits.of("alice", "app", BYTES) is None
    limits.set(Entity("alice"), LimitKind.FETCHED_BYTES, None)
    assert list(limits.all()) == []


def test_a_users_limit_is_shared_by_its_clients_and_a_default_is_for_each() -> None:
    quotas = Quotas(WINDOWS)
    quotas.limits.set(Entity("alice"), BYTES, 1_000)
    quotas.limits.set(Entity(DEFAULT), BYTES, 1_000)
    for user, client in (("alice", "a"), ("bob", "a"), ("carol", "a")):
        assert quotas.delay_s(BYTES, user, client, 9_000, now=0) == 0
    assert quotas.delay_s(BYTES, "alice", "b", 9_000, now=0) > 0


def test_requests_delay_for_a_window_at_most() -> None:
    quotas = Quotas(WINDOWS)
    quotas.limits.set(Entity(None, "app"), LimitKind.REQUEST_TIME, 0.01)
    assert quotas.delay_s(LimitKind.REQUEST_TIME, "alice", "app", 1.0, now=0) == 1.0


def test_a_fetch_may_have_what_the_quota_allows_in_all_windows() -> None:
    quotas = Quotas(WINDOWS)
    assert quotas.most_bytes("alice", "app") is None
    quotas.limits.set(Entity("alice"), LimitKind.FETCHED_BYTES, 1_000)
    assert quotas.most_bytes("alice", "app") == 10_000


def counting() -> Callable[[], float]:
    return map(float, range(1_000)).__next__


async def test_the_time_of_a_request_is_that_between_its_pauses() -> None:
    async def work() -> str:
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        return "done"

    timed = Timed(work(), counting())
    assert await timed == "done"
    assert timed.busy_s == 3  # a second for each of its steps


async def test_a_request_that_waits_can_be_cancelled_and_fails_as_it_would() -> None:
    ended: list[str] = []

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("work")

    async def fail() -> None:
        await asyncio.sleep(0)
        raise KeyError("this")

    async def awaiting() -> None:
        await Timed(work(), counting())

    task = asyncio.create_task(awaiting())
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    with pytest.raises(KeyError):
        await Timed(fail(), counting())
    assert ended == ["work"]
