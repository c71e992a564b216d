"""What is new to a node is fetched aside while the node's long poll is open."""

from __future__ import annotations

import pytest

from kafka_nextgen.fetching import Fetch, FetchSettings, FetchState, SessionAnswer
from kafka_nextgen.fetching.planning import AFTER_S
from kafka_nextgen.fetching.sessions import SessionRequest
from kafka_nextgen.fetching.settings import SHORT_WAIT_MS
from kafka_nextgen.properties.offset_reset import OffsetReset
from kafka_nextgen.types import TopicPartition
from tests.fetching.world import World, asked, cluster, columns

P0, P1, P2 = (TopicPartition("orders", number) for number in range(3))


@pytest.fixture
def waiting(world: World) -> tuple[World, Fetch]:
    """A long poll for one partition, and another one of the same node that is new."""
    world.start(P0)
    poll = world.fetch()
    world.assign(P0, P1)
    world.state.seek(P1, 0)
    return world, poll


def later(world: World, seconds: float = AFTER_S) -> None:
    world.now += seconds


def aside(world: World) -> Fetch:
    fetch = world.fetch()
    assert fetch.is_out_of_session
    return fetch


def test_what_is_new_is_fetched_aside_once_the_long_poll_has_been_open_for_a_while(
    waiting: tuple[World, Fetch],
) -> None:
    world, _ = waiting
    assert world.plan() == []
    assert world.state.planning.deadline(world.now) == world.now + AFTER_S
    later(world)
    fetch = aside(world)
    assert (asked([fetch]), fetch.max_wait_ms) == ([(1, 1, 0)], SHORT_WAIT_MS)
    assert fetch.session == SessionRequest.alone(fetch.positions)


def test_its_records_are_handed_over_and_it_is_fetched_again_until_the_long_poll_is_over(
    waiting: tuple[World, Fetch],
) -> None:
    world, poll = waiting
    later(world)
    world.answer(aside(world), columns(P1, 0, 2))
    assert world.take() == [(1, 0), (1, 1)]
    assert asked([aside(world)]) == [(1, 1, 2)]
    world.answer(poll, columns(P0, 0, 1))
    assert world.take() == [(0, 0)]
    following = world.fetch()
    assert (asked([following]), following.is_out_of_session) == ([(1, 0, 1)], False)
    assert following.max_wait_ms == SHORT_WAIT_MS


def test_the_fetch_after_both_is_for_all_and_long_again(waiting: tuple[World, Fetch]) -> None:
    world, poll = waiting
    later(world)
    beside = aside(world)
    world.answer(poll)
    short = world.fetch()
    world.answer(beside)
    assert world.plan() == [], "the short one is waited for"
    world.answer(short)
    fetch = world.fetch()
    assert (asked([fetch]), fetch.max_wait_ms) == ([(1, 0, 0), (1, 1, 0)], 500)
    later(world, 1.0)
    assert world.plan() == [], "nothing is new any more"


def test_only_one_fetch_aside_is_on_its_way_to_a_node(waiting: tuple[World, Fetch]) -> None:
    world, _ = waiting
    world.image = cluster({P0: 1, P1: 1, P2: 1})
    later(world)
    beside = aside(world)
    world.assign(P0, P1, P2)
    world.state.seek(P2, 0)
    assert world.plan() == []
    world.answer(beside)
    assert sorted(asked([aside(world)])) == [(1, 1, 0), (1, 2, 0)]


def test_what_was_resumed_or_sought_is_new(world: World) -> None:
    world.start(P0, P1)
    world.state.pause([P1])
    poll = world.fetch()
    world.state.resume([P1])
    later(world)
    assert asked([aside(world)]) == [(1, 1, 0)]
    world.state.seek(P0, 7)
    assert world.plan() == []
    world.answer(poll, columns(P0, 0, 1))
    assert world.take() == [], "it was fetched from where it is not read any more"


def test_what_has_records_waiting_is_in_no_hurry(world: World) -> None:
    world.start(P0, P1)
    world.answer(world.fetch(), columns(P1, 0, 3))
    world.state.pause([P1])
    world.fetch()
    world.state.resume([P1])
    later(world)
    assert world.plan() == []


def test_nothing_is_fetched_aside_where_no_fetch_is_long() -> None:
    settings = FetchSettings(OffsetReset.LATEST, max_wait_ms=SHORT_WAIT_MS)
    world = World(FetchState(settings), cluster({P0: 1, P1: 1}))
    world.start(P0)
    world.fetch()
    world.assign(P0, P1)
    world.state.seek(P1, 0)
    later(world)
    assert world.plan() == []


def test_the_session_goes_on_as_if_nothing_had_been_fetched_aside(waiting: tuple[World, Fetch]) -> None:
    world, poll = waiting
    later(world)
    beside = aside(world)
    world.receive(beside, SessionAnswer(0, 0, [P1]))
    world.answer(beside, columns(P1, 0, 2))
    world.receive(poll, SessionAnswer(0, 7, [P0]))
    world.answer(poll, columns(P0, 0, 1))
    following = world.fetch()
    assert (following.session.session_id, following.session.epoch) == (7, 1)
    assert sorted((told.partition, told.offset) for told in following.session.told) == [(P0, 1), (P1, 2)]


def test_what_failed_aside_waits_before_it_is_asked_again(waiting: tuple[World, Fetch]) -> None:
    world, poll = waiting
    later(world)
    world.state.results.failed(aside(world), world.now)
    assert [need for need in world.plan() if isinstance(need, Fetch)] == []
    world.answer(poll, columns(P0, 0, 1))
    assert world.take() == [(0, 0)]
