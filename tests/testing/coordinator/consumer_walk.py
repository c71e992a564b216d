"""Random walks of a consumer group: what its members do and believe, and what must hold."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Any

from attrs import define, field
from hypothesis import strategies as st

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.testing.coordinator.describe import state_of
from kafka_nextgen.testing.coordinator.requests import ConsumerGroupHeartbeat, OffsetCommit
from kafka_nextgen.testing.coordinator.responses import ConsumerGroupHeartbeatAnswer
from kafka_nextgen.types import OffsetAndMetadata, TopicIdPartition, TopicPartition
from tests.testing.coordinator.stage import GROUP, Stage
from tests.testing.coordinator.walk_steps import Step, step

MEMBERS = ["A", "B", "C", "D", "E"]
INSTANCES = {"D": "one", "E": "one"}
TOPICS = ["foo", "bar", "baz"]

THROWN_OUT = {
    ErrorCode.FENCED_INSTANCE_ID,
    ErrorCode.FENCED_MEMBER_EPOCH,
    ErrorCode.UNKNOWN_MEMBER_ID,
    ErrorCode.UNRELEASED_INSTANCE_ID,
    ErrorCode.GROUP_ID_NOT_FOUND,
}


@define
class Member:
    """A member as itself sees it. ``owned`` is what it works with; it follows ``told`` when the member gets to it."""

    member_id: str
    epoch: int = 0
    told: frozenset[TopicIdPartition] = frozenset()
    owned: frozenset[TopicIdPartition] = frozenset()
    topics: frozenset[str] = frozenset()
    pattern: str | None = None
    joined: bool = False
    missed_an_answer: bool = False


@define
class Walk:
    stage: Stage
    honest: bool
    members: dict[str, Member] = field(factory=lambda: {name: Member(name) for name in MEMBERS})

    def play(self, walk: Iterable[tuple[Step, ...]]) -> None:
        self.grow("foo", 5)
        for take_step in chain.from_iterable(walk):
            take_step(self)
            self.check()
        self.settle()

    def join(self, name: str, topics: frozenset[str], pattern: str | None = None) -> None:
        """Come into the group, or start anew without having left it."""
        self.members[name] = Member(name, topics=topics, pattern=pattern, joined=True)
        self._hear(name, self._say(name, full=True))

    def round(self, order: list[str], busy: frozenset[str]) -> None:
        """Everybody's heartbeat once, in some order; some are too busy to do what they were told."""
        for name in order:
            (self.idle if name in busy else self.beat)(name)
            self.check()

    def beat(self, name: str) -> None:
        """Do what was told: give up, take, and say so."""
        if self.members[name].joined:
            self.members[name].owned = self.members[name].told
            self._hear(name, self._say(name, full=self.members[name].missed_an_answer))

    def idle(self, name: str) -> None:
        """A heartbeat while still busy with what was told."""
        member = self.members[name]
        if member.joined and member.epoch > 0 and not member.missed_an_answer:
            self._hear(name, self._ask(name, member.epoch))

    def lose(self, name: str) -> None:
        """The same as beat, but the answer never arrives."""
        member = self.members[name]
        if member.joined:
            member.owned = member.told
            self._say(name, full=member.missed_an_answer)
            member.missed_an_answer = True

    def resubscribe(self, name: str, topics: frozenset[str], pattern: str | None) -> None:
        member = self.members[name]
        member.topics, member.pattern = topics, pattern
        if member.joined and member.epoch > 0:
            self._hear(name, self._say(name, full=True))

    def _say(self, name: str, *, full: bool) -> ConsumerGroupHeartbeatAnswer:
        member = self.members[name]
        if not full and member.epoch > 0:
            return self._ask(name, member.epoch, owned=member.owned)
        about = {"subscribed_topics": member.topics, "subscribed_pattern": member.pattern or ""}
        return self._ask(name, member.epoch, owned=member.owned, rebalance_timeout_ms=30_000, **about)

    def _ask(self, name: str, epoch: int, **more: Any) -> ConsumerGroupHeartbeatAnswer:
        request = ConsumerGroupHeartbeat(GROUP, name, epoch, instance_id=INSTANCES.get(name), **more)
        answer = self.stage.ask(request).response
        assert isinstance(answer, ConsumerGroupHeartbeatAnswer)
        return answer

    def _hear(self, name: str, answer: ConsumerGroupHeartbeatAnswer) -> None:
        member = self.members[name]
        if answer.error is not ErrorCode.NONE:
            assert answer.error in THROWN_OUT, answer
            self.members[name] = Member(name)
            return
        member.epoch, member.missed_an_answer = answer.member_epoch, False
        if answer.assignment is not None:
            member.told = answer.assignment

    def mumble(self, name: str, epoch: int, owned: frozenset[TopicIdPartition] | None) -> None:
        """A message from the past, or from a liar; nobody hears the answer."""
        if not self.honest:
            self._ask(name, epoch, owned=owned)

    def go(self, name: str, epoch: int) -> None:
        if self.members[name].joined:
            self._ask(name, epoch if name in INSTANCES else -1)
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
            self.check()

    def fail_over(self) -> None:
        self.stage.fail_over()

    def check(self) -> None:
        self.stage.check()
        if self.honest:
            self._check_nobody_works_with_anothers()

    def _check_nobody_works_with_anothers(self) -> None:
        """Not even in the members' own eyes, as long as the coordinator has not thrown them out."""
        working: set[TopicIdPartition] = set()
        for name in sorted(self.stage.group.members):
            assert working.isdisjoint(self.members[name].owned), self.members
            working |= self.members[name].owned

    def settle(self) -> None:
        """No more disturbances: live members heartbeat every second, those silent for long are expelled."""
        for _ in range(60):
            for name in MEMBERS:
                self.beat(name)
                self.check()
            self.tick(1.0)
        assert state_of(self.stage.group) in ("Stable", "Empty")


names = st.sampled_from(MEMBERS)
topics = st.sampled_from(TOPICS)
subscriptions = st.just(frozenset({"foo"})) | st.frozensets(topics, max_size=3)
patterns = st.none() | st.sampled_from(["", "ba.", "f.*", "nothing"])
owned_sets = st.none() | st.just(frozenset())


rounds = step(Walk.round, st.permutations(MEMBERS), st.frozensets(names, max_size=3))
joins = step(Walk.join, names, subscriptions, patterns)

disturbances = st.one_of(
    step(Walk.beat, names),
    step(Walk.lose, names),
    step(Walk.mumble, names, st.integers(-2, 12), owned_sets),
    step(Walk.resubscribe, names, subscriptions, patterns),
    step(Walk.go, names, st.sampled_from([-1, -2])),
    step(Walk.commit, names, st.integers(-1, 12), topics),
    step(Walk.grow, topics, st.integers(1, 3)),
    step(Walk.recreate, topics, st.integers(1, 4)),
    step(Walk.drop, topics),
    step(Walk.tick, st.sampled_from([0.0, 0.5, 1.0, 5.0, 46.0])),
    step(Walk.fail_over),
)

walks = st.lists(st.tuples(joins, rounds, disturbances, rounds), min_size=3, max_size=15)
