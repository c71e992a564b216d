"""A client of the scripted world: the classic membership machine, and as much of an application as it can see."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from enum import Enum

from attrs import define, field

from kafka_nextgen.assignors.user_data import MemberWord
from kafka_nextgen.membership.classic.effects import (
    AskForTopics,
    RunAssignor,
    SendClassicHeartbeat,
    SendJoinGroup,
    SendLeaveGroup,
    SendSyncGroup,
)
from kafka_nextgen.membership.classic.member import ClassicMember
from kafka_nextgen.membership.classic.settings import ClassicSettings
from kafka_nextgen.membership.effects import CommitConsumed
from kafka_nextgen.membership.events import Subscribed
from kafka_nextgen.membership.offsets.rules import CLASSIC_RULES
from kafka_nextgen.membership.offsets.settings import OffsetSettings
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition
from tests.scenario_language.calling import Call
from tests.scenario_language.client import NEVER, Task
from tests.scenario_language.offset_desk import Desk, consumed
from tests.scenario_language.scripted.watching import ClassicWatch

__all__ = ["KINDS", "Kind", "Request", "ScriptedClient"]

Request = SendJoinGroup | SendSyncGroup | SendClassicHeartbeat | SendLeaveGroup


class Kind(Enum):
    """The requests of a member."""

    JOIN = "join"
    SYNC = "sync"
    HEARTBEAT = "heartbeat"
    LEAVE = "leave"


KINDS: dict[type[Request], Kind] = {
    SendJoinGroup: Kind.JOIN,
    SendSyncGroup: Kind.SYNC,
    SendClassicHeartbeat: Kind.HEARTBEAT,
    SendLeaveGroup: Kind.LEAVE,
}


@define
class ScriptedClient:
    """One consumer."""

    name: str
    settings: ClassicSettings
    member: ClassicMember
    desk: Desk
    watch: ClassicWatch = field(factory=ClassicWatch)
    subscription: Subscribed | None = None
    slow: set[Task] = field(factory=set)

    calls: deque[Call] = field(factory=deque)
    commit: CommitConsumed | None = None
    question: AskForTopics | None = None
    run: RunAssignor | None = None
    words: dict[str, MemberWord] = field(factory=dict)  # to assignors of its own
    requests: dict[Kind, Request] = field(factory=dict)  # the latest of each kind, until it is answered
    answer_by: dict[Kind, float] = field(factory=dict)  # when it counts as lost
    last_join: SendJoinGroup | None = None
    positions: dict[TopicPartition, int] = field(factory=dict)
    silent_until: float = NEVER  # the application does not poll before

    @classmethod
    def make(cls, name: str, settings: ClassicSettings, offsets: OffsetSettings, now: float) -> ScriptedClient:
        """A client that runs, and has subscribed to nothing."""
        return cls(name, settings, ClassicMember(settings), Desk.make(offsets, CLASSIC_RULES, now))

    def consumed(self) -> Mapping[TopicPartition, OffsetAndMetadata]:
        """What the application has processed of what it is assigned."""
        return consumed(self.positions, self.watch.applied)

    @property
    def tasks(self) -> frozenset[Task]:
        """What it can be slow in."""
        return frozenset(Task)

    def polls(self, now: float) -> bool:
        """Whether the application polls."""
        return now >= self.silent_until

    def is_kept(self) -> bool:
        """Whether its heartbeats are answered by themselves, without an error."""
        return Task.HEARTBEAT not in self.slow
