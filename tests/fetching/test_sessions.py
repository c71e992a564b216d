"""Fetch sessions: what each request says, what ends them, and that both halves always mean the same partitions."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.fetching import Arrival, Fetch, FetchSettings, NeedMetadata
from kafka_nextgen.fetching.context import FetchContext
from kafka_nextgen.fetching.planning import Planning
from kafka_nextgen.fetching.sessions import FetchSession, SessionAnswer, SessionRequest
from kafka_nextgen.requests.fetch import FetchPosition
from kafka_nextgen.types import TopicId, TopicPartition
from kafka_nextgen.wire.records import Columns
from tests.fetching.nodes import Node, tell
from tests.fetching.world import World, asked, columns
from tests.support.examples import examples

OLD, NEW = TopicId(int=1), TopicId(int=2)
LAST_EPOCH = 2**31 - 1


def at(number: int, offset: int = 0, topic_id: TopicId = OLD) -> FetchPosition:
    return FetchPosition(TopicPartition("orders", number), topic_id, offset)


def named(*positions: FetchPosition) -> SessionAnswer:
    """An answer of session 7 with these partitions."""
    return SessionAnswer(ErrorCode.NONE, 7, [position.partition for position in positions])


def begun(*positions: FetchPosition) -> FetchSession:
    """Session 7, with these partitions."""
    session = FetchSession()
    session.answered(session.ask(positions), named(*positions))
    return session


def test_the_first_request_names_everything_and_later_ones_what_is_new_has_moved_or_is_wanted_no_more() -> None:
    assert FetchSession().ask((at(0), at(1))) == SessionRequest(0, 0, (at(0), at(1)))
    session = begun(at(0), at(1), at(2))
    request = session.ask((at(0), at(1, 5), at(3)))
    assert request == SessionRequest(7, 1, (at(1, 5), at(3)), (at(2),))
    session.answered(request, named())
    assert session.ask((at(0), at(1, 5), at(2))) == SessionRequest(7, 2, (at(2),), (at(3),)), "it is wanted again"


def test_who_has_nothing_to_say_names_nothing() -> None:
    session = begun(at(0), at(1))
    for epoch in (1, 2):
        request = session.ask((at(1), at(0)))
        assert request == SessionRequest(7, epoch, ())
        session.answered(request, named())


def test_a_topic_made_again_is_forgotten_by_its_old_id() -> None:
    assert begun(at(0)).ask((at(0, topic_id=NEW),)) == SessionRequest(7, 1, (at(0, topic_id=NEW),), (at(0),))


def test_epochs_begin_again_at_1_after_the_highest() -> None:
    session = FetchSession(7, LAST_EPOCH, {at(0).partition: at(0)})
    session.answered(session.ask((at(0),)), named())
    assert session.ask((at(0),)).epoch == 1


def test_a_node_without_room_for_sessions_is_told_everything_each_time() -> None:
    session = FetchSession()
    session.answered(session.ask((at(0),)), SessionAnswer(ErrorCode.NONE, 0, [at(0).partition]))
    assert session.ask((at(0),)) == SessionRequest(0, 0, (at(0),))


@pytest.mark.parametrize(
    ("answer", "ended"),
    [
        pytest.param(SessionAnswer(ErrorCode.FETCH_SESSION_ID_NOT_FOUND, 0, []), 0, id="the node has forgotten it"),
        pytest.param(SessionAnswer(ErrorCode.INVALID_FETCH_SESSION_EPOCH, 0, []), 7, id="another epoch was due"),
        pytest.param(SessionAnswer(ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR, 0, []), 7, id="names and ids were mixed"),
        pytest.param(SessionAnswer(ErrorCode.UNKNOWN_TOPIC_ID, 0, []), 7, id="a topic is not known any more"),
        pytest.param(SessionAnswer(ErrorCode.NONE, 0, []), 0, id="the node has ended it"),
        pytest.param(SessionAnswer(ErrorCode.NONE, 8, []), 8, id="another session answered"),
        pytest.param(named(at(9)), 7, id="there is news of a partition that is not in it"),
        pytest.param(None, 7, id="nobody answered"),
    ],
)
def test_a_session_in_doubt_is_ended_by_a_full_request(answer: SessionAnswer | None, ended: int) -> None:
    session = begun(at(0))
    request = session.ask((at(0),))
    if answer is None:
        session.failed(request)
    else:
        session.answered(request, answer)
    assert session.ask((at(0),)) == SessionRequest(ended, 0, (at(0),))


@pytest.mark.parametrize("partitions", [(), (at(0),), (at(0), at(0)), (at(0), at(1), at(2))])
def test_a_session_that_begins_with_other_partitions_than_were_named_is_not_trusted(
    partitions: tuple[FetchPosition, ...],
) -> None:
    session = FetchSession()
    session.answered(session.ask((at(0), at(1))), named(*partitions))
    assert session.ask((at(0), at(1))).epoch == 0


WANTED = st.dictionaries(st.integers(0, 4), st.tuples(st.integers(0, 2), st.sampled_from([OLD, NEW])), min_size=1)
FATES = st.sampled_from(["answered", "request lost", "answer lost", "node restarts", "evicted"])


@settings(max_examples=examples(150))
@given(st.lists(st.tuples(WANTED, FATES), max_size=12), st.integers(0, 1))
def test_a_node_reads_exactly_what_is_wanted_whatever_gets_lost(
    rounds: list[tuple[dict[int, tuple[int, TopicId]], str]], slots: int
) -> None:
    session, node = FetchSession(), Node(slots)
    for wanted, fate in rounds:
        positions = tuple(at(number, offset, topic_id) for number, (offset, topic_id) in wanted.items())
        request = session.ask(positions)
        if fate == "request lost":
            session.failed(request)
            continue
        if fate == "node restarts":
            node.forget_sessions()
        turn = node.take(request, positions)
        assert not request.is_full or not isinstance(turn, ErrorCode)
        answer = SessionAnswer(turn, 0, []) if isinstance(turn, ErrorCode) else tell(turn, {})
        if fate == "answer lost":
            session.failed(request)
        else:
            session.answered(request, answer)
        if fate == "evicted":
            node.forget_sessions()


# In the fetch state.

P0, P1, P2 = (TopicPartition("orders", number) for number in range(3))


def told(fetch: Fetch) -> tuple[int, list[tuple[int, int]], list[int]]:
    """The epoch, the partitions that are named with their offsets, and those that are forgotten."""
    session = fetch.session
    named = [(position.partition.partition, position.offset) for position in session.told]
    return session.epoch, named, [position.partition.partition for position in session.forgotten]


def in_session(world: World) -> None:
    """Have P0 and P1, which node 1 leads, in session 7, with nothing new in either."""
    world.start(P0, P1)
    fetch = world.fetch()
    world.receive(fetch, SessionAnswer(ErrorCode.NONE, 7, [P0, P1]))
    world.answer(fetch, Columns(P0, 0), Columns(P1, 0))


def test_an_idle_partition_is_not_named_again_and_no_news_is_an_answer_too(world: World) -> None:
    in_session(world)
    fetch = world.fetch()
    assert told(fetch) == (1, [], [])
    world.now += 60
    world.receive(fetch, SessionAnswer(ErrorCode.NONE, 7, [P1]))
    assert world.state.planning.silence_s(world.now)[P0] == 0.0
    world.answer(fetch, columns(P1, 0, 2))
    assert world.state.planning.silence_s(world.now) == {P0: 0.0, P1: 0.0}
    assert told(world.fetch()) == (2, [(1, 2)], [])


def test_a_paused_partition_is_forgotten_and_named_again_when_it_is_resumed(world: World) -> None:
    in_session(world)
    world.state.pause([P0])
    fetch = world.fetch()
    assert told(fetch) == (1, [], [0])
    world.receive(fetch, SessionAnswer(ErrorCode.NONE, 7, []))
    world.answer(fetch)
    world.state.resume([P0])
    assert told(world.fetch()) == (2, [(0, 0)], [])


def test_a_partition_without_news_is_asked_for_again_while_the_others_are_decoded(world: World) -> None:
    in_session(world)
    first = world.fetch()
    world.receive(first, SessionAnswer(ErrorCode.NONE, 7, [P1]), {P1: Arrival(2, 100)})
    second = world.fetch()
    assert sorted(asked([second])) == [(1, 0, 0), (1, 1, 2)]
    assert told(second) == (2, [(1, 2)], [])
    world.answer(first, columns(P1, 0, 2))
    assert world.plan() == [], "both are asked for already"


@pytest.mark.parametrize(
    "code",
    [
        ErrorCode.FETCH_SESSION_ID_NOT_FOUND,
        ErrorCode.INVALID_FETCH_SESSION_EPOCH,
        ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR,
        ErrorCode.INCONSISTENT_TOPIC_ID,
        ErrorCode.UNKNOWN_TOPIC_ID,
    ],
)
def test_a_session_that_is_refused_is_begun_anew_at_once(world: World, code: ErrorCode) -> None:
    in_session(world)
    assert not world.receive(world.fetch(), SessionAnswer(code, 0, []))
    assert told(world.fetch()) == (0, [(0, 0), (1, 0)], [])


def test_a_full_request_that_is_refused_is_a_failure_like_any_other(world: World) -> None:
    world.start(P0)
    fetch = world.fetch()
    assert world.receive(fetch, SessionAnswer(ErrorCode.UNKNOWN_TOPIC_ID, 0, []))
    world.state.results.failed(fetch, world.now)
    world.only(NeedMetadata)


def test_a_fetch_that_fails_ends_its_session(world: World) -> None:
    in_session(world)
    world.state.results.failed(world.fetch(), world.now)
    world.refresh()
    world.now += 10
    fetch = world.fetch()
    assert (fetch.session.session_id, told(fetch)) == (7, (0, [(0, 0), (1, 0)], []))


def test_decoding_that_fails_does_not_end_the_session(world: World) -> None:
    in_session(world)
    fetch = world.fetch()
    world.receive(fetch, SessionAnswer(ErrorCode.NONE, 7, [P1]), {P1: Arrival(2, 100)})
    world.state.results.failed(fetch, world.now)
    assert told(world.plan()[0])[0] == 2  # type: ignore[arg-type]


def test_each_node_has_a_session_of_its_own(world: World) -> None:
    in_session(world)
    world.assign(P0, P1, P2)
    world.state.seek(P2, 0)
    assert {need.node_id: told(need)[0] for need in world.plan() if isinstance(need, Fetch)} == {1: 1, 2: 0}


def test_each_session_that_a_node_has_given_is_ended_and_no_other() -> None:
    context = FetchContext(FetchSettings())
    sessions = [context.underway.nodes[node_id].session for node_id in range(4)]
    sessions[1].answered(sessions[1].ask((at(0),)), named(at(0)))
    sessions[2].answered(sessions[2].ask((at(1),)), SessionAnswer(ErrorCode.NONE, 0, [at(1).partition]))
    sessions[3].ask((at(2),))
    open_still = sessions[1].ask((at(0, 5),))
    assert Planning(context).session_ends() == {1: SessionRequest(7, -1, ())}
    sessions[1].answered(open_still, named(at(0)))  # what is on its way may still be answered
