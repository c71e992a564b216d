"""Find the partitions of the previous target that members keep: those that still exist, in topics still subscribed to.

Usually that is everything. So the partition numbers in all shares of a topic are first subtracted from the topic's
partitions in one step. If exactly as many disappear as the shares contain, no number is out of range and none occurs
twice. Otherwise partitions are checked one by one; if two members have the same partition, the first one keeps it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

from kafka_nextgen.assignors.spec import Share
from kafka_nextgen.assignors.subscriptions import Subscriptions
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.types import TopicId

__all__ = ["Kept", "keep"]

#: The unassigned partitions of each topic, in order.
Unassigned = dict[TopicId, Sequence[int]]


@frozen
class Kept:
    """The share and load of each member, and the unassigned partitions of each topic, in order.

    A share that is kept as a whole is the input object.
    """

    shares: list[Share]
    loads: list[int]
    unassigned: Unassigned


def keep(targets: Sequence[Share], subscriptions: Subscriptions) -> Kept:
    """Keep the valid part of ``targets``, the previous shares by member."""
    as_they_are = _counted(list(targets), subscriptions)
    if as_they_are is not None:
        return as_they_are
    cleaned = _counted(_cleaned(targets, subscriptions), subscriptions)
    assert cleaned is not None, "the cleaned shares are valid"
    return cleaned


def _counted(shares: list[Share], subscriptions: Subscriptions) -> Kept | None:
    """Count the shares; None if one of them is not valid as a whole."""
    loads = [0] * len(shares)
    held: dict[TopicId, list[Set[int]]] = {topic_id: [] for topic_id in subscriptions.topics}
    for cohort in subscriptions.cohorts:
        has_all = len(cohort.topic_ids) == len(held)
        for member in cohort.members:
            load = 0
            for topic_id, numbers in shares[member].items():
                shares_of_topic = held.get(topic_id)
                if shares_of_topic is None or not (has_all or topic_id in cohort.topic_ids):
                    return None
                shares_of_topic.append(numbers)
                load += len(numbers)
            loads[member] = load
    unassigned = _left_over(held, subscriptions)
    return None if unassigned is None else Kept(shares, loads, unassigned)


def _left_over(held: Mapping[TopicId, list[Set[int]]], subscriptions: Subscriptions) -> Unassigned | None:
    unassigned: Unassigned = {}
    counts = {topic.num_partitions for topic in subscriptions.topics.values()}
    everything = {count: set(range(count)) for count in counts}
    for topic_id, shares in held.items():
        count = subscriptions.topics[topic_id].num_partitions
        if not shares:
            unassigned[topic_id] = range(count)
            continue
        left = everything[count].difference(*shares)
        if count - len(left) != sum(map(len, shares)):
            return None
        if left:
            unassigned[topic_id] = sorted(left)
    return unassigned


def _cleaned(targets: Sequence[Share], subscriptions: Subscriptions) -> list[Share]:
    topics_of = {member: cohort.topic_ids for cohort in subscriptions.cohorts for member in cohort.members}
    taken: dict[TopicId, set[int]] = {topic_id: set() for topic_id in subscriptions.topics}
    cleaned: list[Share] = []
    for member, share in enumerate(targets):
        kept: dict[TopicId, Set[int]] = {}
        for topic_id in share.keys() & topics_of[member]:
            count = subscriptions.topics[topic_id].num_partitions
            numbers = {number for number in share[topic_id] if 0 <= number < count} - taken[topic_id]
            taken[topic_id] |= numbers
            if numbers:
                kept[topic_id] = frozenset(numbers)
        cleaned.append(share if kept == share else kept)
    return cleaned
