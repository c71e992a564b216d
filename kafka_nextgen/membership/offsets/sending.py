"""Sends every operation that still has partitions to send, is not backing off, and is not blocked by another request.

Only a few commits are in flight at a time, so that heartbeats are not delayed on the connection. The other commits wait
here, before their request timeouts start. Those that have waited longest are sent first. Commits of partitions that are
being given up don't wait for a free slot: they must be sent before the heartbeat that gives the partitions up.

A commit carries the member's id and epoch (KIP-848, "OffsetCommit API"), or epoch -1 outside the group. The same
applies to a lookup, if the protocol's OffsetFetch has these fields ("OffsetFetch API").
"""

from __future__ import annotations

from math import inf

from attrs import evolve

from kafka_nextgen.membership.offsets.commit_index import changed, requested
from kafka_nextgen.membership.offsets.effects import OffsetEffect, SendCommit, SendLookup
from kafka_nextgen.membership.offsets.order import has_free_slot, is_blocked
from kafka_nextgen.membership.offsets.retry_state import is_ready, wakes_at
from kafka_nextgen.membership.offsets.settings import OffsetContext
from kafka_nextgen.membership.offsets.state import (
    Commit,
    CommitKind,
    CommitRequest,
    Lookup,
    LookupRequest,
    OffsetState,
    Outcome,
    replaced,
)
from kafka_nextgen.membership.state import NOT_A_MEMBER
from kafka_nextgen.membership.state_machine import numbered

__all__ = ["commit_wakes_at", "deadlines", "has_slot", "send_commit", "send_lookups", "waits_since"]

#: When a commit that needs no free slot began to wait: before all others, so that it is sent first.
_ALWAYS = -inf


def send_lookups(state: OffsetState, at: OffsetContext) -> Outcome:
    """Send every lookup that can be sent now, in the order in which they were requested."""
    effects: list[OffsetEffect] = []
    for lookup in state.lookups:
        if lookup.request is None and is_ready(lookup.retry, state.member_epoch, at):
            state, question = _send_lookup(state, lookup, at)
            effects.append(question)
    return state, tuple(effects)


def waits_since(state: OffsetState, operation: int, at: OffsetContext) -> float | None:
    """When a commit that is only waiting for a free slot began to wait; None for any other commit."""
    commit = state.commits.get(operation)
    if commit is None or not _can_go(state, commit) or not is_ready(commit.retry, state.member_epoch, at):
        return None
    is_last = commit.kind is CommitKind.BEFORE_REVOKING or not state.stopping.isdisjoint(commit.left)
    return _ALWAYS if is_last or commit.is_urgent else commit.retry.since


def has_slot(state: OffsetState, since: float, at: OffsetContext) -> bool:
    """Whether a commit that has waited since ``since`` may be sent."""
    return since == _ALWAYS or has_free_slot(state, at)


def _can_go(state: OffsetState, commit: Commit) -> bool:
    return commit.request is None and bool(commit.left) and not is_blocked(state, commit)


def send_commit(state: OffsetState, operation: int, at: OffsetContext) -> tuple[OffsetState, SendCommit]:
    """Send a commit that was only waiting for a free slot."""
    commit = state.commits[operation]
    assert _can_go(state, commit), "commits that are waiting for a slot share no partitions"
    state, number = numbered(state)
    offsets = {tp: offset for tp, offset in commit.offsets.items() if tp in commit.left}
    request = CommitRequest(commit.operation, state.membership, commit.ownership, state.member_epoch, offsets)
    state = requested(changed(state, [evolve(commit, request=number, is_urgent=False)]), number, request)
    is_member = state.member_epoch >= 0
    return state, SendCommit(
        number,
        state.member_id,
        state.member_epoch,
        at.settings.instance_id if is_member else None,
        offsets,
        min(commit.retry.deadline, at.now + at.settings.request_timeout_s),
    )


def _send_lookup(state: OffsetState, lookup: Lookup, at: OffsetContext) -> tuple[OffsetState, SendLookup]:
    state, number = numbered(state)
    as_member = state.member_epoch >= 0 and state.rules.fetches_as_member
    asked = evolve(lookup, request=number)
    state = evolve(
        state,
        lookups=replaced(state.lookups, asked),
        lookup_requests={**state.lookup_requests, number: LookupRequest(lookup.operation, state.member_epoch)},
    )
    return state, SendLookup(
        number,
        state.member_id if as_member else None,
        state.member_epoch if as_member else NOT_A_MEMBER,
        lookup.left,
        min(lookup.retry.deadline, at.now + at.settings.request_timeout_s),
    )


def commit_wakes_at(state: OffsetState, operation: int, at: OffsetContext) -> float | None:
    """When a commit becomes ready, or it or a rider times out. The driver handles the timeout of its request."""
    commit = state.commits.get(operation)
    if commit is None:
        return None
    if commit.request is not None:
        return commit.riders_until if commit.riders else None
    retry, epoch = commit.retry, state.member_epoch
    pauses = _can_go(state, commit) and not is_ready(retry, epoch, at)
    return min(wakes_at(retry, epoch) if pauses else retry.deadline, commit.riders_until)


def deadlines(state: OffsetState) -> list[float]:
    """The times when lookups become ready or time out, and when the auto-commit interval ends."""
    times = [wakes_at(each.retry, state.member_epoch) for each in state.lookups if each.request is None]
    return times if state.interval_at is None else [*times, state.interval_at]
