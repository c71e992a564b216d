"""Who subscribes to what. Members that subscribe to the same topics are of one *kind*.

A group of ten thousand members has but a few kinds. What hangs on the subscription alone (which topics, in front of
whom) is worked out once for each kind, and not for each member and each of its topics.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set

from attrs import frozen

from kafka_nextgen.assignors.spec import MemberSpec, TopicMetadata
from kafka_nextgen.types import TopicId

__all__ = ["Kind", "Subscriptions", "subscriptions_of"]


@frozen
class Kind:
    """Members, by their places in the order they were asked in, and those topics they subscribe to that exist."""

    topic_ids: Set[TopicId]
    places: list[int]


@frozen
class Subscriptions:
    """The topics that anybody subscribes to, by name; the kinds; and which kinds are in front of each topic."""

    topics: Mapping[TopicId, TopicMetadata]
    kinds: list[Kind]
    kinds_of: Mapping[TopicId, list[int]]


def subscriptions_of(members: Iterable[MemberSpec], topics: Mapping[TopicId, TopicMetadata]) -> Subscriptions:
    """Sort the members by what they subscribe to; kinds are in the order of their first members."""
    places: dict[frozenset[str], list[int]] = {}
    for place, member in enumerate(members):
        names = frozenset(member.subscribed_topics)
        try:
            places[names].append(place)
        except KeyError:
            places[names] = [place]
    ids = {topic.name: topic_id for topic_id, topic in topics.items()}
    kinds = [Kind({ids[name] for name in names if name in ids}, of_one_kind) for names, of_one_kind in places.items()]
    kinds_of: dict[TopicId, list[int]] = {topic_id: [] for topic_id in topics}
    for index, kind in enumerate(kinds):
        for topic_id in kind.topic_ids:
            kinds_of[topic_id].append(index)
    in_order = sorted(topics.items(), key=lambda item: (item[1].name, item[0]))
    return Subscriptions({topic_id: topic for topic_id, topic in in_order if kinds_of[topic_id]}, kinds, kinds_of)
