"""The uniform assignor where subscriptions differ: nobody can be given just anything, so balance is approached.

1. Everybody keeps what it had, where that still exists and is still subscribed to.
2. Topics are filled in the order of their need: most partitions per subscriber first, then fewest subscribers,
   then by topic id. Each free partition goes to the least loaded of the topic's subscribers.
3. Topics are balanced in the same order, up to sixteen times, because one topic's balance may disturb another's:
   partitions move from the most to the least loaded subscriber until the two differ by at most one.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush, heapreplace

from attrs import frozen

from kafka_nextgen.assignors.numbering import Numbering
from kafka_nextgen.assignors.spec import AssignmentSpec
from kafka_nextgen.types import TopicId

__all__ = ["share_among_mixed"]

MAX_SWEEPS = 16

#: Who has what: by member id, by topic, the numbers of the partitions.
Holdings = dict[str, dict[TopicId, list[int]]]


@frozen
class _Topic:
    topic_id: TopicId
    partitions: range
    subscribers: tuple[str, ...]

    @property
    def need(self) -> tuple[float, int, TopicId]:
        return -len(self.partitions) / len(self.subscribers), len(self.subscribers), self.topic_id


def share_among_mixed(group: AssignmentSpec, numbering: Numbering) -> dict[str, list[int]]:
    """Share the partitions of ``numbering`` out; the result has every member's numbers."""
    topics = _by_need(group, numbering)
    holdings, free = _keep(group, numbering)
    loads = {member_id: sum(map(len, held.values())) for member_id, held in holdings.items()}
    for topic in topics:
        _fill(topic, free, holdings, loads)
    for _ in range(MAX_SWEEPS):
        moved = [_balance(topic, holdings, loads) for topic in topics]
        if not any(moved):
            break
    return {
        member_id: [number for numbers in held.values() for number in numbers] for member_id, held in holdings.items()
    }


def _by_need(group: AssignmentSpec, numbering: Numbering) -> list[_Topic]:
    subscribers: dict[str, list[str]] = {}
    for member_id, member in sorted(group.members.items()):
        for name in member.subscribed_topics:
            subscribers.setdefault(name, []).append(member_id)
    topics = [
        _Topic(topic_id, numbering.of_topic(topic_id), tuple(subscribers[group.topics[topic_id].name]))
        for topic_id in numbering.first
    ]
    return sorted(topics, key=lambda topic: topic.need)


def _keep(group: AssignmentSpec, numbering: Numbering) -> tuple[Holdings, list[bool]]:
    holdings: Holdings = {}
    free = [True] * len(numbering)
    for member_id, member in sorted(group.members.items()):
        held = holdings[member_id] = {}
        for number in numbering.of_subscribed(member.target, member.subscribed_topics):
            if free[number]:
                free[number] = False
                held.setdefault(numbering.topic_of(number), []).append(number)
    return holdings, free


def _fill(topic: _Topic, free: list[bool], holdings: Holdings, loads: dict[str, int]) -> None:
    """Give each free partition of the topic to the least loaded of its subscribers."""
    waiting = [number for number in topic.partitions if free[number]]
    if not waiting:
        return
    least = [(loads[member_id], member_id) for member_id in topic.subscribers]
    heapify(least)
    for number in waiting:
        load, member_id = least[0]
        holdings[member_id].setdefault(topic.topic_id, []).append(number)
        loads[member_id] = load + 1
        heapreplace(least, (load + 1, member_id))


def _balance(topic: _Topic, holdings: Holdings, loads: dict[str, int]) -> bool:
    """Move the topic's partitions from the most to the least loaded subscriber; whether any moved.

    Both heaps keep entries whose load is out of date; they are dropped when they come to the top.
    """
    least = [(loads[member_id], member_id) for member_id in topic.subscribers]
    most = [(-loads[member_id], member_id) for member_id in topic.subscribers if topic.topic_id in holdings[member_id]]
    heapify(least)
    heapify(most)
    moved = False
    while most:
        load, giver = most[0]
        if -load != loads[giver] or not holdings[giver].get(topic.topic_id):
            heappop(most)
            continue
        while least[0][0] != loads[least[0][1]]:
            heappop(least)
        taker = least[0][1]
        if loads[giver] - loads[taker] <= 1:
            break
        _move(topic.topic_id, giver, taker, holdings, loads)
        moved = True
        for member_id in (giver, taker):
            heappush(least, (loads[member_id], member_id))
            heappush(most, (-loads[member_id], member_id))
    return moved


def _move(topic_id: TopicId, giver: str, taker: str, holdings: Holdings, loads: dict[str, int]) -> None:
    number = holdings[giver][topic_id].pop()
    holdings[taker].setdefault(topic_id, []).append(number)
    loads[giver] -= 1
    loads[taker] += 1
