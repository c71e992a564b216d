"""A conversation with one member: say what happens, compare what it does.

Every verb returns the effects in writing. The conversation knows the numbers, so that a completion always names
what was asked for last.
"""

from __future__ import annotations

from kafka_nextgen.assignors.spec import ClientAssignor, Metadata
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.membership.effects import (
    CallOnAssigned,
    CallOnLost,
    CallOnRevoked,
    CommitConsumed,
    Effect,
    SendHeartbeat,
)
from kafka_nextgen.membership.events import (
    AssignFinished,
    AssignorsAsked,
    Closed,
    CommitFinished,
    Event,
    HeartbeatAnswered,
    HeartbeatLost,
    HeartbeatRefused,
    LossFinished,
    Polled,
    RevokeFinished,
    Subscribed,
    TimePassed,
    TopicsResolved,
    Unsubscribed,
)
from kafka_nextgen.membership.member import Member
from kafka_nextgen.membership.settings import MemberSettings
from kafka_nextgen.types import LeaveMode
from tests.membership.writing import IDS, partitions, written

#: In the middle of the jitter: a backoff of 100 ms is 100 ms.
NO_JITTER = 0.5


class Conversation:
    def __init__(self, *, auto_commit: bool = False, **settings: object) -> None:
        self.member = Member(MemberSettings("billing", auto_commit=auto_commit, **settings), "me")  # type: ignore[arg-type]
        self.now = 0.0
        self.asked: dict[type[Effect], int] = {}
        self.effects: tuple[Effect, ...] = ()

    @property
    def status(self) -> str:
        return self.member.status.value

    @property
    def phase(self) -> str:
        return self.member.phase.value

    def says(self, event: Event, chance: float = NO_JITTER) -> list[str]:
        self.effects = self.member.handle(event, self.now, chance)
        self.asked |= {type(effect): effect.number for effect in self.effects if hasattr(effect, "number")}
        return [written(effect) for effect in self.effects]

    def subscribe(self, *topics: str, pattern: str | None = None) -> list[str]:
        return self.says(Subscribed(frozenset(topics), pattern))

    def say(self, word: str, *, reason: int = 0) -> list[str]:
        """Let the member's own assignor say this."""
        metadata = Metadata(payload=word.encode())
        return self.says(AssignorsAsked((ClientAssignor("mine", 0, 0, reason, metadata),)))

    def unsubscribe(self) -> list[str]:
        return self.says(Unsubscribed())

    def poll(self) -> list[str]:
        return self.says(Polled())

    def close(self, leave: LeaveMode = LeaveMode.DEFAULT) -> list[str]:
        return self.says(Closed(leave))

    def answer(
        self, epoch: int, assignment: str | None = None, *, interval_ms: int = 5000, member_id: str = "me"
    ) -> list[str]:
        target = None if assignment is None else partitions(assignment)
        return self.says(HeartbeatAnswered(self.asked[SendHeartbeat], member_id, epoch, interval_ms, target))

    def refuse(self, code: ErrorCode) -> list[str]:
        return self.says(HeartbeatRefused(self.asked[SendHeartbeat], code, None))

    def lose_heartbeat(self) -> list[str]:
        return self.says(HeartbeatLost(self.asked[SendHeartbeat], "the connection was reset"))

    def resolve(self, *topics: str) -> list[str]:
        return self.says(TopicsResolved({IDS[name]: name for name in topics}))

    def committed(self, error: str | None = None) -> list[str]:
        return self.says(CommitFinished(self.asked[CommitConsumed], error))

    def revoked(self, error: str | None = None) -> list[str]:
        return self.says(RevokeFinished(self.asked[CallOnRevoked], error))

    def assigned(self, error: str | None = None) -> list[str]:
        return self.says(AssignFinished(self.asked[CallOnAssigned], error))

    def lost(self, error: str | None = None) -> list[str]:
        return self.says(LossFinished(self.asked[CallOnLost], error))

    def wait(self, seconds: float) -> list[str]:
        """Let time pass; the member is woken once, at the end, if it asked to be woken by then.

        Afterwards no timer is left that has run out: its driver would wake the member again and again.
        """
        self.now += seconds
        deadline = self.member.deadline()
        said = self.says(TimePassed()) if deadline is not None and deadline <= self.now else []
        left = {timer: when for timer, when in self.member.state.deadlines.items() if when <= self.now}
        assert not left, "a timer that has run out is served or disarmed"
        return said

    def wait_for_deadline(self) -> list[str]:
        deadline = self.member.deadline()
        assert deadline is not None, "the member waits for the clock"
        self.now = max(self.now, deadline)
        return self.says(TimePassed())


def joining(**settings: object) -> Conversation:
    """A member that subscribed to orders and audit and waits for the answer to its join."""
    talk = Conversation(**settings)  # type: ignore[arg-type]
    talk.subscribe("orders", "audit")
    return talk


def stable(owned: str = "orders[0-1]", epoch: int = 5, **settings: object) -> Conversation:
    """A member that owns ``owned``, and has no heartbeat in flight."""
    talk = joining(**settings)
    talk.answer(epoch, owned)
    if talk.phase == "resolving":
        talk.resolve("orders", "audit")
    if talk.phase == "waiting_for_poll":
        talk.poll()
    talk.assigned()
    talk.answer(epoch)
    assert talk.status == "stable"
    return talk
