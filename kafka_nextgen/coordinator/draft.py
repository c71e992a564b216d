"""One request at work on one group: what it sees, what it wants written.

A request changes nothing while it is handled. Its records are applied to an overlay of the group, so that each
step sees what the steps before it did; the records, timers and answer leave as one ``Outcome``, which ``commit``
puts into force, or which is dropped without a trace.
"""

from __future__ import annotations

from collections.abc import Callable

from attrs import define, evolve, field, frozen

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.coordinator.applying import apply
from kafka_nextgen.coordinator.classic.group import ClassicGroup
from kafka_nextgen.coordinator.classic.responses import Parked
from kafka_nextgen.coordinator.group import Group
from kafka_nextgen.coordinator.hooks import Hooks
from kafka_nextgen.coordinator.records import Record
from kafka_nextgen.coordinator.requests import ConfigsChanged
from kafka_nextgen.coordinator.responses import ConsumerGroupHeartbeatAnswer, Response
from kafka_nextgen.coordinator.settings import CoordinatorSettings
from kafka_nextgen.coordinator.timers import Arm, Cancel, TimerChange, TimerKey, TimerKind
from kafka_nextgen.coordinator.topics import Topics

__all__ = ["Draft", "Outcome", "Refusal", "refused"]


@frozen
class Refusal:
    """Why a request is not served. ``message`` says what is wrong and what to do about it."""

    error: ErrorCode
    message: str


@frozen
class Outcome:
    """What came of a request, or of timers that ran out (then there is no response).

    ``records`` are to be stored, then everything is to be put into force by ``Coordinator.commit``; the response
    may leave when that is done. It may be that the request is parked; then ``released`` of a later outcome has its
    answer, by its number, or None if it will never be answered. What needs no storing: ``timers``, the ``topics``
    and ``configs`` from now on, the groups whose subscriptions were compared with topics of this version, where
    classic groups stand, and what extensions remember of groups. ``notes`` are for the log.
    """

    response: Response | None
    records: tuple[Record, ...] = ()
    timers: tuple[TimerChange, ...] = ()
    topics: Topics | None = None
    configs: ConfigsChanged | None = None
    checked_topics: tuple[tuple[str, int], ...] = ()
    classic: tuple[ClassicGroup, ...] = ()
    remembered: tuple[tuple[str, object], ...] = ()
    released: tuple[tuple[int, Response | None], ...] = ()
    notes: tuple[str, ...] = ()


def refused(refusal: Refusal) -> Outcome:
    """A heartbeat that is not served. Nothing happened: no record, and no timer runs any longer for it."""
    return Outcome(ConsumerGroupHeartbeatAnswer(error=refusal.error, message=refusal.message))


@define
class Draft:
    """Work on ``group``, which is an overlay; ``now`` is in seconds.

    It may be changed by ``write`` alone, but for ``group.classic`` and ``group.remembered``: what is not recorded is
    simply set.
    """

    group: Group
    topics: Topics
    settings: CoordinatorSettings
    now: float
    records: list[Record] = field(factory=list)
    timers: list[TimerChange] = field(factory=list)
    released: dict[int, Response | None] = field(factory=dict)
    notes: list[str] = field(factory=list)
    hooks: Hooks = field(init=False)  # what is attached at each point of the work
    lasting: Outcome = Outcome(None)  # what stays in force even if the work is refused at a later step

    def __attrs_post_init__(self) -> None:
        self.hooks = self.group.hooks

    @property
    def classic(self) -> ClassicGroup:
        """The classic group, which there has to be."""
        assert self.group.classic is not None, f"{self.group.group_id} is no classic group"
        return self.group.classic

    @property
    def now_ms(self) -> int:
        """The time as records have it."""
        return int(self.now * 1000)

    def write(self, record: Record) -> None:
        """Let the record be part of the outcome, and of the group as the next steps see it."""
        apply(self.group, record)
        self.records.append(record)

    def arm(self, kind: TimerKind, member_id: str, delay_s: float, member_epoch: int = -1) -> None:
        """Let a timer of this group run out ``delay_s`` from now."""
        self.timers.append(Arm(TimerKey(self.group.group_id, kind, member_id), self.now + delay_s, member_epoch))

    def arm_matching(self, delay_s: float, may_see: Callable[[str], bool]) -> None:
        """Have this group's patterns matched ``delay_s`` from now, with the topics that whoever asks may see."""
        key = TimerKey(self.group.group_id, TimerKind.PATTERN)
        self.timers.append(Arm(key, self.now + delay_s, may_see=may_see))

    def arm_unless_running(self, kind: TimerKind, member_id: str, delay_s: float) -> None:
        """Let a timer of this group run out ``delay_s`` from now, or when it would have anyway."""
        key = TimerKey(self.group.group_id, kind, member_id)
        self.timers.append(Arm(key, self.now + delay_s, unless_running=True))

    def cancel(self, kind: TimerKind, member_id: str = "") -> None:
        """Stop a timer of this group."""
        self.timers.append(Cancel(TimerKey(self.group.group_id, kind, member_id)))

    def release(self, number: int, response: Response | None) -> None:
        """Answer a parked request, be it the one at work; None if it will never be answered."""
        self.released[number] = response

    def note(self, text: str) -> None:
        """Say something in the log."""
        self.notes.append(text)

    def refused(self, refusal: Refusal) -> Outcome:
        """A heartbeat that is not served: nothing of this work happened, but for what lasts."""
        return evolve(self.lasting, response=refused(refusal).response)

    def answered(self, number: int) -> Outcome:
        """Everything this work came to: with the answer to request ``number`` if it was released, else parked."""
        return self.outcome(self.released.pop(number, Parked(number)))

    def outcome(self, response: Response | None) -> Outcome:
        """Everything this work came to."""
        return Outcome(
            response,
            records=tuple(self.records),
            timers=tuple(self.timers),
            checked_topics=((self.group.group_id, self.group.checked_topics_version),),
            classic=() if self.group.classic is None else (self.group.classic,),
            remembered=((self.group.group_id, self.group.remembered),),
            released=tuple(self.released.items()),
            notes=tuple(self.notes),
        )
