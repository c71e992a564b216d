"""What callers may give, checked before anybody is asked.

What is of the wrong type is a TypeError, what can't be a ValueError.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from kafka_nextgen.admin.values import E, named
from kafka_nextgen.engine.application.arguments import Offsets, checked_offset
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition

__all__ = ["ConfigValue", "checked_changes", "checked_kinds", "checked_names", "checked_offsets"]

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


def checked_offsets(offsets: Offsets) -> dict[TopicPartition, OffsetAndMetadata]:
    """Positions to commit, one at least."""
    if not offsets:
        raise ValueError("there are no offsets to alter")
    return {tp: checked_offset(tp, offset) for tp, offset in offsets.items()}


def checked_changes(changes: Mapping[str, ConfigValue]) -> dict[str, str | None]:
    """Configuration as Kafka has it, which is text."""
    if not changes:
        raise ValueError("there is nothing to change")
    return {name: None if value is None else _text(value) for name, value in changes.items()}


def _text(value: str | int | float) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
