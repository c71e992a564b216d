"""The other half of fetch sessions: the embedded broker's, asked in the client's words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.fetching.sessions import SessionAnswer, SessionRequest
from kafka_nextgen.requests.fetch import FetchPosition
from kafka_nextgen.testing.broker.reading.asked import Asked, Key, Reading
from kafka_nextgen.testing.broker.reading.sessions import FetchSessions, Turn
from kafka_nextgen.testing.broker.reading.sessions import SessionRequest as NodesRequest
from kafka_nextgen.types import TopicPartition
from kafka_nextgen.wire.records import Columns


class Node:
    """Keeps so many sessions. Answering is ``take`` and ``tell``; in between it is read."""

    def __init__(self, slots: int) -> None:
        self._sessions = FetchSessions(slots, lambda: 0.0)

    def forget_sessions(self) -> None:
        self._sessions.clear()

    def take(self, request: SessionRequest, wanted: Sequence[FetchPosition]) -> Turn | ErrorCode:
        """Take a request in, which has to come to reading exactly what is wanted, or say what is wrong with it."""
        asked = tuple(Asked(*_key(each), each.offset, each.max_bytes) for each in request.told)
        forgotten = tuple(_key(each) for each in request.forgotten)
        turn = self._sessions.turn(NodesRequest(request.session_id, request.epoch, asked, forgotten))
        if not isinstance(turn, ErrorCode):
            assert {(each.key, each.offset) for each in turn.asked} == {(_key(each), each.offset) for each in wanted}
        return turn


def tell(turn: Turn, results: Mapping[TopicPartition, Columns | ErrorCode]) -> SessionAnswer:
    """What is answered if this is what was read; nothing was of the partitions left out."""
    readings = [_reading(asked, results.get(TopicPartition("orders", asked.index))) for asked in turn.asked]
    session_id, told = turn.tell(readings)
    return SessionAnswer(ErrorCode.NONE, session_id, [TopicPartition("orders", each.asked.index) for each in told])


def _reading(asked: Asked, result: Columns | ErrorCode | None) -> Reading:
    if isinstance(result, ErrorCode):
        return Reading(asked, result)
    return Reading(asked, high_watermark=1, log_start_offset=0, records=b"" if result is None else b"batches")


def _key(position: FetchPosition) -> Key:
    return position.topic_id or position.partition.topic, position.partition.partition
