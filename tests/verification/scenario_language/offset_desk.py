"""Where a client's commits and lookups are made: the offsets' machine of one life of it, and who waits for what.

What the network and the application can see is told: requests, and how each operation ends. The commit before a
revocation ends by what the member does next.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Generic, Protocol, TypeVar

from attrs import define, field

from kafka_nextgen.codes import name_of
from kafka_nextgen.membership import effects as member_fx
from kafka_nextgen.membership.offsets import effects as fx
from kafka_nextgen.membership.offsets import events as ev
from kafka_nextgen.membership.offsets.effects import SendCommit, SendLookup
from kafka_nextgen.membership.offsets.events import (
    CommitAnswered,
    CommitLost,
    LookupAnswered,
    LookupLost,
    OffsetEvent,
)
from kafka_nextgen.membership.offsets.machine import OffsetMachine, is_late
from kafka_nextgen.membership.offsets.rules import OffsetRules
from kafka_nextgen.membership.offsets.settings import OffsetSettings
from kafka_nextgen.membership.offsets.state import INTERVAL_COMMIT, CommitKind
from kafka_nextgen.testing.coordinator.requests import OffsetCommit, OffsetFetch
from kafka_nextgen.testing.coordinator.responses import OffsetsCommitted, OffsetsFetched
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition, format_partitions
from tests.verification.scenario_language.arrows import Trail
from tests.verification.scenario_language.calling import tell
from tests.verification.scenario_language.network import Kind, Message
from tests.verification.scenario_language.notation import write_offsets
from tests.verification.scenario_language.telling import tell_commit, tell_fetch
from tests.verification.scenario_language.world import GROUP

#: In the middle of the jitter: a backoff of 100 ms is 100 ms.
NO_JITTER = 0.5

Offsets = Mapping[TopicPartition, OffsetAndMetadata]


@define
class Desk:
    """One life of a client's offsets; ``operations`` has what the application asked for, in writing."""

    machine: OffsetMachine
    operations: dict[int, str] = field(factory=dict)
    before_revoking: int | None = None  # the operation that the member waits for
    commits: dict[int, fx.SendCommit] = field(factory=dict)  # under way, oldest first
    lookups: dict[int, fx.SendLookup] = field(factory=dict)
    last_operation: int = INTERVAL_COMMIT

    @classmethod
    def make(cls, settings: OffsetSettings, rules: OffsetRules, now: float) -> Desk:
        return cls(OffsetMachine(settings, rules, now))

    def number(self) -> int:
        self.last_operation += 1
        return self.last_operation

    def ended(self, event: ev.OffsetEvent) -> None:
        """Note that a request is under way no more, if this event says so."""
        if isinstance(event, ev.CommitAnswered | ev.CommitLost):
            self.commits.pop(event.number, None)
        if isinstance(event, ev.LookupAnswered | ev.LookupLost):
            self.lookups.pop(event.number, None)

    def overdue(self, now: float) -> list[ev.OffsetEvent]:
        commits = [ev.CommitLost(number, "no answer") for number, each in self.commits.items() if each.deadline <= now]
        lookups = [ev.LookupLost(number, "no answer") for number, each in self.lookups.items() if each.deadline <= now]
        return [*commits, *lookups]

    def deadlines(self) -> list[float | None]:
        """When something is to happen by itself: to the machine, or to what is under way."""
        requests: list[fx.SendCommit | fx.SendLookup] = [*self.commits.values(), *self.lookups.values()]
        return [self.machine.deadline(), *(request.deadline for request in requests)]

    def table_of(self, number: int) -> str:
        """The table of the rules that decides about the request of this number."""
        request = self.machine.state.commit_requests.get(number)
        if request is None:
            return "fetch"
        kinds = {commit.operation: commit.kind for commit in self.machine.state.commits.values()}
        return "commit_before_revoking" if kinds.get(request.operation) is CommitKind.BEFORE_REVOKING else "commit"


class AtDesk(Protocol):
    """What a client is here."""

    name: str
    desk: Desk

    def consumed(self) -> Offsets:
        """What its application has processed of what it is assigned."""


C = TypeVar("C", bound=AtDesk)


class OffsetDriver(Generic[C]):
    """Drives the desks of one world: ``send`` puts a request on its way, ``report`` tells the member something."""

    def __init__(
        self,
        trail: Trail,
        send: Callable[[C, fx.SendCommit | fx.SendLookup, float], None],
        report: Callable[[C, fx.TellMember | str | None, float], Iterator[str]],
    ) -> None:
        self._trail = trail
        self._send = send
        self._report = report

    def feed(self, client: C, event: ev.OffsetEvent, now: float) -> Iterator[str]:
        desk = client.desk
        if not is_late(desk.machine.state, event):
            self._note(desk, event)
        for effect in desk.machine.handle(event, now, NO_JITTER):
            yield from self._carry_out(client, effect, now)

    def follow(self, client: C, effect: object, now: float) -> Iterator[str]:
        """Let the machine know what the member wants done, as far as that concerns offsets."""
        match effect:
            case member_fx.PublishEpoch():
                yield from self.feed(client, ev.EpochPublished(effect.member_id, effect.member_epoch), now)
            case member_fx.StopFetching():
                yield from self.feed(client, ev.PartitionsStopped(effect.partitions), now)
            case member_fx.ApplyAssignment():
                yield from self.feed(client, ev.AssignmentApplied(effect.partitions, effect.added), now)
            case member_fx.Left():
                yield from self.feed(client, ev.GroupQuit(), now)

    def _note(self, desk: Desk, event: ev.OffsetEvent) -> None:
        if isinstance(event, ev.CommitAnswered | ev.LookupAnswered):
            codes = {*event.codes.values(), event.code if isinstance(event, ev.LookupAnswered) else 0}
            self._trail.rows |= {(desk.table_of(event.number), code) for code in codes if code}

    def _carry_out(self, client: C, effect: fx.OffsetEffect, now: float) -> Iterator[str]:
        match effect:
            case fx.SendCommit():
                client.desk.commits[effect.number] = effect
                self._send(client, effect, now)
                yield f"{client.name} -> commit epoch={effect.member_epoch} {write_offsets(effect.offsets)}"
            case fx.SendLookup():
                client.desk.lookups[effect.number] = effect
                self._send(client, effect, now)
                who = "nobody" if effect.member_id is None else f"epoch={effect.member_epoch}"
                yield f"{client.name} -> fetch-offsets {who} {format_partitions(effect.partitions)}"
            case fx.ReadConsumed():
                yield from self.feed(client, ev.ConsumedRead(effect.number, client.consumed()), now)
            case fx.TellMember():
                yield from self._report(client, effect, now)
            case fx.LeftOut():
                yield f"   {client.name} leaves out {format_partitions(effect.codes)}"
            case fx.CommitEnded() | fx.LookupEnded():
                yield from self._end(client, effect, now)
            case _:
                yield from tell(client.name, effect)

    def _end(self, client: C, effect: fx.CommitEnded | fx.LookupEnded, now: float) -> Iterator[str]:
        desk, failure = client.desk, None if effect.failure is None else _written(effect.failure)
        if effect.operation == desk.before_revoking:
            desk.before_revoking = None
            yield from self._report(client, failure, now)
            return
        what = desk.operations.pop(effect.operation, "auto-commit")
        if failure is not None:
            yield f"   {client.name} {what} fails: {failure}"
        elif isinstance(effect, fx.LookupEnded):
            yield f"   {client.name} {what} is {write_offsets(effect.offsets)}"
        elif effect.operation != INTERVAL_COMMIT:
            yield f"   {client.name} {what} is done"


def consumed(positions: Mapping[TopicPartition, int], assigned: Collection[TopicPartition]) -> Offsets:
    """What was processed of what is assigned, as it is committed."""
    return {tp: OffsetAndMetadata(at) for tp, at in sorted(positions.items()) if tp in assigned}


def _written(failure: fx.Failure) -> str:
    if isinstance(failure, fx.TimedOut):
        return f"timed out after {failure.timeout_s:g}s, {failure.reason or 'without an answer'}"
    by_code: dict[int, list[TopicPartition]] = {}
    for partition, code in sorted(failure.codes.items()):
        by_code.setdefault(code, []).append(partition)
    reasons = (f"{name_of(code)} {format_partitions(partitions)}" for code, partitions in sorted(by_code.items()))
    return ", ".join(reasons)


def under_way(request: SendCommit | SendLookup, member_id: str) -> Message:
    """A request of a life of that member id, as it travels."""
    member = request.member_id, request.member_epoch
    if isinstance(request, SendLookup):
        wanted = tuple(sorted(request.partitions))
        return Message(Kind.FETCH_OFFSETS, member_id, request.number, OffsetFetch(GROUP, wanted, *member))
    question = OffsetCommit(
        GROUP, request.offsets, request.member_id, request.member_epoch, instance_id=request.instance_id
    )
    return Message(Kind.COMMIT, member_id, request.number, question)


def heard(number: int, answer: OffsetsCommitted | OffsetsFetched) -> OffsetEvent:
    if isinstance(answer, OffsetsCommitted):
        return CommitAnswered(number, answer.errors)
    return LookupAnswered(number, answer.offsets, code=answer.error)


def told(name: str, answer: OffsetsCommitted | OffsetsFetched) -> Iterable[str]:
    return tell_commit(name, answer) if isinstance(answer, OffsetsCommitted) else [tell_fetch(name, answer)]


def lost(message: Message) -> OffsetEvent | None:
    """What a client learns when no answer to a message will come, if that is about offsets."""
    if message.kind is Kind.COMMIT:
        return CommitLost(message.number, "no answer")
    return LookupLost(message.number, "no answer") if message.kind is Kind.FETCH_OFFSETS else None
