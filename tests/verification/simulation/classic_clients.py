"""A client that speaks the classic protocol, where a member of the group assigns.

It is told partitions by name, so it has to find out by itself which topics are meant: it looks at a node's view of the
topics from time to time, and what it saw first under a name is meant by that. If there is another topic of that name
later, its partitions begin anew (``fetching.topics``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, ClassVar

from attrs import define, evolve, field

from kafka_nextgen.assignors.spec import GroupAssignment, TopicMetadata
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import DecodeError
from kafka_nextgen.membership import effects as fx
from kafka_nextgen.membership.classic import effects as cfx
from kafka_nextgen.membership.classic import events as cev
from kafka_nextgen.membership.classic.member import ClassicMember
from kafka_nextgen.membership.classic.settings import ClassicSettings
from kafka_nextgen.membership.events import HeartbeatLost
from kafka_nextgen.membership.offsets import events as offsets_ev
from kafka_nextgen.membership.offsets.rules import CLASSIC_RULES
from kafka_nextgen.properties.patterns import matching
from kafka_nextgen.requests import describe_groups, heartbeat, join_group, leave_group, sync_group
from kafka_nextgen.requests.described_parts import parts_of
from kafka_nextgen.requests.extensions.join_group import to_request as to_join_group
from kafka_nextgen.testing.coordinator.requests import TopicImage
from kafka_nextgen.types import TopicPartition
from kafka_nextgen.wire.apis import DESCRIBE_GROUPS, HEARTBEAT, JOIN_GROUP, LEAVE_GROUP, SYNC_GROUP, Api
from tests.verification.simulation.assignors import compute
from tests.verification.simulation.classic_standing_by import ClassicStandingBy
from tests.verification.simulation.client_network import Call, call_off
from tests.verification.simulation.clients import LEAVE_WAY_S, Client
from tests.verification.simulation.cluster import GROUP
from tests.verification.simulation.committing import ClassicCommitter
from tests.verification.simulation.dice import Fault
from tests.verification.simulation.exchanges import read, write
from tests.verification.simulation.member_effects import apply_assignment, left
from tests.verification.simulation.nodes import Node

_LOOK_AGAIN_S = 0.5
_NO_TOPICS: Mapping[str, TopicImage] = {}

_Lost = Callable[[str], cev.ClassicEvent]


@define(eq=False)
class ClassicClient(Client):
    settings: ClassicSettings = field(kw_only=True)
    member: ClassicMember = field(init=False)
    view: Mapping[str, TopicImage] = _NO_TOPICS  # the topics, as a node saw them when this client looked
    _view_version: int = 0
    _asked: list[Call] = field(factory=list)
    _leaves: list[Call] = field(factory=list)
    _is_looking: bool = False
    standing_by: ClassicStandingBy | None = None

    speaks_classic = True

    def __attrs_post_init__(self) -> None:
        super().__attrs_post_init__()
        if self.has_standbys and self.assignors:
            self.standing_by = ClassicStandingBy(self, self.dice.stream(f"standing by of {self.name}"))
        self._look_from_time_to_time()

    def make_member(self) -> ClassicMember:
        return ClassicMember(self.settings)

    def make_committer(self) -> ClassicCommitter:
        return ClassicCommitter(self, CLASSIC_RULES)

    def feed(self, event: object) -> None:
        """Tell the member what happened; it may begin to stand by, or end that."""
        super().feed(event)
        if self.standing_by is not None and not self.is_dead:
            self.standing_by.follow()
            self.observer.stepped(self)

    def note_poll(self) -> None:
        """The application polls; at times it wants the group to rebalance (KIP-568)."""
        super().note_poll()
        if self.standing_by is not None:
            self.standing_by.polled()
        if self.dice.happens(Fault.REBALANCE_ENFORCED, 0.03):
            self.feed(cev.RebalanceEnforced("the application wants it"))

    def _exchange(
        self, effect: Any, api: Api, message: Any, to_event: Callable[[int, Any], Any], lost: _Lost, timeout_s: float
    ) -> Call:
        version = self.cluster.versions[api]

        def answered(frame: bytes) -> None:
            try:
                event = to_event(effect.number, read(api, frame, version))
            except DecodeError as unreadable:
                event = lost(str(unreadable))
            self.observer.heard(self, effect, event)
            self.feed(event)

        def never_answered(reason: str) -> None:
            self.observer.heard(self, effect, lost(reason))
            self.feed(lost(reason))

        connect_timeout_s = LEAVE_WAY_S if api is LEAVE_GROUP else None
        return self.network.call(
            write(api, message, self.name, version),
            answered,
            never_answered,
            timeout_s,
            connect_timeout_s=connect_timeout_s,
        )

    def _ask(self, call: Call) -> None:
        self._asked = [each for each in self._asked if not each.is_over] + [call]

    def _send_join(self, effect: cfx.SendJoinGroup) -> None:
        call_off(self._leaves)
        version = self.cluster.versions[JOIN_GROUP]
        message = to_join_group(effect, GROUP, version, with_extensions=True)
        to_event = partial(join_group.to_event, version=version)
        lost = partial(cev.JoinLost, effect.number)
        self._ask(self._exchange(effect, JOIN_GROUP, message, to_event, lost, effect.timeout_s))

    def _send_sync(self, effect: cfx.SendSyncGroup) -> None:
        message = sync_group.to_request(effect, GROUP)
        lost = partial(cev.SyncLost, effect.number)
        self._ask(self._exchange(effect, SYNC_GROUP, message, sync_group.to_event, lost, effect.timeout_s))

    def _send_heartbeat(self, effect: cfx.SendClassicHeartbeat) -> None:
        message = heartbeat.to_request(effect, GROUP)
        lost = partial(HeartbeatLost, effect.number)
        self._ask(self._exchange(effect, HEARTBEAT, message, heartbeat.to_event, lost, self.request_timeout_s))

    def _send_leave(self, effect: cfx.SendLeaveGroup) -> None:
        call_off(self._asked)
        message = leave_group.to_request(effect, GROUP, self.cluster.versions[LEAVE_GROUP])
        lost = partial(_leave_ended, effect.number)
        call = self._exchange(effect, LEAVE_GROUP, message, _leave_ended, lost, self.request_timeout_s)
        self._leaves = [each for each in self._leaves if not each.is_over] + [call]

    def _left(self, effect: fx.Left) -> None:
        call_off(self._asked)
        left(self, effect)

    def _run_assignor(self, effect: cfx.RunAssignor) -> None:
        def ended(made: GroupAssignment | str) -> None:
            failed = isinstance(made, str)
            self.feed(
                cev.AssignorFailed(effect.number, made) if failed else cev.AssignorReturned(effect.number, made)  # type: ignore[arg-type]
            )

        compute(self, effect.assignor, effect.group, ended)

    def _tell_assignor(self, effect: cfx.TellAssignor) -> None:
        if self.standing_by is not None:
            self.standing_by.assigned(effect)

    def _tell_application(self, effect: cfx.RaiseAssignorFailed) -> None:
        """It does nothing about it."""

    def _ask_for_topics(self, effect: cfx.AskForTopics) -> None:
        nodes = self.network.nodes()
        if not nodes or self.dice.happens(Fault.METADATA_LOST, 0.3):
            self.later(_LOOK_AGAIN_S, lambda: self.feed(cev.TopicsNotDescribed(effect.number, "no broker")))
            return
        node = self.dice.pick(nodes)

        def answer() -> None:
            self._see(node)
            here = {name: node.topics[name] for name in sorted(effect.topics) if name in node.topics}
            described = {name: TopicMetadata(name, image.num_partitions) for name, image in here.items()}
            ids = {name: image.topic_id for name, image in here.items()}
            found = frozenset() if effect.pattern is None else frozenset(matching(effect.pattern, node.topics))
            event = cev.TopicsDescribed(effect.number, described, found, ids)
            if effect.with_parts:
                self._ask_for_parts(event)
            else:
                self.feed(event)

        self.later(self.network.view_s(), answer)

    def _ask_for_parts(self, event: cev.TopicsDescribed) -> None:
        version = self.cluster.versions[DESCRIBE_GROUPS]

        def answered(frame: bytes) -> None:
            (group,) = describe_groups.from_response(read(DESCRIBE_GROUPS, frame, version), [GROUP]).groups
            is_refused = group.error not in (ErrorCode.NONE, ErrorCode.GROUP_ID_NOT_FOUND)
            if is_refused:
                lost(group.error.name)
            else:
                self.feed(evolve(event, parts=parts_of(group)))

        def lost(reason: str) -> None:
            self.feed(cev.TopicsNotDescribed(event.number, reason))

        frame = write(DESCRIBE_GROUPS, describe_groups.to_request([GROUP]), self.name, version)
        self._ask(self.network.call(frame, answered, lost, self.request_timeout_s))

    def _look_from_time_to_time(self) -> None:
        self._look_at_topics()
        self.later(self.settings.metadata_max_age_s, self._look_from_time_to_time)

    def _look_at_topics(self) -> None:
        nodes = self.network.nodes()
        if self._is_looking:
            return
        self._is_looking = True
        node = self.dice.pick(nodes) if nodes else None

        def answer() -> None:
            self._is_looking = False
            if node is not None:
                self._see(node)
            self.look_up()

        self.later(self.network.view_s(), answer)

    def _see(self, node: Node) -> None:
        if node.topics_version < self._view_version:
            self.dice.note(Fault.METADATA_BACKWARDS)
        self.view, self._view_version = node.topics, node.topics_version
        self._look_for_others()

    def _look_for_others(self) -> None:
        view = self.view
        for name in sorted({tp.topic for tp in self.applied} & view.keys()):
            topic_id = view[name].topic_id
            if self.topic_ids.setdefault(name, topic_id) != topic_id:
                self._begin_anew(name)

    def _begin_anew(self, name: str) -> None:
        """There is another topic under this name: its partitions are read from the first record on."""
        partitions = {tp for tp in self.applied if tp.topic == name}
        if partitions & self.stopped:  # they are being given up
            return
        self.topic_ids[name] = self.view[name].topic_id
        self.replaced |= partitions
        self.had_since.update(dict.fromkeys(partitions, self.clock()))
        for partition in sorted(partitions):
            self.consumed.pop(partition, None)
            self.positions[partition] = self.found[partition] = 0
            self.observer.begins_anew(self, partition)
        self.committer.feed_offsets(offsets_ev.AssignmentApplied(self.applied, frozenset(partitions)))

    def _apply_assignment(self, effect: fx.ApplyAssignment) -> None:
        names = {tp.topic for tp in effect.partitions}
        kept = {tp.topic for tp in effect.partitions - effect.added}
        known = {name: self.view[name].topic_id for name in names if name in self.view}
        known |= {name: topic_id for name, topic_id in self.topic_ids.items() if name in kept}
        self.replaced &= effect.partitions - effect.added
        apply_assignment(self, evolve(effect, topic_ids=tuple(sorted(known.items()))))
        self._look_for_others()
        if names - self.topic_ids.keys():
            self._look_at_topics()

    def to_look_up(self) -> frozenset[TopicPartition]:
        """Those without a position whose topics are known; the others are looked at again before long."""
        missing = super().to_look_up()
        known = frozenset(tp for tp in missing if tp.topic in self.topic_ids)
        if known != missing:
            self.later(_LOOK_AGAIN_S, self._look_at_topics)
        return known

    CARRY_OUT: ClassVar[Mapping[type, Callable[[Any, Any], None]]] = {
        **Client.CARRY_OUT,
        cfx.SendJoinGroup: _send_join,
        cfx.SendSyncGroup: _send_sync,
        cfx.SendClassicHeartbeat: _send_heartbeat,
        cfx.SendLeaveGroup: _send_leave,
        cfx.AskForTopics: _ask_for_topics,
        cfx.RunAssignor: _run_assignor,
        cfx.TellAssignor: _tell_assignor,
        cfx.RaiseAssignorFailed: _tell_application,
        fx.ApplyAssignment: _apply_assignment,
        fx.Left: _left,
    }


def _leave_ended(number: int, _answer: object = None) -> cev.LeaveEnded:
    """How a leave is answered makes no difference."""
    return cev.LeaveEnded(number)
