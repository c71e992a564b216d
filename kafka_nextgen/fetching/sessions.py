"""Fetch sessions (KIP-227): a request contains only the partitions that changed, an answer only those with updates.

A session has an id, which the node assigns, and an epoch, which counts its requests.

- The first request is full and has epoch 0: it names every partition, and ends the session whose id it carries, if any.
- The answer contains the id of the new session. Id 0 means that the node keeps no session for us: every request is
  full.
- From then on, the epoch increases by 1, and wraps around from the highest value to 1. A request names the partitions
  that are new or have another offset, and those no longer fetched. All others stay unchanged.
- An answer to such a request contains only partitions with updates, such as records or an error.
- Epoch -1 with a session's id ends the session; without an id it fetches outside any session.

Both sides must agree on the session's state. If they might disagree, the next request is full again:

- when no answer arrived;
- when the node does not have the session, or expected another epoch or other topic ids; then the request is repeated
  immediately;
- when an answer contains a partition that is not in the session, or the answer to a full request lacks one. The node
  would never answer for a partition that is missing from its session;
- when an answer omits a newly assigned partition that was in the session before: its end is then unknown here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from attrs import Factory

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.lazy_attrs import define
from kafka_nextgen.requests.fetch import FetchPosition
from kafka_nextgen.types import TopicPartition

__all__ = ["FetchSession", "SessionAnswer", "SessionRequest"]

_NO_SESSION = 0
_FULL = 0
_ALONE = -1
_LAST_EPOCH = 2**31 - 1

#: Top-level error codes that concern the session, or topics for which the session has other ids.
_SESSION_ERRORS = frozenset(
    {
        ErrorCode.FETCH_SESSION_ID_NOT_FOUND,
        ErrorCode.INVALID_FETCH_SESSION_EPOCH,
        ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR,
        ErrorCode.INCONSISTENT_TOPIC_ID,
        ErrorCode.UNKNOWN_TOPIC_ID,
    }
)


class SessionRequest(NamedTuple):
    """The session part of a request: the session it continues, the new or changed partitions, and the forgotten ones.

    The forgotten partitions are listed exactly as they were sent before. This is a tuple for speed, because every fetch
    has one.
    """

    session_id: int
    epoch: int
    told: tuple[FetchPosition, ...]
    forgotten: tuple[FetchPosition, ...] = ()

    @classmethod
    def alone(cls, positions: tuple[FetchPosition, ...]) -> SessionRequest:
        """A request without a session."""
        return cls(_NO_SESSION, _ALONE, positions)

    @property
    def is_full(self) -> bool:
        """Whether the request names every partition to fetch."""
        return self.epoch in (_FULL, _ALONE)


class SessionAnswer(NamedTuple):
    """The session part of an answer: an error code or 0, the session's id, and the partitions it describes."""

    error: int
    session_id: int
    partitions: Sequence[TopicPartition]

    def refuses(self, request: SessionRequest) -> bool:
        """Whether the answer refuses the session, so that a full request may succeed."""
        return self.error in _SESSION_ERRORS and not request.is_full


@define
class FetchSession:
    """Our half of the session with one node, with at most one request in flight."""

    _id: int = _NO_SESSION
    _epoch: int = _FULL  # of the next request
    _known: dict[TopicPartition, FetchPosition] = Factory(dict)  # the partitions as the node knows them
    _open: SessionRequest | None = None  # the request in flight

    def ask(self, positions: tuple[FetchPosition, ...]) -> SessionRequest:
        """The request that fetches exactly ``positions``."""
        known = self._known
        if self._epoch == _FULL:
            self._known = {position.partition: position for position in positions}
            self._open = SessionRequest(self._id, _FULL, positions)
            return self._open
        told = [(known.get(position.partition), position) for position in positions]
        changed = [(old, new) for old, new in told if old is not new and old != new]
        dropped: tuple[FetchPosition, ...] = ()
        others = [new for old, new in changed if old is None or _is_other_topic(old, new)]
        if others or len(known) != len(told):
            self._known = {position.partition: position for position in positions}
            dropped = _dropped(known, self._known)
        for _, new in changed:
            self._known[new.partition] = new
        self._open = SessionRequest(self._id, self._epoch, tuple([new for _, new in changed]), dropped)
        return self._open

    @property
    def begins(self) -> bool:
        """Whether the next request names all partitions."""
        return self._epoch == _FULL

    def ask_again(self, changed: Iterable[FetchPosition], dropped: Iterable[TopicPartition]) -> SessionRequest:
        """The request that fetches the same positions as the last one, except for ``changed`` and ``dropped``."""
        assert self._epoch != _FULL, "a request that names all partitions needs their positions"
        known, told = self._known, list[FetchPosition]()
        forgotten = [known.pop(tp) for tp in dropped]
        for new in changed:
            old = known.get(new.partition)
            if old != new:
                if old is not None and _is_other_topic(old, new):
                    forgotten.append(old)
                known[new.partition] = new
                told.append(new)
        self._open = SessionRequest(self._id, self._epoch, tuple(told), tuple(forgotten))
        return self._open

    def answered(self, request: SessionRequest, answer: SessionAnswer) -> bool:
        """Apply an answer; returns whether partitions omitted from it have no updates."""
        if request.epoch == _ALONE:
            return False
        assert request is self._open, "a session has at most one request in flight"
        self._open = None
        if answer.error != ErrorCode.NONE:
            self._start_over(_NO_SESSION if answer.error == ErrorCode.FETCH_SESSION_ID_NOT_FOUND else self._id)
            return False
        told = answer.partitions
        fits = (
            self._known.keys() == set(told)
            if request.epoch == _FULL
            else answer.session_id == self._id and all(map(self._known.__contains__, told))
        )
        if answer.session_id == _NO_SESSION or not fits:
            self._start_over(answer.session_id)
            return False
        self._id = answer.session_id
        self._epoch = request.epoch % _LAST_EPOCH + 1
        return True

    def went_on(self, moved: Iterable[FetchPosition], answers: int) -> SessionRequest:
        """Note that the fast path handled ``answers`` answers, and that fetching continues at these positions.

        Returns the last request; earlier ones may have contained some of the positions.
        """
        assert self._open is not None, "the session is the same"
        told = tuple(moved)
        for position in told:
            self._known[position.partition] = position
        self._epoch = (self._open.epoch + answers - 1) % _LAST_EPOCH + 1
        self._open = SessionRequest(self._id, self._epoch, told)
        return self._open

    def failed(self, request: SessionRequest) -> None:
        """Note that no answer arrived: the node may or may not have counted the request."""
        if request is self._open:
            self._open = None
            self._start_over(self._id)

    def begin_again(self) -> None:
        """Let the next request be a full one, so that its answer describes every partition, with news or without."""
        self._start_over(self._id)

    @property
    def end(self) -> SessionRequest | None:
        """The request that ends the session, to be sent last; None if the node has no session."""
        return None if self._id == _NO_SESSION else SessionRequest(self._id, _ALONE, ())

    def _start_over(self, session_id: int) -> None:
        """Let the next request be a full one, which ends the session with this id."""
        self._id = session_id
        self._epoch = _FULL
        self._known = {}


def _dropped(
    before: Mapping[TopicPartition, FetchPosition], now: Mapping[TopicPartition, FetchPosition]
) -> tuple[FetchPosition, ...]:
    """The partitions no longer fetched, including those of a topic that another one of the same name has replaced."""
    return tuple([old for tp, old in before.items() if tp not in now or _is_other_topic(old, now[tp])])


def _is_other_topic(old: FetchPosition, new: FetchPosition) -> bool:
    """Whether the topic changed. Object identity is checked first, since comparing ids by value is slow."""
    return old.topic_id is not new.topic_id and old.topic_id != new.topic_id
