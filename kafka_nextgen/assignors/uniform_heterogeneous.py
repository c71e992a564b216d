"""The uniform assignor where subscriptions differ: not every member can get every partition.

1. Members keep their previous partitions that still exist and that they still subscribe to.
2. Topics are assigned in this order: most partitions per subscriber first, then fewest subscribers, then by topic id.
   Each unassigned partition goes to the least loaded of the topic's subscribers.
3. Topics are balanced in the same order, up to ``MAX_SWEEPS`` times, because balancing one topic may disturb another:
   partitions move from the most to the least loaded subscriber until the two differ by at most one.
4. Members that still differ by more share no topic, or the sweeps ran out. Partitions move between them along
   ``augmenting_paths`` over other members until none helps. No assignment is more balanced.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapify, heappop, heappush

from kafka_nextgen.assignors.assignment_builder import AssignmentBuilder
from kafka_nextgen.assignors.augmenting_paths import balance_along_paths
from kafka_nextgen.assignors.least_loaded import LeastLoaded, LeastLoadedSubscriber, LoadLevels
from kafka_nextgen.assignors.previous_target import Kept
from kafka_nextgen.assignors.subscriptions import Subscriptions
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.types import TopicId

__all__ = ["assign_heterogeneous"]

#: Augmenting paths alone give the same balance, with fewer moves if one member joins, but take ten times as long if
#: many do.
MAX_SWEEPS = 16


@frozen
class _Topic:
    topic_id: TopicId
    num_partitions: int
    cohorts: Sequence[int]
    num_subscribers: int

    @property
    def need(self) -> tuple[float, int, TopicId]:
        return -self.num_partitions / self.num_subscribers, self.num_subscribers, self.topic_id


def assign_heterogeneous(kept: Kept, subscriptions: Subscriptions) -> None:
    """Assign the unassigned partitions and balance all; the result replaces ``kept.shares``."""
    topics = _by_need(subscriptions)
    builder = AssignmentBuilder(kept.shares, [topic.topic_id for topic in topics])
    levels = LoadLevels(subscriptions.cohorts, kept.loads)
    for index, topic in enumerate(topics):
        free = kept.unassigned.get(topic.topic_id, ())
        builder.assign(index, levels.place(topic.cohorts, len(free)), free)
    loads = LeastLoaded(subscriptions.cohorts, kept.loads)
    for _ in range(MAX_SWEEPS):
        moved = [_balance(index, topic, loads, builder) for index, topic in enumerate(topics)]
        if not any(moved):
            break
    balance_along_paths([topic.cohorts for topic in topics], loads, builder)
    kept.shares[:] = builder.shares()


def _by_need(subscriptions: Subscriptions) -> list[_Topic]:
    sizes = [len(cohort.members) for cohort in subscriptions.cohorts]
    topics = []
    for topic_id, topic in subscriptions.topics.items():
        cohorts = subscriptions.cohorts_of[topic_id]
        topics.append(_Topic(topic_id, topic.num_partitions, cohorts, sum(map(sizes.__getitem__, cohorts))))
    return sorted(topics, key=lambda topic: topic.need)


def _balance(index: int, topic: _Topic, loads: LeastLoaded, builder: AssignmentBuilder) -> bool:
    """Move the topic's partitions from the most to the least loaded subscriber; return whether any moved.

    Stale entries of the heap are dropped when they reach the top.
    """
    most_loaded = max(map(loads.loads.__getitem__, builder.holders[index]), default=0)
    if most_loaded - loads.least(topic.cohorts) <= 1:
        return False
    most = [(-loads.loads[member], member) for member in builder.holders[index]]
    heapify(most)
    least = LeastLoadedSubscriber(loads, topic.cohorts)
    moved = False
    while most:
        load, giver = most[0]
        if -load != loads.loads[giver] or not builder.has_any(index, giver):
            heappop(most)
            continue
        taker = least.first()
        if loads.loads[giver] - loads.loads[taker] <= 1:
            break
        builder.move(index, giver, taker)
        least.move(giver, taker)
        moved = True
        for member in (giver, taker):
            heappush(most, (-loads.loads[member], member))
    return moved
