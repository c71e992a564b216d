"""What can happen next: moves, and the eight kinds of faults."""

from __future__ import annotations

from enum import Enum

__all__ = ["Fault", "Move"]

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
