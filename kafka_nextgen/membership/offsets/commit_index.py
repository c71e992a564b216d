"""All open commits, indexed by partition: an event for one commit affects only commits for the same partitions.

There may be thousands of commits, one for each partition, so frequent events must not iterate over all of them. Only
this module changes commits. Each change *marks* the commit, and ``ending`` and ``sending`` check the marked commits
before the event is finished.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from operator import attrgetter

from attrs import evolve

from kafka_nextgen.membership.offsets.state import NO_OPERATIONS, Commit, CommitRequest, OffsetState
from kafka_nextgen.types import TopicPartition

__all__ = [
    "changed",
    "closed",
    "commits_of",
    "in_turn",
    "mark",
    "mark_all",
    "opened",
    "overtaken",
    "requested",
    "returned",
    "take_marked",
]

_made = attrgetter("made")


def in_turn(commits: Iterable[Commit]) -> tuple[Commit, ...]:
    """Sort commits into the order in which they were requested."""
    return tuple(sorted(commits, key=_made))


def commits_of(state: OffsetState, partitions: Iterable[TopicPartition]) -> tuple[Commit, ...]:
    """The commits of these partitions, in the order in which they were requested."""
    operations = {operation for tp in partitions for operation in state.operations_of.get(tp, ())}
    return in_turn(state.commits[operation] for operation in operations)


def opened(state: OffsetState, commit: Commit) -> OffsetState:
    """Add a commit."""
    operations = {tp: (*state.operations_of.get(tp, ()), commit.operation) for tp in commit.offsets}
    return changed(evolve(state, operations_of=state.operations_of.updated(operations)), [commit])


def changed(state: OffsetState, commits: Collection[Commit]) -> OffsetState:
    """Store the new versions of these commits and mark them."""
    if not commits:
        return state
    now = {commit.operation: commit for commit in commits}
    return evolve(state, commits=state.commits.updated(now), marked=state.marked | now.keys())


def closed(state: OffsetState, commits: Collection[Commit]) -> OffsetState:
    """Remove these commits. Their requests stay in flight."""
    gone = {commit.operation for commit in commits}
    partitions = {tp for commit in commits for tp in commit.offsets}
    left = {tp: tuple(operation for operation in state.operations_of[tp] if operation not in gone) for tp in partitions}
    operations_of = state.operations_of.updated(left).without(tp for tp, operations in left.items() if not operations)
    return evolve(state, commits=state.commits.without(gone), operations_of=operations_of, checked=state.checked | gone)


def mark(state: OffsetState, operations: Iterable[int]) -> OffsetState:
    """Mark the commits with these operation numbers, to be checked."""
    return evolve(state, marked=state.marked.union(operations))


def mark_all(state: OffsetState) -> OffsetState:
    """Mark all commits."""
    return mark(state, state.commits)


def take_marked(state: OffsetState) -> tuple[OffsetState, tuple[Commit, ...]]:
    """Unmark and return the marked commits, in the order in which they were requested."""
    operations = state.marked
    state = evolve(state, marked=NO_OPERATIONS, checked=state.checked | operations)
    return state, in_turn(state.commits[operation] for operation in operations if operation in state.commits)


# ---- requests in flight


def requested(state: OffsetState, number: int, request: CommitRequest) -> OffsetState:
    """Add a request in flight."""
    carried = {tp: (*state.carried.get(tp, ()), number) for tp in request.offsets}
    requests = state.commit_requests.updated({number: request})
    return evolve(state, commit_requests=requests, carried=state.carried.updated(carried))


def returned(state: OffsetState, number: int) -> OffsetState:
    """Remove a request in flight and mark the commits that may have waited for it."""
    request = state.commit_requests[number]
    state = evolve(
        _not_carried(state, number, request.offsets), commit_requests=state.commit_requests.without([number])
    )
    return mark(state, (commit.operation for commit in commits_of(state, request.offsets)))


def overtaken(state: OffsetState, number: int, partitions: Collection[TopicPartition]) -> OffsetState:
    """Drop these partitions, which request ``number`` has committed, from earlier requests in flight."""
    earlier = {each for tp in partitions for each in state.carried.get(tp, ()) if each < number}
    for each in earlier:
        request = state.commit_requests[each]
        gone = request.offsets.keys() & partitions
        rest = {tp: offset for tp, offset in request.offsets.items() if tp not in gone}
        state = _not_carried(state, each, gone)
        state = evolve(state, commit_requests=state.commit_requests.updated({each: evolve(request, offsets=rest)}))
    return state


def _not_carried(state: OffsetState, number: int, partitions: Iterable[TopicPartition]) -> OffsetState:
    left = {tp: tuple(each for each in state.carried[tp] if each != number) for tp in partitions}
    carried = state.carried.updated(left).without(tp for tp, numbers in left.items() if not numbers)
    return evolve(state, carried=carried)
