"""A client: what drives the machines, as ``engine`` does, with everything that does I/O made up.

Both protocols have this in common: a network, the offsets' machine, callbacks, and where reading is in each partition.
Of what a client consists each part has its file; this one has the member, and what an application does.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from attrs import define, field

from kafka_nextgen.membership import effects as fx
from kafka_nextgen.membership import events as ev
from kafka_nextgen.membership.offsets import events as offsets_ev
from kafka_nextgen.membership.offsets.machine import OffsetMachine
from kafka_nextgen.types import TopicPartition
from tests.verification.simulation.assignors import Talkative, offers
from tests.verification.simulation.client_network import Network
from tests.verification.simulation.cluster import Cluster
from tests.verification.simulation.committing import Committer
from tests.verification.simulation.dice import Dice
from tests.verification.simulation.member_effects import MEMBER_EFFECTS, Callback
from tests.verification.simulation.reader import Reader
from tests.verification.simulation.timeline import OwnTime, Plan, Timeline, Timer

if TYPE_CHECKING:
    from tests.verification.simulation.checking.judge import Judge

LEAVE_WAY_S = 3.0
_LOOKUP_TIMEOUT_S = 30.0
_LOOKUP_PAUSE_S = 0.5


@define(eq=False)
class Client(Reader, ABC):
    name: str
    cluster: Cluster
    timeline: Timeline
    dice: Dice
    observer: Judge
    rate: float = 1.0
    settings: Any = field(kw_only=True)  # of the member, whose protocol a subclass knows
    auto_commit_interval_s: float | None = field(default=5.0, kw_only=True)
    request_timeout_s: float = field(default=30.0, kw_only=True)
    assignors: tuple[Talkative, ...] = field(default=(), kw_only=True)  # of its own
    has_standbys: bool = field(default=False, kw_only=True)  # its group may tell it to stand by
    time: OwnTime = field(init=False)
    network: Network = field(init=False)
    committer: Committer = field(init=False)
    member: Any = field(init=False)
    leaves_silently: bool = False  # its application wants that
    is_subscribed: bool = False  # the application wants something, also while the member still leaves
    callbacks: list[Callback] = field(factory=list)
    on_callback: Callable[[], None] | None = None  # the application may run one now
    on_error: Callable[[fx.RaiseToApplication], None] | None = None
    on_left: Callable[[], None] | None = None
    on_step: Callable[[], None] | None = None  # the member has another status
    _is_in_lookup: bool = False
    _timer: Timer = field(init=False)

    speaks_classic: ClassVar[bool] = False

    def __attrs_post_init__(self) -> None:
        self.time = OwnTime(self.timeline, self.rate)
        asks = (self.name, self.cluster, self.time, self.dice, self.request_timeout_s, lambda: self.observer.asks(self))
        self.network = Network(*asks)
        self._timer = Timer(self.time, self._wake)
        self.member = self.make_member()
        self.committer = self.make_committer()
        if self.assignors:
            self.feed(ev.AssignorsAsked(offers(self)))

    def think_again(self) -> None:
        """Its own assignors have something else to say, if it has any."""
        if self.assignors:
            self.dice.pick(self.assignors).think_again()
            self.feed(ev.AssignorsAsked(offers(self)))

    def clock(self) -> float:
        return self.time.clock()

    def later(self, seconds: float, action: Callable[[], None]) -> Plan:
        return self.time.later(seconds, action)

    @property
    def is_awake(self) -> bool:
        return self.time.is_awake

    @property
    def is_dead(self) -> bool:
        return self.time.is_over

    def crash(self) -> None:
        self.time.is_over = True
        self.network.end()
        self._timer.set(None)
        self.committer.end()

    @abstractmethod
    def make_member(self) -> Any:
        """The machine of its member."""

    @abstractmethod
    def make_committer(self) -> Committer:
        """What drives its offsets' machine."""

    @property
    def is_static(self) -> bool:
        return self.settings.instance_id is not None

    @property
    def member_id(self) -> str:
        """What the group calls it; a classic member has no id outside a group."""
        return str(self.member.member_id)

    @property
    def member_epoch(self) -> int:
        """The member epoch, or the generation; -1 outside the group."""
        return int(self.member.member_epoch)

    @property
    def offsets(self) -> OffsetMachine:
        return self.committer.machine

    def note_heard(self, request: object, answer: object) -> None:
        self.observer.heard(self, request, answer)

    def feed(self, event: object) -> None:
        """Tell the member what happened, and carry out what it answers."""
        if self.is_dead:
            return
        before = self.member.status
        for effect in self.member.handle(event, self.clock(), self.dice.chance()):
            self.observer.wanted(self, effect)
            self.CARRY_OUT[type(effect)](self, effect)
        self._timer.set(self.member.deadline())
        if self.on_step is not None and self.member.status is not before:
            self.on_step()

    def _wake(self) -> None:
        self.feed(ev.TimePassed())

    CARRY_OUT: ClassVar[Mapping[type, Callable[[Any, Any], None]]] = MEMBER_EFFECTS

    def end_callback(self, callback: Callback, error: str | None) -> None:
        if callback not in self.callbacks:
            return
        self.callbacks.remove(callback)
        self._note(f"ended {type(callback).__name__}", f"{callback.partitions} {error}")
        if isinstance(callback, fx.CallOnAssigned) and error is None:
            self.unreleased.difference_update(callback.partitions)
        self.observer.called_back(self, callback, error is not None)
        self.feed(_ENDS[type(callback)](callback.number, error))

    def _note(self, what: str, of: str) -> None:
        if self.cluster.recording is not None:
            self.cluster.recording.note(self.name, what, of)

    def note_poll(self) -> None:
        """The application polls: what it has got before counts as processed."""
        self.consumed = {tp: at for tp, at in self.positions.items() if tp in self.applied}
        self.feed(ev.Polled())

    def hand_out(self, partition: TopicPartition, count: int) -> None:
        first = self.positions[partition]
        self.positions[partition] = first + count
        self._note("got", f"{partition} {first} {first + count}")
        self.observer.handed_out(self, partition, first, first + count)

    def look_up(self) -> None:
        """Ask where reading begins in partitions that have no position."""
        missing = self.to_look_up()
        if self._is_in_lookup or not missing or self.is_dead:
            return
        self._is_in_lookup = True
        ids = {tp: self.topic_ids.get(tp.topic) for tp in missing}

        def ended(end: Any) -> None:
            self._is_in_lookup = False
            for partition, offset in sorted(end.offsets.items()) if end.failure is None else ():
                is_same = partition in self.applied and self.topic_ids.get(partition.topic) == ids[partition]
                if is_same and partition not in self.positions:
                    self._begin_at(partition, 0 if offset is None else offset.offset)
            if self.applied - self.positions.keys():
                self.later(_LOOKUP_PAUSE_S, self.look_up)

        self.committer.ask(lambda number: offsets_ev.LookupAsked(number, missing, _LOOKUP_TIMEOUT_S), ended)

    def seek(self, partition: TopicPartition, offset: int) -> None:
        """Read from there: what was handed out before counts no more."""
        self.positions[partition] = offset
        self.found[partition] = min(self.found[partition], offset)
        self.consumed.pop(partition, None)
        self.seeks[partition] = self.seeks.get(partition, 0) + 1
        self.committer.feed_offsets(offsets_ev.Sought(frozenset({partition})))
        self.observer.sought(self, partition, offset)

    def _begin_at(self, partition: TopicPartition, offset: int) -> None:
        self.seeks[partition] = self.seeks.get(partition, 0) + 1
        self.positions[partition] = self.found[partition] = offset
        self.observer.begins_at(self, partition, offset)


_ENDS: Mapping[type, Callable[[int, str | None], ev.Event]] = {
    fx.CallOnAssigned: ev.AssignFinished,
    fx.CallOnRevoked: ev.RevokeFinished,
    fx.CallOnLost: ev.LossFinished,
}
