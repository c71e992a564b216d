"""The virtual network: one link each way between a member and its coordinator, and messages waiting on it.

Nothing moves by itself. Messages of a link keep their order, as on one connection, unless a scenario picks one.
"""

from __future__ import annotations

from collections import deque
from enum import Enum

from attrs import define, field, frozen

from tests.verification.scenario_language.world import Answer, Question

COORDINATOR = "coordinator"


class Kind(Enum):
    """What a message is about."""

    HEARTBEAT = "heartbeat"
    COMMIT = "commit"
    FETCH_OFFSETS = "fetch-offsets"
    PREPARE = "prepare"
    INSTALL = "install"


@frozen
class Message:
    """A question, or the answer to it, of one life of a member. ``number`` is what that life calls it."""

    kind: Kind
    member_id: str
    number: int
    content: Question | Answer


@define
class Link:
    """One way. While ``held`` it delivers only what a scenario picks."""

    name: str
    held: bool = False
    messages: deque[Message] = field(factory=deque)

    @property
    def can_deliver(self) -> bool:
        return bool(self.messages) and not self.held

    def first(self, kind: Kind | None = None) -> Message | None:
        """The oldest message, or the oldest of its kind; None if there is none."""
        return next((message for message in self.messages if kind in (None, message.kind)), None)

    def forget(self, kind: Kind, number: int) -> None:
        self.messages = deque(m for m in self.messages if (m.kind, m.number) != (kind, number))
