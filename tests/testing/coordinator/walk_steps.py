"""What random walks are made of: steps, which a failure's report names, and requests that may be parked."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from attrs import define, field, frozen
from hypothesis import strategies as st

from kafka_nextgen.testing.coordinator.classic.requests import JoinGroup, SyncGroup
from kafka_nextgen.testing.coordinator.classic.responses import Parked
from kafka_nextgen.testing.coordinator.coordinator import Outcome
from tests.testing.coordinator.stage import Stage


@frozen(repr=False)
class Step:
    method: Callable[..., None]
    given: tuple[object, ...]

    def __call__(self, walk: object) -> None:
        self.method(walk, *self.given)

    def __repr__(self) -> str:
        return f"{self.method.__name__}{self.given}"


def step(method: Callable[..., None], *arguments: st.SearchStrategy[Any]) -> st.SearchStrategy[Step]:
    """A call of ``method`` with what is drawn from ``arguments``."""
    return st.tuples(*arguments).map(lambda given: Step(method, given))


@define
class ParkingWalk:
    """A walk of ``clients`` by name; a request of theirs is answered once, by its own outcome or by a later one."""

    stage: Stage
    last_number: int = field(default=0, init=False)
    asked_by: dict[int, str] = field(factory=dict, init=False)  # whose requests are under way, by number

    def play(self, walk: Iterable[Step]) -> None:
        for take_step in walk:
            take_step(self)
            self.check()
        self.settle()

    def tick(self, seconds: float) -> None:
        for outcome in self.stage.pass_time(seconds):
            self.released(outcome)
            self.check()

    def fail_over(self) -> None:
        """All connections are lost, and so is whatever was parked."""
        self.asked_by.clear()
        for client in self.clients.values():
            client.waits_for = None
        self.stage.fail_over()

    def number(self, client: Any) -> int:
        self.last_number += 1
        client.waits_for = self.last_number
        self.asked_by[self.last_number] = client.name
        return self.last_number

    def put(self, request: JoinGroup | SyncGroup) -> None:
        outcome = self.stage.ask(request)
        self.released(outcome)
        if not isinstance(outcome.response, Parked):
            self._answered(request.number, outcome.response)

    def released(self, outcome: Outcome) -> None:
        for number, answer in outcome.released:
            self._answered(number, answer)

    def _answered(self, number: int, answer: object) -> None:
        name = self.asked_by.pop(number, None)
        assert name is not None, f"request {number} is answered twice"
        client = self.clients[name]
        if client.waits_for == number and answer is not None:
            client.waits_for = None
            self.hear(client, answer)
