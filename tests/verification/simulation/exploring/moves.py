"""What can happen next, moves and the eight kinds of faults, and how much of it."""

from __future__ import annotations

from enum import Enum, IntEnum

from attrs import frozen

#: A verb, the client it is about if it is about one, and more.
Move = tuple[str, ...]


class Fault(Enum):
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
        return tuple("ABCDEFGH"[: self.members])


class Kind(IntEnum):
    """What a step is to the records that are not stored safely yet."""

    ALONE = 0  # nothing: the coordinator has no part in it
    HEARD = 1  # an answer left, so its records are safe
    SERVED = 2  # an answer waits for the records before it
    WROTE = 3  # an answer waits for its records
    WROTE_UNASKED = 4  # records were written, and no answer waits for them
    CRASHED = 5  # no answer to this client matters any more
