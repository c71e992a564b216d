"""What can happen next, moves and the eight kinds of faults, and how much of it."""

from __future__ import annotations

from enum import Enum

from attrs import frozen

__all__ = ["Bounds", "Fault", "Move"]

#: A verb, the client it is about if it is about one, and more.
Move = tuple[str, ...]


class Fault(Enum):
    """A kind of fault."""

    REQUEST_LOST = "request lost"
    ANSWER_LOST = "answer lost"
    REPEATED = "request repeated, or late"
    CRASH = "member crashed"
    SILENCE = "member silent for too long"
    FAIL_OVER = "fail-over"
    LOST_TAIL = "fail-over with a lost tail"
    TOPICS = "topic grown or deleted"


@frozen
class Bounds:
    """How much there is to explore."""

    members: int = 2
    partitions: int = 2
    faults: int = 1
    auto_commit: bool = False
    most_states: int | None = None
    kinds: frozenset[Fault] = frozenset(Fault)

    @property
    def names(self) -> tuple[str, ...]:
        """What the members are called."""
        return tuple("ABCDEFGH"[: self.members])
