"""What members keep of the previous target: partitions that still exist, and whose topic they still subscribe to.

Nearly always that is everything, and then the shares are not looked into one by one: of each topic, all numbers that
anybody has are taken out of all there are. As many are gone as were there to take, if none is beyond the topic and
none occurs twice. If that does not come out even, partitions are gone through one by one; of two members that have
the same, the first one keeps it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

from attrs import frozen

from kafka_nextgen.assignors.subscriptions import Subscriptions
from kafka_nextgen.types import TopicId

__all__ = ["Kept", "Share", "keep"]

#: What one member has, as it is told to assignors.
Share = Mapping[TopicId, Set[int]]

#: What nobody has of each topic, in order.
Free = dict[TopicId, Sequence[int]]


@frozen
class Kept:
    """The shares of all members, by place, how much that is, and what is left over of each topic, in order.

    A share that is kept as a whole is the very object that was given.
    """

    shares: list[Share]
    loads: list[int]
    free: Free


def keep(targets: Sequence[Share], subscriptions: Subscriptions) -> Kept:
    """Find out what of ``targets``, by place, may be kept."""
    as_they_are = _counted(list(targets), subscriptions)
    if as_they_are is not None:
        return as_they_are
    cleaned = _counted(_cleaned(targets, subscriptions), subscriptions)
    assert cleaned is not None, "what was cleaned is clean"
    return cleaned


def _counted(shares: list[Share], subscriptions: Subscriptions) -> Kept | None:
    """Count the shares together; None if any of them can't be kept."""
    loads = [0] * len(shares)
    held: dict[TopicId, list[Set[int]]] = {topic_id: [] for topic_id in subscriptions.topics}
    for kind in subscriptions.kinds:
        has_all = len(kind.topic_ids) == len(held)
        for place in kind.places:
            load = 0
            for topic_id, numbers in shares[place].items():
                shares_of_topic = held.get(topic_id)
                if shares_of_topic is None or not (has_all or topic_id in kind.topic_ids):
                    return None
                shares_of_topic.append(numbers)
                load += len(numbers)
            loads[place] = load
    free = _left_over(held, subscriptions)
    return None if free is None else Kept(shares, loads, free)


def _left_over(held: Mapping[TopicId, list[Set[int]]], subscriptions: Subscriptions) -> Free | None:
    free: Free = {}
    counts = {topic.num_partitions for topic in subscriptions.topics.values()}
    everything = {count: set(range(count)) for count in counts}
    for topic_id, shares in held.items():
        count = subscriptions.topics[topic_id].num_partitions
        if not shares:
            free[topic_id] = range(count)
            continue
        left = everything[count].difference(*shares)
        if count - len(left) != sum(map(len, shares)):
            return None
        if left:
            free[topic_id] = sorted(left)
    return free


def _cleaned(targets: Sequence[Share], subscriptions: Subscriptions) -> list[Share]:
    topics_of = {place: kind.topic_ids for kind in subscriptions.kinds for place in kind.places}
    taken: dict[TopicId, set[int]] = {topic_id: set() for topic_id in subscriptions.topics}
    cleaned: list[Share] = []
    for place, share in enumerate(targets):
        kept: dict[TopicId, Set[int]] = {}
        for topic_id in share.keys() & topics_of[place]:
            count = subscriptions.topics[topic_id].num_partitions
            numbers = {number for number in share[topic_id] if 0 <= number < count} - taken[topic_id]
            taken[topic_id] |= numbers
            if numbers:
                kept[topic_id] = frozenset(numbers)
        cleaned.append(share if kept == share else kept)
    return cleaned
