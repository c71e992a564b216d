"""A client that speaks the consumer group protocol (KIP-848)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from attrs import define, evolve, field

from kafka_nextgen.membership import effects as fx
from kafka_nextgen.membership import events as ev
from kafka_nextgen.membership.assigning.events import MembershipEnded
from kafka_nextgen.membership.assigning.settings import AssigningSettings
from kafka_nextgen.membership.member import Member, is_late
from kafka_nextgen.membership.offsets.rules import RULES
from kafka_nextgen.membership.settings import MemberSettings
from kafka_nextgen.membership.timers import Timer, is_due
from kafka_nextgen.requests import consumer_group_heartbeat
from kafka_nextgen.requests.extensions.consumer_group_heartbeat import to_heard, to_request
from kafka_nextgen.wire.apis import CONSUMER_GROUP_HEARTBEAT
from tests.verification.simulation.assigning import Assigning
from tests.verification.simulation.client_network import Call, call_off
from tests.verification.simulation.clients import LEAVE_WAY_S, Client
from tests.verification.simulation.cluster import GROUP, VERSIONS
from tests.verification.simulation.committing import Committer
from tests.verification.simulation.dice import Fault
from tests.verification.simulation.exchanges import read, write
from tests.verification.simulation.member_effects import left, publish_epoch
from tests.verification.simulation.standing_by import StandingBy

_ASKS_S = 0.003


@define(eq=False)
class ConsumerClient(Client):
    settings: MemberSettings = field(kw_only=True)
    member: Member = field(init=False)
    assigning: Assigning | None = None
    standing_by: StandingBy | None = None
    _asked: list[Call] = field(factory=list)
    _leaves: list[Call] = field(factory=list)
    _resolving: int = 0

    def __attrs_post_init__(self) -> None:
        super().__attrs_post_init__()
        if self.has_standbys:
            self.standing_by = StandingBy(self.dice.stream(f"standing by of {self.name}"), self.feed, self.later)
        if self.assignors:
            names = tuple(assignor.name for assignor in self.assignors)
            timeout_s = self.settings.rebalance_timeout_ms / 1000
            settings = AssigningSettings(GROUP, self.settings.instance_id, names, timeout_s)
            self.assigning = Assigning(self, settings)

    def make_member(self) -> Member:
        return Member(self.settings, self.name)

    def make_committer(self) -> Committer:
        return Committer(self, RULES)

    def _send_heartbeat(self, effect: fx.SendHeartbeat) -> None:
        message = to_request(effect, GROUP, VERSIONS[CONSUMER_GROUP_HEARTBEAT], standby_state=effect.standby_state)

        def answered(frame: bytes) -> None:
            message = read(CONSUMER_GROUP_HEARTBEAT, frame)
            event = consumer_group_heartbeat.to_event(effect.number, message)
            self.observer.heard(self, effect, event)
            self._tell_assignors(event, message)
            self._tell_standby(event, message)
            self.feed(event)

        def lost(reason: str) -> None:
            event = ev.HeartbeatLost(effect.number, reason)
            self.observer.heard(self, effect, event)
            self.feed(event)

        leaves, joins = effect.member_epoch < 0, effect.member_epoch == 0
        if leaves:
            if any(not call.is_over for call in self._asked):
                self.dice.note(Fault.LEAVE_OVERTAKES)
            call_off(self._asked)
        elif joins:
            call_off(self._leaves)
        frame = write(CONSUMER_GROUP_HEARTBEAT, message, self.name)
        call = self.network.call(frame, answered, lost, connect_timeout_s=LEAVE_WAY_S if leaves else None)
        kept = self._leaves if leaves else self._asked
        kept[:] = [each for each in kept if not each.is_over] + [call]

    def _wake(self) -> None:
        """A heartbeat that is due waits a moment for what the member's own assignors have to say."""
        if self.assignors and is_due(self.member.state.deadlines, Timer.HEARTBEAT, self.clock()):
            self.later(self.dice.tail(_ASKS_S), super()._wake)
        else:
            super()._wake()

    def _tell_assignors(self, event: ev.HeartbeatAnswered | ev.HeartbeatRefused, message: Any) -> None:
        is_in = isinstance(event, ev.HeartbeatAnswered) and event.member_epoch > 0
        if self.assigning is not None and is_in and not is_late(self.member.state, event):
            told = to_heard(message)
            self.assigning.feed(evolve(told, member_id=told.member_id or self.member_id))

    def _tell_standby(self, event: ev.HeartbeatAnswered | ev.HeartbeatRefused, message: Any) -> None:
        is_in = isinstance(event, ev.HeartbeatAnswered) and event.member_epoch > 0
        if self.standing_by is not None and is_in and not is_late(self.member.state, event):
            state = self.member.state
            self.standing_by.heard(message, has_any=bool(state.owned or state.held))

    def _publish_epoch(self, effect: fx.PublishEpoch) -> None:
        publish_epoch(self, effect)
        if self.standing_by is not None and effect.member_epoch < 0:
            self.standing_by.end()
        if self.assigning is not None and effect.member_epoch < 0:
            self.assigning.feed(MembershipEnded())

    def _resolve_topics(self, effect: fx.ResolveTopics) -> None:
        self._resolving += 1
        number, nodes = self._resolving, self.network.nodes()
        if not nodes:
            return
        node = self.dice.pick(nodes)
        known = {image.topic_id: image.name for image in node.topics.values()}
        names = {topic_id: known[topic_id] for topic_id in effect.topic_ids if topic_id in known}

        def answer() -> None:
            if number == self._resolving and names:
                self.feed(ev.TopicsResolved(names))

        self.later(self.network.view_s(), answer)

    def _left(self, effect: fx.Left) -> None:
        call_off(self._asked)
        left(self, effect)

    CARRY_OUT: ClassVar[Mapping[type, Callable[[Any, Any], None]]] = {
        **Client.CARRY_OUT,
        fx.SendHeartbeat: _send_heartbeat,
        fx.PublishEpoch: _publish_epoch,
        fx.ResolveTopics: _resolve_topics,
        fx.Left: _left,
    }
