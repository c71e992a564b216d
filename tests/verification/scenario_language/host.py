"""A coordinator with its topics, its log and its clock: everything a broker has but sockets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from uuid import UUID

from attrs import evolve

from kafka_nextgen.assignors import RangeAssignor
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.groups import records as r
from kafka_nextgen.testing.coordinator.coordinator import Coordinator, Outcome
from kafka_nextgen.testing.coordinator.extensions.hooks import EXTENSIONS
from kafka_nextgen.testing.coordinator.group import Group
from kafka_nextgen.testing.coordinator.group_configs import group_config_complaint
from kafka_nextgen.testing.coordinator.requests import ConfigsChanged, Request, TopicImage, TopicsChanged
from kafka_nextgen.testing.coordinator.responses import Response
from kafka_nextgen.testing.coordinator.settings import CoordinatorSettings
from kafka_nextgen.types import TopicId
from tests.verification.invariants.groups import violations
from tests.verification.scenario_language.assignors import PromptedAssignor
from tests.verification.scenario_language.world import GROUP

#: Any time, in seconds since the epoch.
BEGINNING = 1_000_000.0


class CoordinatorHost:
    """Drives a coordinator as a broker does: every outcome is stored, then committed, then answered."""

    def __init__(self, settings: CoordinatorSettings | None = None) -> None:
        self.assignor = PromptedAssignor()
        self.now = BEGINNING
        self.log: list[r.Record] = []
        self.released: list[tuple[int, Response | None]] = []  # answers to parked requests that nobody took yet
        self.names: dict[TopicId, str] = {}
        self.topics: dict[str, TopicImage] = {}
        self.group_config: dict[str, int] = {}
        self.configure(settings or CoordinatorSettings(group_consumer_assignment_interval_ms=0))

    def configure(self, settings: CoordinatorSettings) -> None:
        self.settings = evolve(settings, group_consumer_assignors=(self.assignor, RangeAssignor()))
        self.coordinator = Coordinator(self.settings, EXTENSIONS)

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
        self.released.extend(outcome.released)

    def configure_group(self, config: Mapping[str, str]) -> ErrorCode:
        """Let the group have these keys with what it has already; an empty value takes one back."""
        after = {**self.group_config, **{key: int(value) for key, value in config.items() if value}}
        after = {key: value for key, value in after.items() if config.get(key) != ""}
        if group_config_complaint(after, self.settings):
            return ErrorCode.INVALID_CONFIG
        self.group_config = after
        self.ask(ConfigsChanged(self.settings, {GROUP: after}))
        return ErrorCode.NONE

    def expire(self) -> Iterator[Outcome]:
        for outcome in self.coordinator.expire(self.now):
            self.commit(outcome)
            yield outcome

    def pass_time(self, seconds: float) -> Iterator[Outcome]:
        """Let timers run out one after the other, each at its time."""
        end = self.now + seconds
        while (deadline := self.coordinator.deadline()) is not None and deadline <= end:
            self.now = max(self.now, deadline)
            yield from self.expire()
        self.now = end

    def set_topic(self, name: str, partitions: int, *, anew: bool = False) -> TopicId:
        """Make a topic, grow it, or make it again under a new id."""
        known = self.topics.get(name)
        topic_id = UUID(int=len(self.names) + 1) if anew or known is None else known.topic_id
        self.names[topic_id] = name
        self.topics[name] = TopicImage(topic_id, name, partitions)
        self.ask(TopicsChanged(dict(self.topics)))
        return topic_id

    def delete_topic(self, name: str) -> None:
        del self.topics[name]
        self.ask(TopicsChanged(dict(self.topics)))

    def fail_over(self) -> None:
        self.coordinator = Coordinator(self.settings, EXTENSIONS)
        for record in self.log:
            self.coordinator.apply(record)
        self.ask(TopicsChanged(dict(self.topics)))
        self.ask(ConfigsChanged(self.settings, {GROUP: self.group_config}))
        self.restart()

    def restart(self) -> None:
        """Let the coordinator go on from what the log says."""
        for outcome in self.coordinator.restart(self.now):
            self.commit(outcome)

    def broken(self) -> list[str]:
        """The coordinator's invariants, and that its log alone leads to the same state."""
        found = violations(self.group, self.coordinator.topics, self.coordinator.timers.running())
        reader = Coordinator(self.settings, EXTENSIONS)
        for record in self.log:
            reader.apply(record)
        if reader.groups != self.coordinator.groups:
            found.append("the log leads to another state than the current one")
        return found

    def check(self) -> None:
        broken = self.broken()
        assert not broken, broken
