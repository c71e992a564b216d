"""What raw members remember: those whose requests a scenario spells out, instead of a machine.

A raw member repeats itself unless told otherwise: its latest epoch, its instance id and, when it joins again, its
topics; one of a classic group its latest id, instance id, topics and protocols, the latest generation it was told of.

Epochs are written as they are where every world agrees on them. Where they differ from one broker to another, they
are written from the first one that anybody was given: ``E``, ``E+1``. The first id of a member of a classic group is
written as its name, ``A``; when it joins anew without one it becomes ``A/2``.
"""

from __future__ import annotations

import re

from attrs import define, field

from tests.verification.scenario_language.notation import NotationError

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


_NO_ID = "-"


@define
class RawClassicMember:
    """A member as it knows itself."""

    name: str
    ids: list[str] = field(factory=list)
    generation: int = -1
    protocol: str | None = None
    instance_id: str | None = None
    topics: tuple[str, ...] = ()
    protocols: tuple[str, ...] = ("range",)

    @property
    def latest_id(self) -> str:
        return self.ids[-1] if self.ids else ""

    def take(self, member_id: str) -> None:
        if member_id and member_id not in self.ids:
            self.ids.append(member_id)


@define
class ClassicMembers:
    """The raw members by name. What their assignors are told is told where coordinators have a part in that."""

    known: dict[str, RawClassicMember] = field(factory=dict)
    tells_user_data: bool = False

    def named(self, name: str) -> RawClassicMember:
        """The member of that name, new if nobody has heard of it."""
        return self.known.setdefault(name, RawClassicMember(name))

    def id_of(self, written: str) -> str:
        """Read an id: ``A``, ``A/2``, ``-`` for none. Raises ``NotationError`` for one that nobody has had."""
        if written == _NO_ID:
            return ""
        name, _, number = written.partition("/")
        ids = self.known[name].ids if name in self.known else []
        index = int(number or 1) - 1
        if index >= len(ids):
            raise NotationError(f"nobody was ever given the id {written}")
        return ids[index]

    def write(self, member_id: str) -> str:
        for member in self.known.values():
            if member_id in member.ids:
                number = member.ids.index(member_id) + 1
                return member.name if number == 1 else f"{member.name}/{number}"
        return member_id or _NO_ID
