"""What callers give a consumer: topics, partitions and offsets, checked and put into our own words."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping

from kafka_nextgen.membership.events import Subscribed
from kafka_nextgen.patterns import SubscriptionPattern
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition

__all__ = ["Offsets", "Topics", "offset_to_commit", "partitions_to_assign", "subscription_to"]

#: Offsets as a caller gives them.
Offsets = Mapping[TopicPartition, OffsetAndMetadata | int]

#: What can be subscribed to: names, a pattern, or (deprecated) a pattern of Python's ``re``.
Topics = Collection[str] | SubscriptionPattern | re.Pattern[str]


def subscription_to(topics: Topics) -> Subscribed:
    """What ``subscribe`` was given; raises TypeError for a bare string, ValueError for no topic."""
    if isinstance(topics, re.Pattern):
        topics = SubscriptionPattern.of_compiled(topics)
    if isinstance(topics, SubscriptionPattern):
        return Subscribed(pattern=topics.pattern)
    if isinstance(topics, str):
        raise TypeError(f"subscribe() takes a collection of topic names; did you mean [{topics!r}]?")
    names = frozenset(topics)
    if not names or not all(names):
        raise ValueError("subscribe() needs the name of a topic at least; unsubscribe() gives all of them up")
    return Subscribed(names)


def partitions_to_assign(partitions: Iterable[TopicPartition]) -> frozenset[TopicPartition]:
    """What ``assign`` was given; raises TypeError or ValueError for what can't be partitions."""
    given = list(partitions)
    for partition in given:
        if not isinstance(partition, TopicPartition):
            raise TypeError(f"assign() takes a collection of TopicPartition; {partition!r} is none")
        if not partition.topic or partition.partition < 0:
            raise ValueError(f"there can be no partition {partition!r}")
    return frozenset(given)


def offset_to_commit(partition: TopicPartition, offset: int | OffsetAndMetadata) -> OffsetAndMetadata:
    """An offset to commit, or to seek to; raises ValueError for one below 0."""
    target = offset if isinstance(offset, OffsetAndMetadata) else OffsetAndMetadata(offset)
    if target.offset < 0:
        raise ValueError(f"{partition}: there is no offset {target.offset}; offsets begin at 0")
    return target
