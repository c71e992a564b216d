"""What must hold, seen from outside: each rule that is broken is a sentence.

| rule | when it is looked at |
|---|---|
| the coordinator's invariants (``tests.verification.invariants``) | after each outcome that writes, see ``unchanged`` |
| the client's (``scenario_language.watching``) | with everything a member wants done |
| no member works on what the coordinator reserves for another | when assignments are applied, and after outcomes |
| an answer's epoch is not below the request's | when it is heard |
| nothing is committed that was not handed out | after each outcome that commits |
| what a consumer was told is committed stays so | when reading begins, and at the end |
| nothing is skipped: reading begins at or before the first record that was never handed out | when reading begins |
| the log, or what compaction left of it, leads to the state in force | when a coordinator has loaded, and at the end |
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from attrs import define, field

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.membership import effects as fx
from kafka_nextgen.membership import events as ev
from kafka_nextgen.membership.classic.effects import (
    SendClassicHeartbeat,
    SendJoinGroup,
    SendLeaveGroup,
    SendSyncGroup,
)
from kafka_nextgen.membership.classic.events import SyncAnswered
from kafka_nextgen.membership.offsets.effects import Failure
from kafka_nextgen.testing.coordinator.coordinator import Coordinator, Outcome
from kafka_nextgen.testing.coordinator.extensions.hooks import EXTENSIONS
from kafka_nextgen.testing.coordinator.group import Group
from kafka_nextgen.testing.coordinator.requests import ConsumerGroupHeartbeat, Request
from kafka_nextgen.testing.coordinator.responses import ConsumerGroupHeartbeatAnswer, Response
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition, format_topic_ids
from tests.verification.invariants.groups import violations
from tests.verification.invariants.standbys import active_violations
from tests.verification.scenario_language.watching import Watch
from tests.verification.simulation.checking import (
    answers,
    classic_steps,
    computing,
    conduct,
    leaving,
    log,
    migration,
    standbys,
)
from tests.verification.simulation.checking.classic_members import (
    ClassicWatch,
    Generations,
    Refusals,
    is_empty,
    two_readers,
    watch_of,
)
from tests.verification.simulation.checking.commits import Commits
from tests.verification.simulation.checking.excuses import Excuses, reserved
from tests.verification.simulation.checking.promises import Promises
from tests.verification.simulation.checking.unchanged import Unchanged, changes_nothing
from tests.verification.simulation.classic_clients import ClassicClient
from tests.verification.simulation.clients import Client
from tests.verification.simulation.cluster import GROUP, Cluster
from tests.verification.simulation.coverage import rule_of, transition_in
from tests.verification.simulation.member_effects import Callback
from tests.verification.simulation.nodes import Node, Standing
from tests.verification.simulation.replicas import records_of

#: Whose answers concern the members (``conduct``); how a leave is answered makes no difference.
_OF_MEMBERS = (fx.SendHeartbeat, SendJoinGroup, SendSyncGroup, SendClassicHeartbeat, SendLeaveGroup)


@define(eq=False)
class Judge:
    """Watches coordinators and clients; ``broken`` has what it found."""

    broken: list[str] = field(factory=list)
    cluster: Cluster | None = None
    clients: dict[str, Client] = field(factory=dict)  # those that live, by member id
    watches: dict[str, Watch] = field(factory=dict)
    promises: Promises = field(factory=Promises)
    full_heartbeats: int = 0  # with the JoinGroups of members
    generations: Generations = field(factory=Generations)
    refusals: Refusals = field(factory=Refusals)
    excuses: Excuses = field(factory=Excuses)
    unchanged: Unchanged = field(factory=Unchanged)
    _idle_answer: Response | None = None  # to the request worked out last, if it changed nothing
    met: Counter[str] = field(factory=Counter)  # see ``coverage``
    members: conduct.Members = field(factory=conduct.Members)
    commits_made: Commits = field(factory=Commits)
    conduct: conduct.Conduct = field(factory=conduct.Conduct)

    def watch(self, client: Client) -> None:
        """Watch a client from its beginning."""
        self.clients[client.name] = client
        self.watches[client.name] = watch_of(client)

    def forget(self, client: Client) -> None:
        del self.clients[client.name]
        del self.watches[client.name]

    def _find(self, what: Iterable[str]) -> None:
        self.broken.extend(what)

    def in_force(self, node: Node, request: Request | None, outcome: Outcome) -> None:
        """An outcome was appended and put into force."""
        self.unchanged.in_force(outcome)
        if not (outcome.records or outcome.classic) or not node.is_at_work:
            return
        coordinator = node.coordinator
        assert coordinator is not None, "it has just worked"
        group = coordinator.groups.get(GROUP) or Group(GROUP, node.settings.behaviour.first_epoch)
        if self.unchanged.is_new(coordinator, group):
            self._find(violations(group, coordinator.topics, coordinator.timers.running()))
            self._find(active_violations(group, coordinator.settings.group_target_size))
        self._find(classic_steps.in_force(group, request, outcome))
        if is_empty(group):
            self._may_begin_again()
        if outcome.records:
            self._written(node, coordinator, group, request, outcome)

    def _may_begin_again(self) -> None:
        """The group is empty, so the next one may count its generations from the first."""
        self.generations.begin_again()
        for watch in self.watches.values():
            if isinstance(watch, ClassicWatch):
                watch.settled.clear()

    def _written(
        self, node: Node, coordinator: Coordinator, group: Group, request: Request | None, outcome: Outcome
    ) -> None:
        """An outcome that changes more than where a classic group stands."""
        self._find(answers.in_force(coordinator, node.topics))
        self._find(log.written(coordinator, node.replica.batches[-1], outcome))
        if transition := transition_in(outcome):
            self.met[transition] += 1
        clients = {client: self.watches[client.name] for client in self.clients.values()}
        known = coordinator.topics.by_id.keys()
        if node.controller.is_led_by(node):  # else no member will hear of it
            self.excuses.granted(outcome)
        self.excuses.in_force(group, request, node.is_serving_late, outcome, clients, known)
        self._find(self.promises.in_force(node, group, request, outcome, self.excuses))
        self._look_for_trespassers(node)

    def asked(self, node: Node, request: Request, outcome: Outcome) -> None:
        """A request was worked out, and nothing of it is in force yet."""
        assert node.coordinator is not None, "it has just worked"
        self._find(answers.asked(node.coordinator, request, outcome, node.timeline.now))
        group = node.coordinator.groups.get(GROUP) or Group(GROUP, 0)
        self._find(classic_steps.accepted(group, request, outcome))
        self._find(classic_steps.fenced(group, request, outcome))
        self._find(classic_steps.asked(group, request, outcome))
        self._find(migration.asked(node.coordinator, group, request, outcome, node.timeline.now))
        self._find(computing.asked(group, request, outcome))
        self._find(leaving.asked(node.coordinator, group, request, outcome, node.timeline.now))
        self._find(standbys.asked(group, request, outcome))
        self.excuses.asked(group, request)
        self._idle_answer = outcome.response if changes_nothing(node.coordinator, GROUP, outcome) else None

    def expired(self, node: Node, outcome: Outcome) -> None:
        """Timers ran out, and nothing that comes of it is in force yet."""
        assert node.coordinator is not None, "it has just worked"
        group = node.coordinator.groups.get(GROUP) or Group(GROUP, 0)
        self._find(migration.asked(node.coordinator, group, None, outcome, node.timeline.now))
        self._find(leaving.asked(node.coordinator, group, None, outcome, node.timeline.now))
        self._find(standbys.asked(group, None, outcome))

    def worked_out(self, node: Node, request: Request, response: Response | None) -> None:
        """What a request wrote is in force."""
        if isinstance(request, ConsumerGroupHeartbeat) and isinstance(response, ConsumerGroupHeartbeatAnswer):
            failed = response.error is ErrorCode.UNKNOWN_SERVER_ERROR  # an assignor did, and need not the next time
            if node.coordinator is not None and not failed and response is not self._idle_answer:
                self._find(answers.repeated(node.coordinator, request, node.timeline.now))
            rule = rule_of(request, response.error)
            if rule is not None:
                self.met[rule] += 1

    def loaded(self, node: Node) -> None:
        """A coordinator has read its log."""
        self.check_log(node)

    def check_log(self, node: Node) -> None:
        """The log of an active coordinator leads to its state."""
        coordinator = node.coordinator
        if coordinator is None or node.standing is not Standing.ACTIVE:
            return
        reader = Coordinator(node.settings, EXTENSIONS)
        for batch in node.replica.batches:
            for record in records_of(batch):
                reader.apply(record)
        if reader.groups != coordinator.groups:
            self._find(["the log leads to another state than the current one"])
        self._find(log.compacted(coordinator, node.replica))
        self._find(classic_steps.left_waiting(coordinator.groups.get(GROUP) or Group(GROUP, 0), node.parked))

    def _look_for_trespassers(self, node: Node) -> None:
        """Of those that the leader counts as members, each works on nothing but what is reserved for it."""
        assert self.cluster is not None
        if node is not self.cluster.leading or node.coordinator is None or node.standing is not Standing.ACTIVE:
            return
        group = node.coordinator.groups.get(GROUP)
        if group is None:
            return
        self._find(two_readers(self.clients.values(), self.watches, group, self.cluster.names))
        for client in self.clients.values():
            if client.member_id not in group.currents or client.is_dead:
                continue
            working_on = self.watches[client.name].working_on
            beyond = self.excuses.but_for(client, working_on, reserved(group, client.member_id), self.cluster)
            if beyond:
                where = format_topic_ids(beyond, self.cluster.names)
                self._find([f"{client.name} works on {where}, which the coordinator does not reserve for it"])

    def wanted(self, client: Client, effect: object) -> None:
        """A member wants something done."""
        watch = self.watches.get(client.name)
        if watch is None:
            return
        watch.sees(effect)
        self._find(self.members.wanted(client, effect))
        self._find(self.conduct.wanted(client, effect))
        self.refusals.wanted(client, effect)
        self.generations.wanted(client, effect)
        self.full_heartbeats += isinstance(effect, SendJoinGroup) and watch.published_epoch > 0
        if isinstance(effect, fx.SendHeartbeat) and effect.full and effect.owned:  # who has nothing always says all
            self.full_heartbeats += 1
        if isinstance(effect, fx.ApplyAssignment):
            assert self.cluster is not None
            if self.cluster.leading is not None:
                self._look_for_trespassers(self.cluster.leading)
        self._take(client, watch)

    def stepped(self, client: ClassicClient) -> None:
        """A classic member that may stand by has carried out an event."""
        watch = self.watches.get(client.name)
        if isinstance(watch, ClassicWatch):
            self._find(f"{client.name} {what}" for what in watch.hot_standbys.stepped(watch.applied))

    def told_to_stand_by(self, client: ClassicClient, partitions: Iterable[TopicPartition]) -> None:
        """Its application is told what it may get."""
        watch = self.watches.get(client.name)
        if isinstance(watch, ClassicWatch):
            self._find(f"{client.name} {what}" for what in watch.hot_standbys.told(partitions))

    def called_back(self, client: Client, callback: Callback, failed: bool) -> None:
        """A callback ended."""
        watch = self.watches.get(client.name)
        if watch is not None:
            watch.callback_ended(callback, failed)
            self._take(client, watch)

    def _take(self, client: Client, watch: Watch) -> None:
        if watch.broken:
            self._find(f"{client.name}: {rule}" for rule in watch.broken)
            watch.broken.clear()

    def heard(self, client: Client, request: object, answer: object) -> None:
        """An answer arrived."""
        watch = self.watches.get(client.name)
        if not isinstance(request, _OF_MEMBERS):
            self.commits_made.heard(client, request, answer)
        self.conduct.heard(client, request, answer)
        if isinstance(answer, SyncAnswered) or (
            isinstance(answer, ev.HeartbeatAnswered) and answer.assignment is not None
        ):
            self.excuses.told(client, answer.number)
        if isinstance(watch, ClassicWatch):
            watch.heard(request, answer)
            self._find(self.generations.heard(client, request, answer))
            self._take(client, watch)
        if watch is None or not isinstance(request, fx.SendHeartbeat):
            return
        self.members.heard(client, answer, watch.in_flight)
        if isinstance(answer, ev.HeartbeatAnswered):
            watch.answered(answer.number, True, answer.assignment)
            if 0 < answer.member_epoch < request.member_epoch:
                self._find([f"{client.name} asked at {request.member_epoch} and was answered {answer.member_epoch}"])
        elif isinstance(answer, ev.HeartbeatRefused | ev.HeartbeatLost):
            watch.answered(answer.number, False)

    def looks_up(self, client: Client, partitions: Iterable[TopicPartition]) -> None:
        """A client asks for committed offsets."""
        self.promises.looks_up(client, partitions)

    def begins_at(self, client: Client, partition: TopicPartition, offset: int) -> None:
        """Reading of a partition begins."""
        self.commits_made.begins(client, partition, offset)
        self._find(self.promises.begins_at(client, partition, offset))

    def begins_anew(self, client: Client, partition: TopicPartition) -> None:
        """Reading of a partition begins at its first record."""
        self.promises.begins_anew(client, partition)

    def sought(self, client: Client, partition: TopicPartition, offset: int) -> None:
        """Reading goes on elsewhere."""
        self.promises.sought(client, partition, offset)

    def handed_out(self, client: Client, partition: TopicPartition, first: int, end: int) -> None:
        """The application got records."""
        self.promises.handed_out(client, partition, end)
        self.commits_made.handed_out(client, partition, end)

    def told_committed(self, client: Client, offsets: Mapping[TopicPartition, OffsetAndMetadata]) -> None:
        """The application was told that these are committed."""
        assert self.cluster is not None
        self._find(self.commits_made.told(client, offsets))
        self._find(self.promises.told_committed(client, offsets, self.cluster))

    def asks(self, client: Client) -> None:
        """A request is made."""
        self._find(self.commits_made.asks(client))

    def commits(self, client: Client, offsets: Mapping[TopicPartition, OffsetAndMetadata]) -> None:
        """A commit is sent."""
        self.promises.commits(client, offsets)
        self._find(conduct.commits(client, offsets))
        self._find(self.commits_made.sent(client, offsets))

    def commit_lost(self, client: Client, offsets: Mapping[TopicPartition, OffsetAndMetadata]) -> None:
        """A commit has no answer."""
        self.commits_made.is_over(client, offsets)

    def failed(self, client: Client, asked: object, failure: Failure, after_s: float) -> None:
        """A commit or a lookup failed."""
        self._find(conduct.failed(client, asked, failure, after_s))

    def check_promises(self, node: Node) -> None:
        """What was told to be committed is still there, or more."""
        assert self.cluster is not None
        self._find(self.promises.kept(node, self.cluster))
