"""What clients of the classic protocol owe to their group and their application: beside ``classic_members``.

| rule | when it is looked at |
|---|---|
| a member that leaves says so, but for static ones, and those whose application leaves silently | when it has left |
| a leader gives out all that it saw, once; but for what is to be given up first | when a SyncGroup is sent |
| a member that was given an id joins with it | when a JoinGroup is sent |
| a member with a pattern looks at topics before it joins | when a JoinGroup is sent |
| a member that is subscribed to other topics than it joined with joins again | when a heartbeat is sent |
| a leader looks at topics as often as it has to | when a heartbeat is sent |
| a static member that came back compares its assignment, if it leads or lacks a topic | when a heartbeat is sent |
| what an application was told of does not go without a callback | when assignments are applied |
| a callback that raised does not count as done | when a heartbeat is sent |
"""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

from attrs import define

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.membership.classic import effects as cfx
from kafka_nextgen.membership.classic import events as cev
from kafka_nextgen.membership.classic.states import Status
from kafka_nextgen.membership.effects import ApplyAssignment, CallOnLost, Left, PublishEpoch
from kafka_nextgen.membership.events import HeartbeatRefused
from kafka_nextgen.membership.states import Phase
from kafka_nextgen.membership.timers import Timer
from kafka_nextgen.types import TopicPartition
from tests.verification.scenario_language.watching import Watch
from tests.verification.simulation.classic_clients import ClassicClient


@define
class ClassicConduct:
    client: ClassicClient
    is_in: bool = False  # it was a member, and nothing has put it out
    leads: bool = False
    skips: bool = False  # it leads, and was told to keep the assignment
    has_looked: bool = False  # since it joined
    new_id: str = ""  # that it was just given, to join with
    joined_topics: frozenset[str] = frozenset()
    is_back: bool = False  # a static member joined without an id, and has not synced since
    must_compare: bool = False  # it came back to an assignment that it leads, or that lacks a topic

    def wanted(self, effect: object, watch: Watch) -> Iterator[str]:
        """The member wants something done, of which nothing has been noted yet."""
        match effect:
            case cfx.SendSyncGroup():
                yield from self._assigns(effect)
            case cfx.SendJoinGroup():
                yield from self._joins(effect)
            case cfx.SendClassicHeartbeat():
                yield from self._watches()
                yield from self._compares()
                yield from self._joined_with()
                yield from self._calls_again(watch)
            case cfx.AskForTopics():
                self.has_looked = True
                self.must_compare = self.must_compare and not effect.with_parts
            case ApplyAssignment() if watch.told - watch.doubtful - effect.partitions:
                yield "partitions that the application has go without a callback"
            case Left() if self.is_in and not (self.client.is_static or self.client.leaves_silently):
                yield "a member leaves, and does not say so"
            case PublishEpoch():
                self.is_in = effect.member_epoch > 0 or (self.is_in and bool(effect.member_id))
            case cfx.SendLeaveGroup() | CallOnLost() | Left():
                self.is_in, self.new_id = False, ""

    def _joins(self, effect: cfx.SendJoinGroup) -> Iterator[str]:
        subscription = self.client.member.state.subscription
        if subscription is not None and subscription.pattern is not None and not self.has_looked:
            yield "a member joins, and has not looked at what its pattern matches"
        if self.new_id and effect.member_id != self.new_id:
            yield "a member that was given an id joins without it"
        self.new_id = ""
        self.has_looked, self.joined_topics = False, effect.subscription.topics
        self.is_back = self.is_back or (self.client.is_static and not effect.member_id)
        self.must_compare = False

    def _joined_with(self) -> Iterator[str]:
        state = self.client.member.state
        wanted = state.subscription if self._is_at_rest else None
        if wanted is not None and wanted.pattern is None and wanted.topics != self.joined_topics:
            yield "a member is subscribed to other topics than it joined with"

    @property
    def _is_at_rest(self) -> bool:
        state = self.client.member.state
        is_settled = state.status is Status.STABLE and state.phase is Phase.IDLE and not state.must_rejoin
        return is_settled and not self.client.callbacks

    def _assigns(self, effect: cfx.SendSyncGroup) -> Iterator[str]:
        state = self.client.member.state
        if not effect.assignments or effect.strategy in self.client.settings.local_assignors:
            return
        topics = (state.watched or {}).items()
        seen = {TopicPartition(name, number) for name, topic in topics for number in range(topic.num_partitions)}
        given = [partition for part in effect.assignments for partition in part.partitions]
        owned = {partition for each in state.roster for partition in each.subscription.owned}
        if len(given) != len(set(given)) or not set(given) <= seen:
            yield "a leader gives out what it did not see, or twice"
        if not seen - set(given) <= owned:
            yield "a leader does not give out all that it saw"

    def _watches(self) -> Iterator[str]:
        if self.leads and self._is_at_rest and self._looks_in_s > self.client.settings.metadata_max_age_s:
            yield f"a leader does not look at topics within {self.client.settings.metadata_max_age_s:g} s"

    @property
    def _looks_in_s(self) -> float:
        state = self.client.member.state
        looks_at = min(state.deadlines.get(timer, inf) for timer in (Timer.WATCH, Timer.TOPICS))
        return 0.0 if state.asked is not None else looks_at - self.client.clock()

    def _compares(self) -> Iterator[str]:
        if self.must_compare and self._is_at_rest and self._looks_in_s > 0.0:
            yield "a static member that came back does not compare its assignment"

    def _calls_again(self, watch: Watch) -> Iterator[str]:
        if self._is_at_rest and watch.doubtful & watch.applied - watch.stopped:
            yield "a callback that raised counts as done"

    def heard(self, answer: object) -> None:
        if isinstance(answer, HeartbeatRefused | cev.JoinRefused | cev.SyncRefused):
            self.is_in = False
        if isinstance(answer, cev.JoinRefused) and answer.number == self.client.member.state.request:
            self.new_id = answer.member_id if answer.code == ErrorCode.MEMBER_ID_REQUIRED else ""
        if isinstance(answer, cev.JoinAnswered):
            self.leads = answer.leader_id == answer.member_id
            self.skips = self.leads and answer.skip_assignment
        if isinstance(answer, cev.SyncAnswered) and answer.number == self.client.member.state.request:
            lacks_topic = not self.joined_topics <= {tp.topic for tp in answer.partitions}
            is_doubtful = self.skips or (lacks_topic and not self.leads)
            self.must_compare, self.is_back = self.is_back and is_doubtful, False
