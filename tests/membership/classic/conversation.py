"""A conversation with one member of a classic group: say what happens, compare what it does.

Every verb returns the effects in writing. The conversation knows the numbers, so that a completion always names
what was asked for last; ``WALKED`` collects which row of the table led where.
"""

from __future__ import annotations

from kafka_nextgen.assignors.spec import TopicMetadata
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.membership.classic.effects import (
    AskForTopics,
    ClassicEffect,
    SendClassicHeartbeat,
    SendJoinGroup,
    SendLeaveGroup,
    SendSyncGroup,
)
from kafka_nextgen.membership.classic.events import (
    ClassicEvent,
    CommitRefused,
    JoinAnswered,
    JoinLost,
    JoinRefused,
    LeaveEnded,
    RebalanceEnforced,
    SessionKept,
    SyncAnswered,
    SyncLost,
    SyncRefused,
    TopicsDescribed,
    TopicsNotDescribed,
)
from kafka_nextgen.membership.classic.group import JoinedMember, MemberSubscription
from kafka_nextgen.membership.classic.member import ClassicMember, is_late
from kafka_nextgen.membership.classic.settings import ClassicSettings
from kafka_nextgen.membership.classic.states import Status
from kafka_nextgen.membership.effects import CallOnAssigned, CallOnLost, CallOnRevoked, CommitConsumed
from kafka_nextgen.membership.events import (
    AssignFinished,
    Closed,
    CommitFinished,
    HeartbeatLost,
    HeartbeatRefused,
    LossFinished,
    Polled,
    RevokeFinished,
    Subscribed,
    TimePassed,
    Unsubscribed,
)
from kafka_nextgen.types import LeaveMode
from tests.membership.classic.writing import partitions, written

WALKED: set[tuple[Status, type[ClassicEvent], Status]] = set()

#: In the middle of the jitter: a backoff of 100 ms is 100 ms.
NO_JITTER = 0.5


def peer(
    member_id: str, topics: str, owned: str = "-", generation: int = -1, instance_id: str | None = None
) -> JoinedMember:
    """Another member, as the leader learns of it."""
    subscription = MemberSubscription(frozenset(topics.split()), partitions(owned), generation)
    return JoinedMember(member_id, instance_id, subscription)


class Conversation:
    def __init__(self, strategy: str = "range", *, auto_commit: bool = False, **settings: object) -> None:
        strategies = tuple(strategy.split())
        self.member = ClassicMember(
            ClassicSettings("billing", strategies=strategies, auto_commit=auto_commit, **settings)  # type: ignore[arg-type]
        )
        self.now = 0.0
        self.asked: dict[type[ClassicEffect], int] = {}

    @property
    def status(self) -> str:
        return self.member.status.value

    @property
    def phase(self) -> str:
        return self.member.phase.value

    def says(self, event: ClassicEvent, chance: float = NO_JITTER) -> list[str]:
        before, late = self.member.status, is_late(self.member.state, event)
        effects = self.member.handle(event, self.now, chance)
        if not late:
            WALKED.add((before, type(event), self.member.status))
        self.asked |= {type(effect): effect.number for effect in effects if hasattr(effect, "number")}
        return [written(effect) for effect in effects]

    # The application.

    def subscribe(self, *topics: str, pattern: str | None = None) -> list[str]:
        return self.says(Subscribed(frozenset(topics), pattern))

    def unsubscribe(self) -> list[str]:
        return self.says(Unsubscribed())

    def poll(self) -> list[str]:
        return self.says(Polled())

    def close(self, leave: LeaveMode = LeaveMode.DEFAULT) -> list[str]:
        return self.says(Closed(leave))

    def enforce(self, reason: str) -> list[str]:
        return self.says(RebalanceEnforced(reason))

    def committed(self, error: str | None = None) -> list[str]:
        return self.says(CommitFinished(self.asked[CommitConsumed], error))

    def revoked(self, error: str | None = None) -> list[str]:
        return self.says(RevokeFinished(self.asked[CallOnRevoked], error))

    def assigned(self, error: str | None = None) -> list[str]:
        return self.says(AssignFinished(self.asked[CallOnAssigned], error))

    def lost(self, error: str | None = None) -> list[str]:
        return self.says(LossFinished(self.asked[CallOnLost], error))

    # The coordinator.

    def join(
        self,
        generation: int,
        *members: JoinedMember,
        leader: str = "other",
        member_id: str = "me",
        strategy: str | None = None,
        protocol_type: str | None = "consumer",
        skip: bool = False,
    ) -> list[str]:
        number, chosen = self.asked[SendJoinGroup], strategy or self.member.settings.strategies[0]
        return self.says(
            JoinAnswered(number, member_id, generation, protocol_type, chosen, leader, members, skip_assignment=skip)
        )

    def refuse_join(self, code: ErrorCode, member_id: str = "") -> list[str]:
        return self.says(JoinRefused(self.asked[SendJoinGroup], code, member_id))

    def lose_join(self) -> list[str]:
        return self.says(JoinLost(self.asked[SendJoinGroup], "the connection was reset"))

    def sync(self, assignment: str, strategy: str | None = None, protocol_type: str | None = "consumer") -> list[str]:
        return self.says(SyncAnswered(self.asked[SendSyncGroup], protocol_type, strategy, partitions(assignment)))

    def refuse_sync(self, code: ErrorCode) -> list[str]:
        return self.says(SyncRefused(self.asked[SendSyncGroup], code))

    def lose_sync(self) -> list[str]:
        return self.says(SyncLost(self.asked[SendSyncGroup], "the connection was reset"))

    def keep_session(self) -> list[str]:
        return self.says(SessionKept(self.asked[SendClassicHeartbeat]))

    def refuse_heartbeat(self, code: ErrorCode) -> list[str]:
        return self.says(HeartbeatRefused(self.asked[SendClassicHeartbeat], code, None))

    def lose_heartbeat(self) -> list[str]:
        return self.says(HeartbeatLost(self.asked[SendClassicHeartbeat], "the connection was reset"))

    def refuse_commit(self, code: ErrorCode, generation: int = 1) -> list[str]:
        return self.says(CommitRefused(code, generation))

    def end_leave(self) -> list[str]:
        return self.says(LeaveEnded(self.asked[SendLeaveGroup]))

    # Topics and time.

    def describe(self, matching: str = "", **sizes: int) -> list[str]:
        topics = {name: TopicMetadata(name, size) for name, size in sizes.items()}
        return self.says(TopicsDescribed(self.asked[AskForTopics], topics, frozenset(matching.split())))

    def fail_to_describe(self) -> list[str]:
        return self.says(TopicsNotDescribed(self.asked[AskForTopics], "no broker"))

    def wake(self) -> list[str]:
        return self.says(TimePassed())

    def wait(self, seconds: float) -> list[str]:
        """Let time pass; the member is woken once, at the end, if it asked to be woken by then."""
        self.now += seconds
        deadline = self.member.deadline()
        return self.says(TimePassed()) if deadline is not None and deadline <= self.now else []


def completing(strategy: str = "range", **settings: object) -> Conversation:
    """A follower in generation 1 that subscribed to orders and waits for its part."""
    talk = Conversation(strategy, **settings)  # type: ignore[arg-type]
    talk.subscribe("orders")
    talk.join(1)
    return talk


def stable(assignment: str = "orders[0-1]", strategy: str = "range", **settings: object) -> Conversation:
    """A follower in generation 1 that owns ``assignment``."""
    talk = completing(strategy, **settings)
    talk.sync(assignment)
    talk.assigned()
    assert talk.status == "stable"
    return talk


def leading(topics: str = "orders", strategy: str = "range", **settings: object) -> Conversation:
    """The leader of generation 1, alone, which owns all four partitions of orders."""
    talk = Conversation(strategy, **settings)  # type: ignore[arg-type]
    talk.subscribe(*topics.split())
    talk.join(1, peer("me", topics), leader="me")
    talk.describe(orders=4)
    talk.sync("orders[0-3]")
    talk.assigned()
    assert talk.status == "stable"
    return talk
