"""The state and rules that members of both protocols share."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Protocol, TypeVar

from attrs import evolve, frozen

from kafka_nextgen.membership.effects import CommitConsumed
from kafka_nextgen.membership.events import Closed, Unsubscribed
from kafka_nextgen.membership.numbering import Numbering, numbered
from kafka_nextgen.membership.states import Phase
from kafka_nextgen.types import LeaveMode

__all__ = ["AnyMember", "Leaving", "Subscription", "Why", "commit_or_revoke", "decided", "note_decision"]


@frozen
class Subscription:
    """What the application wants to read: topics by name, or all that match a pattern."""

    topics: frozenset[str] = frozenset()
    pattern: str | None = None


class Why(Enum):
    """Why the member leaves."""

    CLOSED = "closed"
    UNSUBSCRIBED = "unsubscribed"
    EXPIRED = "expired"  # the application stopped polling


@frozen
class Leaving:
    """A leave that was decided, and what the coordinator is to be told of it."""

    why: Why
    mode: LeaveMode = LeaveMode.DEFAULT


@frozen(kw_only=True)
class AnyMember(Numbering):
    """The part of a member's state that is the same by both protocols; their ``held`` name partitions differently."""

    phase: Phase = Phase.IDLE
    subscription: Subscription | None = None
    leaving: Leaving | None = None
    held: frozenset[object] = frozenset()
    waits_for: int | None = None  # the number of the pending commit or callback
    failures: int = 0  # consecutive failed requests


class _Settings(Protocol):
    @property
    def auto_commit(self) -> bool: ...

    @property
    def leave_timeout_s(self) -> float: ...


class _Moment(Protocol):
    @property
    def now(self) -> float: ...

    @property
    def settings(self) -> _Settings: ...


S = TypeVar("S", bound=AnyMember)
M = TypeVar("M", bound=_Moment)
E = TypeVar("E")


def decided(state: S, event: Closed | Unsubscribed) -> S:
    """The application gives its subscription up, for good or not."""
    if isinstance(event, Closed):
        return evolve(state, subscription=None, leaving=Leaving(Why.CLOSED, event.leave))
    if state.leaving is not None and state.leaving.why is Why.CLOSED:
        return state  # closing goes further than unsubscribing
    return evolve(state, subscription=None, leaving=Leaving(Why.UNSUBSCRIBED))


def note_decision(state: S, event: Closed | Unsubscribed, _at: object) -> tuple[S, tuple[()]]:
    """The member is on its way out already: only remember what it is to do then."""
    return decided(state, event), ()


def commit_or_revoke(
    state: S, at: M, revoke: Callable[[S, M], tuple[S, tuple[E, ...]]]
) -> tuple[S, tuple[E | CommitConsumed, ...]]:
    """Go on leaving: by a last commit if the application closes and commits are automatic, else by ``revoke``."""
    assert state.leaving is not None, "the member is to leave"
    if state.leaving.why is not Why.CLOSED or not (at.settings.auto_commit and state.held):
        return revoke(state, at)
    state, number = numbered(state)
    state = evolve(state, phase=Phase.COMMITTING, waits_for=number)
    return state, (CommitConsumed(number, at.now + at.settings.leave_timeout_s),)
