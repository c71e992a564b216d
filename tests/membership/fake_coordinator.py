"""As much of a coordinator as one member can see: who is let in, what it may own, when it moves on.

The rest of the group is a set of partitions that somebody else still holds.
"""

from __future__ import annotations

from attrs import define, field

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.membership.effects import SendHeartbeat
from kafka_nextgen.membership.events import HeartbeatAnswered, HeartbeatRefused
from kafka_nextgen.types import TopicIdPartition

Partitions = frozenset[TopicIdPartition]


@define
class Known:
    """What the coordinator remembers of the member."""

    epoch: int = 0
    previous_epoch: int = 0
    assigned: Partitions = frozenset()
    pending: Partitions = frozenset()


@define
class FakeCoordinator:
    epoch: int = 1
    target: Partitions = frozenset()
    held_by_others: Partitions = frozenset()
    known: Known | None = None
    asked: list[SendHeartbeat] = field(factory=list)

    def retarget(self, target: Partitions, held_by_others: Partitions) -> None:
        if target != self.target:
            self.target, self.epoch = target, self.epoch + 1
        mine = self.known.assigned | self.known.pending if self.known else frozenset()
        self.held_by_others = held_by_others - mine

    def expel(self) -> None:
        self.known = None

    def handle(self, heartbeat: SendHeartbeat) -> HeartbeatAnswered | HeartbeatRefused:
        self.asked.append(heartbeat)
        if heartbeat.member_epoch < 0:
            self.known = None
            return HeartbeatAnswered(heartbeat.number, heartbeat.member_id, heartbeat.member_epoch, 0, None)
        error = self._admit(heartbeat)
        if error is not None:
            return HeartbeatRefused(heartbeat.number, error, None)
        return self._answer(heartbeat)

    def _admit(self, heartbeat: SendHeartbeat) -> ErrorCode | None:
        if heartbeat.member_epoch == 0:
            self.known = self.known or Known()
            return None
        if self.known is None:
            return ErrorCode.UNKNOWN_MEMBER_ID
        lost_answer = (
            heartbeat.member_epoch == self.known.previous_epoch
            and heartbeat.owned is not None
            and heartbeat.owned <= self.known.assigned
        )
        allowed = heartbeat.member_epoch == self.known.epoch or lost_answer
        return None if allowed else ErrorCode.FENCED_MEMBER_EPOCH

    def _answer(self, heartbeat: SendHeartbeat) -> HeartbeatAnswered:
        known = self.known
        assert known is not None
        before = known.assigned
        self._reconcile(known, heartbeat)
        tells = heartbeat.full or heartbeat.member_epoch == 0 or heartbeat.owned is not None or known.assigned != before
        return HeartbeatAnswered(
            heartbeat.number, heartbeat.member_id, known.epoch, 5000, known.assigned if tells else None
        )

    def _reconcile(self, known: Known, heartbeat: SendHeartbeat) -> None:
        def acknowledged(partitions: Partitions) -> bool:
            return heartbeat.owned is not None and not heartbeat.owned & partitions

        if known.pending and not acknowledged(known.pending):
            return
        keep = known.assigned & self.target
        revoke = known.assigned - keep
        known.previous_epoch = known.epoch
        if revoke and not acknowledged(revoke):
            known.assigned, known.pending = keep, revoke
        else:
            known.assigned, known.pending = self.target - (self.held_by_others - keep), frozenset()
            known.epoch = self.epoch
