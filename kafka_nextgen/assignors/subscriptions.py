"""Which members subscribe to which topics. Members with equal subscriptions form a *cohort*.

A group of ten thousand members has only a few cohorts. Values that depend only on the subscription are computed once
for each cohort instead of once for each member and topic. Members are addressed by their index in the input order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set

from kafka_nextgen.assignors.spec import MemberSpec, TopicMetadata
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.types import TopicId

__all__ = ["Cohort", "Subscriptions", "static_members_first", "subscriptions_of"]


@frozen
class Cohort:
    """Members with equal subscriptions, by index, and the existing topics that they subscribe to."""

    topic_ids: Set[TopicId]
    members: list[int]


@frozen
class Subscriptions:
    """The subscribed topics, ordered by name; the cohorts; and the indexes of the cohorts that subscribe to each."""

    topics: Mapping[TopicId, TopicMetadata]
    cohorts: list[Cohort]
    cohorts_of: Mapping[TopicId, list[int]]


def subscriptions_of(members: Iterable[MemberSpec], topics: Mapping[TopicId, TopicMetadata]) -> Subscriptions:
    """Group the members by subscription; cohorts are in the order of their first members."""
    indexes: dict[frozenset[str], list[int]] = {}
    for index, member in enumerate(members):
        names = frozenset(member.subscribed_topics)
        try:
            indexes[names].append(index)
        except KeyError:
            indexes[names] = [index]
    ids = {topic.name: topic_id for topic_id, topic in topics.items()}
    cohorts = [Cohort({ids[name] for name in names if name in ids}, of_names) for names, of_names in indexes.items()]
    cohorts_of: dict[TopicId, list[int]] = {topic_id: [] for topic_id in topics}
    for index, cohort in enumerate(cohorts):
        for topic_id in cohort.topic_ids:
            cohorts_of[topic_id].append(index)
    in_order = sorted(topics.items(), key=lambda item: (item[1].name, item[0]))
    return Subscriptions({topic_id: topic for topic_id, topic in in_order if cohorts_of[topic_id]}, cohorts, cohorts_of)


def static_members_first(members: Mapping[str, MemberSpec]) -> list[str]:
    """The member ids: static members by instance id, then dynamic members by member id.

    So a static member keeps its rank, and therefore its partitions, across a restart (KIP-345).
    """
    static = [
        (member.instance_id, member_id) for member_id, member in members.items() if member.instance_id is not None
    ]
    if not static:
        return sorted(members)
    dynamic = sorted(member_id for member_id, member in members.items() if member.instance_id is None)
    return [member_id for _, member_id in sorted(static)] + dynamic
