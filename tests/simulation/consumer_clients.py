"""A client that speaks the consumer group protocol (KIP-848)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from attrs import define, field

from kafka_nextgen.bridge import consumer_group_heartbeat
from kafka_nextgen.membership import effects as fx
from kafka_nextgen.membership import events as ev
from kafka_nextgen.membership.member import Member
from kafka_nextgen.membership.offsets.rules import RULES
from kafka_nextgen.membership.settings import MemberSettings
from kafka_nextgen.wire.apis import CONSUMER_GROUP_HEARTBEAT
from tests.simulation.calls import Call, call_off
from tests.simulation.clients import GROUP, LEAVE_WAY_S, Client
from tests.simulation.exchanges import VERSIONS, read, write

__all__ = ["ConsumerClient"]


@define(eq=False)
class ConsumerClient(Client):
    """One consumer."""

    settings: MemberSettings = field(kw_only=True)
    member: Member = field(init=False)
    _asked: list[Call] = field(factory=list)
    _leaves: list[Call] = field(factory=list)
    _resolving: int = 0

    rules = RULES

    def make_member(self) -> Member:
        """A member of this protocol."""
        return Member(self.settings, self.name)

    def _send_heartbeat(self, effect: fx.SendHeartbeat) -> None:
        message = consumer_group_heartbeat.to_request(effect, GROUP, VERSIONS[CONSUMER_GROUP_HEARTBEAT])

        def answered(frame: bytes) -> None:
            event = consumer_group_heartbeat.to_event(effect.number, read(CONSUMER_GROUP_HEARTBEAT, frame))
            self.observer.heard(self, effect, event)
            self.feed(event)

        def lost(reason: str) -> None:
            event = ev.HeartbeatLost(effect.number, reason)
            self.observer.heard(self, effect, event)
            self.feed(event)

        leaves, joins = effect.member_epoch < 0, effect.member_epoch == 0
        if leaves:
            call_off(self._asked)
        elif joins:
            call_off(self._leaves)
        frame = write(CONSUMER_GROUP_HEARTBEAT, message, self.name)
        call = self.call(frame, answered, lost, way_s=LEAVE_WAY_S if leaves else None)
        kept = self._leaves if leaves else self._asked
        kept[:] = [each for each in kept if not each.is_over] + [call]

    def _resolve_topics(self, effect: fx.ResolveTopics) -> None:
        self._resolving += 1
        number, nodes = self._resolving, self.cluster.alive()
        if not nodes:
            return
        node = self.dice.pick(nodes)
        known = {image.topic_id: image.name for image in node.topics.values()}
        names = {topic_id: known[topic_id] for topic_id in effect.topic_ids if topic_id in known}

        def answer() -> None:
            if number == self._resolving and names:
                self.feed(ev.TopicsResolved(names))

        self.later(self.dice.tail(0.005), answer)

    def _left(self, effect: fx.Left) -> None:
        call_off(self._asked)
        super()._left(effect)

    CARRY_OUT: ClassVar[Mapping[type, Callable[[Any, Any], None]]] = {
        **Client.CARRY_OUT,
        fx.SendHeartbeat: _send_heartbeat,
        fx.ResolveTopics: _resolve_topics,
        fx.Left: _left,
    }
