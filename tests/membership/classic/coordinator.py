"""The coordinator's own machine, asked by members' machines: every request and answer goes through its bytes.

It is told who asks by a place (the client's number) and a request, and answers with pairs of a place and an event; a
parked request is answered later, with what somebody else's request, or time, brings about.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from attrs import define, field

from kafka_nextgen.bridge import heartbeat, join_group, leave_group, sync_group
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.coordinator.classic.group import ClassicGroup
from kafka_nextgen.coordinator.classic.requests import LeaveGroup, LeavingMember
from kafka_nextgen.coordinator.classic.responses import HeartbeatAnswer, JoinGroupAnswer, Parked, SyncGroupAnswer
from kafka_nextgen.coordinator.requests import OffsetCommit
from kafka_nextgen.coordinator.responses import OffsetsCommitted, Response
from kafka_nextgen.coordinator.settings import CoordinatorSettings
from kafka_nextgen.membership.classic.effects import SendClassicHeartbeat, SendJoinGroup, SendLeaveGroup, SendSyncGroup
from kafka_nextgen.membership.classic.events import ClassicEvent, LeaveEnded
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition
from kafka_nextgen.wire.apis import HEARTBEAT, JOIN_GROUP, LEAVE_GROUP, SYNC_GROUP
from tests.bridge.over_the_wire import answered, asked
from tests.scenario_language.host import CoordinatorHost
from tests.scenario_language.world import GROUP

Request = SendJoinGroup | SendSyncGroup | SendClassicHeartbeat | SendLeaveGroup
Answers = list[tuple[int, ClassicEvent]]

JOIN, SYNC, BEAT, LEAVE = (api.max_version for api in (JOIN_GROUP, SYNC_GROUP, HEARTBEAT, LEAVE_GROUP))


@define
class WholeCoordinator:
    host: CoordinatorHost = field(
        factory=lambda: CoordinatorHost(CoordinatorSettings(group_initial_rebalance_delay_ms=0))
    )
    parked: dict[int, tuple[int, SendJoinGroup | SendSyncGroup]] = field(factory=dict)
    asked: int = 0

    @property
    def group(self) -> ClassicGroup | None:
        return self.host.group.classic

    @property
    def known(self) -> Collection[str]:
        return self.group.members if self.group is not None else ()

    @property
    def generation(self) -> int:
        return self.group.generation if self.group is not None else 0

    def handle(self, place: int, request: Request) -> Answers:
        if isinstance(request, SendJoinGroup | SendSyncGroup):
            return self._park(place, request)
        if isinstance(request, SendLeaveGroup):
            message = asked(leave_group.to_request(request, GROUP, LEAVE), LEAVE)
            self.host.ask(leave_group.from_request(message))
            return [(place, LeaveEnded(request.number)), *self._released()]
        return [(place, self._beat(request)), *self._released()]

    def _beat(self, request: SendClassicHeartbeat) -> ClassicEvent:
        message = asked(heartbeat.to_request(request, GROUP), BEAT)
        answer = self.host.ask(heartbeat.from_request(message)).response
        assert isinstance(answer, HeartbeatAnswer)
        return heartbeat.to_event(request.number, answered(HEARTBEAT, heartbeat.to_response(answer), BEAT))

    def _park(self, place: int, request: SendJoinGroup | SendSyncGroup) -> Answers:
        self.asked += 1
        self.parked[self.asked] = (place, request)
        if isinstance(request, SendJoinGroup):
            join = asked(join_group.to_request(request, GROUP, JOIN), JOIN)
            outcome = self.host.ask(join_group.from_request(join, self.asked, "c", "h", f"id-{self.asked}"))
        else:
            sync = asked(sync_group.to_request(request, GROUP), SYNC)
            outcome = self.host.ask(sync_group.from_request(sync, self.asked))
        at_once = () if isinstance(outcome.response, Parked) else ((self.asked, outcome.response),)
        return [*self._answers(at_once), *self._released()]

    def _released(self) -> Answers:
        released, self.host.released = self.host.released, []
        return self._answers(released)

    def _answers(self, answers: Iterable[tuple[int, Response | None]]) -> Answers:
        found: Answers = []
        for number, answer in answers:
            place, request = self.parked.pop(number)
            if isinstance(answer, JoinGroupAnswer):
                message = answered(JOIN_GROUP, join_group.to_response(answer, JOIN), JOIN)
                found.append((place, join_group.to_event(request.number, message)))
            elif isinstance(answer, SyncGroupAnswer):
                message = answered(SYNC_GROUP, sync_group.to_response(answer), SYNC)
                found.append((place, sync_group.to_event(request.number, message)))
        self.host.check()
        return found

    def commit(self, member_id: str, instance_id: str | None, generation: int) -> ErrorCode:
        """Take an offset of a member; what came of it."""
        partition = TopicPartition("orders", 0)
        request = OffsetCommit(GROUP, {partition: OffsetAndMetadata(1)}, member_id, generation, instance_id)
        answer = self.host.ask(request).response
        assert isinstance(answer, OffsetsCommitted)
        return answer.errors[partition]

    def remove(self, member_id: str) -> Answers:
        """An administrator removes the member."""
        self.host.ask(LeaveGroup(GROUP, (LeavingMember(member_id),)))
        return self._released()

    def pass_time(self, seconds: float) -> Answers:
        for _ in self.host.pass_time(seconds):
            pass
        return self._released()
