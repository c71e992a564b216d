"""Sets of partitions as events have them: topic by topic, partitions in order."""

from __future__ import annotations

from collections.abc import Iterable

from kafka_nextgen.types import TopicPartition

__all__ = ["by_topic", "changed_topics"]


def by_topic(partitions: Iterable[TopicPartition]) -> list[tuple[str, tuple[int, ...]]]:
    """Each topic, with its partitions."""
    topics: dict[str, list[int]] = {}
    for topic, partition in sorted(partitions):
        topics.setdefault(topic, []).append(partition)
    return [(topic, tuple(numbers)) for topic, numbers in topics.items()]


def changed_topics(
    before: Iterable[TopicPartition], after: Iterable[TopicPartition]
) -> list[tuple[str, tuple[int, ...]]]:
    """The topics with other partitions than before, and those they have now, maybe none."""
    old, new = dict(by_topic(before)), dict(by_topic(after))
    return [(topic, new.get(topic, ())) for topic in sorted({*old, *new}) if old.get(topic) != new.get(topic)]
