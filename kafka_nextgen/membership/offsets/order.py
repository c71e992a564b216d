"""The order of commits: a later commit of a partition is never overtaken by an earlier one, or by its repetition.

* A partition has one request in flight at a time. A commit waits until no other request carries its partitions. The
  exception is a commit with a partition that is being given up (``standing``), which cannot wait. It is sent behind the
  other, since requests leave in order. Once it is acknowledged the other counts as done, even if that is refused.
* A commit that is not in flight leaves each partition to the partition's latest commit. It is not sent (again) but
  follows the later one, whose acknowledgement counts for both. Repeating an old commit after a newer one was
  acknowledged would set the offset back.
* The later commit inherits the retry state (``Patience``) of the earlier: the coordinator asked that one to wait.
* If the later commit is refused for good, its followers are too. If it only times out, or is withdrawn, its followers
  go on by themselves.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from attrs import evolve

from kafka_nextgen.membership.offsets.book import changed, near, overtaken
from kafka_nextgen.membership.offsets.patience import inherited
from kafka_nextgen.membership.offsets.settings import Moment
from kafka_nextgen.membership.offsets.state import Commit, OffsetState
from kafka_nextgen.types import TopicPartition

__all__ = ["acknowledge", "has_free_place", "in_order", "is_blocked", "without_given_up"]

#: For each partition, the ask of the later commit that takes it over.
Heirs = Mapping[TopicPartition, int]


def in_order(commits: Iterable[Commit]) -> tuple[Commit, ...]:
    """Leave each partition to its latest commit; the others follow. ``commits`` must be all commits of a partition."""
    commits = tuple(commits)
    latest = {tp: commit.ask for commit in commits for tp in commit.left}
    yielded = {commit.ask: _yielded(commit, latest) for commit in commits}
    takes_over_from: dict[int, list[Commit]] = {}
    for commit in commits:
        for heir in set(yielded[commit.ask].values()):
            takes_over_from.setdefault(heir, []).append(commit)
    following = (_following(commit, yielded) for commit in commits)
    return tuple(_after_taking_over(commit, takes_over_from.get(commit.ask, ())) for commit in following)


def _yielded(commit: Commit, latest: Heirs) -> Heirs:
    """The partitions that a commit leaves to later commits."""
    if commit.request is not None:
        return {}
    return {tp: latest[tp] for tp in commit.left if latest[tp] != commit.ask}


def _following(commit: Commit, yielded: Mapping[int, Heirs]) -> Commit:
    """The commit without what it yields. It follows the heirs, also where the commit it followed has yielded."""
    own = yielded[commit.ask]
    followed = {tp: yielded.get(leader, {}).get(tp, leader) for tp, leader in commit.followed.items()}
    followed.update(own)
    return commit if followed == commit.followed else evolve(commit, left=commit.left - own.keys(), followed=followed)


def _after_taking_over(commit: Commit, earlier: Collection[Commit]) -> Commit:
    patience = commit.patience
    for each in earlier:
        patience = inherited(patience, each.patience)
    return commit if patience is commit.patience else evolve(commit, patience=patience)


def is_blocked(state: OffsetState, commit: Commit) -> bool:
    """Whether another request carries partitions of this commit, and the commit is not urgent."""
    return not commit.is_urgent and any(tp in state.carried for tp in commit.left)


def has_free_place(state: OffsetState, at: Moment) -> bool:
    """Whether fewer commits are in flight than the settings allow."""
    return len(state.commit_requests) < at.settings.most_unanswered


def acknowledge(
    state: OffsetState, number: int, partitions: Collection[TopicPartition], ask: int | None
) -> OffsetState:
    """Note that request ``number`` committed these partitions; ``ask`` is its commit, None if that has ended.

    They also count as committed for the followers of ``ask`` and for earlier requests that still carry them.
    """
    concerned = near(state, partitions)
    done = {commit.ask for commit in concerned if commit.request is not None and commit.request < number}
    done |= set() if ask is None else {ask}
    after = (_acknowledged(commit, done, partitions) for commit in concerned)
    return changed(overtaken(state, number, partitions), tuple(after))


def _acknowledged(commit: Commit, done: Collection[int], partitions: Collection[TopicPartition]) -> Commit:
    followed = {tp: leader for tp, leader in commit.followed.items() if leader not in done or tp not in partitions}
    left = commit.left.difference(partitions) if commit.ask in done else commit.left
    return evolve(commit, left=left, followed=followed)


def without_given_up(state: OffsetState, commit: Commit) -> Commit:
    """Drop the partitions that were given up since the commit was asked for."""
    gone = frozenset(tp for tp in commit.open if state.given_up.get(tp, 0) > commit.turn)
    if not gone:
        return commit
    followed = {tp: leader for tp, leader in commit.followed.items() if tp not in gone}
    return evolve(commit, left=commit.left - gone, followed=followed, given_up=commit.given_up | gone)
