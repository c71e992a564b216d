"""One request at work on one group: what it sees, what it wants written.

A request changes nothing while it is handled. Its records are applied to an overlay of the group, so that each
step sees what the steps before it did; the records, timers and answer leave as one ``Outcome``, which ``commit``
puts into force, or which is dropped without a trace.
"""

from __future__ import annotations

from attrs import define, field, frozen

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.coordinator.group import Group
from kafka_nextgen.coordinator.records import Record
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
    may leave when that is done. What needs no storing: ``timers``, the ``topics`` from now on, and the groups
    whose subscriptions were compared with topics of this version.
    """

    response: Response | None
    records: tuple[Record, ...] = ()
    timers: tuple[TimerChange, ...] = ()
    topics: Topics | None = None
    checked_topics: tuple[tuple[str, int], ...] = ()


def refused(refusal: Refusal) -> Outcome:
    """A heartbeat that is not served. Nothing happened: no record, and no timer runs any longer for it."""
    return Outcome(ConsumerGroupHeartbeatAnswer(error=refusal.error, message=refusal.message))


@define
class Draft:
    """Work on ``group``, which is an overlay and may be changed by ``write`` alone. ``now`` is in seconds."""

    group: Group
    topics: Topics
    settings: CoordinatorSettings
    now: float
    records: list[Record] = field(factory=list)
    timers: list[TimerChange] = field(factory=list)

    @property
    def now_ms(self) -> int:
        """The time as records have it."""
        return int(self.now * 1000)

    def write(self, record: Record) -> None:
        """Let the record be part of the outcome, and of the group as the next steps see it."""
        self.group.apply(record)
        self.records.append(record)

    def arm(self, kind: TimerKind, member_id: str, delay_s: float, member_epoch: int = -1) -> None:
        """Let a timer of this group run out ``delay_s`` from now."""
        self.timers.append(Arm(TimerKey(self.group.group_id, kind, member_id), self.now + delay_s, member_epoch))

    def cancel(self, kind: TimerKind, member_id: str = "") -> None:
        """Stop a timer of this group."""
        self.timers.append(Cancel(TimerKey(self.group.group_id, kind, member_id)))

    def outcome(self, response: Response | None) -> Outcome:
        """Everything this work came to."""
        checked = ((self.group.group_id, self.group.checked_topics_version),)
        return Outcome(response, tuple(self.records), tuple(self.timers), checked_topics=checked)
