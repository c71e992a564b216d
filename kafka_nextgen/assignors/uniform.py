"""The uniform assignor: every member gets as many partitions as every other, and keeps what it can.

*Everybody subscribes to the same topics* (by far the usual case). Balance comes before stickiness. With p
partitions and m members, p % m of them are due p // m + 1 partitions and the rest p // m. Each keeps what it had
up to its due, those who had more than p // m being the first to be allowed one more; then the free partitions,
in order, go to whoever is below its due. So a valid and balanced assignment is returned as it is.

*Subscriptions differ*: see ``uniform_mixed``.

Order, where it matters, is the order of member ids, topic names and partition numbers (Kafka's is that of its hash
maps, and differs from run to run).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from kafka_nextgen.assignors.keeping import Kept, Share, keep
from kafka_nextgen.assignors.spec import (
    AssignmentSpec,
    GroupAssignment,
    MemberAssignment,
    PartitionAssignor,
    TopicMetadata,
)
from kafka_nextgen.assignors.subscriptions import subscriptions_of
from kafka_nextgen.assignors.uniform_mixed import share_among_mixed
from kafka_nextgen.types import TopicId

__all__ = ["UniformAssignor"]

#: The topics that everybody subscribes to, in order.
Topics = Mapping[TopicId, TopicMetadata]


class UniformAssignor(PartitionAssignor):
    """As even as can be, and as sticky as that allows. The default (KIP-848, "Server Side Mode")."""

    name = "uniform"
    minimum_version = -1  # whatever members say, also classic ones during a migration: it is not read

    def assign(self, group: AssignmentSpec) -> GroupAssignment:
        """Share the partitions evenly, moving as few as evenness allows."""
        member_ids = sorted(group.members)
        members = [group.members[member_id] for member_id in member_ids]
        subscriptions = subscriptions_of(members, group.topics)
        kept = keep([member.target for member in members], subscriptions)
        if len(subscriptions.kinds) == 1:
            _share_among_equals(kept, subscriptions.topics)
        elif members:
            share_among_mixed(kept, subscriptions)
        return GroupAssignment(dict(zip(member_ids, map(MemberAssignment, kept.shares), strict=True)))


def _share_among_equals(kept: Kept, topics: Topics) -> None:
    num_partitions = sum(topic.num_partitions for topic in topics.values())
    due, extras = divmod(num_partitions, len(kept.shares))
    ranks = {topic_id: rank for rank, topic_id in enumerate(topics)}
    released: dict[TopicId, list[int]] = {}
    for place, load in enumerate(kept.loads):
        if load > due:
            may_keep = due + 1 if extras else due
            extras -= may_keep > due
            if load > may_keep:
                kept.loads[place] = may_keep
                kept.shares[place] = _cut_down(kept.shares[place], may_keep, ranks, released)
    for topic_id, numbers in released.items():
        kept.free[topic_id] = sorted((*kept.free.get(topic_id, ()), *numbers))
    _fill_up(kept, due, extras, topics)


def _cut_down(
    share: Share, may_keep: int, ranks: Mapping[TopicId, int], released: dict[TopicId, list[int]]
) -> dict[TopicId, frozenset[int]]:
    """The first ``may_keep`` partitions of a share, topics by their ranks; the others are ``released``."""
    remaining = {}
    for topic_id in sorted(share, key=ranks.__getitem__):
        numbers = sorted(share[topic_id])
        if may_keep:
            remaining[topic_id] = frozenset(numbers[:may_keep])
        released.setdefault(topic_id, []).extend(numbers[may_keep:])
        may_keep -= min(may_keep, len(numbers))
    return remaining


def _fill_up(kept: Kept, due: int, extras: int, topics: Topics) -> None:
    """Hand the free partitions, in order, to those below their due; ``extras`` of them are due one more."""
    places, counts = [], []
    for place, load in enumerate(kept.loads):
        missing = due - load
        if missing >= 0 and extras:
            missing, extras = missing + 1, extras - 1
        if missing > 0:
            places.append(place)
            counts.append(missing)
    free = [(topic_id, kept.free[topic_id]) for topic_id in topics if topic_id in kept.free]
    assert sum(counts) == sum(len(numbers) for _, numbers in free), "what is due adds up to all partitions"
    for place, piece in zip(places, _cut(free, counts), strict=True):
        share = kept.shares[place]
        kept.shares[place] = _united(share, piece) if share else piece


def _cut(
    free: Sequence[tuple[TopicId, Sequence[int]]], counts: Iterable[int]
) -> Iterator[dict[TopicId, frozenset[int]]]:
    """Cut the free partitions, all topics in a row, into pieces of these sizes."""
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
