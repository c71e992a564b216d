"""A client of the pair world: the membership machine, and as much of an application and a driver as it can see."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from enum import Enum

from attrs import define, field

from kafka_nextgen.assignors.user_data import MemberWord
from kafka_nextgen.membership.assigning.settings import AssigningSettings
from kafka_nextgen.membership.effects import CallOnAssigned, CallOnLost, CallOnRevoked, CommitConsumed, ResolveTopics
from kafka_nextgen.membership.events import Subscribed
from kafka_nextgen.membership.member import Member
from kafka_nextgen.membership.offsets.rules import RULES
from kafka_nextgen.membership.offsets.settings import OffsetSettings
from kafka_nextgen.membership.settings import MemberSettings
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition
from tests.verification.scenario_language.assigning_desk import AssigningDesk
from tests.verification.scenario_language.calling import Call
from tests.verification.scenario_language.network import COORDINATOR, Kind, Link
from tests.verification.scenario_language.offset_desk import Desk, consumed
from tests.verification.scenario_language.watching import Watch

NEVER = float("-inf")


class Task(Enum):
    """What a client does by itself when things settle, unless it is slow in it."""

    ASSIGN = "assign"
    REVOKE = "revoke"
    LOSE = "lose"
    COMMIT = "commit"
    TOPICS = "topics"
    ASSIGNOR = "assignor"  # of members that have some of their own
    HEARTBEAT = "heartbeat"  # of members whose coordinator is scripted


TASKS: dict[type[Call], Task] = {CallOnAssigned: Task.ASSIGN, CallOnRevoked: Task.REVOKE, CallOnLost: Task.LOSE}


@define(kw_only=True)
class AnyClient:
    """One consumer, by whatever protocol its member is in a group."""

    name: str
    desk: Desk
    watch: Watch = field(factory=Watch)
    subscription: Subscribed | None = None
    slow: set[Task] = field(factory=set)

    calls: deque[Call] = field(factory=deque)
    commit: CommitConsumed | None = None
    positions: dict[TopicPartition, int] = field(factory=dict)
    silent_until: float = NEVER  # the application does not poll before
    words: dict[str, MemberWord] = field(factory=dict)  # what its own assignors say, by their names

    def consumed(self) -> Mapping[TopicPartition, OffsetAndMetadata]:
        """What the application has processed of what it is assigned."""
        return consumed(self.positions, self.watch.applied)

    def polls(self, now: float) -> bool:
        return now >= self.silent_until


@define(kw_only=True)
class Client(AnyClient):
    """It may crash and be restarted, with another member id each time."""

    settings: MemberSettings
    offset_settings: OffsetSettings
    assigning: AssigningDesk
    to_coordinator: Link
    from_coordinator: Link
    lives: int = 0
    member: Member | None = None  # None while it is down
    to_resolve: ResolveTopics | None = None
    answer_by: dict[tuple[Kind, int], float] = field(factory=dict)  # when a request counts as lost
    was_misled: bool = False  # a scenario answered in the coordinator's name

    @classmethod
    def make(
        cls,
        name: str,
        settings: MemberSettings,
        offsets: OffsetSettings,
        now: float,
        words: Mapping[str, MemberWord],
    ) -> Client:
        client = cls(
            name=name,
            settings=settings,
            offset_settings=offsets,
            desk=Desk.make(offsets, RULES, now),
            assigning=AssigningDesk.make(_assigning_settings(settings, words)),
            to_coordinator=Link(f"{name}->{COORDINATOR}"),
            from_coordinator=Link(f"{COORDINATOR}->{name}"),
            words=dict(words),
        )
        client.start(now)
        return client

    def start(self, now: float) -> None:
        """Begin a life. The first member id is the client's name, later ones have a number."""
        self.lives += 1
        self.desk = Desk.make(self.offset_settings, RULES, now)
        self.assigning = AssigningDesk.make(_assigning_settings(self.settings, self.words))
        self.member = Member(self.settings, self.name if self.lives == 1 else f"{self.name}/{self.lives}")
        self.watch = Watch()

    def crash(self) -> None:
        """End without a word. What was sent is still under way."""
        self.member = None
        self.from_coordinator.messages.clear()
        self.calls.clear()
        self.commit = self.to_resolve = self.assigning.run = None
        self.answer_by.clear()
        self.positions.clear()
        self.silent_until = NEVER

    @property
    def tasks(self) -> frozenset[Task]:
        return frozenset(Task) - {Task.HEARTBEAT}


def _assigning_settings(settings: MemberSettings, words: Mapping[str, MemberWord]) -> AssigningSettings:
    return AssigningSettings(
        settings.group_id,
        settings.instance_id,
        tuple(words),
        rebalance_timeout_s=settings.rebalance_timeout_ms / 1000,
        retry_backoff_s=settings.retry_backoff_s,
        retry_backoff_max_s=settings.retry_backoff_max_s,
    )
