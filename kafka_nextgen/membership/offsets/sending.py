"""What goes out: every ask that has something left, whose pause is over, and which no other request stands before.

A commit carries the member's id and epoch (KIP-848, "OffsetCommit API"), or epoch -1 of somebody outside the group.
A lookup does so where committed offsets are told to members only ("OffsetFetch API").
"""

from __future__ import annotations

from attrs import evolve

from kafka_nextgen.membership.numbering import numbered
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

__all__ = ["deadlines", "send_what_is_ready"]


def send_what_is_ready(state: OffsetState, at: Moment) -> Outcome:
    """Send every request that can be sent now, in the order of the asks."""
    effects: list[OffsetEffect] = []
    for commit in state.commits:
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
    state = evolve(
        state,
        commits=replaced(state.commits, evolve(commit, request=number, is_urgent=False)),
        commit_requests={**state.commit_requests, number: request},
    )
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


def deadlines(state: OffsetState) -> list[float]:
    """When time alone makes something go out, or end. What is under way is the driver's to time."""
    times = [
        wakes_at(commit.patience, state.member_epoch) if _can_go(state, commit) else commit.patience.deadline
        for commit in state.commits
        if commit.request is None
    ]
    times += [commit.riders_until for commit in state.commits if commit.riders]
    times += [wakes_at(each.patience, state.member_epoch) for each in state.lookups if each.request is None]
    return times if state.interval_at is None else [*times, state.interval_at]
