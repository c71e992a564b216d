"""What raw members of a classic group remember, and how their ids are written.

A member's first id is written as its name, ``A``; when it joins anew without one it becomes ``A/2``. A raw member
repeats itself unless told otherwise: its latest id, its instance id, topics and protocols, the latest generation it was
told of.
"""

from __future__ import annotations

from attrs import define, field

from tests.scenario_language.notation import NotationError

__all__ = ["ClassicMembers", "RawClassicMember"]

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
        """The id it was given last, empty if none."""
        return self.ids[-1] if self.ids else ""

    def take(self, member_id: str) -> None:
        """Have an id from now on."""
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
        """Write an id."""
        for member in self.known.values():
            if member_id in member.ids:
                number = member.ids.index(member_id) + 1
                return member.name if number == 1 else f"{member.name}/{number}"
        return member_id or _NO_ID
