"""What the judge of a soak keeps: who reads, how far a group is, and who has had a partition."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import define, frozen

FOREVER = float("inf")


@frozen
class Reader:
    """A member as the judge knows it: ``commits_itself`` if its consumer commits before it gives partitions up.

    ``is_classic`` if it speaks the classic protocol. ``is_steady`` if nothing is done to it that may end its membership
    or fail its calls. ``credential`` is what it is let in by, "password" or "certificate", if the broker asks for one.
    """

    name: str
    group: str
    commits_itself: bool = False
    runs_handlers: bool = False
    is_classic: bool = False
    is_steady: bool = False
    credential: str = ""

    @classmethod
    def of(cls, name: str, specification: Mapping[str, Any]) -> Reader:
        config, commits = specification["config"], specification["commits"]
        is_classic = config["group.protocol"] == "classic"
        return cls(
            name,
            config["group.id"],
            commits in ("auto", "run"),
            commits == "run",
            is_classic,
            specification.get("is_steady", False),
            specification.get("credential", ""),
        )


@define
class Progress:
    """How far a group is with one key: processed up to ``top``; ``floor`` is committed, as asked at ``floor_at``."""

    top: int = 0
    floor: int = 0
    floor_at: float = -FOREVER
    repeated: int = 0

    def commit(self, offset: int, asked_at: float) -> None:
        if asked_at >= self.floor_at:
            self.floor, self.floor_at = offset, asked_at

    def go_back(self, offset: int, at: float) -> None:
        self.floor, self.floor_at = min(self.floor, offset), at


@define(eq=False)
class Owning:
    """A member's time with one place; ``next`` is the offset that has to come, of ``key``."""

    reader: Reader
    place: int
    begin: float
    end: float = FOREVER
    key: int | None = None
    next: int = 0
    is_paused: bool = False
    is_uncertain: bool = False  # what was committed
