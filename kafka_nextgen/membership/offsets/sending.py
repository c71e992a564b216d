"""What goes out: every ask that has something left, whose pause is over, and which no other request stands before.

A commit carries the member's id and epoch (KIP-848, "OffsetCommit API"), or epoch -1 of somebody outside the group.
A lookup does so where committed offsets are told to members only ("OffsetFetch API").
"""

from __future__ import annotations

from attrs import evolve

from kafka_nextgen.membership.numbering import numbered
from kafka_nextgen.membership.offsets.book import changed, in_turn, requested
from kafka_nextgen.membership.offsets.effects import OffsetEffect, SendCommit, SendLookup
from kafka_nextgen.membership.offsets.order import is_blocked
from kafka_nextgen.membership.offsets.patience import is_ready, wakes_at
from kafka_nextgen.membership.offsets.settings import Moment
from kafka_nextgen.membership.offsets.state import (
    Commit,
    CommitRequest,
    Lookup,
    LookupRequest,
    OffsetState,
    Outcome,
    replaced,
)
from kafka_nextgen.membership.state import NOT_A_MEMBER

__all__ = ["commit_wakes_at", "deadlines", "send_what_is_ready"]


def send_what_is_ready(state: OffsetState, at: Moment) -> Outcome:
    """Send every request that can be sent now, in the order of the asks."""
    effects: list[OffsetEffect] = []
    looked_at = (state.commits[ask] for ask in state.looked_at if ask in state.commits)
    for commit in in_turn(looked_at):
        if _can_go(state, commit) and is_ready(commit.patience, state.member_epoch, at):
            state, request = _send_commit(state, commit, at)
            effects.append(request)
    for lookup in state.lookups:
        if lookup.request is None and is_ready(lookup.patience, state.member_epoch, at):
            state, question = _send_lookup(state, lookup, at)
            effects.append(question)
    return state, tuple(effects)


def _can_go(state: OffsetState, commit: Commit) -> bool:
    return commit.request is None and bool(commit.left) and not is_blocked(state, commit)


def _send_commit(state: OffsetState, commit: Commit, at: Moment) -> tuple[OffsetState, SendCommit]:
    state, number = numbered(state)
    offsets = {tp: offset for tp, offset in commit.offsets.items() if tp in commit.left}
    request = CommitRequest(commit.ask, state.life, commit.turn, state.member_epoch, offsets)
    state = requested(changed(state, [evolve(commit, request=number, is_urgent=False)]), number, request)
    is_member = state.member_epoch >= 0
    return state, SendCommit(
        number,
        state.member_id,
        state.member_epoch,
        at.settings.instance_id if is_member else None,
        offsets,
        min(commit.patience.deadline, at.now + at.settings.request_timeout_s),
    )


def _send_lookup(state: OffsetState, lookup: Lookup, at: Moment) -> tuple[OffsetState, SendLookup]:
    state, number = numbered(state)
    as_member = state.member_epoch >= 0 and state.rules.fetches_as_member
    asked = evolve(lookup, request=number)
    state = evolve(
        state,
        lookups=replaced(state.lookups, asked),
        lookup_requests={**state.lookup_requests, number: LookupRequest(lookup.ask, state.member_epoch)},
    )
    return state, SendLookup(
        number,
        state.member_id if as_member else None,
        state.member_epoch if as_member else NOT_A_MEMBER,
        lookup.left,
        min(lookup.patience.deadline, at.now + at.settings.request_timeout_s),
    )


def commit_wakes_at(state: OffsetState, ask: int) -> float | None:
    """When time alone makes a commit go out, or it or a rider end. What is under way is the driver's to time."""
    commit = state.commits.get(ask)
    if commit is None:
        return None
    if commit.request is not None:
        return commit.riders_until if commit.riders else None
    patience = commit.patience
    return min(
        wakes_at(patience, state.member_epoch) if _can_go(state, commit) else patience.deadline, commit.riders_until
    )


def deadlines(state: OffsetState) -> list[float]:
    """When time alone makes a lookup go out, or end, or auto-commit look."""
    times = [wakes_at(each.patience, state.member_epoch) for each in state.lookups if each.request is None]
    return times if state.interval_at is None else [*times, state.interval_at]
