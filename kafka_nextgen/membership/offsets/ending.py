"""Ends operations that are done, have lost their partitions or membership, timed out or were refused permanently.

* A commit is done when all its partitions have an outcome. If some were given up in the meantime, it fails with
  REBALANCE_IN_PROGRESS for those.
* If the member has left the group since, even if it has joined again, the commit fails with UNKNOWN_MEMBER_ID, which
  the coordinator would also return.
* A commit whose deadline has passed fails with the coordinator's last error, or with a timeout if there is none.

A commit in flight ends only when its response arrives or is lost. Only marked commits are checked (``commit_index``).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from attrs import evolve

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.membership.error_actions import ErrorAction
from kafka_nextgen.membership.offsets.commit_index import changed, closed, commits_of, opened, take_marked
from kafka_nextgen.membership.offsets.effects import CommitEnded, Failure, LookupEnded, OffsetEffect, Refused, TimedOut
from kafka_nextgen.membership.offsets.order import (
    end_riders,
    end_riders_out_of_time,
    in_order,
    why_unsent,
    without_given_up,
)
from kafka_nextgen.membership.offsets.retry_state import RetryState, is_over, is_ready
from kafka_nextgen.membership.offsets.rules import OffsetRules, commit_error_class
from kafka_nextgen.membership.offsets.settings import OffsetContext
from kafka_nextgen.membership.offsets.state import Commit, CommitKind, Lookup, OffsetState, Outcome
from kafka_nextgen.types import TopicPartition

__all__ = ["action_on", "end_lookup", "end_what_is_over", "fail_commit", "refused"]


def action_on(rules: OffsetRules, kind: CommitKind, code: int) -> ErrorAction:
    """The action for an error code of a commit of this kind."""
    actions = rules.commit_before_revoking if kind is CommitKind.BEFORE_REVOKING else rules.commit
    return actions.get(code, ErrorAction.FAIL)


def refused(codes: Mapping[TopicPartition, int], code: int) -> Refused:
    """The failure of a commit that was refused with ``codes``; ``code`` determines the error class."""
    return Refused(codes, code, commit_error_class(code))


def end_what_is_over(state: OffsetState, at: OffsetContext) -> Outcome:
    """End every operation that is done or can't continue, and order the others."""
    effects: list[OffsetEffect] = []
    while state.marked:
        state, marked = take_marked(state)
        state, over = end_riders_out_of_time(state, marked, at)
        state, ended = _end_those(_settled(state, marked, at), marked, at)
        effects += [*over, *ended]
    for lookup in state.lookups:
        if lookup.request is None and (not lookup.left or is_over(lookup.retry, at)):
            state, ended = end_lookup(state, lookup, _timed_out(lookup.retry) if lookup.left else None)
            effects += ended
    return state, tuple(effects)


def _settled(state: OffsetState, commits: Collection[Commit], at: OffsetContext) -> OffsetState:
    """Drop given-up partitions from these commits, and assign each partition to its latest commit."""
    now = [(each, state.commits[each.operation]) for each in commits]
    going_on = [each for _, each in now if _may_go_on(state, each, at)]
    state = _with_changes(state, going_on, (without_given_up(state, each) for each in going_on))
    concerned = commits_of(state, {tp for _, each in now for tp in each.offsets})
    return _with_changes(state, concerned, in_order(concerned))


def _with_changes(state: OffsetState, before: Iterable[Commit], after: Iterable[Commit]) -> OffsetState:
    return changed(state, [each for old, each in zip(before, after, strict=True) if each is not old])


def _end_those(state: OffsetState, commits: Iterable[Commit], at: OffsetContext) -> Outcome:
    effects: list[OffsetEffect] = []
    for operation in (commit.operation for commit in commits):
        commit = state.commits.get(operation)  # ending one commit may end others
        if commit is not None and _is_over(state, commit, at):
            state, ended = _end_commit(state, commit, at)
            effects += ended
    return state, tuple(effects)


def _may_go_on(state: OffsetState, commit: Commit, at: OffsetContext) -> bool:
    if commit.request is not None or not commit.left or _is_out(state, commit):
        return False
    return is_ready(commit.retry, state.member_epoch, at)


def _is_over(state: OffsetState, commit: Commit, at: OffsetContext) -> bool:
    if not commit.open or commit.request is not None:
        return not commit.open
    return _is_out(state, commit) or is_over(commit.retry, at)


def _is_out(state: OffsetState, commit: Commit) -> bool:
    return commit.membership != state.membership or not state.may_commit


def _end_commit(state: OffsetState, commit: Commit, at: OffsetContext) -> Outcome:
    if not commit.open:
        return _finish(state, commit, _of_given_up(commit))
    if _is_out(state, commit):
        codes = dict.fromkeys(commit.open | commit.given_up, int(ErrorCode.UNKNOWN_MEMBER_ID))
        return _finish(state, commit, refused(codes, ErrorCode.UNKNOWN_MEMBER_ID))
    return _finish(state, commit, commit.refusal or _timed_out(commit.retry, why_unsent(state, commit, at)))


def _of_given_up(commit: Commit) -> Refused | None:
    if not commit.given_up:
        return None
    codes = dict.fromkeys(commit.given_up, int(ErrorCode.REBALANCE_IN_PROGRESS))
    return refused(codes, ErrorCode.REBALANCE_IN_PROGRESS)


def _timed_out(retry: RetryState, reason: str | None = None) -> TimedOut:
    return TimedOut(retry.timeout_s, retry.reason or reason)


def _finish(state: OffsetState, commit: Commit, failure: Failure | None) -> Outcome:
    """End a commit. Its followers take back the partitions that it had taken over from them."""
    freed = [_freed(each, commit.operation) for each in _followers(state, commit)]
    own = () if commit.is_withdrawn else (CommitEnded(commit.operation, failure),)
    return closed(changed(state, freed), [commit]), (*end_riders(commit, failure), *own)


def _followers(state: OffsetState, commit: Commit) -> tuple[Commit, ...]:
    return tuple(each for each in commits_of(state, commit.offsets) if commit.operation in each.followed.values())


def _freed(commit: Commit, leader: int) -> Commit:
    back = frozenset(tp for tp, operation in commit.followed.items() if operation == leader)
    followed = {tp: operation for tp, operation in commit.followed.items() if tp not in back}
    return evolve(commit, left=commit.left | back, followed=followed)


def fail_commit(state: OffsetState, commit: Commit, failure: Refused) -> Outcome:
    """End a refused commit. First end the followers that are waiting for a partition with a permanent error."""
    effects: tuple[OffsetEffect, ...] = ()
    for follower in _followers(state, commit):
        codes = {
            tp: code
            for tp, code in failure.codes.items()
            if follower.followed.get(tp) == commit.operation and _is_hopeless(state, follower, code)
        }
        if codes:
            why = refused(codes, codes[min(codes)])
            state, ended = fail_commit(state, follower, why)
            effects += ended
    commit, freed = _without_hopeful_riders(state, commit, failure)
    for rider in freed:
        state = opened(state, rider)
    state, ended = _finish(state, commit, failure)
    return state, effects + ended


def _without_hopeful_riders(state: OffsetState, commit: Commit, failure: Refused) -> tuple[Commit, list[Commit]]:
    """Split off the riders that may still succeed. Return the commit without them, and these riders."""
    hopeful = []
    for rider in commit.riders:
        codes = {tp: code for tp, code in failure.codes.items() if tp in rider.left}
        if codes and not any(_is_hopeless(state, rider, code) for code in codes.values()):
            hopeful.append(evolve(rider, left=rider.left & codes.keys()))
    operations = {rider.operation for rider in hopeful}
    return evolve(commit, riders=tuple(rider for rider in commit.riders if rider.operation not in operations)), hopeful


def _is_hopeless(state: OffsetState, commit: Commit, code: int) -> bool:
    return action_on(state.rules, commit.kind, code) is ErrorAction.FAIL


def end_lookup(state: OffsetState, lookup: Lookup, failure: Failure | None) -> Outcome:
    """End a lookup with the offsets that it found, or with its failure."""
    lookups = tuple(each for each in state.lookups if each.operation != lookup.operation)
    found = lookup.found if failure is None else {}
    return evolve(state, lookups=lookups), (LookupEnded(lookup.operation, found, failure),)
