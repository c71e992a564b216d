"""Random walks: members join, say true and untrue things, fall silent, topics come and go, coordinators fail over.

After every step the invariants hold and the log alone gives the same state; once the disturbances end and every member
does what it is told, the group settles and then stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable

from attrs import define, field
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.coordinator.describe import state_of
from kafka_nextgen.coordinator.requests import ConsumerGroupHeartbeat, OffsetCommit
from kafka_nextgen.coordinator.responses import ConsumerGroupHeartbeatAnswer
from kafka_nextgen.coordinator.settings import CoordinatorSettings, Profile
from kafka_nextgen.types import OffsetAndMetadata, TopicIdPartition, TopicPartition
from tests.coordinator.stage import GROUP, Stage

MEMBERS = ["A", "B", "C", "D"]
INSTANCES = {"C": "one", "D": "one"}
TOPICS = ["foo", "bar", "baz"]


@define
class Member:
    """A member as itself sees it: what it was told, and what it still works with."""

    member_id: str
    epoch: int = 0
    told: frozenset[TopicIdPartition] = frozenset()
    owned: frozenset[TopicIdPartition] = frozenset()


@define
class Walk:
    stage: Stage
    members: dict[str, Member] = field(factory=lambda: {name: Member(name) for name in MEMBERS})

    def join(self, name: str, topics: frozenset[str], pattern: str | None = None) -> None:
        self.members[name] = Member(name)
        self.say(name, subscribed_topics=topics, subscribed_pattern=pattern, rebalance_timeout_ms=30_000)

    def beat(self, name: str) -> None:
        """A well-behaved heartbeat: take what was told, and say so."""
        member = self.members[name]
        if member.epoch > 0:
            member.owned = member.told
            self.say(name)

    def say(self, name: str, **more: object) -> None:
        member = self.members[name]
        request = ConsumerGroupHeartbeat(
            GROUP, name, member.epoch, instance_id=INSTANCES.get(name), owned=member.owned, **more
        )
        answer = self.stage.ask(request).response
        assert isinstance(answer, ConsumerGroupHeartbeatAnswer)
        if answer.error is not ErrorCode.NONE:
            assert answer.error is not ErrorCode.UNKNOWN_SERVER_ERROR, answer
            self.members[name] = Member(name)  # thrown out, in one way or another
            return
        member.epoch = answer.member_epoch
        if answer.assignment is not None:
            member.told = answer.assignment
            member.owned &= member.told

    def mumble(self, name: str, epoch: int, owned: frozenset[TopicIdPartition] | None) -> None:
        """A message from the past, or from a liar. What is answered gets lost."""
        self.stage.ask(
            ConsumerGroupHeartbeat(GROUP, name, epoch, instance_id=INSTANCES.get(name), owned=owned, client_id="")
        )

    def resubscribe(self, name: str, topics: frozenset[str], pattern: str | None) -> None:
        if self.members[name].epoch > 0:
            self.say(name, subscribed_topics=topics, subscribed_pattern=pattern)

    def go(self, name: str, epoch: int) -> None:
        self.mumble(name, epoch if name in INSTANCES else -1, None)
        self.members[name] = Member(name)

    def commit(self, name: str, epoch: int, topic: str) -> None:
        offsets = {TopicPartition(topic, 0): OffsetAndMetadata(1)}
        self.stage.ask(OffsetCommit(GROUP, offsets, name, epoch))

    def grow(self, topic: str, by: int) -> None:
        known = self.stage.topics.get(topic)
        self.stage.set_topic(topic, (known.num_partitions if known else 0) + by)

    def recreate(self, topic: str, partitions: int) -> None:
        self.stage.set_topic(topic, partitions, anew=True)

    def drop(self, topic: str) -> None:
        if topic in self.stage.topics:
            self.stage.delete_topic(topic)

    def tick(self, seconds: float) -> None:
        for _ in self.stage.pass_time(seconds):
            self.stage.check()

    def fail_over(self) -> None:
        self.stage.fail_over()

    def settle(self) -> None:
        """No more disturbances: live members heartbeat every second, those silent for long are expelled."""
        for _ in range(60):
            for name in MEMBERS:
                self.beat(name)
                self.stage.check()
            self.tick(1.0)
        assert state_of(self.stage.group) in ("Stable", "Empty")


names = st.sampled_from(MEMBERS)
topics = st.sampled_from(TOPICS)
subscriptions = st.frozensets(topics, max_size=3)
patterns = st.sampled_from([None, "", "ba.", "f.*", "nothing"])
owned_sets = st.none() | st.just(frozenset())

steps = st.one_of(
    st.builds(lambda *a: lambda walk: walk.join(*a), names, subscriptions, patterns),
    *[st.builds(lambda name: lambda walk: walk.beat(name), names)] * 4,
    st.builds(lambda *a: lambda walk: walk.mumble(*a), names, st.integers(-2, 12), owned_sets),
    st.builds(lambda *a: lambda walk: walk.resubscribe(*a), names, subscriptions, patterns),
    st.builds(lambda *a: lambda walk: walk.go(*a), names, st.sampled_from([-1, -2])),
    st.builds(lambda *a: lambda walk: walk.commit(*a), names, st.integers(-1, 12), topics),
    st.builds(lambda *a: lambda walk: walk.grow(*a), topics, st.integers(1, 3)),
    st.builds(lambda *a: lambda walk: walk.recreate(*a), topics, st.integers(1, 4)),
    st.builds(lambda topic: lambda walk: walk.drop(topic), topics),
    st.builds(lambda s: lambda walk: walk.tick(s), st.sampled_from([0.0, 0.5, 5.0, 20.0, 46.0])),
    st.builds(lambda: lambda walk: walk.fail_over()),
)


@settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.sampled_from(Profile),
    st.sampled_from([0, 1000]),
    st.lists(steps, min_size=10, max_size=60),
)
def test_whatever_happens_the_invariants_hold_and_the_group_settles(
    profile: Profile, interval_ms: int, walk: list[Callable[[Walk], None]]
) -> None:
    walker = Walk(Stage(CoordinatorSettings(profile=profile, group_consumer_assignment_interval_ms=interval_ms)))
    walker.grow("foo", 3)
    for step in walk:
        step(walker)
        walker.stage.check()
    walker.settle()

    before = list(walker.stage.log)
    for name in MEMBERS:
        walker.beat(name)
    assert walker.stage.log == before, "a settled group writes nothing"
