"""A coordinator with its topics, members and log: what scenarios and walks are played on."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import UUID

from attrs import evolve

from kafka_nextgen.assignors import (
    AssignmentSpec,
    GroupAssignment,
    MemberAssignment,
    PartitionAssignor,
    RangeAssignor,
    UniformAssignor,
)
from kafka_nextgen.coordinator import records as r
from kafka_nextgen.coordinator.coordinator import Coordinator, Outcome
from kafka_nextgen.coordinator.describe import state_of
from kafka_nextgen.coordinator.group import Group
from kafka_nextgen.coordinator.invariants import violations
from kafka_nextgen.coordinator.requests import Request, TopicImage, TopicsChanged
from kafka_nextgen.coordinator.settings import CoordinatorSettings
from kafka_nextgen.types import TopicId, TopicIdPartition, format_topic_ids

GROUP = "g"


class Prompted(PartitionAssignor):
    """The uniform assignor, unless it is told what to say."""

    name = "uniform"

    def __init__(self) -> None:
        self.told: dict[str, frozenset[TopicIdPartition]] = {}

    def assign(self, group: AssignmentSpec) -> GroupAssignment:
        if not self.told:
            return UniformAssignor().assign(group)
        members = {}
        for member_id in group.members:
            share: dict[TopicId, set[int]] = {}
            for partition in self.told.get(member_id, ()):
                share.setdefault(partition.topic_id, set()).add(partition.partition)
            members[member_id] = MemberAssignment(share)
        self.told = {}
        return GroupAssignment(members)


class Stage:
    def __init__(self, settings: CoordinatorSettings | None = None) -> None:
        self.assignor = Prompted()
        self.now = 1_000_000.0
        self.log: list[r.Record] = []
        self.names: dict[TopicId, str] = {}
        self.topics: dict[str, TopicImage] = {}
        self.epochs: dict[str, int] = {}  # the latest each member was told
        self.instances: dict[str, str] = {}
        self.configure(settings or CoordinatorSettings(group_consumer_assignment_interval_ms=0))

    def configure(self, settings: CoordinatorSettings) -> None:
        self.settings = evolve(settings, group_consumer_assignors=(self.assignor, RangeAssignor()))
        self.coordinator = Coordinator(self.settings)

    @property
    def group(self) -> Group:
        return self.coordinator.groups.get(GROUP) or Group(GROUP, self.settings.behaviour.first_epoch)

    def ask(self, request: Request) -> Outcome:
        outcome = self.coordinator.handle(request, self.now)
        self.commit(outcome)
        return outcome

    def commit(self, outcome: Outcome) -> None:
        self.log.extend(outcome.records)
        self.coordinator.commit(outcome)

    def pass_time(self, seconds: float) -> Iterator[Outcome]:
        """Let timers run out one after the other, each at its time."""
        end = self.now + seconds
        while (deadline := self.coordinator.deadline()) is not None and deadline <= end:
            self.now = max(self.now, deadline)
            for outcome in self.coordinator.expire(self.now):
                self.commit(outcome)
                yield outcome
        self.now = end

    def set_topic(self, name: str, partitions: int, *, anew: bool = False) -> None:
        known = self.topics.get(name)
        topic_id = UUID(int=len(self.names) + 1) if anew or known is None else known.topic_id
        self.names[topic_id] = name
        self.topics[name] = TopicImage(topic_id, name, partitions)
        self.ask(TopicsChanged(dict(self.topics)))

    def delete_topic(self, name: str) -> None:
        del self.topics[name]
        self.ask(TopicsChanged(dict(self.topics)))

    def fail_over(self) -> None:
        """A new coordinator reads the log."""
        self.coordinator = Coordinator(self.settings)
        for record in self.log:
            self.coordinator.apply(record)
        self.ask(TopicsChanged(dict(self.topics)))
        self.coordinator.restart(self.now)

    def check(self) -> None:
        broken = violations(self.group, self.coordinator.topics, self.coordinator.timers.running())
        assert not broken, broken
        reader = Coordinator(self.settings)
        for record in self.log:
            reader.apply(record)
        assert reader.groups == self.coordinator.groups

    def write(self, partitions: frozenset[TopicIdPartition]) -> str:
        return format_topic_ids(partitions, self.names)

    def state(self) -> Iterator[str]:
        group = self.group
        yield f"   {state_of(group)} group={group.epoch} target={group.assignment_epoch}"
        for member_id, current in sorted(group.currents.items()):
            line = f"   {member_id} {current.member_epoch} {self._granted(current.assigned)}"
            if current.pending_revocation:
                line += f" revoking {self._granted(current.pending_revocation)}"
            yield line

    def _granted(self, partitions: tuple[tuple[TopicIdPartition, int], ...]) -> str:
        return self.write(frozenset(partition for partition, _ in partitions))
