"""What must hold of what clients send, and of what they fail with.

| rule | when it is looked at |
|---|---|
| a member commits what it has, and nothing from before reading began | when a commit is sent |
| what passes is no reason to fail: a commit, a lookup, or a member for good | when it fails |
| a member takes over what it reported as its own, or was told to have since | when assignments are applied |
| one that asked the wrong node looks for the right one; one that is out does not go on, and joins when its \
application has heard of it | when a request is sent |
| a member of the consumer protocol states the epoch it was last told, and its commits do so, too | when it sends a \
heartbeat |
| what it says to have is all that it was told to have last; at rest as far as it knows the topics | the same |
| what is committed before a revocation is all that was handed out | when it is asked for |
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from typing import Any

from attrs import define, field

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.membership import effects as fx
from kafka_nextgen.membership import events as ev
from kafka_nextgen.membership.classic.effects import SendClassicHeartbeat, SendJoinGroup, SendSyncGroup
from kafka_nextgen.membership.classic.events import JoinRefused, SyncRefused
from kafka_nextgen.membership.effects import (
    ApplyAssignment,
    CallOnLost,
    FindCoordinator,
    RaiseToApplication,
    SendHeartbeat,
)
from kafka_nextgen.membership.events import HeartbeatAnswered, HeartbeatRefused
from kafka_nextgen.membership.offsets.effects import Failure, Refused
from kafka_nextgen.membership.offsets.events import CommitAsked, LookupAsked
from kafka_nextgen.membership.states import Status
from kafka_nextgen.types import OffsetAndMetadata, TopicIdPartition, TopicPartition
from tests.verification.simulation.classic_clients import ClassicClient
from tests.verification.simulation.clients import Client

_NO: Set[TopicIdPartition] = frozenset()
_ELSEWHERE = (ErrorCode.NOT_COORDINATOR, ErrorCode.COORDINATOR_NOT_AVAILABLE)
_OUT = (ErrorCode.UNKNOWN_MEMBER_ID, ErrorCode.FENCED_MEMBER_EPOCH, ErrorCode.ILLEGAL_GENERATION)

#: Who has less time left than this does not try again.
_LAST_PAUSE_S = 2.0
#: What a fail-over or a rebalance is answered with, before or after it: a client tries again.
_PASSING = frozenset(
    {
        ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
        ErrorCode.COORDINATOR_NOT_AVAILABLE,
        ErrorCode.NOT_COORDINATOR,
        ErrorCode.FENCED_MEMBER_EPOCH,
        ErrorCode.MEMBER_ID_REQUIRED,
        ErrorCode.REBALANCE_IN_PROGRESS,
        ErrorCode.STALE_MEMBER_EPOCH,
    }
)


def commits(client: Client, offsets: Mapping[TopicPartition, OffsetAndMetadata]) -> Iterator[str]:
    """What a member commits it has, and it is not set back to before where reading began."""
    for partition, offset in offsets.items():
        if partition not in client.applied and client.offsets.state.belongs:  # else it commits as any client may
            yield f"{client.name} commits {partition}, which it has not"
        elif offset.offset < client.found.get(partition, 0):
            yield f"{client.name} commits {partition} at {offset.offset}, and began at {client.found[partition]}"


def failed(client: Client, asked: object, failure: Failure, after_s: float) -> Iterator[str]:
    """A commit or lookup whose time is not over waits for what passes, as long as its partitions stay there."""
    is_early = isinstance(asked, CommitAsked | LookupAsked) and after_s < asked.timeout_s - _LAST_PAUSE_S
    if not isinstance(failure, Refused) or not is_early or failure.code not in _PASSING or client.member_epoch <= 0:
        return
    began = client.clock() - after_s
    had = {tp for tp in client.applied - client.stopped if client.had_since[tp] < began}
    if failure.codes.keys() <= had:
        yield f"{client.name} fails with {ErrorCode(failure.code).name} what passes, after {after_s:.1f} s"


@define
class Conduct:
    """What clients reported and were told, and what they have yet to do about it; by their names."""

    reported: dict[str, Set[TopicIdPartition]] = field(factory=dict)  # as owned, or told to have since
    astray: set[str] = field(factory=set)  # asked a node that does not coordinate, and have to look for another one
    outcast: set[str] = field(factory=set)  # are out, and have to join again
    dead_ids: dict[str, str] = field(factory=dict)  # of the classic protocol

    def heard(self, client: Client, request: Any, answer: Any) -> None:
        if getattr(request, "member_epoch", 0) < 0:
            return  # how a leave is answered makes no difference
        state = client.member.state
        waits_for = {getattr(state, name, None) for name in ("in_flight", "request", "heartbeat")}
        if getattr(answer, "number", None) not in waits_for:
            return  # nobody waits for it any more
        if isinstance(answer, HeartbeatAnswered) and answer.assignment is not None:
            self.reported[client.name] = self.reported.get(client.name, frozenset()) | answer.assignment
        if isinstance(answer, HeartbeatRefused | JoinRefused | SyncRefused):
            if answer.code in _ELSEWHERE:
                self.astray.add(client.name)
            if answer.code in _OUT and isinstance(answer, HeartbeatRefused):
                self.outcast.add(client.name)
            if answer.code == ErrorCode.UNKNOWN_MEMBER_ID and isinstance(client, ClassicClient):
                self.dead_ids[client.name] = client.member_id

    def wanted(self, client: Client, effect: object) -> Iterator[str]:
        name = client.name
        if isinstance(effect, FindCoordinator):
            self.astray.discard(name)
        if isinstance(effect, RaiseToApplication) and effect.fatal and effect.code in _PASSING:
            yield f"{name} fails permanently with {ErrorCode(effect.code).name}, which passes"
        if isinstance(effect, ApplyAssignment) and not isinstance(client, ClassicClient):
            ids = dict(effect.topic_ids)
            if {TopicIdPartition(ids[tp.topic], tp.partition) for tp in effect.partitions} - self.reported.get(
                name, _NO
            ):
                yield f"{name} takes over what it did not report as its own"
        if isinstance(effect, SendHeartbeat | SendClassicHeartbeat | SendJoinGroup | SendSyncGroup):
            yield from self._sends(client, effect)

    def _sends(
        self, client: Client, request: SendHeartbeat | SendClassicHeartbeat | SendJoinGroup | SendSyncGroup
    ) -> Iterator[str]:
        name = client.name
        if name in self.astray and getattr(request, "member_epoch", 0) >= 0:
            yield f"{name} asks a node again that said it does not coordinate"
        self.astray.discard(name)
        goes_on = getattr(request, "member_epoch", 0) > 0 or isinstance(request, SendClassicHeartbeat)
        if name in self.outcast and goes_on:
            yield f"{name} stays in a group that has removed it"
        self.outcast.discard(name)
        if request.member_id and request.member_id == self.dead_ids.pop(name, None):
            yield f"{name} goes by an id that the coordinator does not know"
        if isinstance(request, SendHeartbeat):
            if request.member_epoch == 0 and any(isinstance(each, CallOnLost) for each in client.callbacks):
                yield f"{name} joins again before its application knows of its loss"
            if request.full:  # one that acknowledges leaves out what it is about to have (docs/proof/simulation.md)
                self.reported[name] = request.owned or _NO


@define(eq=False)
class Members:
    told: dict[str, int] = field(factory=dict)  # the epoch, by the client's name
    assigned: dict[str, frozenset[TopicIdPartition]] = field(factory=dict)  # what it was told to have last
    published: dict[str, int] = field(factory=dict)

    def heard(self, client: Client, answer: object, in_flight: int | None) -> None:
        """An answer arrived, maybe to a heartbeat that is not waited for any more."""
        if isinstance(answer, ev.HeartbeatAnswered) and answer.number == in_flight and answer.member_epoch > 0:
            self.told[client.name] = answer.member_epoch
            if answer.assignment is not None:
                self.assigned[client.name] = answer.assignment

    def wanted(self, client: Client, effect: object) -> Iterator[str]:
        if isinstance(effect, fx.PublishEpoch):
            self.published[client.name] = effect.member_epoch
        if isinstance(effect, fx.SendHeartbeat):
            yield from self._says(client, effect)
        if isinstance(effect, fx.CommitConsumed):
            for partition, at in client.consumed.items():
                if partition in client.applied and at != client.positions.get(partition, at):
                    yield f"{client.name} commits {partition} before it gives it up, and has not processed all"

    def _says(self, client: Client, heartbeat: fx.SendHeartbeat) -> Iterator[str]:
        if heartbeat.member_epoch == 0:
            self.assigned.pop(client.name, None)
        if heartbeat.member_epoch <= 0:
            return
        state, due = client.member.state, self.assigned.get(client.name, frozenset())
        if state.status is Status.STABLE:  # with all that can be had
            due = frozenset(each for each in due if each.topic_id in state.names)
        if heartbeat.owned is not None and not due <= heartbeat.owned:
            yield f"{client.name} was told to have {len(due - heartbeat.owned)} partitions that it leaves out"
        told, published = self.told.get(client.name), self.published.get(client.name)
        if told != heartbeat.member_epoch:
            yield f"{client.name} was told epoch {told}, and states {heartbeat.member_epoch}"
        if published != heartbeat.member_epoch:
            yield f"{client.name} is at {heartbeat.member_epoch}, and commits at {published}"
