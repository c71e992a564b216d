"""Coalesce waiting commits of the same partitions: earlier ones become riders of the latest.

An application that commits after each record has one commit waiting for each record since the last answer. Checking
all of them on every event would be slow. A waiting commit of the application becomes a rider of the next one if that
covers all its remaining partitions, in the same membership and turn, and its deadline is no earlier. A rider ends with
its commit, but keeps its own deadline and reports only the error codes of its own partitions.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import inf

from attrs import evolve

from kafka_nextgen.membership.offsets.book import changed, closed, near, opened
from kafka_nextgen.membership.offsets.effects import CommitEnded, Failure, OffsetEffect, Refused, TimedOut
from kafka_nextgen.membership.offsets.order import has_free_place, is_blocked
from kafka_nextgen.membership.offsets.patience import inherited
from kafka_nextgen.membership.offsets.settings import Moment
from kafka_nextgen.membership.offsets.state import Commit, CommitKind, OffsetState, Outcome

__all__ = ["end_riders", "end_riders_out_of_time", "taken_along", "why_unsent", "without_rider"]


def why_unsent(state: OffsetState, commit: Commit, at: Moment) -> str | None:
    """Why a commit can time out before it was sent; None if nothing blocks it."""
    if is_blocked(state, commit):
        return "another commit of the same partitions has no answer yet"
    return None if has_free_place(state, at) else "the commits before it have no answer yet"


def taken_along(state: OffsetState, commit: Commit) -> OffsetState:
    """Add a commit and make every earlier one that can ride its rider."""
    around = near(state, commit.offsets)
    absorbed = [each for each in around if _can_ride(each, commit)]
    for each in absorbed:
        own = () if each.is_withdrawn else (evolve(each, riders=(), riders_until=inf),)
        commit = evolve(
            commit,
            patience=inherited(commit.patience, each.patience),
            riders=(*commit.riders, *each.riders, *own),
            riders_until=min(commit.riders_until, each.riders_until, each.patience.deadline if own else inf),
        )
    gone = {each.ask for each in absorbed}
    following = [each for each in around if not gone.isdisjoint(each.followed.values())]
    state = changed(closed(state, absorbed), [_pointing_to(each, gone, commit.ask) for each in following])
    return opened(state, commit)


def _can_ride(earlier: Commit, later: Commit) -> bool:
    is_simple = earlier.request is None and not earlier.followed and not earlier.given_up and not later.given_up
    return (
        is_simple
        and earlier.kind is later.kind is CommitKind.APPLICATION
        and (earlier.life, earlier.turn) == (later.life, later.turn)
        and earlier.left <= later.left
        and earlier.patience.deadline <= later.patience.deadline
    )


def _pointing_to(commit: Commit, gone: set[int], heir: int) -> Commit:
    return evolve(commit, followed={tp: heir if ask in gone else ask for tp, ask in commit.followed.items()})


def end_riders(commit: Commit, failure: Failure | None) -> tuple[OffsetEffect, ...]:
    """End the riders of a commit that ends, in the order they were asked for."""
    return tuple(CommitEnded(rider.ask, _for_rider(rider, failure)) for rider in commit.riders)


def _for_rider(rider: Commit, failure: Failure | None) -> Failure | None:
    if isinstance(failure, TimedOut):
        return TimedOut(rider.patience.timeout_s, failure.reason)
    if failure is None:
        return None
    codes = {tp: code for tp, code in failure.codes.items() if tp in rider.left}
    return Refused(codes, failure.code, failure.error) if codes else None


def end_riders_out_of_time(state: OffsetState, commits: Iterable[Commit], at: Moment) -> Outcome:
    """End the riders of these commits whose own deadlines have passed."""
    effects: tuple[OffsetEffect, ...] = ()
    for commit in commits:
        if at.now >= commit.riders_until:
            over = tuple(rider for rider in commit.riders if at.now >= rider.patience.deadline)
            why = commit.refusal or TimedOut(0.0, commit.patience.reason or why_unsent(state, commit, at))
            effects += tuple(CommitEnded(rider.ask, rider.refusal or _for_rider(rider, why)) for rider in over)
            left = tuple(rider for rider in commit.riders if at.now < rider.patience.deadline)
            state = changed(state, [_with_riders(commit, left)])
    return state, effects


def without_rider(state: OffsetState, ask: int) -> OffsetState:
    """Drop the rider with this ask, if there is one: its caller no longer waits."""
    for commit in state.commits.values():
        left = tuple(rider for rider in commit.riders if rider.ask != ask)
        if len(left) < len(commit.riders):
            return changed(state, [_with_riders(commit, left)])
    return state


def _with_riders(commit: Commit, riders: tuple[Commit, ...]) -> Commit:
    until = min((rider.patience.deadline for rider in riders), default=inf)
    return evolve(commit, riders=riders, riders_until=until)
