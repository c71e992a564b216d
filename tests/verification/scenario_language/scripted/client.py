"""A client of the scripted world: the classic membership machine, and as much of an application as it can see."""

from __future__ import annotations

from enum import Enum

from attrs import define, field

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
from kafka_nextgen.membership.offsets.rules import CLASSIC_RULES
from kafka_nextgen.membership.offsets.settings import OffsetSettings
from tests.verification.scenario_language.client import AnyClient, Task
from tests.verification.scenario_language.offset_desk import Desk
from tests.verification.scenario_language.scripted.watching import ClassicWatch

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


@define(kw_only=True)
class ScriptedClient(AnyClient):
    """Its coordinator is the scenario."""

    settings: ClassicSettings
    member: ClassicMember
    watch: ClassicWatch = field(factory=ClassicWatch)
    question: AskForTopics | None = None
    run: RunAssignor | None = None
    requests: dict[Kind, Request] = field(factory=dict)  # the latest of each kind, until it is answered
    answer_by: dict[Kind, float] = field(factory=dict)  # when it counts as lost
    last_join: SendJoinGroup | None = None

    @classmethod
    def make(cls, name: str, settings: ClassicSettings, offsets: OffsetSettings, now: float) -> ScriptedClient:
        desk = Desk.make(offsets, CLASSIC_RULES, now)
        return cls(name=name, settings=settings, member=ClassicMember(settings), desk=desk)

    @property
    def tasks(self) -> frozenset[Task]:
        return frozenset(Task)

    def is_kept(self) -> bool:
        """Whether its heartbeats are answered by themselves, without an error."""
        return Task.HEARTBEAT not in self.slow
