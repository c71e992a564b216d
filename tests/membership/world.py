"""A driver, an application and a network around one member, which check from outside what must always hold."""

from __future__ import annotations

from collections import deque

from attrs import define, field

from kafka_nextgen.membership.effects import (
    ApplyAssignment,
    CallOnAssigned,
    CallOnLost,
    CallOnRevoked,
    CommitConsumed,
    Effect,
    Left,
    PublishEpoch,
    RaiseToApplication,
    ResolveTopics,
    SendHeartbeat,
    StopFetching,
)
from kafka_nextgen.membership.events import (
    AssignFinished,
    CommitFinished,
    Event,
    HeartbeatAnswered,
    HeartbeatLost,
    HeartbeatRefused,
    LossFinished,
    Polled,
    RevokeFinished,
    TimePassed,
)
from kafka_nextgen.membership.member import Member
from kafka_nextgen.membership.settings import MemberSettings
from kafka_nextgen.membership.states import Status
from kafka_nextgen.types import TopicPartition
from tests.membership.fake_coordinator import FakeCoordinator
from tests.membership.writing import NAMES

Callback = CallOnAssigned | CallOnRevoked | CallOnLost
Reply = HeartbeatAnswered | HeartbeatRefused
Partitions = frozenset[TopicPartition]


@define
class World:
    member: Member
    coordinator: FakeCoordinator = field(factory=FakeCoordinator)
    now: float = 0.0
    requests: deque[SendHeartbeat] = field(factory=deque)
    replies: deque[Reply] = field(factory=deque)
    callbacks: deque[Callback] = field(factory=deque)
    commits: deque[CommitConsumed] = field(factory=deque)
    to_resolve: deque[ResolveTopics] = field(factory=deque)

    applied: Partitions = frozenset()  # the assignment in force
    stopped: Partitions = frozenset()  # of it, what is not fetched any more
    finished_with: Partitions = frozenset()  # what the callbacks have finished with
    told: Partitions = frozenset()  # what the listener was told it has
    doubtful: Partitions = frozenset()  # of that, what it raised at last
    in_flight: int | None = None
    must_be_full: bool = True
    granted: Partitions = frozenset()  # whatever the coordinator told since the member joined
    published_epoch: int = -1
    failed: bool = False
    has_left: bool = False

    @classmethod
    def make(cls, **settings: object) -> World:
        return cls(Member(MemberSettings("billing", **settings), "me"))  # type: ignore[arg-type]

    def happens(self, event: Event) -> None:
        for effect in self.member.handle(event, self.now, 0.5):
            self.carry_out(effect)
        deadline = self.member.deadline()
        assert deadline is None or deadline > self.now, "what was due has happened: a driver must not spin"

    def carry_out(self, effect: Effect) -> None:
        verbs = {
            SendHeartbeat: self.send,
            StopFetching: self.stop_fetching,
            ApplyAssignment: self.apply,
            PublishEpoch: self.publish,
            CommitConsumed: self.commit,
            CallOnLost: self.lose,
            RaiseToApplication: self.fail,
            Left: self.leave,
        }
        queues = {CallOnAssigned: self.callbacks, CallOnRevoked: self.callbacks, ResolveTopics: self.to_resolve}
        if type(effect) in verbs:
            verbs[type(effect)](effect)  # type: ignore[operator]
        elif type(effect) in queues:
            queues[type(effect)].append(effect)  # type: ignore[attr-defined]

    def send(self, heartbeat: SendHeartbeat) -> None:
        assert not self.failed, "nothing is sent after a fatal error"
        leaves = heartbeat.member_epoch < 0
        assert leaves or self.in_flight is None, "one heartbeat is in flight"
        if heartbeat.member_epoch == 0:
            assert heartbeat.full, "a join says everything"
            assert heartbeat.owned == frozenset(), "a join brings nothing along"
            self.granted = frozenset()
        if not leaves and self.member.status is not Status.PREPARE_LEAVING:
            assert heartbeat.full or not self.must_be_full, "null means unchanged only after a full one was sent"
            self.must_be_full = False
        if heartbeat.owned is not None:
            owned = {TopicPartition(NAMES[tip.topic_id], tip.partition) for tip in heartbeat.owned}
            called = {tp for call in self.callbacks if isinstance(call, CallOnAssigned) for tp in call.partitions}
            had = self.finished_with | self.told | called
            assert had <= owned, "what the application may have is reported"
            assert owned <= had | self.granted, "nothing is reported that was not granted"
        self.in_flight = None if leaves else heartbeat.number  # a leave is never waited for by another
        self.requests.append(heartbeat)

    def stop_fetching(self, effect: StopFetching) -> None:
        self.stopped |= effect.partitions

    def apply(self, effect: ApplyAssignment) -> None:
        kept = effect.partitions - effect.added
        assert kept <= self.applied, "what is new is in `added`"
        assert not kept & self.stopped, "what is kept is fetched all the time"
        self.applied = effect.partitions
        self.finished_with &= effect.partitions  # a callback that raised while giving up is over, too
        self.stopped = frozenset()

    def publish(self, effect: PublishEpoch) -> None:
        assert effect.member_epoch != self.published_epoch, "it is news"
        self.published_epoch = effect.member_epoch

    def commit(self, effect: CommitConsumed) -> None:
        assert self.published_epoch == self.member.member_epoch > 0, "a commit carries the latest epoch"
        self.commits.append(effect)

    def lose(self, effect: CallOnLost) -> None:
        assert effect.partitions, "on_lost is called for something"
        self.finished_with = frozenset()
        self.callbacks.append(effect)

    def fail(self, effect: RaiseToApplication) -> None:
        self.failed = effect.fatal

    def leave(self, _effect: Left) -> None:
        assert not self.callbacks, "callbacks come before the end"
        self.has_left = True

    # What the network does.

    def deliver_request(self) -> None:
        self.replies.append(self.coordinator.handle(self.requests.popleft()))

    def deliver_reply(self) -> None:
        self.reply(self.replies.popleft())

    def reply(self, reply: Reply) -> None:
        if reply.number == self.in_flight:
            self.in_flight = None
            self.must_be_full |= isinstance(reply, HeartbeatRefused)
            if isinstance(reply, HeartbeatAnswered):
                granted = reply.assignment or frozenset()
                self.granted |= {TopicPartition(NAMES[tip.topic_id], tip.partition) for tip in granted}
        self.happens(reply)

    def lose_heartbeat(self, number: int) -> None:
        if number == self.in_flight:
            self.in_flight, self.must_be_full = None, True
        self.happens(HeartbeatLost(number, "reset"))

    # What the application does.

    def poll(self) -> None:
        self.happens(Polled())

    def run_callback(self, error: str | None = None) -> None:
        callback = self.callbacks.popleft()
        partitions = frozenset(callback.partitions)
        if isinstance(callback, CallOnAssigned):
            assert not partitions & (self.told - self.doubtful), "revoked or lost before it is assigned again"
            assert self.doubtful <= partitions, "what it raised at it is told of again"
            self.told |= partitions
            self.doubtful = frozenset() if error is None else partitions
            if error is None and self.member.state.waits_for == callback.number:
                self.finished_with = self.applied
            self.happens(AssignFinished(callback.number, error))
            return
        assert partitions, "there is something to give up"
        assert partitions <= self.told, "a partition is given up once"
        self.told -= partitions
        self.doubtful -= partitions
        if isinstance(callback, CallOnRevoked):
            self.finished_with -= partitions if error is None else frozenset()
            self.happens(RevokeFinished(callback.number, error))
        else:
            self.happens(LossFinished(callback.number, error))

    def finish_commit(self, error: str | None = None) -> None:
        self.happens(CommitFinished(self.commits.popleft().number, error))

    def pass_time(self, seconds: float) -> None:
        self.now += seconds
        deadline = self.member.deadline()
        if deadline is not None and deadline <= self.now:
            self.happens(TimePassed())
