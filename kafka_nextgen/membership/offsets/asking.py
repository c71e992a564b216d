"""Start and withdraw commits and lookups.

A new commit still has to send all its partitions, except lost ones, which count as given up from the start.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import evolve

from kafka_nextgen.membership.offsets.commit_index import changed, closed, commits_of
from kafka_nextgen.membership.offsets.events import CommitAsked, LookupAsked, Withdrawn
from kafka_nextgen.membership.offsets.order import opened_with_riders, without_rider
from kafka_nextgen.membership.offsets.retry_state import RetryState, new_retry_state
from kafka_nextgen.membership.offsets.settings import OffsetContext
from kafka_nextgen.membership.offsets.state import (
    NOTHING,
    Commit,
    CommitKind,
    Lookup,
    OffsetState,
    Outcome,
)
from kafka_nextgen.membership.state_machine import numbered
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition

__all__ = ["add_commit", "ask_commit", "ask_lookup", "forget", "withdraw"]


def ask_commit(state: OffsetState, event: CommitAsked, at: OffsetContext) -> Outcome:
    """Begin a commit for the application."""
    retry = new_retry_state(event.timeout_s, at)
    lost = _lost_for_good(state, event.lost) if event.lost else NOTHING
    return add_commit(state, event.operation, CommitKind.APPLICATION, event.offsets, retry, lost), ()


def _lost_for_good(state: OffsetState, lost: frozenset[TopicPartition]) -> frozenset[TopicPartition]:
    """The lost partitions that no open commit covers. An open commit of a partition reports its loss itself."""
    requested = (request.offsets.keys() for request in state.commit_requests.values())
    return lost.difference(*requested, *(commit.open for commit in state.commits.values()))


def add_commit(
    state: OffsetState,
    operation: int,
    kind: CommitKind,
    offsets: Mapping[TopicPartition, OffsetAndMetadata],
    retry: RetryState,
    lost: frozenset[TopicPartition] = NOTHING,
) -> OffsetState:
    """Add a commit. It fails for the partitions in ``lost`` and for those that the member has lost."""
    state, made = numbered(state)
    refused = offsets.keys() & state.lost if state.member_epoch >= 0 else NOTHING
    commit = Commit(
        operation,
        kind,
        dict(offsets),
        retry,
        state.membership,
        state.ownership,
        made,
        left=frozenset(offsets.keys() - refused),
        given_up=frozenset(refused | lost),
    )
    return opened_with_riders(state, commit)


def ask_lookup(state: OffsetState, event: LookupAsked, at: OffsetContext) -> Outcome:
    """Begin a lookup of committed offsets."""
    lookup = Lookup(event.operation, new_retry_state(event.timeout_s, at), event.partitions)
    return evolve(state, lookups=(*state.lookups, lookup)), ()


def withdraw(state: OffsetState, event: Withdrawn, _at: OffsetContext) -> Outcome:
    """Stop working on an operation whose caller is no longer waiting."""
    lookups = tuple(lookup for lookup in state.lookups if lookup.operation != event.operation)
    return forget(evolve(state, lookups=lookups), event.operation), ()


def forget(state: OffsetState, operation: int) -> OffsetState:
    """Drop a commit; its request stays in flight. A commit with followers or riders is kept until they end."""
    commit = state.commits.get(operation)
    if commit is None:
        return without_rider(state, operation)
    if commit.riders or any(operation in each.followed.values() for each in commits_of(state, commit.offsets)):
        return changed(state, [evolve(commit, is_withdrawn=True)])
    return closed(state, [commit])
