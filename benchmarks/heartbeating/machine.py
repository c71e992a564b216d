"""A coordinator without a broker around it, and the members of one group as its callers.

What a member says is what a real one would: everything when it joins, its new partitions when they changed, else only
that it is there.
"""

from __future__ import annotations

from uuid import UUID

from attrs import define, field, frozen

from kafka_nextgen.testing.coordinator.coordinator import Coordinator
from kafka_nextgen.testing.coordinator.extensions.hooks import EXTENSIONS
from kafka_nextgen.testing.coordinator.requests import ConsumerGroupHeartbeat, TopicImage, TopicsChanged
from kafka_nextgen.testing.coordinator.responses import ConsumerGroupHeartbeatAnswer
from kafka_nextgen.testing.coordinator.settings import CoordinatorSettings
from kafka_nextgen.types import TopicIdPartition

__all__ = ["MachineGroup", "Member"]

GROUP, TOPIC = "group", "orders"
JOIN, LEAVE = 0, -1
START, LATER = 1_000_000.0, 60.0  # seconds; longer than a target has to stand


@frozen
class Member:
    """Where a member stands, as it knows from its answers."""

    member_id: str
    epoch: int
    owned: frozenset[TopicIdPartition]
    is_told: bool  # whether it has told the coordinator what it owns


@define
class MachineGroup:
    """``partitions`` are those of the one topic that everybody subscribes to."""

    partitions: int
    coordinator: Coordinator = field(init=False)
    members: dict[str, Member] = field(factory=dict)
    heartbeats: int = 0
    now: float = START

    def __attrs_post_init__(self) -> None:
        self.coordinator = Coordinator(CoordinatorSettings(), EXTENSIONS)
        topic = TopicImage(UUID(int=1), TOPIC, self.partitions)
        self.coordinator.commit(self.coordinator.handle(TopicsChanged({TOPIC: topic}), self.now))

    def join(self, member_id: str) -> None:
        request = ConsumerGroupHeartbeat(
            GROUP, member_id, JOIN, rebalance_timeout_ms=60_000, subscribed_topics=frozenset({TOPIC}), owned=frozenset()
        )
        self._heard(Member(member_id, JOIN, frozenset(), is_told=True), self._ask(request))

    def leave(self, member_id: str) -> None:
        del self.members[member_id]
        self._ask(ConsumerGroupHeartbeat(GROUP, member_id, LEAVE))

    def beat(self, member_id: str) -> bool:
        """Let a member heartbeat; whether anything changed for it."""
        member = self.members[member_id]
        owned = None if member.is_told else member.owned
        answer = self._ask(ConsumerGroupHeartbeat(GROUP, member_id, member.epoch, owned=owned))
        return self._heard(member, answer) or not member.is_told

    def beat_all(self) -> bool:
        """Let everybody heartbeat; whether anything changed for anybody."""
        changed = [self.beat(member_id) for member_id in self.members]
        return any(changed)

    def settle(self) -> None:
        """Let everybody heartbeat until nothing changes any more, beginning when a new target may be made."""
        self.now += LATER
        while self.beat_all():
            pass

    def replace_one(self) -> None:
        """Let the member that is there the longest leave and come back, and everybody settle each time."""
        member_id = next(iter(self.members))
        self.leave(member_id)
        self.settle()
        self.join(member_id)
        self.settle()

    def grow(self, members: int) -> None:
        """Let so many members join, and settle."""
        for number in range(members):
            self.join(f"member-{number:05}")
        self.settle()

    def _ask(self, request: ConsumerGroupHeartbeat) -> ConsumerGroupHeartbeatAnswer:
        self.heartbeats += 1
        outcome = self.coordinator.handle(request, self.now)
        self.coordinator.commit(outcome)
        assert isinstance(outcome.response, ConsumerGroupHeartbeatAnswer)
        assert outcome.response.error == 0, outcome.response
        return outcome.response

    def _heard(self, member: Member, answer: ConsumerGroupHeartbeatAnswer) -> bool:
        told = answer.assignment is None
        owned = member.owned if answer.assignment is None else answer.assignment
        self.members[member.member_id] = Member(member.member_id, answer.member_epoch, owned, told)
        return not told or answer.member_epoch != member.epoch
