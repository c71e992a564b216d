"""The pure world: the coordinator machine alone. Its members are raw, each heartbeat is spelled out.

A scenario that is also played where nobody can look inside is told here as it is there: answers only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from attrs import evolve

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.groups import records as r
from kafka_nextgen.testing.coordinator.classic.responses import JoinGroupAnswer, Parked, SyncGroupAnswer
from kafka_nextgen.testing.coordinator.coordinator import Outcome
from kafka_nextgen.testing.coordinator.requests import ConsumerGroupHeartbeat
from kafka_nextgen.testing.coordinator.responses import ConsumerGroupHeartbeatAnswer
from kafka_nextgen.types import TopicId
from tests.verification.scenario_language.host import CoordinatorHost
from tests.verification.scenario_language.notation import NotationError
from tests.verification.scenario_language.setting_up import Plan, carry_out
from tests.verification.scenario_language.telling import tell_news, tell_status
from tests.verification.scenario_language.world import Heard, LateAnswer, PatientQuestion, Question, World


class PureWorld(World):
    """A coordinator machine, and raw members."""

    def __init__(self, *, answers_only: bool = False) -> None:
        super().__init__(relative_epochs=answers_only)
        self.host = CoordinatorHost()
        self.plan = Plan()
        self._answers_only = answers_only
        self._last_number = 0
        self._parked: dict[int, str] = {}
        self._arrived: dict[str, LateAnswer] = {}

    def ask(self, question: Question) -> Heard:
        self.set_up()
        before = self._status_of(question)
        outcome = self.host.ask(question)
        answer = outcome.response
        assert answer is not None
        if self._answers_only:
            return Heard(answer)
        after = () if _is_refused(answer) else tell_status(_asker(question), before, self._status_of(question))
        return Heard(answer, tuple(self.news(outcome)), after)

    def put(self, name: str, question: PatientQuestion) -> None:
        """Put a question to the coordinator, which may park it."""
        self.set_up()
        self._last_number += 1
        answer = self.host.ask(evolve(question, number=self._last_number)).response
        if isinstance(answer, Parked):
            self._parked[answer.number] = name
        else:
            self._hear(name, answer)

    def arrived(self) -> dict[str, LateAnswer]:
        """The answers that were released since the last call, too."""
        while self.host.released:
            number, answer = self.host.released.pop(0)
            name = self._parked.pop(number)
            if answer is not None:
                self._hear(name, answer)
        arrived, self._arrived = self._arrived, {}
        return arrived

    def _hear(self, name: str, answer: object) -> None:
        assert isinstance(answer, JoinGroupAnswer | SyncGroupAnswer)
        self._arrived[name] = answer

    def wait(self) -> Iterator[str]:
        """Go on to the next moment at which something is due."""
        deadline = self.host.coordinator.deadline()
        if deadline is None:
            raise NotationError("nothing is due, so there is nothing to wait for")
        yield from self.pass_time(max(deadline - self.host.now, 0.0))

    def _status_of(self, question: Question) -> r.MemberStatus | None:
        is_heartbeat = isinstance(question, ConsumerGroupHeartbeat)
        current = self.host.group.currents.get(_asker(question)) if is_heartbeat else None
        return None if current is None else current.status

    def news(self, outcome: Outcome) -> list[str]:
        return tell_news(outcome.records, self.host.group.targets, self.write)

    def set_up(self) -> None:
        """Bring about the state that was planned, if any was."""
        plan, self.plan = self.plan, Plan()
        carry_out(plan, self.host)

    def configure(self, config: Mapping[str, str]) -> ErrorCode:
        self.set_up()
        return self.host.configure_group(config)

    def make_topic(self, name: str, partitions: int) -> TopicId:
        return self.host.set_topic(name, partitions, anew=True)

    def grow_topic(self, name: str, partitions: int) -> None:
        self.host.set_topic(name, partitions)

    def delete_topic(self, name: str) -> None:
        self.host.delete_topic(name)

    def pass_time(self, seconds: float) -> Iterator[str]:
        self.set_up()
        for outcome in self.host.pass_time(seconds):
            if not self._answers_only:
                yield from self.news(outcome)

    def broken(self) -> list[str]:
        return self.host.broken()


def _asker(question: Question) -> str:
    return question.member_id if isinstance(question, ConsumerGroupHeartbeat) else ""


def _is_refused(answer: object) -> bool:
    return isinstance(answer, ConsumerGroupHeartbeatAnswer) and bool(answer.error)
