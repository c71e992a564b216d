"""As much of a classic group's coordinator as its members can see: parked requests, generations, the leader.

It is told who asks by a place (the client's number) and a request, and answers with pairs of a place and an event;
a parked request is answered later, with what somebody else's request brings about.
"""

from __future__ import annotations

from attrs import define, field

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.membership.classic.effects import (
    SendClassicHeartbeat,
    SendJoinGroup,
    SendLeaveGroup,
    SendSyncGroup,
)
from kafka_nextgen.membership.classic.events import (
    ClassicEvent,
    JoinAnswered,
    JoinRefused,
    LeaveEnded,
    SessionKept,
    SyncAnswered,
    SyncRefused,
)
from kafka_nextgen.membership.classic.group import JoinedMember
from kafka_nextgen.membership.events import HeartbeatRefused
from kafka_nextgen.types import TopicPartition

Request = SendJoinGroup | SendSyncGroup | SendClassicHeartbeat | SendLeaveGroup
Answers = list[tuple[int, ClassicEvent]]


@define
class Known:
    """What the coordinator remembers of a member."""

    join: SendJoinGroup
    join_from: int | None = None  # the place whose JoinGroup is parked
    sync_from: int | None = None
    sync_number: int = 0
    assignment: frozenset[TopicPartition] = frozenset()


@define
class FakeCoordinator:
    state: str = "empty"
    generation: int = 0
    leader: str = ""
    known: dict[str, Known] = field(factory=dict)
    ids_made: int = 0

    def handle(self, place: int, request: Request) -> Answers:
        if isinstance(request, SendJoinGroup):
            return self._join(place, request)
        if isinstance(request, SendSyncGroup):
            return self._sync(place, request)
        if isinstance(request, SendLeaveGroup):
            return [(place, LeaveEnded(request.number)), *self.remove(request.member_id)]
        return [(place, self._beat(request))]

    def _beat(self, request: SendClassicHeartbeat) -> ClassicEvent:
        error = self._fence(request.member_id, request.instance_id, request.generation)
        if error is None and self.state == "preparing":
            error = ErrorCode.REBALANCE_IN_PROGRESS
        return SessionKept(request.number) if error is None else HeartbeatRefused(request.number, error, None)

    def _fence(self, member_id: str, instance_id: str | None, generation: int | None) -> ErrorCode | None:
        holder = self._holder(instance_id)
        if holder is not None and holder != member_id:
            return ErrorCode.FENCED_INSTANCE_ID
        if member_id not in self.known:
            return ErrorCode.UNKNOWN_MEMBER_ID
        return ErrorCode.ILLEGAL_GENERATION if generation not in (None, self.generation) else None

    def _holder(self, instance_id: str | None) -> str | None:
        if instance_id is None:
            return None
        return next((mid for mid, one in self.known.items() if one.join.instance_id == instance_id), None)

    # Joining.

    def _join(self, place: int, join: SendJoinGroup) -> Answers:
        if not join.member_id:
            return self._join_as_new(place, join)
        error = self._fence(join.member_id, join.instance_id, None)
        if error is not None and join.member_id.startswith("pending"):
            error = None  # it got this id to come back with
        if error is not None:
            return [(place, JoinRefused(join.number, error))]
        return self._park(place, join.member_id, join)

    def _join_as_new(self, place: int, join: SendJoinGroup) -> Answers:
        self.ids_made += 1
        if join.instance_id is None:
            return [(place, JoinRefused(join.number, ErrorCode.MEMBER_ID_REQUIRED, f"pending-{self.ids_made}"))]
        member_id, before = f"static-{self.ids_made}", self._holder(join.instance_id)
        if before is None:
            return self._park(place, member_id, join)
        answers = self._replace(before, member_id, join)
        if self.state != "stable":
            return answers + self._park(place, member_id, join)
        return [*answers, (place, self._joined(member_id, join.number, skip=True))]

    def _replace(self, before: str, member_id: str, join: SendJoinGroup) -> Answers:
        """A static member came back: the new id takes the old one's place and assignment (KIP-345)."""
        old = self.known.pop(before)
        self.known[member_id] = Known(join, assignment=old.assignment)
        self.leader = member_id if self.leader == before else self.leader
        fenced = ErrorCode.FENCED_INSTANCE_ID
        answers: Answers = []
        if old.join_from is not None:
            answers.append((old.join_from, JoinRefused(old.join.number, fenced)))
        if old.sync_from is not None:
            answers.append((old.sync_from, SyncRefused(old.sync_number, fenced)))
        return answers

    def _park(self, place: int, member_id: str, join: SendJoinGroup) -> Answers:
        known = self.known.setdefault(member_id, Known(join))
        known.join, known.join_from = join, place
        return self._rebalance() + self._end_join_if_all_are_there()

    def _rebalance(self) -> Answers:
        if self.state == "preparing":
            return []
        self.state = "preparing"
        answers: Answers = []
        for known in self.known.values():
            if known.sync_from is not None:
                answers.append((known.sync_from, SyncRefused(known.sync_number, ErrorCode.REBALANCE_IN_PROGRESS)))
            known.sync_from, known.assignment = None, frozenset()
        return answers

    def _end_join_if_all_are_there(self) -> Answers:
        if self.state != "preparing" or any(known.join_from is None for known in self.known.values()):
            return []
        self.generation += 1
        self.state = "completing" if self.known else "empty"
        if self.leader not in self.known:
            self.leader = min(self.known, default="")
        answers: Answers = []
        for member_id, known in self.known.items():
            assert known.join_from is not None
            answers.append((known.join_from, self._joined(member_id, known.join.number)))
            known.join_from = None
        return answers

    def _joined(self, member_id: str, number: int, *, skip: bool = False) -> JoinAnswered:
        roster = tuple(
            JoinedMember(mid, one.join.instance_id, one.join.subscription) for mid, one in self.known.items()
        )
        return JoinAnswered(
            number,
            member_id,
            self.generation,
            "consumer",
            self._vote(),
            self.leader,
            roster if member_id == self.leader else (),
            skip_assignment=skip and member_id == self.leader,
        )

    def _vote(self) -> str:
        """What all offer, in the order of whoever was first."""
        offers = [[offer.strategy for offer in one.join.offers] for one in self.known.values()]
        return next(name for name in offers[0] if all(name in others for others in offers))

    def end_join_phase(self) -> Answers:
        """The rebalance timeout is over: whoever did not join is out."""
        if self.state != "preparing" or all(one.join_from is None for one in self.known.values()):
            return []
        self.known = {mid: one for mid, one in self.known.items() if one.join_from is not None}
        return self._end_join_if_all_are_there()

    def remove(self, member_id: str) -> Answers:
        """The member left, or its session ended."""
        gone = self.known.pop(member_id, None)
        if gone is None:
            return []
        answers: Answers = []
        if gone.join_from is not None:
            answers.append((gone.join_from, JoinRefused(gone.join.number, ErrorCode.UNKNOWN_MEMBER_ID)))
        if gone.sync_from is not None:
            answers.append((gone.sync_from, SyncRefused(gone.sync_number, ErrorCode.UNKNOWN_MEMBER_ID)))
        return answers + self._rebalance() + self._end_join_if_all_are_there()

    # Syncing.

    def _sync(self, place: int, sync: SendSyncGroup) -> Answers:
        error = self._fence(sync.member_id, sync.instance_id, sync.generation)
        if error is None and self.state == "preparing":
            error = ErrorCode.REBALANCE_IN_PROGRESS
        if error is not None:
            return [(place, SyncRefused(sync.number, error))]
        known = self.known[sync.member_id]
        known.sync_from, known.sync_number = place, sync.number
        if self.state == "completing" and sync.member_id == self.leader:
            assert {member_id for member_id, _ in sync.assignments} == set(self.known), "an entry for every member"
            for member_id, partitions in sync.assignments:
                self.known[member_id].assignment = partitions
            self.state = "stable"
        return self._answer_syncs() if self.state == "stable" else []

    def _answer_syncs(self) -> Answers:
        answers: Answers = []
        for known in self.known.values():
            if known.sync_from is not None:
                event = SyncAnswered(known.sync_number, "consumer", self._vote(), known.assignment)
                answers.append((known.sync_from, event))
                known.sync_from = None
        return answers
