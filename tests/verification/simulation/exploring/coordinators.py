"""The coordinator's half of a state: the shipped ``Coordinator``, numbered and remembered state by state.

A state is what the group's records come to, the topics, and which timers run. When a timer would run out is left out:
it may run out whenever it runs. The log is kept compacted beside the state, as the first path to the state wrote it.
Each new state is asked for its invariants, and its log must lead to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import copy

from attrs import evolve, field, frozen

from kafka_nextgen.groups import records as r
from kafka_nextgen.testing.coordinator import group as groups
from kafka_nextgen.testing.coordinator.coordinator import RETENTION, Coordinator, Outcome
from kafka_nextgen.testing.coordinator.extensions.hooks import EXTENSIONS
from kafka_nextgen.testing.coordinator.group import Group
from kafka_nextgen.testing.coordinator.requests import ConsumerGroupHeartbeat, TopicImage, TopicsChanged
from kafka_nextgen.testing.coordinator.responses import ConsumerGroupHeartbeatAnswer
from kafka_nextgen.testing.coordinator.settings import CoordinatorSettings
from kafka_nextgen.testing.coordinator.timers import Arm, TimerKey
from kafka_nextgen.testing.coordinator.topics import Topics
from kafka_nextgen.types import TopicIdPartition
from tests.verification.invariants.groups import violations
from tests.verification.scenario_language.world import GROUP

NOW = 1_000_000.0
LATER = NOW + 1_000.0

#: The latest record of each key, in the order they were written.
Log = Mapping[tuple[object, ...], r.Record]


@frozen(eq=False)
class Standing:
    """A coordinator at one moment. Nothing in it is ever changed."""

    group: Group | None
    topics: Topics
    armed: Mapping[TimerKey, int]  # each timer that runs, and the member epoch it belongs to
    log: Log
    broken: tuple[str, ...]  # what does not hold here
    reserved: Mapping[str, frozenset[TopicIdPartition]] = field(init=False)  # what members have, or have to give back

    @reserved.default
    def _all_reserved(self) -> Mapping[str, frozenset[TopicIdPartition]]:
        currents = self.group.currents.values() if self.group else ()
        return {
            current.member_id: frozenset(partition for partition, _ in current.assigned + current.pending_revocation)
            for current in currents
        }

    def assigned(self, member_id: str) -> frozenset[TopicIdPartition]:
        current = self.group.currents.get(member_id) if self.group else None
        return frozenset(partition for partition, _ in current.assigned) if current else frozenset()


@frozen
class Answered:
    """What came of a request, or of a timer: the next state, what was answered, and whether records were written."""

    after: int
    answer: ConsumerGroupHeartbeatAnswer | None
    wrote: bool


class Coordinators:
    """All states of the coordinator that were met, by number; what follows from each is worked out once."""

    def __init__(self, settings: CoordinatorSettings) -> None:
        self.settings = settings
        self.standings: list[Standing] = []
        self.misled: set[int] = set()  # those that another way wrote another log to, which leads elsewhere
        self._numbers: dict[object, int] = {}
        self._answered: dict[tuple[int, ConsumerGroupHeartbeat], Answered] = {}
        self._rung: dict[tuple[int, TimerKey], Answered] = {}
        self._others: dict[tuple[object, ...], int] = {}

    def first(self, topics: Mapping[str, TopicImage]) -> int:
        """A coordinator with an empty log, that was told of these topics."""
        return self._number(_started(self.settings, {}, topics), {})

    def serve(self, number: int, request: ConsumerGroupHeartbeat) -> Answered:
        found = self._answered.get((number, request))
        if found is None:
            coordinator = self._revived(number)
            outcome = coordinator.handle(request, NOW)
            assert isinstance(outcome.response, ConsumerGroupHeartbeatAnswer)
            found = Answered(self._after(number, coordinator, (outcome,)), outcome.response, bool(outcome.records))
            self._answered[number, request] = found
        return found

    def ring(self, number: int, key: TimerKey) -> Answered:
        found = self._rung.get((number, key))
        if found is None:
            coordinator = self._revived(number)
            coordinator.timers.change(Arm(key, NOW, self.standings[number].armed[key]))
            outcomes = coordinator.expire(NOW)
            wrote = any(outcome.records for outcome in outcomes)
            found = self._rung[number, key] = Answered(self._after(number, coordinator, outcomes), None, wrote)
        return found

    def fail_over(self, log_of: int, topics_of: int) -> int:
        """Another coordinator takes over from the log of one state, with the topics of one that is as late or later."""
        found = self._others.get(("fail over", log_of, topics_of))
        if found is None:
            log, topics = self.standings[log_of].log, self.standings[topics_of].topics
            found = self._number(_started(self.settings, log, topics.by_name), log)
            self._others["fail over", log_of, topics_of] = found
        return found

    def change_topics(self, number: int, topics: Mapping[str, TopicImage]) -> int:
        key = ("topics", number, tuple(topics.values()))
        found = self._others.get(key)
        if found is None:
            coordinator = self._revived(number)
            outcome = coordinator.handle(TopicsChanged(topics), NOW)
            found = self._others[key] = self._after(number, coordinator, (outcome,))
        return found

    def _revived(self, number: int) -> Coordinator:
        standing = self.standings[number]
        coordinator = Coordinator(self.settings, EXTENSIONS)
        coordinator.topics = standing.topics
        if standing.group is not None:
            coordinator.groups[GROUP] = standing.group
        for key, epoch in standing.armed.items():
            coordinator.timers.change(Arm(key, LATER, epoch))
        coordinator.timers.change(Arm(RETENTION, LATER))
        return coordinator

    def _after(self, number: int, coordinator: Coordinator, outcomes: Iterable[Outcome]) -> int:
        log = self.standings[number].log
        if coordinator.groups:
            coordinator.groups[GROUP] = _copied(coordinator.groups[GROUP])
        for outcome in outcomes:
            coordinator.commit(outcome)
            log = _written(log, outcome.records)
        return self._number(coordinator, log)

    def _number(self, coordinator: Coordinator, log: Log) -> int:
        group, topics = coordinator.groups.get(GROUP), coordinator.topics
        timers = coordinator.timers
        armed = {key: timers._armed[key].member_epoch for key in sorted(timers.running()) if key != RETENTION}
        key = (_key(group), topics.version, tuple(topics.by_name.values()), tuple(armed.items()))
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self.standings)
            broken = _broken(self.settings, coordinator, log)
            self.standings.append(Standing(group, topics, armed, log, tuple(broken)))
        else:
            self._look_at_log(group, log, number)
        return number

    def _look_at_log(self, group: Group | None, log: Log, number: int) -> None:
        """Another path to a known state may have written another log, which must lead there, too."""
        if self.standings[number].log != log and _read(self.settings, log) != group:
            standing = self.standings[number]
            self.standings[number] = evolve(standing, broken=(*standing.broken, _LOG_LEADS_ELSEWHERE))
            self.misled.add(number)


_LOG_LEADS_ELSEWHERE = "the log leads to another state than the current one"


def _broken(settings: CoordinatorSettings, coordinator: Coordinator, log: Log) -> list[str]:
    group = coordinator.groups.get(GROUP)
    found = [] if group is None else violations(group, coordinator.topics, coordinator.timers.running())
    return found if _read(settings, log) == group else [*found, _LOG_LEADS_ELSEWHERE]


def _read(settings: CoordinatorSettings, log: Log) -> Group | None:
    reader = Coordinator(settings, EXTENSIONS)
    for record in log.values():
        reader.apply(record)
    return reader.groups.get(GROUP)


def _started(settings: CoordinatorSettings, log: Log, topics: Mapping[str, TopicImage]) -> Coordinator:
    """Another coordinator, as a broker makes one."""
    coordinator = Coordinator(settings, EXTENSIONS)
    for record in log.values():
        coordinator.apply(record)
    coordinator.commit(coordinator.handle(TopicsChanged(topics), NOW))
    for outcome in coordinator.restart(NOW):
        assert not outcome.records, "without offsets and places kept nothing is written here"
        coordinator.commit(outcome)
    return coordinator


def _written(log: Log, records: Iterable[r.Record]) -> Log:
    """The compacted log with more records: only the latest of each key is left, and no tombstone."""
    after = dict(log)
    for record in records:
        kind = type(record).__name__
        key = (kind.removesuffix("Removed"), getattr(record, "member_id", ""))
        after.pop(key, None)
        if not kind.endswith("Removed"):
            after[key] = record
    return after


def _copied(group: Group) -> Group:
    """A group whose records can be applied to without changing the first."""
    other = copy(group)
    for name in groups._MAPPINGS:
        setattr(other, name, dict(getattr(group, name)))
    return other


def _key(group: Group | None) -> object:
    if group is None:
        return None
    targets = {member_id: frozenset(share.items()) for member_id, share in group.targets.items()}
    epochs = (group.epoch, group.assignment_epoch, group.metadata_hash, group.checked_topics_version)
    records = (group.members, group.currents, targets)
    others = (group.is_consumer_group, group.assignment_timestamp_ms, group.assignment_error, group.client_assignor)
    return (epochs, others, *(frozenset(mapping.items()) for mapping in records))
