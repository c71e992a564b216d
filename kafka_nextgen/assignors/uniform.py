"""The uniform assignor: all members get the same number of partitions, to within one, and keep as many as possible.

*All members subscribe to the same topics* (the usual case). Balance comes before stickiness. With p partitions and m
members, p % m of them have a quota of p // m + 1 partitions and the others a quota of p // m. Each keeps its
previous partitions up to its quota; members that had more than p // m are the first to get the larger quota. Then the
unassigned partitions, in order, go to members below their quota. So a valid and balanced assignment does not change.

*Subscriptions differ*: see ``uniform_heterogeneous``.

Members, topics and partitions are processed in the order of member ids, topic names and partition numbers. (Kafka uses
the order of its hash maps, which differs between runs.)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from kafka_nextgen.assignors.previous_target import Kept, keep
from kafka_nextgen.assignors.spec import (
    AssignmentSpec,
    GroupAssignment,
    MemberAssignment,
    PartitionAssignor,
    Share,
    TopicMetadata,
)
from kafka_nextgen.assignors.subscriptions import subscriptions_of
from kafka_nextgen.assignors.uniform_heterogeneous import assign_heterogeneous
from kafka_nextgen.types import TopicId

__all__ = ["UniformAssignor"]

#: The topics that all members subscribe to, in order.
Topics = Mapping[TopicId, TopicMetadata]


class UniformAssignor(PartitionAssignor):
    """Balanced first, then sticky. The default (KIP-848, "Server Side Mode")."""

    name = "uniform"
    minimum_version = -1  # metadata is ignored, so metadata from classic members in a migration is accepted

    def assign(self, group: AssignmentSpec) -> GroupAssignment:
        """Assign the partitions evenly, and move as few as that allows."""
        member_ids = sorted(group.members)
        members = [group.members[member_id] for member_id in member_ids]
        subscriptions = subscriptions_of(members, group.topics)
        kept = keep([member.target for member in members], subscriptions)
        if len(subscriptions.cohorts) == 1:
            _assign_homogeneous(kept, subscriptions.topics)
        elif members:
            assign_heterogeneous(kept, subscriptions)
        return GroupAssignment(dict(zip(member_ids, map(MemberAssignment, kept.shares), strict=True)))


def _assign_homogeneous(kept: Kept, topics: Topics) -> None:
    num_partitions = sum(topic.num_partitions for topic in topics.values())
    quota, extras = divmod(num_partitions, len(kept.shares))
    ranks = {topic_id: rank for rank, topic_id in enumerate(topics)}
    released: dict[TopicId, list[int]] = {}
    for member, load in enumerate(kept.loads):
        if load > quota:
            may_keep = quota + 1 if extras else quota
            extras -= may_keep > quota
            if load > may_keep:
                kept.loads[member] = may_keep
                kept.shares[member] = _cut_down(kept.shares[member], may_keep, ranks, released)
    for topic_id, numbers in released.items():
        kept.unassigned[topic_id] = sorted((*kept.unassigned.get(topic_id, ()), *numbers))
    _fill_up(kept, quota, extras, topics)


def _cut_down(
    share: Share, may_keep: int, ranks: Mapping[TopicId, int], released: dict[TopicId, list[int]]
) -> dict[TopicId, frozenset[int]]:
    """The first ``may_keep`` partitions of a share, topics by rank; the others are added to ``released``."""
    remaining = {}
    for topic_id in sorted(share, key=ranks.__getitem__):
        numbers = sorted(share[topic_id])
        if may_keep:
            remaining[topic_id] = frozenset(numbers[:may_keep])
        released.setdefault(topic_id, []).extend(numbers[may_keep:])
        may_keep -= min(may_keep, len(numbers))
    return remaining


def _fill_up(kept: Kept, quota: int, extras: int, topics: Topics) -> None:
    """Assign the unassigned partitions, in order, to members below their quota; ``extras`` of these get one more."""
    members, counts = [], []
    for member, load in enumerate(kept.loads):
        missing = quota - load
        if missing >= 0 and extras:
            missing, extras = missing + 1, extras - 1
        if missing > 0:
            members.append(member)
            counts.append(missing)
    free = [(topic_id, kept.unassigned[topic_id]) for topic_id in topics if topic_id in kept.unassigned]
    assert sum(counts) == sum(len(numbers) for _, numbers in free), "the quotas add up to the number of partitions"
    for member, piece in zip(members, _cut(free, counts), strict=True):
        share = kept.shares[member]
        kept.shares[member] = _united(share, piece) if share else piece


def _cut(
    free: Sequence[tuple[TopicId, Sequence[int]]], counts: Iterable[int]
) -> Iterator[dict[TopicId, frozenset[int]]]:
    """Cut the unassigned partitions, topic after topic, into pieces of these sizes."""
    if not free:
        return
    topics, begin = iter(free), 0
    topic_id, numbers = next(topics)
    for count in counts:
        piece = {}
        while begin + count > len(numbers):
            if begin < len(numbers):
                piece[topic_id] = frozenset(numbers[begin:])
                count -= len(numbers) - begin
            (topic_id, numbers), begin = next(topics), 0
        piece[topic_id] = frozenset(numbers[begin : begin + count])
        begin += count
        yield piece


def _united(share: Share, more: Mapping[TopicId, frozenset[int]]) -> Share:
    united = dict(share)
    for topic_id, numbers in more.items():
        united[topic_id] = numbers | united[topic_id] if topic_id in united else numbers
    return united
