"""Fetch sessions (KIP-227): who gets one, what is told in it, and when it ends; the table by a clock that is ours."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from attrs import evolve

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.testing import Cluster
from kafka_nextgen.testing.broker.reading.asked import Asked, Reading
from kafka_nextgen.testing.broker.reading.sessions import FetchSessions, SessionRequest, Turn
from kafka_nextgen.wire import apis
from tests.testing.broker.client import Client
from tests.testing.broker.requests import fetch_request


def up_to(most: int) -> FetchSessions:
    return FetchSessions(most, lambda: 0.0)


def partition(index: int, offset: int = 0) -> Asked:
    return Asked("orders", index, offset, max_bytes=100)


def ask(sessions: FetchSessions, session_id: int, epoch: int, *asked: Asked) -> Turn:
    turn = sessions.turn(SessionRequest(session_id, epoch, asked, by_id=False))
    assert isinstance(turn, Turn)
    return turn


def begin(sessions: FetchSessions, *indexes: int) -> int:
    asked = [partition(index) for index in indexes]
    session_id, _ = ask(sessions, 0, 0, *asked).tell([reading(one) for one in asked])
    return session_id


def reading(asked: Asked, high_watermark: int = 0, records: bytes = b"") -> Reading:
    return Reading(asked, high_watermark=high_watermark, log_start_offset=0, records=records)


def told(turn: Turn, readings: Sequence[Reading]) -> list[int]:
    return [each.asked.index for each in turn.tell(readings)[1]]


def order(turn: Turn) -> list[int]:
    return [asked.index for asked in turn.asked]


def test_only_what_is_new_is_told() -> None:
    sessions = up_to(10)
    session_id = begin(sessions, 0, 1, 2)
    turn = ask(sessions, session_id, 1)
    readings = [reading(asked) for asked in turn.asked]
    assert told(turn, readings) == []
    turn = ask(sessions, session_id, 2)
    assert told(turn, [evolve(readings[0], error=ErrorCode.OFFSET_OUT_OF_RANGE), *readings[1:]]) == [0]
    turn = ask(sessions, session_id, 3)
    readings[2] = evolve(readings[2], log_start_offset=3)
    assert told(turn, [reading(partition(0), 4), reading(partition(1), 1), readings[2]]) == [0, 1, 2]
    assert told(ask(sessions, session_id, 4), readings) == [0, 1]  # their high watermark, told as another


def test_partitions_that_gave_records_go_to_the_end_of_the_line() -> None:
    sessions = up_to(10)
    session_id = begin(sessions, 0, 1, 2)
    turn = ask(sessions, session_id, 1)
    turn.tell([reading(turn.asked[0], 1, b"x"), reading(turn.asked[1]), reading(turn.asked[2])])
    assert order(ask(sessions, session_id, 2)) == [1, 2, 0]


def test_a_request_changes_adds_and_forgets_partitions() -> None:
    sessions = up_to(10)
    session_id = begin(sessions, 0, 1)
    changes = SessionRequest(session_id, 1, (partition(1, 7), partition(2)), (("orders", 0), ("gone", 9)), by_id=False)
    turn = sessions.turn(changes)
    assert isinstance(turn, Turn)
    assert turn.asked == (partition(1, 7), partition(2))


def test_a_request_that_does_not_fit_its_session_is_refused() -> None:
    sessions = up_to(10)
    right = SessionRequest(begin(sessions, 0), 1, (), by_id=False)
    assert sessions.turn(evolve(right, session_id=-9)) is ErrorCode.FETCH_SESSION_ID_NOT_FOUND
    assert sessions.turn(evolve(right, epoch=2)) is ErrorCode.INVALID_FETCH_SESSION_EPOCH
    assert sessions.turn(evolve(right, by_id=True)) is ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR
    assert isinstance(sessions.turn(right), Turn)


@pytest.mark.parametrize("epoch", [-1, 0])
def test_a_full_fetch_ends_the_session_it_names(epoch: int) -> None:
    sessions = up_to(10)
    session_id = begin(sessions, 0)
    next_id, _ = ask(sessions, session_id, epoch, partition(0)).tell([reading(partition(0))])
    assert (len(sessions), next_id == 0) == (epoch + 1, epoch == -1)
    assert sessions.turn(SessionRequest(session_id, 1, (), by_id=False)) is ErrorCode.FETCH_SESSION_ID_NOT_FOUND


def test_a_session_that_forgets_everything_ends() -> None:
    sessions = up_to(10)
    turn = sessions.turn(SessionRequest(begin(sessions, 0), 1, (), (("orders", 0),), by_id=False))
    assert isinstance(turn, Turn)
    assert turn.tell([]) == (0, [])
    assert len(sessions) == 0


def test_epochs_begin_again_at_1_after_the_highest() -> None:
    sessions = up_to(10)
    session_id = begin(sessions, 0)
    sessions._sessions[session_id].epoch = 2**31 - 1
    ask(sessions, session_id, 2**31 - 1)
    assert isinstance(ask(sessions, session_id, 1), Turn)


def test_without_room_there_is_no_session() -> None:
    now = [0.0]
    sessions = FetchSessions(1, lambda: now[0])
    first = begin(sessions, 0, 1)
    now[0] = 120.0
    assert begin(sessions, 0, 1, 2) == 0
    ask(sessions, first, 1)
    now[0] = 120.1
    assert begin(sessions, 0) == 0, "it is smaller than the one that would make way"
    assert begin(sessions, 0, 1) != 0
    now[0] = 240.2
    assert begin(sessions, 0) != 0, "one that nobody used for two minutes makes way for any"
    assert len(sessions) == 1


def test_a_broker_may_have_no_sessions_at_all() -> None:
    assert begin(up_to(0), 0) == 0


def test_a_node_that_stopped_knows_no_sessions_any_more() -> None:
    with Cluster() as cluster:
        cluster.create_topic("orders", 1)
        with Client(cluster.bootstrap_servers) as client:
            session_id = client.ask(apis.FETCH, fetch_request("orders", session_epoch=0), 12).session_id
            again = fetch_request("orders", session_id=session_id, session_epoch=1)
            assert client.ask(apis.FETCH, again, 12).error_code == ErrorCode.NONE
        cluster.stop_node(1)
        cluster.start_node(1)
        with Client(cluster.bootstrap_servers) as client:
            answer = client.ask(apis.FETCH, fetch_request("orders", session_id=session_id, session_epoch=2), 12)
    assert answer.error_code == ErrorCode.FETCH_SESSION_ID_NOT_FOUND


def test_what_was_not_sent_is_told_again() -> None:
    sessions = up_to(10)
    session_id = begin(sessions, 0, 1)
    readings = [reading(partition(0)), reading(partition(1))]
    assert told(ask(sessions, session_id, 1), readings) == []
    assert sessions.take_back(1, session_id) == session_id
    assert told(ask(sessions, session_id, 2), readings) == [0, 1]
    assert told(ask(sessions, session_id, 3), readings) == []


def test_a_session_whose_beginning_was_not_sent_is_none() -> None:
    sessions = up_to(10)
    assert sessions.take_back(0, begin(sessions, 0)) == 0
    assert len(sessions) == 0


def test_looking_at_what_a_request_fetches_changes_nothing() -> None:
    sessions = up_to(1)
    session_id = begin(sessions, 0, 1)
    forgotten = (("orders", 0),)
    for _ in range(2):
        seen = sessions.peek(SessionRequest(session_id, 1, (partition(2),), forgotten, by_id=False))
        assert [one.index for one in seen] == [1, 2]
    assert [one.index for one in sessions.peek(SessionRequest(0, 0, (partition(3),), by_id=False))] == [3]
    assert [one.index for one in ask(sessions, session_id, 1).asked] == [0, 1]
