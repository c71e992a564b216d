"""A table as a picture: a Mermaid state diagram, for the documentation and for whoever debugs."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import TypeVar

from kafka_nextgen.membership.table import RowOf

__all__ = ["diagram"]

S = TypeVar("S", bound=Enum)
R = TypeVar("R")


def diagram(rows: Iterable[RowOf[S, R]]) -> str:
    """Draw the arrows between different statuses, each with the events that can lead along it.

    Arrows from a status to itself are left out: nearly every event may leave a member where it is.
    """
    arrows: dict[tuple[S, S], list[str]] = {}
    for row in rows:
        for to in sorted(row.to - {row.status}, key=list(type(row.status)).index):
            arrows.setdefault((row.status, to), []).append(row.event.__name__)
    lines = [f"    {here.name} --> {there.name}: {', '.join(names)}" for (here, there), names in arrows.items()]
    return "\n".join(["stateDiagram-v2", "    [*] --> UNSUBSCRIBED", *lines, ""])
