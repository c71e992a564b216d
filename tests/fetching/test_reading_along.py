"""Following a relay comes to what reading on, answer by answer, would have come to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import BuiltinFunctionType, MethodWrapperType

import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from kafka_nextgen.fetching import LEAST_KEPT_BYTES, DecodedPartition, Fetch, FetchSettings, FetchState, Routine
from tests.fetching.sessions import LEADERS, P0, P1, PARTITIONS, begin, read_on, simple, told
from tests.fetching.world import TOPIC_ID, World, bring, cluster, columns
from tests.support.examples import examples

#: How many records of each of the two partitions of node 1 an answer brings.
Answer = tuple[int, int]


class Along:
    """What follows a relay, from a fetch on its way."""

    def __init__(self, world: World, fetch: Fetch) -> None:
        self.world = world
        self.fetch = fetch
        self.routine = routine_of(world, fetch)
        self.asked = {tp: (position.offset, position.last_epoch) for tp, position in fetch.wanted.items()}
        self.answers = 0

    def read(self, *results: DecodedPartition) -> None:
        state, node_id = self.world.state, self.fetch.node_id
        for call, *arguments in state.read_along(node_id, results, self.routine, self.world.now):
            call(*arguments)
        for result in results:
            assert result.columns is not None
            self.asked[result.partition] = result.columns.next_offset, result.columns.end_epoch
        self.answers += 1

    def settle(self) -> Fetch:
        asked = {(TOPIC_ID.bytes, tp.partition): at for tp, at in self.asked.items()}
        return self.world.state.settle(self.fetch, asked, self.answers, self.world.now)


def routine_of(world: World, fetch: Fetch) -> Routine:
    routine = world.state.find_routine_of(fetch, world.image)
    assert routine is not None
    return routine


def brought(answer: Answer, *offsets: int) -> list[DecodedPartition]:
    what = zip((P0, P1), offsets, answer, strict=True)
    return [bring(columns(tp, offset, count)) for tp, offset, count in what if count]


def essence(fetch: Fetch) -> Fetch:
    """Without what does not matter while a relay goes on: what is set aside, and what the last request told of."""
    return fetch._replace(set_aside_bytes=0, session=fetch.session._replace(told=()))


@given(st.lists(st.tuples(st.tuples(st.integers(0, 4), st.integers(0, 4)), st.integers(0, 6)), min_size=1, max_size=12))
@settings(max_examples=examples(200))
def test_it_comes_to_what_reading_on_does(steps: Sequence[tuple[Answer, int]]) -> None:
    one, other = (World(FetchState(FetchSettings()), cluster(LEADERS)) for _ in range(2))
    along = Along(one, begin(one, *PARTITIONS)[1])
    fetch = begin(other, *PARTITIONS)[1]
    for answer, taken in steps:
        one.now += 1
        other.now += 1
        along.read(*brought(answer, along.asked[P0][0], along.asked[P1][0]))
        following = read_on(other, fetch, *brought(answer, fetch.wanted[P0].offset, fetch.wanted[P1].offset))
        assert following is not None
        fetch = following
        assert one.take(taken) == other.take(taken)
        assert one.state.standings() == other.state.standings()
    assert essence(along.settle()) == essence(fetch)
    assert one.state.silence_s(one.now) == other.state.silence_s(other.now)
    assert one.take() == other.take()
    assert list(map(simple, one.plan())) == list(map(simple, other.plan())) == []


def test_nothing_has_changed_before_all_is_called(world: World) -> None:
    along = Along(world, begin(world, P0, P1)[1])
    before = world.state.standings()
    world.state.read_along(1, [bring(columns(P0, 0, 3))], along.routine, world.now)
    assert world.state.standings() == before
    assert not world.state.has_records()


def test_nothing_that_is_called_is_written_in_python(world: World) -> None:
    """A signal's handler could run in the midst of that, and what it raises would leave half of it undone."""
    along = Along(world, begin(world, P0, P1)[1])
    along.read(bring(columns(P0, 0, 3)))
    results = [
        bring(columns(P0, 3, 1)),
        bring(columns(P1, 0, 1)),
    ]  # one that there are records of, one that there are not
    calls = world.state.read_along(1, results, along.routine, world.now)
    assert {type(call) for call, *_ in calls} <= {BuiltinFunctionType, MethodWrapperType}


def test_an_answer_in_the_long_way_follows(world: World) -> None:
    along = Along(world, begin(world, P0, P1)[1])
    along.read(bring(columns(P0, 0, 3)))
    along.read(bring(columns(P1, 0, 1)))
    fetch = along.settle()
    assert {tp: position.offset for tp, position in fetch.wanted.items()} == {P0: 3, P1: 1}
    world.receive(fetch, told(P0))
    world.state.fetched(fetch, [bring(columns(P0, 3, 1))], world.now)
    assert world.take() == [(0, 0), (0, 1), (0, 2), (0, 3), (1, 0)]
    assert {tp: position.offset for tp, position in world.fetch().wanted.items()} == {P0: 4, P1: 1}


def test_what_was_given_up_before_it_was_settled_is_as_good_as_never_asked_for(world: World) -> None:
    along = Along(world, begin(world, P0, P1)[1])
    along.read(bring(columns(P0, 0, 3)), bring(columns(P1, 0, 1)))
    world.state.assign([P0], [])
    fetch = along.settle()
    world.receive(fetch, told(P1))
    world.state.fetched(fetch, [bring(columns(P1, 1, 1))], world.now)
    assert world.take() == [(0, 0), (0, 1), (0, 2)]
    assert list(world.fetch().wanted) == [P0]


def test_it_may_be_settled_without_an_answer_since(world: World) -> None:
    along = Along(world, begin(world, P0, P1)[1])
    along.read(bring(columns(P0, 0, 3)))
    along.fetch, along.answers = along.settle(), 0
    along.read()
    fetch = along.settle()
    assert fetch.session.epoch == along.fetch.session.epoch + 1


# ---- where there is no relay


def in_a_full_session(world: World) -> Fetch:
    world.start(P0, P1)
    return world.fetch()


def with_another_leader(world: World) -> Fetch:
    fetch = begin(world, P0, P1)[1]
    world.image = cluster({**LEADERS, P1: 2})
    assert world.plan() == []
    return fetch


def with_a_pause(world: World) -> Fetch:
    fetch = begin(world, P0, P1)[1]
    world.state.pause([P1])  # which is asked for still
    return fetch


def with_another_image(world: World) -> Fetch:
    fetch = begin(world, P0, P1)[1]
    world.image = evolve(world.image)
    return fetch


@pytest.mark.parametrize("circumstances", [in_a_full_session, with_another_leader, with_a_pause, with_another_image])
def test_what_is_not_routine_is_not_for_a_relay(world: World, circumstances: Callable[[World], Fetch]) -> None:
    assert world.state.find_routine_of(circumstances(world), world.image) is None


def test_whatever_may_change_something_ends_what_a_relay_relies_on(world: World) -> None:
    fetch = begin(world, P0, P1)[1]
    routine = routine_of(world, fetch)
    assert world.state.is_in_force(routine)
    world.state.pause([P1])
    assert not world.state.is_in_force(routine)
    with pytest.raises(AssertionError, match="nothing changes what is asked"):
        world.state.read_along(1, [], routine, world.now)


def test_there_is_less_room_the_more_waits_to_be_handed_over() -> None:
    world = World(FetchState(FetchSettings(buffer_bytes=2_000_000)), cluster(LEADERS))
    along = Along(world, begin(world, P0, P1)[1])
    room = [world.state.room_for_relay(along.fetch, along.routine)]
    for first in range(0, 45_000, 3_000):
        along.read(bring(columns(P0, first, 3_000)))
        room.append(world.state.room_for_relay(along.fetch, along.routine))
    assert room == sorted(room, reverse=True)
    assert room[0] > LEAST_KEPT_BYTES > room[-1]
    world.take(50_000)
    assert world.state.room_for_relay(along.fetch, along.routine) == room[0]


def test_where_little_may_be_buffered_there_is_no_room_for_a_relay() -> None:
    world = World(FetchState(FetchSettings(buffer_bytes=100_000)), cluster(LEADERS))
    fetch = begin(world, P0, P1)[1]
    assert world.state.room_for_relay(fetch, routine_of(world, fetch)) < LEAST_KEPT_BYTES
