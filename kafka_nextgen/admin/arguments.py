"""What callers may give, checked before anybody is asked.

What is of the wrong type is a TypeError, what can't be a ValueError.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from kafka_nextgen.admin.values import E, named
from kafka_nextgen.engine.application.arguments import checked_offset, checked_partitions
from kafka_nextgen.offset_reset import OffsetReset
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition

__all__ = ["ConfigValue", "Place", "checked_changes", "checked_kinds", "checked_names", "checked_places"]

#: Where a group is to go on: an offset, or the beginning or end as it is now.
Place = int | OffsetAndMetadata | OffsetReset

#: What a key of a group's configuration can be set to; None takes the setting back.
ConfigValue = str | int | float | None


def checked_names(what: str, names: Collection[str]) -> tuple[str, ...]:
    """Names of groups or members, each once."""
    if isinstance(names, str | bytes):
        raise TypeError(f"{what} are a collection of names; did you mean [{names!r}]?")
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"{what} are str; {name!r} is none")
    return tuple(dict.fromkeys(names))


def checked_kinds(kind: type[E], names: Collection[str | E]) -> tuple[E, ...]:
    """Types or states of groups, by name or as themselves."""
    if isinstance(names, str):
        raise TypeError(f"a collection of {kind.__name__} is needed; did you mean [{names!r}]?")
    return tuple(dict.fromkeys(named(kind, name) for name in names))


def checked_places(places: Mapping[TopicPartition, Place]) -> dict[TopicPartition, OffsetAndMetadata | OffsetReset]:
    """Positions to commit, one at least."""
    if not places:
        raise ValueError("there are no offsets to alter")
    checked_partitions(places)
    return {tp: _checked_place(tp, place) for tp, place in places.items()}


def _checked_place(tp: TopicPartition, place: Place) -> OffsetAndMetadata | OffsetReset:
    if not isinstance(place, OffsetReset):
        return checked_offset(tp, place)
    if place is OffsetReset.NONE:
        raise ValueError(f"{tp}: an offset, OffsetReset.EARLIEST or OffsetReset.LATEST is needed, not {place}")
    return place


def checked_changes(changes: Mapping[str, ConfigValue]) -> dict[str, str | None]:
    """Configuration as Kafka has it, which is text."""
    if not changes:
        raise ValueError("there is nothing to change")
    return {name: None if value is None else _text(value) for name, value in changes.items()}


def _text(value: str | int | float) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
