"""Fetch sessions: what is said in each request, what ends them, and that both halves always mean the same partitions."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kafka_nextgen.bridge.fetch import FetchPosition
from kafka_nextgen.broker.reading.asked import Asked, Reading
from kafka_nextgen.broker.reading.sessions import FetchSessions as NodesSessions
from kafka_nextgen.broker.reading.sessions import SessionRequest as NodesRequest
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.fetching.sessions import FetchSession, SessionAnswer, SessionRequest
from kafka_nextgen.types import TopicId, TopicPartition

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


def test_the_first_request_names_everything() -> None:
    assert FetchSession().ask((at(0), at(1))) == SessionRequest(0, 0, (at(0), at(1)))


def test_later_requests_name_what_is_new_has_moved_or_is_wanted_no_more() -> None:
    session = begun(at(0), at(1), at(2))
    assert session.ask((at(0), at(1, 5), at(3))) == SessionRequest(7, 1, (at(1, 5), at(3)), (at(2),))


def test_who_has_nothing_to_say_names_nothing() -> None:
    session = begun(at(0), at(1))
    for epoch in (1, 2):
        request = session.ask((at(1), at(0)))
        assert request == SessionRequest(7, epoch, ())
        session.answered(request, named())


def test_what_was_forgotten_is_named_when_it_is_wanted_again() -> None:
    session = begun(at(0), at(1))
    session.answered(session.ask((at(0),)), named())
    assert session.ask((at(0), at(1))) == SessionRequest(7, 2, (at(1),))


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
        session.failed()
    else:
        session.answered(request, answer)
    assert session.ask((at(0),)) == SessionRequest(ended, 0, (at(0),))


@pytest.mark.parametrize("partitions", [(), (at(0),), (at(0), at(1), at(2))])
def test_a_session_that_begins_with_other_partitions_than_were_named_is_not_trusted(
    partitions: tuple[FetchPosition, ...],
) -> None:
    session = FetchSession()
    session.answered(session.ask((at(0), at(1))), named(*partitions))
    assert session.ask((at(0), at(1))).epoch == 0


WANTED = st.dictionaries(st.integers(0, 4), st.tuples(st.integers(0, 2), st.sampled_from([OLD, NEW])), min_size=1)
FATES = st.sampled_from(["answered", "request lost", "answer lost", "node restarts", "evicted"])


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(WANTED, FATES), max_size=12), st.sampled_from([1, 2, LAST_EPOCH]))
def test_a_node_reads_exactly_what_is_wanted_whatever_gets_lost(
    rounds: list[tuple[dict[int, tuple[int, TopicId]], str]], slots: int
) -> None:
    mine, nodes = FetchSession(), NodesSessions(slots, lambda: 0.0)
    for wanted, fate in rounds:
        positions = tuple(at(number, offset, topic_id) for number, (offset, topic_id) in wanted.items())
        request = mine.ask(positions)
        if fate == "request lost":
            mine.failed()
            continue
        if fate == "node restarts":
            nodes.clear()
        turn = nodes.turn(_as_node_reads(request))
        if isinstance(turn, ErrorCode):
            assert not request.is_full
            mine.answered(request, SessionAnswer(turn, 0, []))
            continue
        assert {(each.key, each.offset) for each in turn.asked} == {_key_and_offset(each) for each in positions}
        session_id, told = turn.tell([Reading(each) for each in turn.asked])
        if fate == "answer lost":
            mine.failed()
        else:
            names = [TopicPartition("orders", reading.asked.index) for reading in told]
            mine.answered(request, SessionAnswer(ErrorCode.NONE, session_id, names))
        if fate == "evicted":
            nodes.clear()


def _as_node_reads(request: SessionRequest) -> NodesRequest:
    asked = tuple(Asked(_id_of(each), each.partition.partition, each.offset, each.max_bytes) for each in request.told)
    forgotten = tuple((_id_of(each), each.partition.partition) for each in request.forgotten)
    return NodesRequest(request.session_id, request.epoch, asked, forgotten)


def _key_and_offset(position: FetchPosition) -> tuple[tuple[TopicId, int], int]:
    return (_id_of(position), position.partition.partition), position.offset


def _id_of(position: FetchPosition) -> TopicId:
    assert position.topic_id is not None
    return position.topic_id
