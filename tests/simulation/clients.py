"""A client: what drives the machines, as ``engine`` does, with everything that does I/O made up.

Both protocols have this in common: connections, the search for the coordinator, the offsets' machine, callbacks, and
where reading is in each partition. The client has a clock of its own, which may drift, and it may freeze: nothing
happens in it then, and all that was due happens when it wakes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar, Protocol

from attrs import define, field

from kafka_nextgen.assignors.spec import AssignmentSpec, ClientAssignor, GroupAssignment, PartitionAssignorError
from kafka_nextgen.bridge import offset_commit, offset_fetch
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.coordinator.classic.requests import LeaveGroup, LeavingMember
from kafka_nextgen.coordinator.offset_requests import OffsetCommit, OffsetFetch
from kafka_nextgen.membership import effects as fx
from kafka_nextgen.membership import events as ev
from kafka_nextgen.membership.assigning.running import compute, offer_of
from kafka_nextgen.membership.offsets import effects as offsets_fx
from kafka_nextgen.membership.offsets import events as offsets_ev
from kafka_nextgen.membership.offsets.machine import OffsetMachine
from kafka_nextgen.membership.offsets.rules import OffsetRules
from kafka_nextgen.membership.offsets.settings import OffsetSettings
from kafka_nextgen.types import OffsetAndMetadata, TopicId, TopicPartition
from kafka_nextgen.wire.apis import OFFSET_COMMIT, OFFSET_FETCH
from tests.simulation.assignors import Talkative
from tests.simulation.calls import Call, Turns
from tests.simulation.cluster import Cluster
from tests.simulation.connections import Connection, UnderWay
from tests.simulation.dice import Dice, Fault
from tests.simulation.exchanges import VERSIONS, read, serve, write
from tests.simulation.nodes import Node, Standing
from tests.simulation.timeline import BEGINNING, Plan, Timeline

__all__ = ["GROUP", "Callback", "Client", "ClientObserver"]

GROUP = "g"
LEAVE_WAY_S = 3.0
_LOOKUP_TIMEOUT_S = 30.0
_LOOKUP_PAUSE_S = 0.5
_COMPUTES_S = 0.02
_VIEW_S = 0.005
#: Later than any error of converting times, so that what is due is due by the clock of the client, too.
_ROUNDING_S = 1e-6


def _ignore(client: object, effect: object) -> None:
    """Nobody has to do anything."""


Callback = fx.CallOnAssigned | fx.CallOnRevoked | fx.CallOnLost
Offsets = Mapping[TopicPartition, OffsetAndMetadata]


class ClientObserver(Protocol):
    """Who looks at a client from outside."""

    def wanted(self, client: Client, effect: object) -> None:
        """A machine of the client wants something done."""

    def called_back(self, client: Client, callback: Callback, failed: bool) -> None:
        """A callback returned, or raised."""

    def looks_up(self, client: Client, partitions: Iterable[TopicPartition]) -> None:
        """The client asks for the committed offsets of these."""

    def begins_at(self, client: Client, partition: TopicPartition, offset: int) -> None:
        """Reading of a partition begins, from a committed offset or the beginning."""

    def begins_anew(self, client: Client, partition: TopicPartition) -> None:
        """The topic of a partition took the place of another one: it is read from the first record on."""

    def sought(self, client: Client, partition: TopicPartition, offset: int) -> None:
        """The application wants to read from there, and that is what may be committed from now on."""

    def handed_out(self, client: Client, partition: TopicPartition, first: int, end: int) -> None:
        """The application got records."""

    def told_committed(self, client: Client, offsets: Offsets) -> None:
        """The application was told that these offsets are committed."""

    def heard(self, client: Client, request: object, answer: object) -> None:
        """An answer arrived, whatever it says."""

    def asks(self, client: Client) -> None:
        """A request is made, of whatever kind."""

    def commits(self, client: Client, offsets: Offsets) -> None:
        """A commit is sent."""

    def commit_lost(self, client: Client, offsets: Offsets) -> None:
        """A commit has no answer."""

    def failed(self, client: Client, asked: Any, failure: offsets_fx.Failure, after_s: float) -> None:
        """A commit or a lookup ended with a failure, so many seconds after it was asked for in the same membership."""


@define(eq=False)
class Client(ABC):
    """One consumer, for one life."""

    name: str
    cluster: Cluster
    timeline: Timeline
    dice: Dice
    observer: ClientObserver
    rate: float = 1.0
    settings: Any = field(kw_only=True)  # of the member, whose protocol a subclass knows
    auto_commit_interval_s: float | None = field(default=5.0, kw_only=True)
    request_timeout_s: float = field(default=30.0, kw_only=True)
    assignors: tuple[Talkative, ...] = field(default=(), kw_only=True)  # of its own
    member: Any = field(init=False)
    coordinator: int | None = None
    searches: int = 0  # for the coordinator
    heard_from: int | None = None  # the node whose answer was heard last
    connections: dict[int, Connection] = field(factory=dict)
    connections_made: int = 0
    is_dead: bool = False
    leaves_silently: bool = False  # its application wants that
    is_subscribed: bool = False  # the application wants something, also while the member still leaves
    callbacks: list[Callback] = field(factory=list)
    # where reading is
    applied: frozenset[TopicPartition] = frozenset()
    had_since: dict[TopicPartition, float] = field(factory=dict)  # by its clock
    topic_ids: dict[str, TopicId] = field(factory=dict)
    stopped: set[TopicPartition] = field(factory=set)
    unreleased: set[TopicPartition] = field(factory=set)  # on_partitions_assigned has not returned
    positions: dict[TopicPartition, int] = field(factory=dict)
    consumed: dict[TopicPartition, int] = field(factory=dict)  # what was handed out before the latest poll
    found: dict[TopicPartition, int] = field(factory=dict)  # where reading began
    seeks: dict[TopicPartition, int] = field(factory=dict)  # how often reading began, or the application sought
    # who waits
    asks: dict[int, Callable[[offsets_fx.CommitEnded | offsets_fx.LookupEnded], None]] = field(factory=dict)
    left_out: set[TopicPartition] = field(factory=set)  # of commits, for the coordinator knows no such topic
    is_in_lookup: bool = False
    turns: Turns = field(factory=Turns)
    on_callback: Callable[[], None] | None = None  # the application may run one now
    on_error: Callable[[fx.RaiseToApplication], None] | None = None
    on_left: Callable[[], None] | None = None
    on_step: Callable[[], None] | None = None  # the member has another status
    offline_until: float = 0.0
    _frozen_until: float = 0.0
    _asleep: list[Callable[[], None]] = field(factory=list)  # what was due while it was frozen
    _timer: Plan | None = None
    _offset_timer: Plan | None = None
    _asks_made: int = 0
    offsets: OffsetMachine = field(init=False)

    rules: ClassVar[OffsetRules]
    speaks_classic: ClassVar[bool] = False

    def __attrs_post_init__(self) -> None:
        self.member = self.make_member()
        settings = OffsetSettings(self.settings.instance_id, auto_commit_interval_s=self.auto_commit_interval_s)
        self.offsets = OffsetMachine(settings, self.rules, self.clock())
        self._arm_offsets()
        if self.assignors:
            self.feed(ev.AssignorsAsked(self._offers()))

    # ---- its own assignors

    def _offers(self) -> tuple[ClientAssignor, ...]:
        return tuple(offer_of(assignor) for assignor in self.assignors)

    def think_again(self) -> None:
        """Its own assignors have something else to say, if it has any."""
        if self.assignors:
            self.dice.pick(self.assignors).think_again()
            self.feed(ev.AssignorsAsked(self._offers()))

    def note_heard(self, request: object, answer: object) -> None:
        """Tell who looks at the client from outside."""
        self.observer.heard(self, request, answer)

    def compute(self, name: str, group: AssignmentSpec, ended: Callable[[GroupAssignment | str], None]) -> None:
        """Have one of them assign the group; it ends with what it made, or with why it made nothing."""
        slow = self.dice.happens(Fault.SLOW_OWN_ASSIGNOR)
        assignor = next(each for each in self.assignors if each.name == name)

        def work() -> None:
            try:
                ended(compute(assignor, group))
            except PartitionAssignorError as failed:
                ended(str(failed))

        self.later(self.dice.between(1.0, 40.0) if slow else _COMPUTES_S, work)

    # ---- time

    def clock(self) -> float:
        """What time it is by the client's own clock."""
        return (self.timeline.now - BEGINNING) * self.rate

    def real(self, own: float) -> float:
        """When it is this time by the client's own clock."""
        return BEGINNING + own / self.rate + _ROUNDING_S

    def later(self, seconds: float, action: Callable[[], None]) -> Plan:
        """Plan something by the client's clock, for when it is awake."""
        return self.timeline.after(seconds / self.rate, lambda: self.when_awake(action))

    def when_awake(self, action: Callable[[], None]) -> None:
        """Do it now, or as soon as the client does anything again."""
        if self.is_dead:
            return
        if self.timeline.now < self._frozen_until:
            self._asleep.append(action)
            if len(self._asleep) == 1:
                self.timeline.at(self._frozen_until, self._wake_up)
        else:
            action()

    def freeze(self, seconds: float) -> None:
        """Do nothing for so long."""
        self._frozen_until = self.timeline.now + seconds
        if self._asleep:
            self.timeline.at(self._frozen_until, self._wake_up)

    def _wake_up(self) -> None:
        """All that was due meanwhile happens."""
        if self.timeline.now >= self._frozen_until:
            due, self._asleep = self._asleep, []
            for action in due:
                self.when_awake(action)

    @property
    def is_offline(self) -> bool:
        """Whether no node can be reached."""
        return self.timeline.now < self.offline_until

    def go_offline(self, seconds: float) -> None:
        """Have no network for so long: connections stay open, and nothing arrives."""
        self.offline_until = self.timeline.now + seconds
        for connection in self.connections.values():
            connection.fall_silent()

    def lose_rights(self, code: ErrorCode, seconds: float) -> None:
        """Be refused with this code for so long."""
        taken, name = self.cluster.rights_taken, self.name

        def get_them_back() -> None:
            taken.pop(name, None)

        taken[name] = code
        self.timeline.after(seconds, get_them_back)

    def be_removed(self, *, by_instance: bool) -> bool:
        """Have an administrator take the member out; False if there is none, or nobody to ask."""
        node, instance_id = self.cluster.leading, self.settings.instance_id
        by_instance = by_instance and instance_id is not None
        who = LeavingMember("", instance_id) if by_instance else LeavingMember(self.member_id)
        if node is None or node.standing is not Standing.ACTIVE or not (by_instance or self.member_id):
            return False
        answers: list[object] = []  # nobody reads them
        node.ask(LeaveGroup(GROUP, (who,)), answers.append)
        return True

    def nodes(self) -> list[Node]:
        """The nodes that can be reached."""
        return [] if self.is_offline else self.cluster.alive()

    @property
    def is_awake(self) -> bool:
        """Whether it does anything."""
        return not self.is_dead and self.timeline.now >= self._frozen_until

    def crash(self) -> None:
        """End without a word."""
        self.is_dead = True
        for connection in self.connections.values():
            connection.cut("the client is gone")
        for plan in (self._timer, self._offset_timer):
            if plan is not None:
                plan.call_off()

    def _note(self, what: str, of: str) -> None:
        if self.cluster.recording is not None:
            self.cluster.recording.note(self.name, what, of)

    # ---- the network

    def view_s(self) -> float:
        """How long a node takes to tell of topics."""
        slow = self.dice.happens(Fault.SLOW_MESSAGE, 0.3)
        return self.dice.between(0.05, 5.0) if slow else self.dice.tail(_VIEW_S)

    def find_coordinator(self, found: Callable[[int | None], None]) -> None:
        """Ask a node that can be reached, which says what it believes."""
        self.searches += 1
        nodes = self.nodes()
        if not nodes:
            self.later(0.05, lambda: found(None))
            return
        node = self.dice.pick(nodes)
        believed = node.believed_leader
        known = believed if self.cluster.nodes[believed].is_alive else None

        def learn() -> None:
            self.coordinator = known
            found(known)

        self.later(self.dice.tail(0.004), learn)

    def send(self, node_id: int, request: UnderWay) -> None:
        """Send by the connection to this node."""
        connection = self.connections.get(node_id)
        if connection is None or not connection.is_open:
            node = self.cluster.nodes[node_id]
            self.connections_made += 1
            dice = self.dice.stream(f"{self.name} connection {self.connections_made} to {node_id}")
            connection = self.connections[node_id] = Connection(node, self.timeline, dice, serve)
        if self.is_offline:
            connection.fall_silent()
        connection.send(request)

    def forget_connection(self, node_id: int, reason: str) -> None:
        """Give up the connection to this node."""
        connection = self.connections.pop(node_id, None)
        if connection is not None:
            connection.cut(reason)

    def call(
        self,
        frame: bytes,
        answered: Callable[[bytes], None],
        lost: Callable[[str], None],
        timeout_s: float | None = None,
        turns: Turns | None = None,
        way_s: float | None = None,
    ) -> Call:
        """Make a call; it ends while the client is awake."""
        self.observer.asks(self)

        def forget_and_lose(reason: str) -> None:
            self.coordinator = None
            lost(reason)

        def hear(heard: bytes) -> None:
            self.heard_from = call.sent_to
            answered(heard)

        call = Call(
            self,
            frame,
            self.request_timeout_s if timeout_s is None else timeout_s,
            lambda heard: self.when_awake(lambda: hear(heard)),
            lambda reason: self.when_awake(lambda: forget_and_lose(reason)),
            turns,
            way_s,
        )
        call.start()
        return call

    # ---- the member

    @abstractmethod
    def make_member(self) -> Any:
        """The machine of its member."""

    @property
    def is_static(self) -> bool:
        """Whether it has an instance id."""
        return self.settings.instance_id is not None

    @property
    def wants_poll(self) -> bool:
        """Whether the member waits for the application to poll."""
        return bool(self.member.wants_poll)

    @property
    def member_id(self) -> str:
        """What the group calls it; a classic member has no id outside a group."""
        return str(self.member.member_id)

    @property
    def member_epoch(self) -> int:
        """The member epoch, or the generation; -1 outside the group."""
        return int(self.member.member_epoch)

    def feed(self, event: object) -> None:
        """Tell the member what happened, and carry out what it answers."""
        if self.is_dead:
            return
        before = self.member.status
        for effect in self.member.handle(event, self.clock(), self.dice.chance()):
            self.observer.wanted(self, effect)
            self.CARRY_OUT[type(effect)](self, effect)
        self._arm()
        if self.on_step is not None and self.member.status is not before:
            self.on_step()

    def _arm(self) -> None:
        if self._timer is not None:
            self._timer.call_off()
        deadline = self.member.deadline()
        if deadline is None or self.is_dead:
            self._timer = None
        else:
            self._timer = self.timeline.at(self.real(deadline), lambda: self.when_awake(self._wake))

    def _wake(self) -> None:
        self.feed(ev.TimePassed())

    def _forget_coordinator(self, effect: object) -> None:
        self.coordinator = None

    def _stop_fetching(self, effect: fx.StopFetching) -> None:
        self.stopped |= effect.partitions
        self.feed_offsets(offsets_ev.PartitionsStopped(effect.partitions))

    def _commit_consumed(self, effect: fx.CommitConsumed) -> None:
        timeout_s = max(0.0, effect.deadline - self.clock())
        offsets = {tp: OffsetAndMetadata(at) for tp, at in self.consumed.items() if tp in self.applied}
        meant = self._meaning(offsets)

        def ended(end: Any) -> None:
            if end.failure is None and self.auto_commit_interval_s is not None:
                self._tell_committed(offsets, meant)
            self.feed(ev.CommitFinished(effect.number, None if end.failure is None else "refused"))

        found = {tp: OffsetAndMetadata(at) for tp, at in self.found.items()}
        self.ask(lambda ask: offsets_ev.CommitBeforeRevokingAsked(ask, offsets, timeout_s, found), ended)

    def _apply_assignment(self, effect: fx.ApplyAssignment) -> None:
        gone = (self.applied - effect.partitions) | effect.added
        for known in (self.positions, self.consumed, self.found):
            for partition in gone:
                known.pop(partition, None)
        self.applied, self.topic_ids = effect.partitions, dict(effect.topic_ids)
        self.had_since.update(dict.fromkeys(effect.added, self.clock()))
        self.stopped.clear()
        self.unreleased = (self.unreleased & effect.partitions) | effect.added
        self.feed_offsets(offsets_ev.AssignmentApplied(effect.partitions, effect.added))
        self.look_up()

    def _publish_epoch(self, effect: fx.PublishEpoch) -> None:
        self.feed_offsets(offsets_ev.EpochPublished(effect.member_id, effect.member_epoch))

    def _call_back(self, effect: Callback) -> None:
        self.callbacks.append(effect)
        if self.on_callback is not None:
            self.on_callback()

    def end_callback(self, callback: Callback, error: str | None) -> None:
        """A callback of the application returned, or raised."""
        if callback not in self.callbacks:
            return
        self.callbacks.remove(callback)
        self._note(f"ended {type(callback).__name__}", f"{callback.partitions} {error}")
        if isinstance(callback, fx.CallOnAssigned) and error is None:
            self.unreleased.difference_update(callback.partitions)
        self.observer.called_back(self, callback, error is not None)
        self.feed(_ENDS[type(callback)](callback.number, error))

    def _raise(self, effect: fx.RaiseToApplication) -> None:
        if self.on_error is not None:
            self.on_error(effect)

    def _left(self, effect: fx.Left) -> None:
        if not self.is_subscribed:
            self.feed_offsets(offsets_ev.GroupQuit())
        if self.on_left is not None:
            self.on_left()

    CARRY_OUT: ClassVar[Mapping[type, Callable[[Any, Any], None]]] = {
        fx.FindCoordinator: _forget_coordinator,
        fx.StopFetching: _stop_fetching,
        fx.CommitConsumed: _commit_consumed,
        fx.ApplyAssignment: _apply_assignment,
        fx.PublishEpoch: _publish_epoch,
        fx.CallOnAssigned: _call_back,
        fx.CallOnRevoked: _call_back,
        fx.CallOnLost: _call_back,
        fx.RaiseToApplication: _raise,
        fx.Left: _left,
    }

    # ---- reading

    @property
    def flowing(self) -> list[TopicPartition]:
        """What records may be handed out of, in order."""
        held_back = self.stopped | self.unreleased
        return [tp for tp in sorted(self.applied) if tp in self.positions and tp not in held_back]

    def note_poll(self) -> None:
        """The application polls: what it has got before counts as processed."""
        self.consumed = {tp: at for tp, at in self.positions.items() if tp in self.applied}
        self.feed(ev.Polled())

    def hand_out(self, partition: TopicPartition, count: int) -> None:
        """Give the application so many records."""
        first = self.positions[partition]
        self.positions[partition] = first + count
        self._note("got", f"{partition} {first} {first + count}")
        self.observer.handed_out(self, partition, first, first + count)

    def to_look_up(self) -> frozenset[TopicPartition]:
        """The partitions that have no position."""
        return frozenset(self.applied - self.positions.keys())

    def look_up(self) -> None:
        """Ask where reading begins in partitions that have no position."""
        missing = self.to_look_up()
        if self.is_in_lookup or not missing or self.is_dead:
            return
        self.is_in_lookup = True
        ids = {tp: self.topic_ids.get(tp.topic) for tp in missing}

        def ended(end: Any) -> None:
            self.is_in_lookup = False
            for partition, offset in sorted(end.offsets.items()) if end.failure is None else ():
                is_same = partition in self.applied and self.topic_ids.get(partition.topic) == ids[partition]
                if is_same and partition not in self.positions:
                    self._begin_at(partition, 0 if offset is None else offset.offset)
            if self.applied - self.positions.keys():
                self.later(_LOOKUP_PAUSE_S, self.look_up)

        self.ask(lambda ask: offsets_ev.LookupAsked(ask, missing, _LOOKUP_TIMEOUT_S), ended)

    def seek(self, partition: TopicPartition, offset: int) -> None:
        """Read from there: what was handed out before counts no more."""
        self.positions[partition] = offset
        self.found[partition] = min(self.found[partition], offset)
        self.consumed.pop(partition, None)
        self.seeks[partition] = self.seeks.get(partition, 0) + 1
        self.feed_offsets(offsets_ev.Sought(frozenset({partition})))
        self.observer.sought(self, partition, offset)

    def _begin_at(self, partition: TopicPartition, offset: int) -> None:
        self.seeks[partition] = self.seeks.get(partition, 0) + 1
        self.positions[partition] = self.found[partition] = offset
        self.observer.begins_at(self, partition, offset)

    # ---- offsets

    def ask(self, event: Callable[[int], offsets_ev.OffsetEvent], ended: Callable[[Any], None]) -> int:
        """Ask the offsets' machine for something; ``ended`` is called once."""
        self._asks_made += 1
        began, life, asked = self.clock(), self.offsets.state.life, event(self._asks_made)

        def note(end: Any) -> None:
            if end.failure is not None and life == self.offsets.state.life:
                self.observer.failed(self, asked, end.failure, self.clock() - began)
            ended(end)

        self.asks[self._asks_made] = note
        self.feed_offsets(asked)
        return self._asks_made

    def _meaning(self, partitions: Iterable[TopicPartition]) -> dict[TopicPartition, object]:
        """What an offset of each means: another topic may have taken a name, and reading may have begun elsewhere."""
        return {tp: (self.topic_ids.get(tp.topic), self.seeks.get(tp)) for tp in partitions}

    def _tell_committed(self, offsets: Offsets, meant: Mapping[TopicPartition, object]) -> None:
        means = self._meaning(offsets)
        same = {tp: at for tp, at in offsets.items() if means[tp] == meant[tp] and tp not in self.left_out}
        self.observer.told_committed(self, same)

    def commit(
        self,
        offsets: Mapping[TopicPartition, int],
        timeout_s: float,
        ended: Callable[[Any], None],
        *,
        counts: bool = True,
    ) -> None:
        """Commit offsets for the application. If they are all that was handed out, and are not named by it, that counts
        as processed then, also for auto-commit.
        """
        if counts:
            self.consumed.update(offsets)
        wanted = {tp: OffsetAndMetadata(at) for tp, at in offsets.items()}
        meant = self._meaning(wanted)

        def note(end: Any) -> None:
            if end.failure is None:
                self._tell_committed(wanted, meant)
            ended(end)

        self.ask(lambda ask: offsets_ev.CommitAsked(ask, wanted, timeout_s), note)

    def feed_offsets(self, event: offsets_ev.OffsetEvent) -> None:
        """Tell the offsets' machine what happened, and carry out what it answers."""
        if self.is_dead:
            return
        for effect in self.offsets.handle(event, self.clock(), self.dice.chance()):
            self.CARRY_OUT_OFFSETS[type(effect)](self, effect)
        self._arm_offsets()

    def _arm_offsets(self) -> None:
        if self._offset_timer is not None:
            self._offset_timer.call_off()
        deadline = self.offsets.deadline()
        if deadline is None or self.is_dead:
            self._offset_timer = None
        else:
            self._offset_timer = self.timeline.at(self.real(deadline), lambda: self.when_awake(self._wake_offsets))

    def _wake_offsets(self) -> None:
        self.feed_offsets(offsets_ev.TimePassed())

    def _send_commit(self, effect: offsets_fx.SendCommit) -> None:
        offsets = dict(effect.offsets)
        self.observer.commits(self, offsets)
        version = min(VERSIONS[OFFSET_COMMIT], offset_commit.highest_version(offsets, self.topic_ids))
        request = OffsetCommit(GROUP, offsets, effect.member_id, effect.member_epoch, effect.instance_id)
        topic_ids = dict(self.topic_ids)
        message = offset_commit.to_request(request, topic_ids, version)

        def answered(frame: bytes) -> None:
            codes = offset_commit.from_response(read(OFFSET_COMMIT, frame, version), offsets, topic_ids)
            self.observer.heard(self, request, codes)
            self.feed_offsets(offsets_ev.CommitAnswered(effect.number, codes))

        def lost(reason: str) -> None:
            self.observer.commit_lost(self, offsets)
            self.feed_offsets(offsets_ev.CommitLost(effect.number, reason))

        timeout_s = max(0.0, effect.deadline - self.clock())
        self.call(write(OFFSET_COMMIT, message, self.name, version), answered, lost, timeout_s, self.turns)

    def _send_lookup(self, effect: offsets_fx.SendLookup) -> None:
        version = min(VERSIONS[OFFSET_FETCH], offset_fetch.highest_version(effect.partitions, self.topic_ids))
        wanted = tuple(sorted(effect.partitions))
        request = OffsetFetch(GROUP, wanted, effect.member_id, effect.member_epoch)
        topic_ids = dict(self.topic_ids)
        message = offset_fetch.to_request(request, topic_ids, version)

        def answered(frame: bytes) -> None:
            found = offset_fetch.from_response(read(OFFSET_FETCH, frame, version), GROUP, topic_ids)
            self.observer.heard(self, request, found)
            self.feed_offsets(offsets_ev.LookupAnswered(effect.number, found.offsets, found.errors, found.error))

        def lost(reason: str) -> None:
            self.feed_offsets(offsets_ev.LookupLost(effect.number, reason))

        timeout_s = max(0.0, effect.deadline - self.clock())
        self.observer.looks_up(self, wanted)
        self.call(write(OFFSET_FETCH, message, self.name, version), answered, lost, timeout_s)

    def _read_consumed(self, effect: offsets_fx.ReadConsumed) -> None:
        offsets = {tp: OffsetAndMetadata(at) for tp, at in self.consumed.items() if tp in self.applied}
        self.feed_offsets(offsets_ev.ConsumedRead(effect.number, offsets))

    def _end_ask(self, effect: offsets_fx.CommitEnded | offsets_fx.LookupEnded) -> None:
        ended = self.asks.pop(effect.ask, None)
        if ended is not None:
            ended(effect)
        if not self.asks:
            self.left_out.clear()

    def _leave_out(self, effect: offsets_fx.LeftOut) -> None:
        self.left_out |= effect.codes.keys()

    CARRY_OUT_OFFSETS: ClassVar[Mapping[type, Callable[[Any, Any], None]]] = {
        offsets_fx.SendCommit: _send_commit,
        offsets_fx.SendLookup: _send_lookup,
        offsets_fx.ReadConsumed: _read_consumed,
        fx.FindCoordinator: _forget_coordinator,
        offsets_fx.TellMember: _ignore,
        offsets_fx.CommitEnded: _end_ask,
        offsets_fx.LeftOut: _leave_out,
        offsets_fx.LookupEnded: _end_ask,
    }


_ENDS: Mapping[type, Callable[[int, str | None], ev.Event]] = {
    fx.CallOnAssigned: ev.AssignFinished,
    fx.CallOnRevoked: ev.RevokeFinished,
    fx.CallOnLost: ev.LossFinished,
}
