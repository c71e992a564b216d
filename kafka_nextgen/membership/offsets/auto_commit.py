"""Auto-commit: what the application has processed is committed on an interval, and before it is given up.

* Only what was handed over before the last poll counts as processed; the driver knows what that is.
* One commit on the interval is under way at a time, and only of what is not committed already.
* The commit before a revocation takes its place. It has every position of the assignment, also those that were
  acknowledged: a delayed duplicate of an older commit may have arrived since and set the offset back.
* An application that commits by itself, too, may be ahead of what counts as processed. Auto-commit takes back neither
  what is committed nor what is about to be; but it follows an application that has sought back. Commits of before the
  seek do not count then. Nor do they where reading went back by itself, to the first offset there is: the position is
  behind the one that auto-commit saw before.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import evolve

from kafka_nextgen.membership.numbering import numbered
from kafka_nextgen.membership.offsets.asking import add_commit, forget
from kafka_nextgen.membership.offsets.book import in_turn
from kafka_nextgen.membership.offsets.effects import ReadConsumed
from kafka_nextgen.membership.offsets.events import CommitBeforeRevokingAsked, ConsumedRead
from kafka_nextgen.membership.offsets.patience import patience_for
from kafka_nextgen.membership.offsets.settings import Moment
from kafka_nextgen.membership.offsets.state import (
    INTERVAL_ASK,
    CommitKind,
    OffsetState,
    Outcome,
    offset_of,
)
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition

__all__ = ["commit_before_revoking", "look_if_due", "take_consumed"]

#: How long (seconds) may be spent on a commit without which nothing is lost.
NEEDLESS_S = 1.0

Offsets = Mapping[TopicPartition, OffsetAndMetadata]


def look_if_due(state: OffsetState, at: Moment) -> Outcome:
    """Ask what was processed, if the interval is over and there is no commit of the last one any more."""
    interval_s = at.settings.auto_commit_interval_s
    if interval_s is None or state.interval_at is None or at.now < state.interval_at:
        return state, ()
    state = evolve(state, interval_at=at.now + interval_s)
    if not state.may_commit or INTERVAL_ASK in state.commits:
        return state, ()
    state, number = numbered(state)
    return evolve(state, reading=number), (ReadConsumed(number),)


def take_consumed(state: OffsetState, event: ConsumedRead, at: Moment) -> Outcome:
    """Commit what was processed, unless that is committed, or the application is ahead."""
    interval_s = at.settings.auto_commit_interval_s
    assert interval_s is not None, "nothing is read without auto-commit"
    ahead = _ahead(state, event.offsets)
    offsets = {tp: offset for tp, offset in event.offsets.items() if tp not in ahead}
    state = _remember(state, event.offsets)
    if all(state.acknowledged.get(tp) == offset for tp, offset in offsets.items()):
        return state, ()
    return add_commit(state, INTERVAL_ASK, CommitKind.INTERVAL, offsets, patience_for(interval_s, at)), ()


def commit_before_revoking(state: OffsetState, event: CommitBeforeRevokingAsked, at: Moment) -> Outcome:
    """Commit for the last time before partitions are given up: what the application wanted, where it is ahead.

    What is committed already is committed again, for a delayed duplicate of an earlier commit may have set it back. A
    position of which nothing was read is committed as Kafka's own consumer does. But neither has much time: a
    coordinator that can't be reached is not waited for without need.
    """
    offsets = {**event.offsets, **_ahead(state, event.offsets)}
    timeout_s = event.timeout_s if _is_needed(state, offsets, event.found) else min(event.timeout_s, NEEDLESS_S)
    state = _remember(state, event.offsets)
    patience = patience_for(timeout_s, at)
    return forget(add_commit(state, event.ask, CommitKind.BEFORE_REVOKING, offsets, patience), INTERVAL_ASK), ()


def _is_needed(state: OffsetState, offsets: Offsets, found: Offsets) -> bool:
    """Whether the next owner would begin elsewhere without a commit of these, as far as that is known."""
    committed, wanted = {**found, **state.acknowledged}, {**found, **_wanted(state)}
    return any(tp in state.sought or not (at == committed.get(tp) == wanted.get(tp)) for tp, at in offsets.items())


def _remember(state: OffsetState, consumed: Offsets) -> OffsetState:
    return evolve(state, reading=None, consumed={**state.consumed, **consumed})


def _ahead(state: OffsetState, consumed: Offsets) -> Offsets:
    """What is committed, or about to be, beyond what was processed, by an application that has not sought back."""
    wanted = _wanted(state)
    return {
        tp: wanted[tp]
        for tp, offset in consumed.items()
        if offset_of(state.consumed, tp) <= offset.offset < offset_of(wanted, tp)
    }


def _wanted(state: OffsetState) -> Offsets:
    """The last that was committed of each partition, or is about to be."""
    under_way = ((each.turn, each.offsets) for _, each in sorted(state.commit_requests.items()))
    waiting = ((each.turn, {tp: each.offsets[tp] for tp in each.open}) for each in in_turn(state.commits.values()))
    asked = (
        (tp, offset)
        for turn, offsets in (*under_way, *waiting)
        for tp, offset in offsets.items()
        if state.counts(tp, turn)
    )
    return {**state.acknowledged, **dict(asked)}
