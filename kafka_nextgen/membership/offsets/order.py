"""The order of commits: an earlier commit for a partition, or its retry, never overtakes a later one.

* A partition has one request in flight at a time. A commit waits until no other request contains its partitions. The
  exception is a commit with a partition that is being given up (``standing``), which can't wait. It is sent after the
  other one; this is safe because requests are sent in order. Once it is acknowledged, the earlier commit counts as
  done too, even if it is refused.
* If a commit is not in flight and a later commit of one of its partitions is open, the later one takes the partition
  over. The earlier commit is not sent (again) for that partition but becomes a *follower*: the acknowledgement of the
  later commit counts for both. Retrying the old commit after the newer one was acknowledged would move the offset back.
* The later commit inherits the ``RetryState`` of the earlier one, so that the pause of the earlier one is kept.
* If the later commit is refused permanently, its followers fail too. If it only times out, or is withdrawn, its
  followers are sent.

An application that commits after each record has one commit waiting for each record since the last response. Checking
all of them on every event would be slow. So a waiting application commit becomes a *rider* on the next one, if
the next one covers all its remaining partitions in the same membership and ownership and its deadline is not earlier.
A rider ends with its commit, but keeps its own deadline and reports only the error codes of its own partitions.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from math import inf

from attrs import evolve

from kafka_nextgen.membership.offsets.commit_index import changed, closed, commits_of, opened, overtaken
from kafka_nextgen.membership.offsets.effects import CommitEnded, Failure, OffsetEffect, Refused, TimedOut
from kafka_nextgen.membership.offsets.retry_state import inherited
from kafka_nextgen.membership.offsets.settings import OffsetContext
from kafka_nextgen.membership.offsets.state import Commit, CommitKind, OffsetState, Outcome
from kafka_nextgen.types import TopicPartition

__all__ = [
    "acknowledge",
    "end_riders",
    "end_riders_out_of_time",
    "has_free_slot",
    "in_order",
    "is_blocked",
    "opened_with_riders",
    "why_unsent",
    "without_given_up",
    "without_rider",
]

#: For each partition, the number of the later commit that takes it over.
Heirs = Mapping[TopicPartition, int]


def in_order(commits: Iterable[Commit]) -> tuple[Commit, ...]:
    """Assign each partition to its latest commit, which the others follow. ``commits`` must include all its commits."""
    commits = tuple(commits)
    latest = {tp: commit.operation for commit in commits for tp in commit.left}
    yielded = {commit.operation: _yielded(commit, latest) for commit in commits}
    takes_over_from: dict[int, list[Commit]] = {}
    for commit in commits:
        for heir in set(yielded[commit.operation].values()):
            takes_over_from.setdefault(heir, []).append(commit)
    following = (_following(commit, yielded) for commit in commits)
    return tuple(_after_taking_over(commit, takes_over_from.get(commit.operation, ())) for commit in following)


def _yielded(commit: Commit, latest: Heirs) -> Heirs:
    """The partitions of a commit that later commits take over."""
    if commit.request is not None:
        return {}
    return {tp: latest[tp] for tp in commit.left if latest[tp] != commit.operation}


def _following(commit: Commit, yielded: Mapping[int, Heirs]) -> Commit:
    """Remove from a commit the partitions that it yields, and let it follow the commits that take them over.

    If a commit that it already follows yields a partition too, it follows the commit that takes over that partition.
    """
    own = yielded[commit.operation]
    followed = {tp: yielded.get(leader, {}).get(tp, leader) for tp, leader in commit.followed.items()}
    followed.update(own)
    return commit if followed == commit.followed else evolve(commit, left=commit.left - own.keys(), followed=followed)


def _after_taking_over(commit: Commit, earlier: Collection[Commit]) -> Commit:
    retry = commit.retry
    for each in earlier:
        retry = inherited(retry, each.retry)
    return commit if retry is commit.retry else evolve(commit, retry=retry)


def is_blocked(state: OffsetState, commit: Commit) -> bool:
    """Whether the commit must wait: it is not urgent, and a request in flight contains one of its partitions."""
    return not commit.is_urgent and any(tp in state.carried for tp in commit.left)


def has_free_slot(state: OffsetState, at: OffsetContext) -> bool:
    """Whether fewer commits are in flight than the settings allow."""
    return len(state.commit_requests) < at.settings.most_unanswered


def acknowledge(
    state: OffsetState, number: int, partitions: Collection[TopicPartition], operation: int | None
) -> OffsetState:
    """Note that request ``number`` committed these partitions, for ``operation``, or None if that commit has ended.

    They also count as committed for the followers of that commit, and for earlier requests in flight that contain them.
    """
    concerned = commits_of(state, partitions)
    done = {commit.operation for commit in concerned if commit.request is not None and commit.request < number}
    done |= set() if operation is None else {operation}
    after = (_acknowledged(commit, done, partitions) for commit in concerned)
    return changed(overtaken(state, number, partitions), tuple(after))


def _acknowledged(commit: Commit, done: Collection[int], partitions: Collection[TopicPartition]) -> Commit:
    followed = {tp: leader for tp, leader in commit.followed.items() if leader not in done or tp not in partitions}
    left = commit.left.difference(partitions) if commit.operation in done else commit.left
    return evolve(commit, left=left, followed=followed)


def without_given_up(state: OffsetState, commit: Commit) -> Commit:
    """Drop the partitions that were given up since the commit was requested."""
    gone = frozenset(tp for tp in commit.open if state.given_up.get(tp, 0) > commit.ownership)
    if not gone:
        return commit
    followed = {tp: leader for tp, leader in commit.followed.items() if tp not in gone}
    return evolve(commit, left=commit.left - gone, followed=followed, given_up=commit.given_up | gone)


# ---- riders


def why_unsent(state: OffsetState, commit: Commit, at: OffsetContext) -> str | None:
    """Why a commit has not been sent, for the timeout error; None if nothing blocks it."""
    if is_blocked(state, commit):
        return "another commit for the same partitions is still in flight"
    return None if has_free_slot(state, at) else "earlier commits are still in flight"


def opened_with_riders(state: OffsetState, commit: Commit) -> OffsetState:
    """Add a commit. All earlier commits that can ride become its riders."""
    around = commits_of(state, commit.offsets)
    absorbed = [each for each in around if _can_ride(each, commit)]
    for each in absorbed:
        own = () if each.is_withdrawn else (evolve(each, riders=(), riders_until=inf),)
        commit = evolve(
            commit,
            retry=inherited(commit.retry, each.retry),
            riders=(*commit.riders, *each.riders, *own),
            riders_until=min(commit.riders_until, each.riders_until, each.retry.deadline if own else inf),
        )
    gone = {each.operation for each in absorbed}
    following = [each for each in around if not gone.isdisjoint(each.followed.values())]
    state = changed(closed(state, absorbed), [_pointing_to(each, gone, commit.operation) for each in following])
    return opened(state, commit)


def _can_ride(earlier: Commit, later: Commit) -> bool:
    is_simple = earlier.request is None and not earlier.followed and not earlier.given_up and not later.given_up
    return (
        is_simple
        and earlier.kind is later.kind is CommitKind.APPLICATION
        and (earlier.membership, earlier.ownership) == (later.membership, later.ownership)
        and earlier.left <= later.left
        and earlier.retry.deadline <= later.retry.deadline
    )


def _pointing_to(commit: Commit, gone: set[int], heir: int) -> Commit:
    return evolve(commit, followed={tp: heir if leader in gone else leader for tp, leader in commit.followed.items()})


def end_riders(commit: Commit, failure: Failure | None) -> tuple[OffsetEffect, ...]:
    """End the riders of a commit that ends, in the order in which they were requested."""
    return tuple(CommitEnded(rider.operation, _for_rider(rider, failure)) for rider in commit.riders)


def _for_rider(rider: Commit, failure: Failure | None) -> Failure | None:
    if isinstance(failure, TimedOut):
        return TimedOut(rider.retry.timeout_s, failure.reason)
    if failure is None:
        return None
    codes = {tp: code for tp, code in failure.codes.items() if tp in rider.left}
    return Refused(codes, failure.code, failure.error) if codes else None


def end_riders_out_of_time(state: OffsetState, commits: Iterable[Commit], at: OffsetContext) -> Outcome:
    """End those riders of these commits whose own deadlines have passed."""
    effects: tuple[OffsetEffect, ...] = ()
    for commit in commits:
        if at.now >= commit.riders_until:
            over = tuple(rider for rider in commit.riders if at.now >= rider.retry.deadline)
            why = commit.refusal or TimedOut(0.0, commit.retry.reason or why_unsent(state, commit, at))
            effects += tuple(CommitEnded(rider.operation, rider.refusal or _for_rider(rider, why)) for rider in over)
            left = tuple(rider for rider in commit.riders if at.now < rider.retry.deadline)
            state = changed(state, [_with_riders(commit, left)])
    return state, effects


def without_rider(state: OffsetState, operation: int) -> OffsetState:
    """Drop the rider with this number, if there is one: its caller is no longer waiting."""
    for commit in state.commits.values():
        left = tuple(rider for rider in commit.riders if rider.operation != operation)
        if len(left) < len(commit.riders):
            return changed(state, [_with_riders(commit, left)])
    return state


def _with_riders(commit: Commit, riders: tuple[Commit, ...]) -> Commit:
    until = min((rider.retry.deadline for rider in riders), default=inf)
    return evolve(commit, riders=riders, riders_until=until)
