"""What changed between two sets of partitions, topic by topic."""

from __future__ import annotations

from collections.abc import Iterable

from kafka_nextgen.history.events import partitions_by_topic
from kafka_nextgen.types import TopicPartition

__all__ = ["changed_topics"]


def changed_topics(
    before: Iterable[TopicPartition], after: Iterable[TopicPartition]
) -> list[tuple[str, tuple[int, ...]]]:
    """The topics with other partitions than before, and those they have now, maybe none."""
    old, new = partitions_by_topic(before), partitions_by_topic(after)
    return [(topic, new.get(topic, ())) for topic in sorted({*old, *new}) if old.get(topic) != new.get(topic)]
