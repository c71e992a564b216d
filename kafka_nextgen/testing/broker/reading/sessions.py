"""Fetch sessions (KIP-227): after the first request of a session, requests and answers contain only what has changed.

A session has an id and an epoch, which increases with each request:

| id, epoch | meaning | answer |
|---|---|---|
| any, -1 | end the session with that id, if any, and fetch without a session | everything, with id 0 |
| any, 0 | the same, and begin a new session if there is room | everything, with the id |
| an unknown id, other | the session was evicted, or belongs to another node | FETCH_SESSION_ID_NOT_FOUND |
| an id, not the next epoch | an answer was lost, or two requests overlapped | INVALID_FETCH_SESSION_EPOCH |
| an id, topic names instead of ids or vice versa | the reader changed versions | FETCH_SESSION_TOPIC_ID_ERROR |
| an id, the next epoch | add, change or forget these partitions | what is new |

A partition is in the answer if it has records, an error, a preferred replica or a diverging epoch, or if its high
watermark or log start offset has changed. Partitions with records are then read last, so that none starves, except
after the first answer, whose order the reader chose. A session without partitions ends.

There are at most ``slots`` sessions. If there are that many, a session that was idle for two minutes is evicted, or
else the smallest session older than two minutes, if the new one is not smaller.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from random import randrange
from typing import Final

from attrs import field

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.lazy_attrs import define, frozen
from kafka_nextgen.testing.broker.reading.asked import Asked, Key, Reading

__all__ = ["FetchSessions", "SessionRequest", "Turn"]

_NO_SESSION: Final = 0
_BEGIN: Final = 0
_NONE_WANTED: Final = -1
_LAST_EPOCH: Final = 2**31 - 1
_EVICTABLE_AFTER_S: Final = 120.0  # Kafka's min.incremental.fetch.session.eviction.ms, which can't be set


@frozen
class SessionRequest:
    """The session that a request continues or begins, and the partitions that it changes; each appears once.

    ``forgotten`` partitions leave a session that continues. A request that begins a session, or has none, reads all
    requested partitions, as in Kafka.
    """

    session_id: int
    epoch: int
    asked: tuple[Asked, ...]
    forgotten: tuple[Key, ...] = ()
    by_id: bool = True  # whether topics are given by id


@define
class _Known:
    """A partition of a session, with what was last sent to the reader."""

    asked: Asked
    high_watermark: int = -1
    log_start_offset: int = -1

    def hear(self, reading: Reading) -> bool:
        """Remember what is sent to the reader; return whether any of it is new."""
        marks = (reading.high_watermark, reading.log_start_offset)
        is_new = (
            reading.is_due
            or reading.is_missing
            or bool(reading.records)
            or marks != (self.high_watermark, self.log_start_offset)
        )
        self.high_watermark, self.log_start_offset = marks
        return is_new

    def forget(self) -> None:
        """Forget what was last sent to the reader: the answer was not sent."""
        self.high_watermark = self.log_start_offset = -1


@define
class _Session:
    session_id: int
    by_id: bool
    created: float  # seconds
    used: float
    epoch: int = 1
    known: dict[Key, _Known] = field(factory=dict)  # in the order they are read

    def change(self, request: SessionRequest) -> None:
        self.add(request.asked)
        for key in request.forgotten:
            self.known.pop(key, None)

    def add(self, wanted: Iterable[Asked]) -> None:
        for asked in wanted:
            if asked.key in self.known:
                self.known[asked.key].asked = asked
            else:
                self.known[asked.key] = _Known(asked)

    def news(self, readings: Iterable[Reading]) -> list[Reading]:
        told = []
        for reading in readings:
            known = self.known.get(reading.asked.key)
            if known is None or not known.hear(reading):
                continue
            told.append(reading)
            if reading.records:
                self.known[reading.asked.key] = self.known.pop(reading.asked.key)
        return told


@frozen
class Turn:
    """One fetch: the partitions to read, in order; ``tell`` returns the session id and the readings for the answer."""

    asked: tuple[Asked, ...]
    tell: Callable[[Sequence[Reading]], tuple[int, Sequence[Reading]]]


class FetchSessions:
    """The sessions of one node; at most ``slots``. ``clock`` gives seconds."""

    def __init__(self, slots: int, clock: Callable[[], float]) -> None:
        self._slots = slots
        self._clock = clock
        self._sessions: dict[int, _Session] = {}

    def turn(self, request: SessionRequest) -> Turn | ErrorCode:
        """The partitions that a request fetches, or the error if it does not fit its session."""
        if request.epoch in (_BEGIN, _NONE_WANTED):
            self._sessions.pop(request.session_id, None)
            return _everything(request) if request.epoch == _NONE_WANTED else self._beginning(request)
        return self._continue(request)

    def peek(self, request: SessionRequest) -> tuple[Asked, ...]:
        """The partitions that a request fetches if it fits its session, which stays as it is."""
        session = self._sessions.get(request.session_id)
        if request.epoch in (_BEGIN, _NONE_WANTED) or session is None:
            return request.asked
        wanted = {key: known.asked for key, known in session.known.items()} | {one.key: one for one in request.asked}
        return tuple(asked for key, asked in wanted.items() if key not in request.forgotten)

    def take_back(self, request_epoch: int, session_id: int) -> int:
        """Handle an answer that is not sent; return the session id to send instead.

        As in Kafka, a session that this answer began ends; in a continued session, the next answer has everything.
        """
        if request_epoch == _BEGIN:
            self._sessions.pop(session_id, None)
            return _NO_SESSION
        if session_id in self._sessions:
            for known in self._sessions[session_id].known.values():
                known.forget()
        return session_id

    def clear(self) -> None:
        """Forget all sessions, since the node has stopped."""
        self._sessions.clear()

    def __len__(self) -> int:
        return len(self._sessions)

    def _beginning(self, request: SessionRequest) -> Turn:
        def tell(readings: Sequence[Reading]) -> tuple[int, Sequence[Reading]]:
            session = self._begin(request)
            if session is None:
                return _NO_SESSION, readings
            for reading in readings:
                session.known[reading.asked.key].hear(reading)
            return session.session_id, readings

        return Turn(request.asked, tell)

    def _continue(self, request: SessionRequest) -> Turn | ErrorCode:
        session = self._sessions.get(request.session_id)
        if session is None:
            return ErrorCode.FETCH_SESSION_ID_NOT_FOUND
        if session.epoch != request.epoch:
            return ErrorCode.INVALID_FETCH_SESSION_EPOCH
        if session.by_id != request.by_id:
            return ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR
        session.change(request)
        if not session.known:
            del self._sessions[session.session_id]
            return _everything(request)
        session.epoch = session.epoch + 1 if session.epoch < _LAST_EPOCH else 1
        session.used = self._clock()
        return Turn(
            tuple(known.asked for known in session.known.values()),
            lambda readings: (session.session_id, session.news(readings)),
        )

    def _begin(self, request: SessionRequest) -> _Session | None:
        if len(self._sessions) >= self._slots and not self._evict(len(request.asked)):
            return None
        session_id = randrange(1, _LAST_EPOCH)
        while session_id in self._sessions:
            session_id = randrange(1, _LAST_EPOCH)
        session = _Session(session_id, request.by_id, self._clock(), self._clock())
        session.add(request.asked)
        self._sessions[session_id] = session
        return session

    def _evict(self, size: int) -> bool:
        """Make room for a session with ``size`` partitions; return whether that succeeded."""
        latest = self._clock() - _EVICTABLE_AFTER_S
        idle = min(self._sessions.values(), key=lambda session: session.used, default=None)
        old = [session for session in self._sessions.values() if session.created < latest]
        smallest = min(old, key=lambda session: len(session.known), default=None)
        if idle is not None and idle.used < latest:
            del self._sessions[idle.session_id]
            return True
        if smallest is None or size < len(smallest.known):
            return False
        del self._sessions[smallest.session_id]
        return True


def _everything(request: SessionRequest) -> Turn:
    return Turn(request.asked, lambda readings: (_NO_SESSION, readings))
