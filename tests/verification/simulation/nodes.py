"""A broker node: it coordinates while it leads the partition, and else says that it does not.

It works as ``broker.coordination.shard`` does: a request is worked out, its records are appended, then it is in force.
The answer leaves when all that was appended by then is replicated. A coordinator whose partition is led elsewhere goes
on until it learns of that; what it appends is never replicated, so what it answers is what was so before.
"""

from __future__ import annotations

from collections.abc import Set
from enum import Enum
from typing import TYPE_CHECKING

from attrs import define, field

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.testing.broker.coordination.refusals import refuse
from kafka_nextgen.testing.coordinator.classic.responses import Parked
from kafka_nextgen.testing.coordinator.coordinator import Coordinator, Outcome
from kafka_nextgen.testing.coordinator.extensions.hooks import EXTENSIONS
from kafka_nextgen.testing.coordinator.requests import Request, TopicImage, TopicsChanged
from kafka_nextgen.testing.coordinator.responses import Response
from kafka_nextgen.testing.coordinator.settings import CoordinatorSettings
from tests.verification.simulation.dice import Dice, Fault
from tests.verification.simulation.held_answers import HeldAnswers, Reply
from tests.verification.simulation.replicas import Replica, batch_of, records_of
from tests.verification.simulation.timeline import Plan, Timeline

if TYPE_CHECKING:
    from tests.verification.simulation.checking.judge import Judge
    from tests.verification.simulation.cluster import Cluster

#: After the log could not be written timers are tried again, as the shard does it.
_RETRY_S = 0.5
#: So many batches are read in one step of loading.
_PIECE = 40
#: So long (seconds) after it did something a node may crash.
_CRASHES_S = 0.002


class Standing(Enum):
    """What a node is to the partition, with what it answers."""

    ELSEWHERE = ErrorCode.NOT_COORDINATOR
    LOADING = ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
    ACTIVE = ErrorCode.NONE


@define(eq=False)
class Node:
    node_id: int
    timeline: Timeline
    dice: Dice
    controller: Cluster
    observer: Judge
    settings: CoordinatorSettings
    replica: Replica = field(factory=Replica)
    is_alive: bool = True
    crashes: int = 0
    is_serving_late: bool = False  # what is served just now comes from a connection that was given up
    standing: Standing = Standing.ELSEWHERE
    coordinator: Coordinator | None = None
    topics: dict[str, TopicImage] = field(factory=dict)
    topics_version: int = 0
    believed_leader: int = 0
    numbers: int = 0
    stalled_until: float = 0.0
    _news: bool = False
    _held: HeldAnswers = field(factory=HeldAnswers)
    _timer: Plan | None = None
    _read_to: int = 0
    _is_resumed: bool = True

    @property
    def is_at_work(self) -> bool:
        """Whether it coordinates, and what a new coordinator does first is in force."""
        return self.standing is Standing.ACTIVE and self._is_resumed

    @property
    def parked(self) -> Set[int]:
        """The numbers of the requests that wait for others."""
        return self._held.parked

    def begin(self) -> None:
        """Lead the partition: read the log, piece by piece, then coordinate."""
        self.resign()
        self.standing = Standing.LOADING
        self.coordinator = Coordinator(self.settings, EXTENSIONS)
        self._read_to = 0
        self._news = True
        self._load_more()

    def resign(self) -> None:
        """Coordinate no more: what has no answer yet is told to look elsewhere."""
        self.standing, self.coordinator = Standing.ELSEWHERE, None
        self._set_timer(None)
        self._held.refuse_all(ErrorCode.NOT_COORDINATOR)

    def crash(self) -> None:
        self.is_alive = False
        self.crashes += 1
        self.standing, self.coordinator = Standing.ELSEWHERE, None
        self._set_timer(None)
        self._held.clear()

    def _load_more(self) -> None:
        coordinator = self.coordinator
        if coordinator is None or self.standing is not Standing.LOADING:
            return
        piece = self.replica.from_offset(self._read_to)[:_PIECE]
        for batch in piece:
            for record in records_of(batch):
                coordinator.apply(record)
            self._read_to = batch.end
        if piece:
            slow = self.dice.happens(Fault.SLOW_LOADING)
            self._plan_load(coordinator, self.dice.between(0.5, 5.0) if slow else 0.001)
            return
        self._learn_topics()
        self._resume(coordinator)
        self.standing = Standing.ACTIVE
        self._arm()

    def _resume(self, coordinator: Coordinator) -> None:
        outcomes = coordinator.restart(self.timeline.now)
        self._is_resumed = {self._store(outcome, None) for outcome in outcomes} <= {ErrorCode.NONE}
        if self._is_resumed:
            self.observer.loaded(self)

    def _plan_load(self, coordinator: Coordinator, seconds: float) -> None:
        def go_on() -> None:
            if self.coordinator is coordinator:
                self._load_more()

        self.timeline.after(seconds, go_on)

    def ask(self, request: Request, reply: Reply) -> None:
        """Put a request to the coordinator; ``reply`` is called once, maybe much later, or never if the node dies."""
        coordinator = self.coordinator
        if coordinator is None or self.standing is not Standing.ACTIVE:
            reply(refuse(request, self.standing.value))
            return
        self._learn_topics()
        outcome = coordinator.handle(request, self.timeline.now)
        self.observer.asked(self, request, outcome)
        if outcome.records and self._crashes(Fault.CRASH_BEFORE_APPEND):
            return
        is_parked = isinstance(outcome.response, Parked)
        if is_parked:  # before another that is released brings its connection's next request at once
            self._held.park(request.number, request, reply)  # type: ignore[union-attr]  # joins and syncs have one
        error = self._store(outcome, request)
        if outcome.records:
            self._crash_soon(Fault.CRASH_AFTER_APPEND)
        self._arm()
        if error is not ErrorCode.NONE:
            self._held.take_back(getattr(request, "number", 0))
            reply(refuse(request, error))
        elif not is_parked:
            self._answer(request, outcome.response, reply)

    def _crashes(self, fault: Fault) -> bool:
        if self.dice.comes_up(fault, 0.01):
            self._crash(fault)
        return not self.is_alive

    def _crash(self, fault: Fault) -> None:
        if self.is_alive and self.controller.crash_for_a_while(self):
            self.dice.note(fault)

    def _crash_soon(self, fault: Fault) -> None:
        """Before all of its followers have what it appended, or just after that."""
        if self.dice.comes_up(fault, 0.01):
            self.timeline.after(self.dice.tail(_CRASHES_S), lambda: self._crash(fault))

    def _answer(self, request: Request | None, response: Response | None, reply: Reply) -> None:
        self._held.hold(self.replica.end, request, response, reply)
        self.release()

    def release(self) -> None:
        """Let answers leave whose records are replicated."""
        mark = self.controller.high_watermark(self)
        while self._held.leave_one(mark):
            self._crash_soon(Fault.CRASH_AFTER_ANSWER)

    def _store(self, outcome: Outcome, request: Request | None) -> ErrorCode:
        coordinator = self.coordinator
        assert coordinator is not None, "an outcome is a coordinator's"
        if outcome.records:
            fails = self.dice.happens(Fault.FAILED_APPEND, 0.05)
            if fails or not self.controller.can_append(self):
                self._refuse_released(outcome)
                return ErrorCode.COORDINATOR_NOT_AVAILABLE
            batch = batch_of(outcome.records, self.replica.end, self.replica.leader_epoch)
            self.replica.append(batch)
            if self.controller.recording is not None:
                self.controller.recording.appended(self.node_id, ((at, (row.key, row.value)) for at, row in batch.rows))
            self.controller.appended(self)
        coordinator.commit(outcome)
        self.observer.in_force(self, request, outcome)
        if request is not None:  # before an answer leaves, for its connection may bring the next request at once
            self.observer.worked_out(self, request, outcome.response)
        for number, response in outcome.released:
            parked = self._held.take_back(number)
            if parked is not None:
                self._answer(parked[0], response, parked[1])
        return ErrorCode.NONE

    def _refuse_released(self, outcome: Outcome) -> None:
        for number, _ in outcome.released:
            self._held.refuse_parked(number, ErrorCode.COORDINATOR_NOT_AVAILABLE)

    def tell_topics(self, topics: dict[str, TopicImage]) -> None:
        """These are the topics from now on, as far as this node knows."""
        self.topics = topics
        self._news = True
        if self.standing is Standing.ACTIVE:
            self._learn_topics()
            self._arm()

    def _learn_topics(self) -> None:
        if not self._news or self.coordinator is None:
            return
        news = TopicsChanged(dict(self.topics))
        if self._store(self.coordinator.handle(news, self.timeline.now), news) is ErrorCode.NONE:
            self._news = False

    def _arm(self) -> None:
        if not self._is_resumed and self._timer is None:
            self._set_timer(self.timeline.now + _RETRY_S)
        elif self._is_resumed:
            self._set_timer(None if self.coordinator is None else self.coordinator.deadline())

    def _set_timer(self, deadline: float | None) -> None:
        if self._timer is not None:
            self._timer.call_off()
        self._timer = None if deadline is None else self.timeline.at(deadline, self._expire)

    def _expire(self) -> None:
        self._timer = None
        if self.coordinator is None:
            return
        if self.timeline.now < self.stalled_until:
            self._set_timer(self.stalled_until)
            return
        if not self._is_resumed:
            self._resume(self.coordinator)
        errors: set[ErrorCode] = set()
        for outcome in self.coordinator.expire(self.timeline.now):
            self.observer.expired(self, outcome)
            errors.add(self._store(outcome, None))
        if errors <= {ErrorCode.NONE}:
            self._arm()
        else:
            self._set_timer(self.timeline.now + _RETRY_S)
