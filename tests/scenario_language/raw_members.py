"""What raw members remember: those whose heartbeats a scenario spells out, instead of a machine.

A raw member repeats itself unless told otherwise: its latest epoch, its instance id and, when it joins again, its
topics.

Epochs are written as they are where every world agrees on them. Where they differ from one broker to another, they
are written from the first one that anybody was given: ``E``, ``E+1``.
"""

from __future__ import annotations

import re

from attrs import define, field

from tests.scenario_language.notation import NotationError

__all__ = ["Epochs", "RawMember", "RawMembers"]

_RELATIVE = re.compile(r"E(?P<distance>[+-]\d+)?")


@define
class Epochs:
    """Reads and writes epochs, ``relative`` to the first one above 0 that is written or as they are."""

    relative: bool = False
    first: int | None = None

    def read(self, text: str) -> int:
        """Read an epoch. Raises ``NotationError``."""
        match = _RELATIVE.fullmatch(text)
        if match is not None and self.relative and self.first is not None:
            return self.first + int(match["distance"] or 0)
        try:
            return int(text)
        except ValueError:
            raise NotationError(f"{text!r} is no epoch here, write a number") from None

    def write(self, epoch: int) -> str:
        """Write an epoch; those with a meaning of their own, 0 and below, as they are."""
        if not self.relative or epoch <= 0:
            return str(epoch)
        if self.first is None:
            self.first = epoch
        return f"E{epoch - self.first:+d}" if epoch != self.first else "E"


@define
class RawMember:
    """What one raw member was told, and said of itself."""

    epoch: int = 0
    instance_id: str | None = None
    topics: frozenset[str] = frozenset()
    prepared_epoch: int = 0  # of the group that it was told what to assign of


@define
class RawMembers:
    """The raw members by name, and how epochs are written."""

    epochs: Epochs = field(factory=Epochs)
    known: dict[str, RawMember] = field(factory=dict)

    def named(self, name: str) -> RawMember:
        """The member of that name, new if nobody has heard of it."""
        return self.known.setdefault(name, RawMember())
