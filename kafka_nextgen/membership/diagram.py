"""The table as a picture: a Mermaid state diagram, for the documentation and for whoever debugs."""

from __future__ import annotations

from collections.abc import Iterable

from kafka_nextgen.membership.states import Status
from kafka_nextgen.membership.transitions import RULES, Row

__all__ = ["diagram"]


def diagram(rows: Iterable[Row] = RULES) -> str:
    """Draw the arrows between different statuses, each with the events that can lead along it.

    Arrows from a status to itself are left out: nearly every event may leave a member where it is.
    """
    arrows: dict[tuple[Status, Status], list[str]] = {}
    for row in rows:
        for to in sorted(row.to - {row.status}, key=list(Status).index):
            arrows.setdefault((row.status, to), []).append(row.event.__name__)
    lines = [f"    {here.name} --> {there.name}: {', '.join(names)}" for (here, there), names in arrows.items()]
    return "\n".join(["stateDiagram-v2", "    [*] --> UNSUBSCRIBED", *lines, ""])
