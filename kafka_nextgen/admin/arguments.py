"""Check the arguments of calls before any request is sent.

Wrong types raise TypeError, invalid values ValueError.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from kafka_nextgen.admin.values import E, parse_enum
from kafka_nextgen.engine.application.arguments import (
    INT32_MAX,
    checked_offset,
    checked_partitions,
)
from kafka_nextgen.properties.offset_reset import OffsetReset
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition

if TYPE_CHECKING:
    from kafka_nextgen.admin.members import NewMember

__all__ = [
    "ConfigValue",
    "MemberId",
    "OffsetSpec",
    "checked_changes",
    "checked_enums",
    "checked_leaving",
    "checked_member_ids",
    "checked_names",
    "checked_new_members",
    "checked_offset_specs",
]

#: The position at which a group should continue: an offset, or the current beginning or end.
OffsetSpec = int | OffsetAndMetadata | OffsetReset

#: A member to remove: its id, or its id and the instance id that it must have.
MemberId = str | tuple[str, str]

#: The longest time, in seconds, that fits in 32 bits as milliseconds.
_LONGEST_S = INT32_MAX // 1000

#: The value of a key of a group's configuration; None resets it.
ConfigValue = str | int | float | None


def checked_names(what: str, names: Collection[str]) -> tuple[str, ...]:
    """Return the names of groups or members without duplicates."""
    if isinstance(names, str | bytes):
        raise TypeError(f"{what} must be a collection of names; did you mean [{names!r}]?")
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"{what} must be str, not {name!r}")
    return tuple(dict.fromkeys(names))


def checked_member_ids(member_ids: Collection[MemberId]) -> tuple[tuple[str, str | None], ...]:
    """Return pairs of a member id and an instance id, which is None if only the member id is given."""
    if isinstance(member_ids, str | bytes):
        raise TypeError(f"member ids must be a collection; did you mean [{member_ids!r}]?")
    return tuple(dict.fromkeys(_checked_member_id(each) for each in member_ids))


def _checked_member_id(given: MemberId) -> tuple[str, str | None]:
    member_id, instance_id = given if isinstance(given, tuple) and len(given) == 2 else (given, None)
    if not isinstance(member_id, str) or not isinstance(instance_id, str | None):
        raise TypeError(f"member ids must be str, or pairs (member id, instance id) of str, not {given!r}")
    if instance_id is not None and not member_id:
        raise ValueError(f"the pair {given!r} has no member id; give an instance id alone in instance_ids")
    return member_id, instance_id


def checked_new_members(group_id: str, members: Collection[str | NewMember], within: float) -> tuple[NewMember, ...]:
    """Return the members to announce. If a member is listed twice, the later entry wins."""
    from kafka_nextgen.admin.members import NewMember  # few programs add members

    if isinstance(members, str | bytes | NewMember):
        raise TypeError(f"instance ids must be a collection; did you mean [{members!r}]?")
    _check_time("within", within, allows_zero=True)
    if within and not members:
        raise ValueError(f"group {group_id}: specify the members that will join, by instance id")
    announced = [NewMember(member) if isinstance(member, str) else member for member in members]
    for member in announced:
        if not isinstance(member, NewMember):
            raise TypeError(f"members must be instance ids or NewMember, not {member!r}")
        _check_time("session_timeout", member.session_timeout)
        _check_time("rebalance_timeout", member.rebalance_timeout)
    return tuple({member.instance_id: member for member in announced}.values())


def checked_leaving(
    group_id: str, instance_ids: Collection[str], member_ids: Collection[str], within: float
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the instance ids and the member ids to announce, without duplicates."""
    checked = checked_names("instance ids", instance_ids), checked_names("member ids", member_ids)
    _check_time("within", within, allows_zero=True)
    if within and not any(checked):
        raise ValueError(f"group {group_id}: specify the members that will leave, by instance id or member id")
    return checked


def _check_time(what: str, seconds: float | None, *, allows_zero: bool = False) -> None:
    """Check that the time fits into a request, in whole milliseconds."""
    if seconds is None or 0 < seconds <= _LONGEST_S or (allows_zero and seconds == 0):
        return
    raise ValueError(f"{what} must be a number of seconds up to {_LONGEST_S}, not {seconds}")


def checked_enums(kind: type[E], names: Collection[str | E]) -> tuple[E, ...]:
    """Return group types or states, given by name or as enum members."""
    if isinstance(names, str):
        raise TypeError(f"{kind.__name__} values must be given as a collection; did you mean [{names!r}]?")
    return tuple(dict.fromkeys(parse_enum(kind, name) for name in names))


def checked_offset_specs(
    specs: Mapping[TopicPartition, OffsetSpec],
) -> dict[TopicPartition, OffsetAndMetadata | OffsetReset]:
    """Return the positions to commit; at least one is needed."""
    if not specs:
        raise ValueError("there are no offsets to alter")
    checked_partitions(specs)
    return {tp: _checked_spec(tp, spec) for tp, spec in specs.items()}


def _checked_spec(tp: TopicPartition, spec: OffsetSpec) -> OffsetAndMetadata | OffsetReset:
    if not isinstance(spec, OffsetReset):
        return checked_offset(tp, spec)
    if spec is OffsetReset.NONE:
        raise ValueError(f"{tp}: must be an offset, OffsetReset.EARLIEST or OffsetReset.LATEST, not {spec}")
    return spec


def checked_changes(changes: Mapping[str, ConfigValue]) -> dict[str, str | None]:
    """Return the changes as text, as Kafka stores them."""
    if not changes:
        raise ValueError("there is nothing to change")
    return {name: None if value is None else _text(value) for name, value in changes.items()}


def _text(value: str | int | float) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
