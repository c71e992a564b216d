"""A group of members around their coordinator's own machine; what must always hold is checked from outside."""

from __future__ import annotations

from collections import deque
from itertools import combinations

from attrs import define, field

from kafka_nextgen.assignors.spec import ClientAssignor, Metadata, TopicMetadata
from kafka_nextgen.assignors.uniform import UniformAssignor
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.membership.classic.effects import (
    AskForTopics,
    ClassicEffect,
    RaiseAssignorFailed,
    RunAssignor,
    SendClassicHeartbeat,
    SendJoinGroup,
    SendLeaveGroup,
    SendSyncGroup,
    TellAssignor,
)
from kafka_nextgen.membership.classic.events import (
    AssignorFailed,
    AssignorReturned,
    ClassicEvent,
    CommitRefused,
    JoinAnswered,
    JoinLost,
    JoinRefused,
    LeaveEnded,
    SessionKept,
    SyncAnswered,
    SyncLost,
    SyncRefused,
    TopicsDescribed,
    TopicsNotDescribed,
)
from kafka_nextgen.membership.classic.failures import COMMIT_REFUSED_ACTIONS
from kafka_nextgen.membership.classic.member import ClassicMember
from kafka_nextgen.membership.classic.settings import ClassicSettings
from kafka_nextgen.membership.effects import (
    ApplyAssignment,
    CallOnAssigned,
    CallOnLost,
    CallOnRevoked,
    CommitConsumed,
    Left,
    PublishEpoch,
    RaiseToApplication,
    StopFetching,
)
from kafka_nextgen.membership.events import (
    AssignFinished,
    AssignorsAsked,
    CommitFinished,
    HeartbeatLost,
    HeartbeatRefused,
    LossFinished,
    Polled,
    RevokeFinished,
    TimePassed,
)
from kafka_nextgen.types import TopicPartition
from tests.membership.classic.coordinator import Answers, Request, WholeCoordinator
from tests.scenario_language.world import GROUP

Callback = CallOnAssigned | CallOnRevoked | CallOnLost
Partitions = frozenset[TopicPartition]
REQUESTS = (SendJoinGroup, SendSyncGroup, SendClassicHeartbeat, SendLeaveGroup)


@define
class Client:
    """A member with its driver and its application."""

    member: ClassicMember
    requests: deque[Request] = field(factory=deque)
    replies: deque[ClassicEvent] = field(factory=deque)
    callbacks: deque[Callback] = field(factory=deque)
    commits: deque[CommitConsumed] = field(factory=deque)
    questions: deque[AskForTopics] = field(factory=deque)
    runs: deque[RunAssignor] = field(factory=deque)
    informed: list[int] = field(factory=list)  # the generations that its assignor was told of, since it was last out
    applied: Partitions = frozenset()
    stopped: Partitions = frozenset()
    told: Partitions = frozenset()  # what the listener was told it has
    doubtful: Partitions = frozenset()  # of that, what it raised at last
    published: int = -1
    published_id: str = ""
    failed: bool = False
    has_left: bool = False

    def carry_out(self, effect: ClassicEffect) -> None:
        if isinstance(effect, REQUESTS):
            assert not self.failed, "nothing is sent after a fatal error"
            self.requests.append(effect)
        elif isinstance(effect, Callback):
            self.callbacks.append(effect)
        elif isinstance(effect, CommitConsumed):
            assert self.published >= 0, "a commit is a member's"
            self.commits.append(effect)
        elif isinstance(effect, AskForTopics):
            self.questions.append(effect)
        elif isinstance(effect, StopFetching):
            self.stopped |= effect.partitions
        elif isinstance(effect, ApplyAssignment):
            self.apply(effect)
        elif isinstance(effect, PublishEpoch):
            self.publish(effect)
        elif isinstance(effect, RaiseToApplication):
            self.failed = effect.fatal
        elif isinstance(effect, Left):
            assert not self.callbacks, "callbacks come before the end"
            self.has_left = True
        else:
            self.concern_assignor(effect)

    def concern_assignor(self, effect: ClassicEffect) -> None:
        if isinstance(effect, RunAssignor):
            self.runs.append(effect)
        elif isinstance(effect, TellAssignor):
            assert effect.generation == self.published, "it is told of the generation that commits go under"
            assert effect.generation not in self.informed, "it is told once in each"
            self.informed.append(effect.generation)
        elif isinstance(effect, RaiseAssignorFailed):
            assert effect.leader_id, "somebody led"

    def publish(self, effect: PublishEpoch) -> None:
        assert effect.member_epoch == -1 or effect.member_epoch > 0
        self.published, self.published_id = effect.member_epoch, effect.member_id
        if effect.member_epoch == -1:
            self.informed.clear()

    def apply(self, effect: ApplyAssignment) -> None:
        kept = effect.partitions - effect.added
        assert kept <= self.applied, "what is new is in `added`"
        assert not kept & self.stopped, "what is kept is fetched all the time"
        self.applied, self.stopped = effect.partitions, frozenset()

    @property
    def reads(self) -> Partitions:
        return self.applied - self.stopped


def lost(request: Request) -> ClassicEvent:
    kinds = {SendJoinGroup: JoinLost, SendSyncGroup: SyncLost, SendClassicHeartbeat: HeartbeatLost}
    if isinstance(request, SendLeaveGroup):
        return LeaveEnded(request.number)
    return kinds[type(request)](request.number, "the connection was reset")


def lost_reply(reply: ClassicEvent) -> ClassicEvent:
    if isinstance(reply, JoinAnswered | JoinRefused):
        return JoinLost(reply.number, "the connection was reset")
    if isinstance(reply, SyncAnswered | SyncRefused):
        return SyncLost(reply.number, "the connection was reset")
    if isinstance(reply, SessionKept | HeartbeatRefused):
        return HeartbeatLost(reply.number, "the connection was reset")
    return reply


@define
class World:
    clients: list[Client]
    coordinator: WholeCoordinator = field(factory=WholeCoordinator)
    topics: dict[str, int] = field(factory=lambda: {"orders": 4, "audit": 2})
    now: float = 0.0

    @classmethod
    def make(cls, *settings: dict[str, object]) -> World:
        return cls([Client(ClassicMember(ClassicSettings(GROUP, **one))) for one in settings])  # type: ignore[arg-type]

    def happens(self, place: int, event: ClassicEvent) -> None:
        client = self.clients[place]
        for effect in client.member.handle(event, self.now, 0.5):
            client.carry_out(effect)
        deadline = client.member.deadline()
        assert deadline is None or deadline > self.now, "what was due has happened: a driver must not spin"
        self.check_nobody_reads_what_another_reads()

    def check_nobody_reads_what_another_reads(self) -> None:
        counted_in = [client for client in self.clients if client.member.member_id in self.coordinator.known]
        for one, other in combinations(counted_in, 2):
            assert not one.reads & other.reads, "one partition, two readers that the coordinator counts in"

    # What the network does.

    def deliver_request(self, place: int) -> None:
        self.answer(self.coordinator.handle(place, self.clients[place].requests.popleft()))

    def answer(self, answers: Answers) -> None:
        for place, event in answers:
            self.clients[place].replies.append(event)

    def deliver_reply(self, place: int) -> None:
        self.happens(place, self.clients[place].replies.popleft())

    def lose_request(self, place: int) -> None:
        self.happens(place, lost(self.clients[place].requests.popleft()))

    def lose_reply(self, place: int) -> None:
        self.happens(place, lost_reply(self.clients[place].replies.popleft()))

    # What the driver and the application do.

    def describe(self, place: int, *, fails: bool = False) -> None:
        question = self.clients[place].questions.popleft()
        if fails:
            self.happens(place, TopicsNotDescribed(question.number, "no broker"))
            return
        matching = frozenset(self.topics) if question.pattern else frozenset()
        described = {
            name: TopicMetadata(name, size)
            for name, size in self.topics.items()
            if name in question.topics or name in matching
        }
        self.happens(place, TopicsDescribed(question.number, described, matching))

    def run_assignor(self, place: int, error: str | None = None) -> None:
        run = self.clients[place].runs.popleft()
        assignment = UniformAssignor().assign(run.group)
        returned = AssignorReturned(run.number, assignment)
        self.happens(place, returned if error is None else AssignorFailed(run.number, error))

    def say(self, place: int, payload: bytes = b"") -> None:
        """Let a client's own assignor have this to say."""
        if self.clients[place].member.settings.local_assignors:
            self.happens(place, AssignorsAsked((ClientAssignor("mine", metadata=Metadata(payload=payload)),)))

    def commit(self, place: int) -> ErrorCode:
        """Commit as the member would; it hears of what says something of it."""
        client = self.clients[place]
        generation = client.published
        code = self.coordinator.commit(client.published_id, client.member.settings.instance_id, generation)
        if code in COMMIT_REFUSED_ACTIONS:
            self.happens(place, CommitRefused(code, generation))
        return code

    def finish_commit(self, place: int, error: str | None = None) -> None:
        number = self.clients[place].commits.popleft().number
        if error is None and self.clients[place].published >= 0:
            code = self.commit(place)
            error = None if code is ErrorCode.NONE else code.name
        self.happens(place, CommitFinished(number, error))

    def run_callback(self, place: int, error: str | None = None) -> None:
        client = self.clients[place]
        callback = client.callbacks.popleft()
        partitions = frozenset(callback.partitions)
        if isinstance(callback, CallOnAssigned):
            assert not partitions & (client.told - client.doubtful), "what is assigned was not there before"
            assert client.doubtful <= partitions, "what it raised at it is told of again"
            client.told |= partitions
            client.doubtful = frozenset() if error is None else partitions
            self.happens(place, AssignFinished(callback.number, error))
            return
        assert partitions <= client.told, "what goes was there before"
        client.told -= partitions
        client.doubtful -= partitions
        finished = RevokeFinished if isinstance(callback, CallOnRevoked) else LossFinished
        self.happens(place, finished(callback.number, error))

    def poll(self, place: int) -> None:
        self.happens(place, Polled())

    def pass_time(self, seconds: float) -> None:
        self.answer(self.coordinator.pass_time(seconds))
        self.now += seconds
        for place, client in enumerate(self.clients):
            deadline = client.member.deadline()
            if deadline is not None and deadline <= self.now:
                self.happens(place, TimePassed())

    def one_good_round(self) -> None:
        for place, client in enumerate(self.clients):
            while client.callbacks:
                self.run_callback(place)
            while client.commits:
                self.finish_commit(place)
            while client.questions:
                self.describe(place)
            while client.runs:
                self.run_assignor(place)
            while client.requests:
                self.deliver_request(place)
            while client.replies:
                self.deliver_reply(place)
            self.poll(place)
        self.pass_time(1.0)
