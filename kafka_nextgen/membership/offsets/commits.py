"""Handle the responses to commits according to the member's protocol.

An error that is not retriable fails the whole commit, with the error codes of all partitions. Otherwise the member
retries the refused partitions after a pause or, if the epoch was stale, as soon as it has a new one. A retry in the
same epoch does no harm: if it is still stale, the coordinator refuses it again. Partitions given up in the meantime are
not retried (``order``).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from attrs import evolve

from kafka_nextgen.codes import ErrorCode, name_of
from kafka_nextgen.membership.effects import FindCoordinator
from kafka_nextgen.membership.error_actions import ErrorAction
from kafka_nextgen.membership.offsets.commit_index import changed, returned
from kafka_nextgen.membership.offsets.effects import LeftOut, OffsetEffect, TellMember
from kafka_nextgen.membership.offsets.ending import action_on, fail_commit, refused
from kafka_nextgen.membership.offsets.events import CommitAnswered, CommitLost
from kafka_nextgen.membership.offsets.order import acknowledge
from kafka_nextgen.membership.offsets.retry_state import RetryState, awaiting_epoch, is_over, paused
from kafka_nextgen.membership.offsets.settings import OffsetContext
from kafka_nextgen.membership.offsets.state import (
    Commit,
    CommitKind,
    CommitRequest,
    OffsetState,
    Outcome,
)
from kafka_nextgen.types import TopicPartition

__all__ = ["answered", "lost", "try_again"]

Codes = Mapping[TopicPartition, int]
Actions = Mapping[TopicPartition, ErrorAction]


def answered(state: OffsetState, event: CommitAnswered, at: OffsetContext) -> Outcome:
    """Note the committed offsets, report error codes about the membership to the member, and handle the others."""
    state, request, commit = _returned(state, event.number)
    codes = {tp: code for tp, code in event.codes.items() if code and tp in request.offsets}
    done = request.offsets.keys() - codes.keys()
    state, told = _note_done(state, request, done), _tell_member(state, request, codes)
    state = acknowledge(state, event.number, done, None if commit is None else commit.operation)
    if commit is None or not codes:
        return state, told
    actions = _actions(state, state.commits[commit.operation], codes, event.absent)
    state, effects = _react(state, state.commits[commit.operation], codes, actions, request.member_epoch, at)
    return state, told + effects


def lost(state: OffsetState, event: CommitLost, at: OffsetContext) -> Outcome:
    """Commit again after a pause: the first attempt may have succeeded."""
    state, _, commit = _returned(state, event.number)
    if commit is None:
        return state, ()
    return changed(state, [evolve(commit, retry=paused(commit.retry, at, event.reason))]), ()


def _returned(state: OffsetState, number: int) -> tuple[OffsetState, CommitRequest, Commit | None]:
    """Remove the request from the requests in flight. Return it and its commit, which is None if it has ended."""
    request = state.commit_requests[number]
    commit = state.commits.get(request.operation)
    state = returned(state, number)
    if commit is None or commit.request != number:
        return state, request, None
    commit = evolve(commit, request=None)
    return changed(state, [commit]), request, commit


def _note_done(state: OffsetState, request: CommitRequest, done: Collection[TopicPartition]) -> OffsetState:
    """Note committed offsets, except for partitions given up in the meantime: a new owner may have committed since."""
    counted = {tp: request.offsets[tp] for tp in done if state.counts(tp, request.ownership)}
    return evolve(state, acknowledged=state.acknowledged.updated(counted), sought=state.sought - counted.keys())


def _tell_member(state: OffsetState, request: CommitRequest, codes: Codes) -> tuple[OffsetEffect, ...]:
    if request.membership != state.membership:
        return ()
    concerning = {code for code in codes.values() if code in state.rules.tells_member}
    return tuple(TellMember(code, request.member_epoch) for code in sorted(concerning))


def _react(
    state: OffsetState, commit: Commit, codes: Codes, actions: Actions, member_epoch: int, at: OffsetContext
) -> Outcome:
    left_out = {tp: codes[tp] for tp, action in actions.items() if action is ErrorAction.LEAVE_OUT}
    told = (LeftOut(left_out),) if left_out else ()
    if left_out.keys() == actions.keys():
        return changed(state, [_leaving_out(commit, left_out)]), told
    for tp, action in actions.items():
        if action is ErrorAction.FAIL or is_over(commit.retry, at):
            return fail_commit(state, commit, refused(codes, codes[tp]))
    again = actions.keys() - left_out.keys()
    insists = state.rules.tells_member.isdisjoint(codes.values())  # if not, the member joins again, with a new epoch
    acts = frozenset(actions.values())
    retry, effects = try_again(commit.retry, acts, codes, member_epoch, at, insists=insists)
    refusal = refused(codes, codes[min(again)])
    return changed(state, [evolve(_leaving_out(commit, left_out), retry=retry, refusal=refusal)]), told + effects


def _actions(
    state: OffsetState, commit: Commit, codes: Codes, absent: Collection[TopicPartition]
) -> dict[TopicPartition, ErrorAction]:
    """The action for each error code. A partition that the cluster does not have is not committed again."""
    actions = {tp: _action(state, commit, code) for tp, code in codes.items()}
    hopeless = {tp for tp, action in actions.items() if action is ErrorAction.RETRY and tp in absent}
    return {**actions, **dict.fromkeys(hopeless, ErrorAction.FAIL)}


def _action(state: OffsetState, commit: Commit, code: int) -> ErrorAction:
    """The action for an error code. A commit with a partition that is being given up does not wait for unknown topics.

    This includes unknown topics of partitions that the member keeps: the next commit covers those, while other members
    are waiting for the partitions that are being given up.
    """
    if not state.stopping.isdisjoint(commit.offsets):
        action = action_on(state.rules, CommitKind.BEFORE_REVOKING, code)
        if action is ErrorAction.LEAVE_OUT:
            return action
    return action_on(state.rules, commit.kind, code)


def _leaving_out(commit: Commit, partitions: Collection[TopicPartition]) -> Commit:
    return evolve(commit, left=commit.left - frozenset(partitions))


def try_again(
    retry: RetryState,
    actions: Collection[ErrorAction],
    codes: Codes,
    member_epoch: int,
    at: OffsetContext,
    *,
    insists: bool,
) -> tuple[RetryState, tuple[OffsetEffect, ...]]:
    """Prepare the next attempt: wait for a new epoch or a pause, and look up the coordinator again if necessary.

    With ``insists``, retry after a pause even if there is no new epoch.
    """
    effects: tuple[OffsetEffect, ...] = (FindCoordinator(),) if ErrorAction.FIND_COORDINATOR in actions else ()
    reason = ", ".join(sorted({name_of(code) for code in codes.values() if code != ErrorCode.NONE}))
    if ErrorAction.RETRY_WITH_NEW_EPOCH in actions:
        return awaiting_epoch(retry, member_epoch, at, reason, insists=insists), effects
    return paused(retry, at, reason), effects
