"""The uniform assignor where subscriptions differ: nobody can be given just anything, so balance is approached first.

1. Everybody keeps what it had, where that still exists and is still subscribed to.
2. Topics are filled in the order of their need: most partitions per subscriber first, then fewest subscribers,
   then by topic id. Each free partition goes to the least loaded of the topic's subscribers.
3. Topics are balanced in the same order, up to sixteen times, because one topic's balance may disturb another's:
   partitions move from the most to the least loaded subscriber until the two differ by at most one.
4. Members that differ by more then share no topic, or the sweeps came to their end. Partitions move between them along
   ``chains`` over others, until none would help. That is as even as can be.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapify, heappop, heappush

from attrs import frozen

from kafka_nextgen.assignors.chains import move_along_chains
from kafka_nextgen.assignors.filling import Filling
from kafka_nextgen.assignors.keeping import Kept
from kafka_nextgen.assignors.least_loaded import Front, LeastLoaded
from kafka_nextgen.assignors.moving import Holdings
from kafka_nextgen.assignors.subscriptions import Subscriptions
from kafka_nextgen.types import TopicId

__all__ = ["share_among_mixed"]

#: Chains alone come to the same, with fewer moves where one member joins, but in ten times the time where many do.
MAX_SWEEPS = 16


@frozen
class _Topic:
    topic_id: TopicId
    num_partitions: int
    kinds: Sequence[int]
    num_subscribers: int

    @property
    def need(self) -> tuple[float, int, TopicId]:
        return -self.num_partitions / self.num_subscribers, self.num_subscribers, self.topic_id


def share_among_mixed(kept: Kept, subscriptions: Subscriptions) -> None:
    """Share the free partitions out, and make it even; ``kept.shares`` are then what everybody is to have."""
    topics = _by_need(subscriptions)
    holdings = Holdings(kept.shares, [topic.topic_id for topic in topics])
    filling = Filling(subscriptions.kinds, kept.loads)
    for index, topic in enumerate(topics):
        free = kept.free.get(topic.topic_id, ())
        holdings.give(index, filling.take(topic.kinds, len(free)), free)
    loads = LeastLoaded(subscriptions.kinds, kept.loads)
    for _ in range(MAX_SWEEPS):
        moved = [_balance(index, topic, loads, holdings) for index, topic in enumerate(topics)]
        if not any(moved):
            break
    move_along_chains([topic.kinds for topic in topics], loads, holdings)
    kept.shares[:] = holdings.shares()


def _by_need(subscriptions: Subscriptions) -> list[_Topic]:
    sizes = [len(kind.places) for kind in subscriptions.kinds]
    topics = []
    for topic_id, topic in subscriptions.topics.items():
        kinds = subscriptions.kinds_of[topic_id]
        topics.append(_Topic(topic_id, topic.num_partitions, kinds, sum(map(sizes.__getitem__, kinds))))
    return sorted(topics, key=lambda topic: topic.need)


def _balance(index: int, topic: _Topic, loads: LeastLoaded, holdings: Holdings) -> bool:
    """Move the topic's partitions from the most to the least loaded subscriber; whether any moved.

    The heap of the most loaded keeps entries whose load is out of date; they are dropped when they come to the top.
    """
    most_loaded = max(map(loads.loads.__getitem__, holdings.holders[index]), default=0)
    if most_loaded - loads.least(topic.kinds) <= 1:
        return False
    most = [(-loads.loads[place], place) for place in holdings.holders[index]]
    heapify(most)
    least = Front(loads, topic.kinds)
    moved = False
    while most:
        load, giver = most[0]
        if -load != loads.loads[giver] or not holdings.has_any(index, giver):
            heappop(most)
            continue
        taker = least.first()
        if loads.loads[giver] - loads.loads[taker] <= 1:
            break
        holdings.move(index, giver, taker)
        least.move(giver, taker)
        moved = True
        for place in (giver, taker):
            heappush(most, (-loads.loads[place], place))
    return moved
