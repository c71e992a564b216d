"""What members are called in tables: people know their instance and client ids, not the ids that they drew."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from attrs import evolve

from kafka_nextgen.history.facts import (
    Fact,
    Holdup,
    MemberSummary,
    Overlap,
    Owner,
    Rebalance,
    Repeat,
    Standstill,
    Tenure,
)

__all__ = ["member_names", "named"]

_Kind = TypeVar("_Kind", bound=Fact)

#: A longer id of a member is shown by so many characters of its beginning, if it has no other name.
_LONGEST_ID, _SHORT = 14, 8
#: The fields of each kind of fact that have a member's id.
_FIELDS: Mapping[type[Fact], tuple[str, ...]] = {
    Rebalance: ("by", "slowest", "holder"),
    Holdup: ("member",),
    Standstill: ("former", "member"),
    Overlap: ("first", "second"),
    Repeat: ("member",),
    Owner: ("member",),
    Tenure: ("member",),
}


def member_names(members: Iterable[MemberSummary]) -> dict[str, str]:
    """The names of one group's members by their ids: ``group.instance.id``, else ``client.id``, else the id.

    Of several with one name, each has the beginning of its id as well, without what ids of the classic protocol begin
    with: that name. No two members have one name.
    """
    known = {each.member: each.instance or each.client or "" for each in members}
    counts = Counter(known.values())
    names = {member: _name(member, name, counts[name]) for member, name in known.items()}
    counts = Counter(names.values())
    return {member: name if counts[name] == 1 else member for member, name in names.items()}


def _name(member: str, name: str, count: int) -> str:
    if not name:
        return member[:_SHORT] if len(member) > _LONGEST_ID else member
    return name if count == 1 else f"{name} {member.removeprefix(f'{name}-')[:_SHORT]}"


def named(facts: Iterable[_Kind], names: Mapping[str, str]) -> list[_Kind]:
    """These facts with names in place of ids."""
    return [evolve(fact, **_names_in(fact, names)) for fact in facts]


def _names_in(fact: Fact, names: Mapping[str, str]) -> dict[str, Any]:
    ids = {field: getattr(fact, field) for field in _FIELDS[type(fact)]}
    return {field: names[member] for field, member in ids.items() if member in names}
