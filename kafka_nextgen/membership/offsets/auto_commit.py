"""Auto-commit: commit processed offsets on an interval and before partitions are given up.

* Only records handed over before the last poll count as processed. The driver keeps track of them.
* Only one interval commit is open at a time. With ``commits_again`` it contains all positions of the assignment, even
  those already committed, like Kafka's own consumer (4.4, CommitRequestManager). In a group without members, offset
  retention is counted from the last commit. A group has no members if all its consumers use manual assignment, or after
  all members have crashed.
* The commit before a revocation replaces the interval commit. It also contains all positions, because a delayed
  duplicate of an older commit may have moved the offset back.
* An application that also commits explicitly may be ahead of the processed offsets. Auto-commit never replaces such a
  commit with an earlier offset, whether it is acknowledged or still open. The exception is an application that seeks
  back: commits from before the seek do not count. The same applies after an offset reset, recognised by a processed
  offset lower than the previous one.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import evolve

from kafka_nextgen.membership.offsets.asking import add_commit, forget
from kafka_nextgen.membership.offsets.commit_index import in_turn
from kafka_nextgen.membership.offsets.effects import ReadConsumed
from kafka_nextgen.membership.offsets.events import CommitBeforeRevokingAsked, ConsumedRead
from kafka_nextgen.membership.offsets.retry_state import new_retry_state
from kafka_nextgen.membership.offsets.settings import OffsetContext
from kafka_nextgen.membership.offsets.state import (
    INTERVAL_COMMIT,
    CommitKind,
    OffsetState,
    Outcome,
    offset_of,
)
from kafka_nextgen.membership.state_machine import numbered
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition

__all__ = ["commit_before_revoking", "look_if_due", "take_consumed"]

#: The time limit (seconds) of a commit before a revocation if all its offsets are already committed.
NEEDLESS_S = 1.0

Offsets = Mapping[TopicPartition, OffsetAndMetadata]


def look_if_due(state: OffsetState, at: OffsetContext) -> Outcome:
    """Read the processed offsets if the interval has elapsed and the last interval commit has ended."""
    interval_s = at.settings.auto_commit_interval_s
    if interval_s is None or state.interval_at is None or at.now < state.interval_at:
        return state, ()
    state = evolve(state, interval_at=at.now + interval_s)
    if not state.may_commit or INTERVAL_COMMIT in state.commits:
        return state, ()
    state, number = numbered(state)
    return evolve(state, reading=number), (ReadConsumed(number),)


def take_consumed(state: OffsetState, event: ConsumedRead, at: OffsetContext) -> Outcome:
    """Commit the processed offsets, except for partitions in which the application's own commits are ahead.

    If all of them are already committed, do so only with ``commits_again``.
    """
    interval_s = at.settings.auto_commit_interval_s
    assert interval_s is not None, "processed offsets are read only with auto-commit"
    ahead = _ahead(state, event.offsets)
    offsets = {tp: offset for tp, offset in event.offsets.items() if tp not in ahead}
    state = _remember(state, event.offsets)
    is_known = all(state.acknowledged.get(tp) == offset for tp, offset in offsets.items())
    if not offsets or (is_known and not at.settings.commits_again):
        return state, ()
    return add_commit(state, INTERVAL_COMMIT, CommitKind.INTERVAL, offsets, new_retry_state(interval_s, at)), ()


def commit_before_revoking(state: OffsetState, event: CommitBeforeRevokingAsked, at: OffsetContext) -> Outcome:
    """Make the last commit before partitions are given up. If the application's own commit is ahead, use its offset.

    Committed offsets are committed again, because a delayed duplicate of an earlier commit may have replaced them.
    Positions from which nothing was read are committed too, as in Kafka's own consumer. Neither kind is essential. A
    commit that contains only such offsets gets at most NEEDLESS_S seconds, so that an unreachable coordinator does not
    delay the revocation.
    """
    offsets = {**event.offsets, **_ahead(state, event.offsets)}
    timeout_s = event.timeout_s if _is_needed(state, offsets, event.found) else min(event.timeout_s, NEEDLESS_S)
    state = _remember(state, event.offsets)
    retry = new_retry_state(timeout_s, at)
    state = add_commit(state, event.operation, CommitKind.BEFORE_REVOKING, offsets, retry)
    return forget(state, INTERVAL_COMMIT), ()


def _is_needed(state: OffsetState, offsets: Offsets, found: Offsets) -> bool:
    """Whether the next owner might start at different offsets without this commit."""
    committed, wanted = {**found, **state.acknowledged}, {**found, **_wanted(state)}
    return any(tp in state.sought or not (at == committed.get(tp) == wanted.get(tp)) for tp, at in offsets.items())


def _remember(state: OffsetState, consumed: Offsets) -> OffsetState:
    return evolve(state, reading=None, consumed={**state.consumed, **consumed})


def _ahead(state: OffsetState, consumed: Offsets) -> Offsets:
    """Offsets of open or acknowledged commits that are ahead of ``consumed``, unless the application seeks back."""
    wanted = _wanted(state)
    return {
        tp: wanted[tp]
        for tp, offset in consumed.items()
        if offset_of(state.consumed, tp) <= offset.offset < offset_of(wanted, tp)
    }


def _wanted(state: OffsetState) -> Offsets:
    """The latest offset of each partition, committed or in an open commit."""
    under_way = ((each.ownership, each.offsets) for _, each in sorted(state.commit_requests.items()))
    waiting = ((each.ownership, {tp: each.offsets[tp] for tp in each.open}) for each in in_turn(state.commits.values()))
    asked = (
        (tp, offset)
        for ownership, offsets in (*under_way, *waiting)
        for tp, offset in offsets.items()
        if state.counts(tp, ownership)
    )
    return {**state.acknowledged, **dict(asked)}
