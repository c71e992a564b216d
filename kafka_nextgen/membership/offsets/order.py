"""The order of commits: a later commit of a partition is never overtaken by an earlier one, or by its repetition.

* One request for a partition is under way at a time. A commit waits until no other request carries its partitions,
  unless it can't, for one of them is being given up (``standing``). Then it is sent behind the other: requests leave in
  the order they are made. As soon as it is acknowledged the other counts as done, too, even if it is refused.
* What is not under way is left to the latest commit of the partition: an earlier one is not sent, or sent again, but
  follows the later, whose acknowledgement counts for both. For who goes on from the later position has done with the
  earlier one, and an old commit that is repeated after a newer one was acknowledged would set the offset back.
* Whoever takes over has the patience of the one before: the coordinator had asked that to wait.
* If the later one is refused for good, so is what follows it. If only its time is over, or nobody waits for it any
  more, what follows it goes on by itself.
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

#: The ask of the commit that each partition is left to.
Heirs = Mapping[TopicPartition, int]


def in_order(commits: Iterable[Commit]) -> tuple[Commit, ...]:
    """Leave each partition to the latest commit of it; the others follow that. These are all there are of some."""
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
    """What a commit leaves to which later one."""
    if commit.request is not None:
        return {}
    return {tp: latest[tp] for tp in commit.left if latest[tp] != commit.ask}


def _following(commit: Commit, yielded: Mapping[int, Heirs]) -> Commit:
    """A commit after it left what it yields to its heir; what follows another that yields follows that one's heir."""
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
    """Whether another request carries partitions of this commit, and it can wait for that."""
    return not commit.is_urgent and any(tp in state.carried for tp in commit.left)


def has_free_place(state: OffsetState, at: Moment) -> bool:
    """Whether fewer commits are without an answer than may be."""
    return len(state.commit_requests) < at.settings.most_unanswered


def acknowledge(
    state: OffsetState, number: int, partitions: Collection[TopicPartition], ask: int | None
) -> OffsetState:
    """These partitions are done by request ``number``, that of ``ask`` if it is still there.

    They are for all that follows that ask, and for what an earlier request still carries, which left before.
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
    """Do without the partitions that were given up since the commit was asked for, now that it would go on."""
    gone = frozenset(tp for tp in commit.open if state.given_up.get(tp, 0) > commit.turn)
    if not gone:
        return commit
    followed = {tp: leader for tp, leader in commit.followed.items() if tp not in gone}
    return evolve(commit, left=commit.left - gone, followed=followed, given_up=commit.given_up | gone)
