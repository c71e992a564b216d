"""What callers may give, checked before anybody is asked.

What is of the wrong type is a TypeError, what can't be a ValueError.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from kafka_nextgen.admin.values import E, NewMember, named
from kafka_nextgen.engine.application.arguments import (
    INT32_MAX,
    checked_offset,
    checked_partitions,
)
from kafka_nextgen.offset_reset import OffsetReset
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition

__all__ = [
    "ConfigValue",
    "Place",
    "checked_changes",
    "checked_kinds",
    "checked_names",
    "checked_new_members",
    "checked_places",
]

#: Where a group is to go on: an offset, or the beginning or end as it is now.
Place = int | OffsetAndMetadata | OffsetReset

#: The longest time that fits into a field of 32 bits, as milliseconds.
_LONGEST_S = INT32_MAX // 1000

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


def checked_new_members(group_id: str, members: Collection[str | NewMember], within: float) -> tuple[NewMember, ...]:
    """Members to announce, by instance id or as themselves, each once: of two entries the later counts."""
    if isinstance(members, str | bytes | NewMember):
        raise TypeError(f"instance ids are a collection; did you mean [{members!r}]?")
    _check_time("within", within, allows_zero=True)
    if within and not members:
        raise ValueError(f"group {group_id}: say who is to join, by instance id")
    named = [NewMember(member) if isinstance(member, str) else member for member in members]
    for member in named:
        if not isinstance(member, NewMember):
            raise TypeError(f"members are instance ids or NewMember; {member!r} is neither")
        _check_time("session_timeout", member.session_timeout)
        _check_time("rebalance_timeout", member.rebalance_timeout)
    return tuple({member.instance_id: member for member in named}.values())


def _check_time(what: str, seconds: float | None, *, allows_zero: bool = False) -> None:
    """Whether a request can say it, in whole milliseconds."""
    if seconds is None or 0 < seconds <= _LONGEST_S or (allows_zero and seconds == 0):
        return
    raise ValueError(f"{what} is a number of seconds up to {_LONGEST_S}, not {seconds}")


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
