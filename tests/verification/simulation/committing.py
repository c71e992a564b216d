"""What drives a client's offsets' machine, and carries out what it wants."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from attrs import define, evolve, field

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.membership.classic.events import CommitRefused
from kafka_nextgen.membership.effects import FindCoordinator
from kafka_nextgen.membership.offsets import effects as fx
from kafka_nextgen.membership.offsets import events as ev
from kafka_nextgen.membership.offsets.machine import OffsetMachine
from kafka_nextgen.membership.offsets.rules import OffsetRules
from kafka_nextgen.membership.offsets.settings import OffsetSettings
from kafka_nextgen.requests import offset_commit, offset_fetch
from kafka_nextgen.testing.coordinator.requests import OffsetCommit, OffsetFetch
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition
from kafka_nextgen.wire.apis import OFFSET_COMMIT, OFFSET_FETCH
from tests.verification.simulation.client_network import SendQueue
from tests.verification.simulation.cluster import GROUP, VERSIONS
from tests.verification.simulation.exchanges import read, write
from tests.verification.simulation.timeline import Timer

if TYPE_CHECKING:
    from tests.verification.simulation.clients import Client

Offsets = Mapping[TopicPartition, OffsetAndMetadata]

#: Idle members commit at each interval, as the library's do; the TLA+ model of tests/verification/model has no such
#: commits.
COMMITS_AGAIN = True


@define(eq=False)
class Committer:
    client: Client
    rules: OffsetRules
    machine: OffsetMachine = field(init=False)
    left_out: set[TopicPartition] = field(factory=set)  # of commits, for the coordinator knows no such topic
    _asks: dict[int, Callable[[fx.CommitEnded | fx.LookupEnded], None]] = field(factory=dict)  # who waits
    _asks_made: int = 0
    _send_queue: SendQueue = field(factory=SendQueue)
    _timer: Timer = field(init=False)

    def __attrs_post_init__(self) -> None:
        client = self.client
        settings = OffsetSettings(
            client.settings.instance_id,
            auto_commit_interval_s=client.auto_commit_interval_s,
            commits_again=COMMITS_AGAIN,
        )
        self.machine = OffsetMachine(settings, self.rules, client.clock())
        self._timer = Timer(client.time, lambda: self.feed_offsets(ev.TimePassed()))
        self._timer.set(self.machine.deadline())

    def feed_offsets(self, event: ev.OffsetEvent) -> None:
        if self.client.is_dead:
            return
        for effect in self.machine.handle(event, self.client.clock(), self.client.dice.chance()):
            self.CARRY_OUT[type(effect)](self, effect)
        self._timer.set(self.machine.deadline())

    def end(self) -> None:
        self._timer.set(None)

    def ask(self, event: Callable[[int], ev.OffsetEvent], ended: Callable[[Any], None]) -> int:
        """Ask the machine for something; ``ended`` is called once."""
        self._asks_made += 1
        client = self.client
        began, membership, asked = client.clock(), self.machine.state.membership, event(self._asks_made)

        def note(end: Any) -> None:
            if end.failure is not None and membership == self.machine.state.membership:
                client.observer.failed(client, asked, end.failure, client.clock() - began)
            ended(end)

        self._asks[self._asks_made] = note
        self.feed_offsets(asked)
        return self._asks_made

    def tell_committed(self, offsets: Offsets, meant: Mapping[TopicPartition, object]) -> None:
        """The application was told that these are committed, if they still mean what they meant."""
        means = self.client.meaning(offsets)
        same = {tp: at for tp, at in offsets.items() if means[tp] == meant[tp] and tp not in self.left_out}
        self.client.observer.told_committed(self.client, same)

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
            self.client.consumed.update(offsets)
        wanted = {tp: OffsetAndMetadata(at) for tp, at in offsets.items()}
        meant = self.client.meaning(wanted)

        def note(end: Any) -> None:
            if end.failure is None:
                self.tell_committed(wanted, meant)
            ended(end)

        self.ask(lambda number: ev.CommitAsked(number, wanted, timeout_s), note)

    def _send_commit(self, effect: fx.SendCommit) -> None:
        client, offsets = self.client, dict(effect.offsets)
        client.observer.commits(client, offsets)
        version = min(VERSIONS[OFFSET_COMMIT], offset_commit.highest_version(offsets, client.topic_ids))
        request = OffsetCommit(GROUP, offsets, effect.member_id, effect.member_epoch, effect.instance_id)
        topic_ids = dict(client.topic_ids)
        message = offset_commit.to_request(effect, GROUP, version, topic_ids)

        def answered(frame: bytes) -> None:
            codes = offset_commit.from_response(read(OFFSET_COMMIT, frame, version), offsets, topic_ids)
            client.observer.heard(client, request, codes)
            self.feed_offsets(ev.CommitAnswered(effect.number, codes))

        def lost(reason: str) -> None:
            client.observer.commit_lost(client, offsets)
            self.feed_offsets(ev.CommitLost(effect.number, reason))

        timeout_s = max(0.0, effect.deadline - client.clock())
        frame = write(OFFSET_COMMIT, message, client.name, version)
        client.network.call(frame, answered, lost, timeout_s, self._send_queue)

    def _send_lookup(self, effect: fx.SendLookup) -> None:
        client, wanted = self.client, tuple(sorted(effect.partitions))
        version = min(VERSIONS[OFFSET_FETCH], offset_fetch.highest_version(effect.partitions, client.topic_ids))
        request = OffsetFetch(GROUP, wanted, effect.member_id, effect.member_epoch)
        topic_ids = dict(client.topic_ids)
        message = offset_fetch.to_request(effect, GROUP, version, topic_ids)

        def answered(frame: bytes) -> None:
            found = offset_fetch.from_response(read(OFFSET_FETCH, frame, version), GROUP, topic_ids)
            client.observer.heard(client, request, found)
            self.feed_offsets(ev.LookupAnswered(effect.number, found.offsets, found.errors, found.error))

        def lost(reason: str) -> None:
            self.feed_offsets(ev.LookupLost(effect.number, reason))

        timeout_s = max(0.0, effect.deadline - client.clock())
        client.observer.looks_up(client, wanted)
        client.network.call(write(OFFSET_FETCH, message, client.name, version), answered, lost, timeout_s)

    def _read_consumed(self, effect: fx.ReadConsumed) -> None:
        client = self.client
        offsets = {tp: OffsetAndMetadata(at) for tp, at in client.consumed.items() if tp in client.applied}
        self.feed_offsets(ev.ConsumedRead(effect.number, offsets))

    def _find_coordinator(self, _effect: FindCoordinator) -> None:
        self.client.network.coordinator = None

    def _tell_member(self, _effect: fx.TellMember) -> None:
        """A member of the consumer protocol hears of all that by its heartbeats."""

    def _end_ask(self, effect: fx.CommitEnded | fx.LookupEnded) -> None:
        ended = self._asks.pop(effect.operation, None)
        if ended is not None:
            ended(effect)
        if not self._asks:
            self.left_out.clear()

    def _leave_out(self, effect: fx.LeftOut) -> None:
        self.left_out |= effect.codes.keys()

    CARRY_OUT: ClassVar[Mapping[type, Callable[[Any, Any], None]]] = {
        fx.SendCommit: _send_commit,
        fx.SendLookup: _send_lookup,
        fx.ReadConsumed: _read_consumed,
        FindCoordinator: _find_coordinator,
        fx.TellMember: _tell_member,
        fx.CommitEnded: _end_ask,
        fx.LeftOut: _leave_out,
        fx.LookupEnded: _end_ask,
    }


@define(eq=False)
class ClassicCommitter(Committer):
    _of_old_topics: dict[int, Mapping[TopicPartition, int]] = field(factory=dict)  # by the number of the commit

    def feed_offsets(self, event: ev.OffsetEvent) -> None:
        """Tell the machine what happened; what was committed for an old topic was refused."""
        if isinstance(event, ev.CommitAnswered):
            refused = self._of_old_topics.pop(event.number, None)
            event = event if refused is None else evolve(event, codes={**event.codes, **refused})
        super().feed_offsets(event)

    def _send_commit(self, effect: fx.SendCommit) -> None:
        client = self.client
        old = {tp for tp, at in effect.offsets.items() if tp in client.replaced and at.offset > client.positions[tp]}
        if not old:
            super()._send_commit(effect)
            return
        refused = dict.fromkeys(sorted(old), int(ErrorCode.UNKNOWN_TOPIC_ID))
        offsets = {tp: at for tp, at in effect.offsets.items() if tp not in old}
        if not offsets:
            self.feed_offsets(ev.CommitAnswered(effect.number, refused))
            return
        self._of_old_topics[effect.number] = refused
        super()._send_commit(evolve(effect, offsets=offsets))

    def _tell_member(self, effect: fx.TellMember) -> None:
        """Not from here: the member may tell the offsets' machine things before that is done."""
        client = self.client
        client.later(0.0, lambda: client.feed(CommitRefused(effect.code, effect.member_epoch)))

    CARRY_OUT: ClassVar[Mapping[type, Callable[[Any, Any], None]]] = {
        **Committer.CARRY_OUT,
        fx.SendCommit: _send_commit,
        fx.TellMember: _tell_member,
    }
