"""What members of either protocol have in common, and what they do with nothing else."""

from __future__ import annotations

from enum import Enum
from typing import TypeVar

from attrs import evolve, frozen

from kafka_nextgen.membership.events import Closed, Unsubscribed
from kafka_nextgen.membership.numbering import Numbering
from kafka_nextgen.membership.states import Phase
from kafka_nextgen.types import LeaveMode

__all__ = ["AnyMember", "Leaving", "Subscription", "Why", "decided", "note_decision"]


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
    """The part of a member's state that is the same by both protocols."""

    phase: Phase = Phase.IDLE
    subscription: Subscription | None = None
    leaving: Leaving | None = None
    waits_for: int | None = None  # the number of the commit or callback under way
    failures: int = 0  # requests that failed in a row


S = TypeVar("S", bound=AnyMember)


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
