"""Random walks of members that compute their group's assignment: they come with this and that, say true and untrue
things, fall silent in the midst of it, install nonsense, and coordinators fail over.

After every step the invariants hold and the log alone gives the same state. Once everybody does what it is told, there
is a target, made by a member if all have an assignor in common, else by the coordinator.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from typing import Any

from attrs import define, field
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kafka_nextgen.assignors import AssignmentSpec, MemberAssignment, Metadata, UniformAssignor
from kafka_nextgen.assignors.spec import ClientAssignor
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.coordinator.describe import state_of
from kafka_nextgen.coordinator.extensions.assignor_selection import common_assignor
from kafka_nextgen.coordinator.extensions.requests import InstallAssignment, PrepareAssignment
from kafka_nextgen.coordinator.extensions.responses import AssignmentPrepared
from kafka_nextgen.coordinator.requests import ConsumerGroupHeartbeat
from kafka_nextgen.coordinator.responses import ConsumerGroupHeartbeatAnswer
from kafka_nextgen.coordinator.settings import CoordinatorSettings, Profile
from kafka_nextgen.types import TopicIdPartition
from tests.coordinator.stage import GROUP, Stage
from tests.coordinator.walk_steps import step
from tests.support.examples import examples

MEMBERS = ["A", "B", "C", "D"]
INSTANCES = {"C": "one", "D": "one"}


@define
class Member:
    """A member as itself sees it."""

    epoch: int = 0
    owned: frozenset[TopicIdPartition] = frozenset()
    assignors: tuple[ClientAssignor, ...] = ()
    is_in: bool = False
    prepared: AssignmentPrepared | None = None


@define
class Walk:
    stage: Stage
    members: dict[str, Member] = field(factory=lambda: {name: Member() for name in MEMBERS})

    def join(self, name: str, assignors: tuple[ClientAssignor, ...]) -> None:
        self.members[name] = Member(assignors=assignors)
        self.beat(name, joins=True)

    def beat(self, name: str, *, joins: bool = False, assignors: tuple[ClientAssignor, ...] | None = None) -> None:
        """A heartbeat that says everything."""
        member = self.members[name]
        if not member.is_in and not joins:
            return
        request = ConsumerGroupHeartbeat(
            GROUP,
            name,
            member.epoch,
            instance_id=INSTANCES.get(name),
            rebalance_timeout_ms=10_000,
            subscribed_topics=frozenset({"foo"}),
            client_assignors=member.assignors if assignors is None else assignors,
            owned=member.owned,
        )
        answer = self.stage.ask(request).response
        assert isinstance(answer, ConsumerGroupHeartbeatAnswer)
        if answer.error is ErrorCode.UNSUPPORTED_ASSIGNOR and assignors is not None:
            return
        self._hear(name, answer)
        if assignors is not None and self.members[name].is_in:
            self.members[name].assignors = assignors

    def _hear(self, name: str, answer: ConsumerGroupHeartbeatAnswer) -> None:
        if answer.error is not ErrorCode.NONE:
            self.members[name] = Member()
            return
        member = self.members[name]
        member.is_in, member.epoch = True, answer.member_epoch
        if answer.assignment is not None:
            member.owned = answer.assignment

    def say(self, name: str, payload: bytes, reason: int) -> None:
        said = (
            ClientAssignor(
                each.name, each.minimum_version, each.maximum_version, reason, Metadata(each.metadata.version, payload)
            )
            for each in self.members[name].assignors
        )
        self.beat(name, assignors=tuple(said))

    def prepare(self, name: str) -> None:
        answer = self.stage.ask(PrepareAssignment(GROUP, name, self.members[name].epoch)).response
        assert isinstance(answer, AssignmentPrepared)
        if answer.error is ErrorCode.NONE:
            self.members[name].prepared = answer

    def install(self, name: str, error: int) -> None:
        """What the member's assignor made of the group as it was told to it."""
        prepared = self.members[name].prepared
        if prepared is None:
            return
        spec = AssignmentSpec({each: member.spec for each, member in prepared.members.items()}, prepared.topics)
        self._install(name, prepared.group_epoch, UniformAssignor().assign(spec).members, error)

    def install_nonsense(self, name: str, stranger: str, epoch: int) -> None:
        self._install(name, epoch, {stranger: MemberAssignment()}, 0)

    def give_up(self, name: str) -> None:
        epoch = self.members[name].epoch
        self.stage.ask(InstallAssignment(GROUP, name, epoch, 0, message="it raised"))

    def _install(self, name: str, group_epoch: int, members: Any, error: int) -> None:
        epoch = self.members[name].epoch
        self.stage.ask(InstallAssignment(GROUP, name, epoch, group_epoch, error, members))

    def go(self, name: str, epoch: int) -> None:
        if self.members[name].is_in:
            instance_id = INSTANCES.get(name)
            self.stage.ask(ConsumerGroupHeartbeat(GROUP, name, epoch if instance_id else -1, instance_id=instance_id))
            self.members[name] = Member()

    def tick(self, seconds: float) -> None:
        for _ in self.stage.pass_time(seconds):
            self.stage.check()

    def settle(self) -> None:
        """Those who are gone are forgotten. Everybody says what asks for another attempt, and goes through with it."""
        for word in (b"hear me", b"at last"):
            for _ in range(6):
                for name in MEMBERS:
                    self.beat(name)
                    self.prepare(name)
                    self.install(name, 0)
                    self.stage.check()
                self.tick(9.0)
            for name in MEMBERS:
                self.say(name, word, 0)
        for name in MEMBERS * 3:
            self.beat(name)
            self.prepare(name)
            self.install(name, 0)
            self.stage.check()
            self.tick(1.0)


Step = Callable[[Walk], None]

names = st.sampled_from(MEMBERS)
versions = st.sampled_from([(0, 1, 0), (0, 1, 1), (1, 2, 1), (-1, 2, 2), (3, 3, 3)])
offers = st.builds(
    lambda name, version: ClientAssignor(name, version[0], version[1], metadata=Metadata(version[2])),
    st.sampled_from(["this", "that"]),
    versions,
)
assignors = st.lists(offers, max_size=2, unique_by=lambda assignor: assignor.name).map(tuple)


joins = step(Walk.join, names, st.just((ClientAssignor("this"),)) | assignors)
computing = st.one_of(step(Walk.prepare, names), step(Walk.install, names, st.sampled_from([0, 0, 2])))
rest = st.one_of(
    step(Walk.beat, names),
    step(Walk.say, names, st.binary(max_size=1), st.integers(0, 1)),
    step(Walk.install_nonsense, names, names, st.integers(0, 5)),
    step(Walk.give_up, names),
    step(Walk.go, names, st.sampled_from([-1, -2])),
    step(Walk.tick, st.sampled_from([0.5, 5.0, 11.0, 46.0])),
    st.just(lambda walk: walk.stage.fail_over()),
    st.just(lambda walk: walk.stage.set_topic("foo", walk.stage.topics["foo"].num_partitions + 1)),
)
walks = st.lists(st.tuples(joins, computing, rest, computing, rest), min_size=2, max_size=8)


@settings(max_examples=examples(40), suppress_health_check=list(HealthCheck))
@given(st.sampled_from([Profile.V4_0, Profile.V4_3]), st.sampled_from([0, 1000]), walks)
def test_whoever_computes_and_fails_the_group_comes_to_a_target(
    profile: Profile, interval_ms: int, walk: list[tuple[Step, ...]]
) -> None:
    settings = CoordinatorSettings(profile=profile, group_consumer_assignment_interval_ms=interval_ms, extensions=True)
    walker = Walk(Stage(settings))
    walker.stage.set_topic("foo", 3)
    for take_step in chain.from_iterable(walk):
        take_step(walker)
        walker.stage.check()
    walker.settle()
    group = walker.stage.group
    assert state_of(group) in ("Stable", "Empty")
    if group.members:
        assert group.client_assignor == common_assignor(group, settings)
