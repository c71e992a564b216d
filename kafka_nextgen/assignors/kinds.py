"""Members that subscribe to the same topics are of one kind.

A group of ten thousand members has but a few kinds. What hangs on the subscription alone (which topics, in front of
whom) is worked out once for each kind, and not for each member and each of its topics.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from attrs import frozen

from kafka_nextgen.assignors.spec import MemberSpec, TopicMetadata
from kafka_nextgen.types import TopicId

__all__ = ["Kind", "kinds_of", "kinds_of_topics"]


@frozen
class Kind:
    """Members, by their places in the order they were asked in, and those topics they subscribe to that exist."""

    topics: Mapping[TopicId, TopicMetadata]
    places: list[int]


def kinds_of(members: Iterable[MemberSpec], topics: Mapping[TopicId, TopicMetadata]) -> list[Kind]:
    """The kinds, each in the place of its first member; topics go by name."""
    places: dict[frozenset[str], list[int]] = {}
    for place, member in enumerate(members):
        names = frozenset(member.subscribed_topics)
        try:
            places[names].append(place)
        except KeyError:
            places[names] = [place]
    in_order = sorted(topics.items(), key=lambda item: (item[1].name, item[0]))
    return [
        Kind({topic_id: topic for topic_id, topic in in_order if topic.name in names}, of_kind)
        for names, of_kind in places.items()
    ]


def kinds_of_topics(kinds: Sequence[Kind]) -> dict[TopicId, list[int]]:
    """Which kinds subscribe to each topic, by their indexes."""
    found: dict[TopicId, list[int]] = {}
    for index, kind in enumerate(kinds):
        for topic_id in kind.topics:
            found.setdefault(topic_id, []).append(index)
    return found
