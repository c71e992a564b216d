"""The handling of one request to one group: the state it sees and the records it writes.

Handling a request changes no state. Its records are applied to an overlay of the group, so that each step sees the
changes of earlier steps. The records, timers and answer make one ``Outcome``, which ``commit`` applies or the caller
drops.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from attrs import evolve, field

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.groups.records import Record
from kafka_nextgen.lazy_attrs import define, frozen
from kafka_nextgen.testing.coordinator.applying import apply
from kafka_nextgen.testing.coordinator.classic.group import ClassicGroup
from kafka_nextgen.testing.coordinator.classic.responses import Parked
from kafka_nextgen.testing.coordinator.group import Group
from kafka_nextgen.testing.coordinator.hooks import Hooks
from kafka_nextgen.testing.coordinator.requests import ConfigsChanged
from kafka_nextgen.testing.coordinator.responses import ConsumerGroupHeartbeatAnswer, Response
from kafka_nextgen.testing.coordinator.settings import CoordinatorSettings
from kafka_nextgen.testing.coordinator.timers import Arm, Cancel, TimerChange, TimerKey, TimerKind
from kafka_nextgen.testing.coordinator.topics import Topics

__all__ = ["Draft", "Outcome", "Refusal"]


@frozen
class Refusal:
    """Why a request is refused. ``message`` says what is wrong and how to fix it."""

    error: ErrorCode
    message: str


@frozen
class Outcome:
    """The result of a request, or of expired timers (then there is no response).

    The caller stores ``records``, calls ``Coordinator.commit``, and then sends the response. If the request is parked,
    a later outcome has its answer in ``released``, under the request's number, or None if it will never be answered.
    The rest is not stored: ``timers``, the new ``topics`` and ``configs``, the groups whose subscriptions were compared
    with this version of the topics, the state of classic groups, and the extensions' state of groups. ``notes`` are for
    the log.
    """

    response: Response | None
    records: tuple[Record, ...] = ()
    timers: tuple[TimerChange, ...] = ()
    topics: Topics | None = None
    configs: ConfigsChanged | None = None
    checked_topics: tuple[tuple[str, int], ...] = ()
    classic: tuple[ClassicGroup, ...] = ()
    remembered: tuple[tuple[str, Mapping[str, object]], ...] = ()
    released: tuple[tuple[int, Response | None], ...] = ()
    notes: tuple[str, ...] = ()


@define
class Draft:
    """Work on ``group``, which is an overlay; ``now`` is in seconds.

    Change the group only by ``write``, except ``group.classic`` and ``group.remembered``, which are not recorded and
    are assigned directly.
    """

    group: Group
    topics: Topics
    settings: CoordinatorSettings
    now: float
    records: list[Record] = field(factory=list)
    timers: list[TimerChange] = field(factory=list)
    released: dict[int, Response | None] = field(factory=dict)
    notes: list[str] = field(factory=list)
    lasting: Outcome = Outcome(None)  # kept even if a later step refuses the request

    @property
    def hooks(self) -> Hooks:
        """The extensions of the group's coordinator."""
        return self.group.hooks

    @property
    def classic(self) -> ClassicGroup:
        """The classic group, which must exist."""
        assert self.group.classic is not None, f"{self.group.group_id} is not a classic group"
        return self.group.classic

    @property
    def now_ms(self) -> int:
        """``now`` in milliseconds, as stored in records."""
        return int(self.now * 1000)

    def write(self, record: Record) -> None:
        """Add the record to the outcome and apply it to the overlay, where later steps see it."""
        apply(self.group, record)
        self.records.append(record)

    def arm(self, kind: TimerKind, member_id: str, delay_s: float, member_epoch: int = -1) -> None:
        """Set a timer of this group to expire ``delay_s`` from now."""
        self.timers.append(Arm(TimerKey(self.group.group_id, kind, member_id), self.now + delay_s, member_epoch))

    def arm_matching(self, delay_s: float, may_see: Callable[[str], bool]) -> None:
        """Match this group's patterns ``delay_s`` from now, against the topics that ``may_see`` allows."""
        key = TimerKey(self.group.group_id, TimerKind.PATTERN)
        self.timers.append(Arm(key, self.now + delay_s, may_see=may_see))

    def arm_unless_running(self, kind: TimerKind, member_id: str, delay_s: float) -> None:
        """Set a timer of this group to expire ``delay_s`` from now, unless it is already running."""
        key = TimerKey(self.group.group_id, kind, member_id)
        self.timers.append(Arm(key, self.now + delay_s, unless_running=True))

    def cancel(self, kind: TimerKind, member_id: str = "") -> None:
        """Stop a timer of this group."""
        self.timers.append(Cancel(TimerKey(self.group.group_id, kind, member_id)))

    def release(self, number: int, response: Response | None) -> None:
        """Answer a parked request, which may be the current one; None if it will never be answered."""
        self.released[number] = response

    def note(self, text: str) -> None:
        """Add a line to the log."""
        self.notes.append(text)

    def refused(self, refusal: Refusal) -> Outcome:
        """The outcome of a refused heartbeat: only ``lasting`` is kept, so the session is not extended."""
        answer = ConsumerGroupHeartbeatAnswer(error=refusal.error, message=refusal.message)
        return evolve(self.lasting, response=answer)

    def answered(self, number: int) -> Outcome:
        """The outcome, with the answer to request ``number`` if it was released, otherwise ``Parked``."""
        return self.outcome(self.released.pop(number, Parked(number)))

    def outcome(self, response: Response | None) -> Outcome:
        """The outcome with this response."""
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
