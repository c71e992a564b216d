"""Which arrows of the membership tables were walked, and which refusals were met, also of commits and lookups."""

from __future__ import annotations

from enum import Enum

from attrs import define, field, frozen


@frozen
class Arrow:
    """In ``status``, ``event`` led to ``to``."""

    status: Enum
    event: type
    to: Enum

    def __str__(self) -> str:
        return f"{self.status.name} --{self.event.__name__}--> {self.to.name}"


@define
class Trail:
    """What the members of one world went through. Late completions leave no trace: they mean nothing."""

    arrows: set[Arrow] = field(factory=set)
    refusals: set[tuple[type, int]] = field(factory=set)  # by the kind of event that told of it
    rows: set[tuple[str, int]] = field(factory=set)  # of the tables for commits and lookups
