"""Partitions as events have them: numbers of one topic, in order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kafka_nextgen.history.events import Event

__all__ = ["Place", "by_topic", "places_of"]

#: A partition: its topic and number.
Place = tuple[str, int]


def places_of(event: Event) -> Iterator[Place]:
    """The partitions that the event is about."""
    if event.topic is not None:
        for partition in event.partitions or ():
            yield (event.topic, partition)


def by_topic(partitions: Iterable[tuple[object, int]]) -> dict[str, tuple[int, ...]]:
    """Each topic as text, with its partitions; both are sorted."""
    found: dict[str, list[int]] = {}
    for topic, number in partitions:
        found.setdefault(str(topic), []).append(number)
    return {topic: tuple(sorted(found[topic])) for topic in sorted(found)}
