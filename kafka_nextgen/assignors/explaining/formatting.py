"""Format an explanation as text: problems, a line of figures, and a table of the members.

Empty columns are left out: instance ids and racks if no member has one, loads if the assignor has no measure for them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kafka_nextgen.types import format_partitions

if TYPE_CHECKING:
    from kafka_nextgen.assignors.explaining.explanation import Balance, Explanation, Loads, MemberChange

__all__ = ["text_of"]

_GAP = "  "
_NOTHING = "-"
_NUMBERS = ("BEFORE", "AFTER", "LOAD")


def text_of(explanation: Explanation) -> str:
    """The text, without a newline at the end."""
    lines = [*_complaints(explanation), _summary(explanation)]
    if explanation.members:
        lines += ["", *_table(explanation)]
    return "\n".join(lines)


def _complaints(explanation: Explanation) -> list[str]:
    name = explanation.assignor
    if explanation.failure is not None:
        return [f"{name} can't assign this group: {explanation.failure}. Its target would stay as it is.", ""]
    stated = [f"{name} returns error code {explanation.error} to the members."] if explanation.error else []
    flaws = [f"Not valid: {name} {flaw}." for flaw in explanation.flaws]
    return [*stated, *flaws, ""] if stated or flaws else []


def _summary(explanation: Explanation) -> str:
    members = len(explanation.members)
    if not members:
        return f"{explanation.assignor}: the group has no members, so there is nothing to assign."
    partitions = sum(len(member.after) for member in explanation.members)
    parts = [
        f"{explanation.assignor} over {_count(members, 'member')} and {_count(partitions, 'partition')}: "
        f"{_each(explanation.after)} each ({_each(explanation.before)} before)",
        f"{_count(len(explanation.moves), 'move')}, {explanation.kept} kept (stickiness {explanation.stickiness:.0%})",
    ]
    before, after = explanation.loads_before, explanation.loads_after
    if before is not None and after is not None:
        parts.append(f"loads of {_range(after)} ({_range(before)} before)")
    if _has_racks(explanation):
        parts.append(f"{explanation.across_after} read from another rack ({explanation.across_before} before)")
    return "; ".join(parts) + "."


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def _each(balance: Balance) -> str:
    return str(balance.most) if balance.spread == 0 else f"{balance.fewest} to {balance.most}"


def _range(loads: Loads) -> str:
    least, most = f"{loads.least:g}", f"{loads.most:g}"
    return most if least == most else f"{least} to {most}"


def _has_racks(explanation: Explanation) -> bool:
    return any(member.rack_id is not None for member in explanation.members)


def _table(explanation: Explanation) -> list[str]:
    header = ["MEMBER", "INSTANCE", "RACK", "BEFORE", "AFTER", "LOAD", "GAINS", "LOSES", "ACROSS RACKS"]
    rows = [header, *map(_row, explanation.members)]
    has_instances = any(member.instance_id is not None for member in explanation.members)
    shown = {
        "INSTANCE": has_instances,
        "RACK": _has_racks(explanation),
        "LOAD": explanation.loads_after is not None,
        "ACROSS RACKS": _has_racks(explanation),
    }
    columns = [column for column in zip(*rows, strict=True) if shown.get(column[0], True)]
    return [line.rstrip() for line in map(_GAP.join, zip(*map(_aligned, columns), strict=True))]


def _row(member: MemberChange) -> list[str]:
    return [
        member.member_id,
        member.instance_id or _NOTHING,
        member.rack_id or _NOTHING,
        str(len(member.before)),
        str(len(member.after)),
        _NOTHING if member.load_after is None else f"{member.load_after:g}",
        format_partitions(member.gains),
        format_partitions(member.loses),
        format_partitions(member.across_after),
    ]


def _aligned(column: Sequence[str]) -> list[str]:
    """Pad all cells to the widest; numbers are aligned right."""
    width = max(map(len, column))
    return [cell.rjust(width) if column[0] in _NUMBERS else cell.ljust(width) for cell in column]
