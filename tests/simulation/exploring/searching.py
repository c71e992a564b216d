"""The search: breadth first over whole groups, each a few numbers of states that are worked out once."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Mapping

from attrs import define, field, frozen

from kafka_nextgen.coordinator.requests import TopicImage
from kafka_nextgen.coordinator.settings import CoordinatorSettings
from kafka_nextgen.membership.settings import MemberSettings
from kafka_nextgen.scenarios.world import GROUP
from kafka_nextgen.types import TopicId
from tests.simulation.exploring.coordinators import Coordinators
from tests.simulation.exploring.crowd import Crowd
from tests.simulation.exploring.judging import Judge
from tests.simulation.exploring.moves import Fault, Move
from tests.simulation.exploring.pairs import Kind, Pairs, Step
from tests.simulation.exploring.tails import NO_TAIL, Tails

__all__ = ["Bounds", "Explorer", "Finding", "Result"]

#: The coordinator, what a lost tail leads back to, the faults that are left, and each client; all but one by number.
State = tuple[int, ...]
_CLIENTS = 3

#: Moves, the state after them, and the fault they take.
Onward = tuple[tuple[Move, ...], State, Fault | None]

_TOPIC = "foo"


@frozen
class Bounds:
    """How much there is to explore."""

    members: int = 2
    partitions: int = 2
    faults: int = 1
    auto_commit: bool = False
    most_states: int | None = None
    kinds: frozenset[Fault] = frozenset(Fault)

    @property
    def names(self) -> tuple[str, ...]:
        """What the members are called."""
        return tuple("ABCDEFGH"[: self.members])


@frozen
class Finding:
    """What does not hold, and the shortest way there."""

    broken: tuple[str, ...]
    moves: tuple[Move, ...]


@define
class Result:
    """What was visited."""

    states: int = 0
    steps: int = 0
    depth: int = 0
    settled: int = 0  # states in which nothing is left to do
    overtaken: int = 0  # pairs with a member that a late request spoke for, which no coordinator can tell
    coordinators: int = 0
    clients: int = 0
    is_complete: bool = False  # nothing was left to visit
    faults: Counter[Fault] = field(factory=Counter)  # steps that took one
    finding: Finding | None = None


class Explorer:
    """Visits every state within bounds; ``tell`` hears of each level that is done."""

    def __init__(self, bounds: Bounds, tell: Callable[[Result], None] = lambda _: None) -> None:
        self.bounds = bounds
        self.coordinators = Coordinators(CoordinatorSettings(group_consumer_assignment_interval_ms=0))
        self.crowd = Crowd(MemberSettings(GROUP, auto_commit=bounds.auto_commit), frozenset({_TOPIC}))
        self.judge = Judge(self.coordinators, self.crowd)
        self._pairs = Pairs(self.coordinators, self.crowd)
        self._tails = Tails(bounds.members)
        self._tell = tell
        self._states = [self._first()]
        self._came_from = array("q", [-1])

    def run(self) -> Result:
        """Visit everything; stop at the first thing that does not hold."""
        result, states, ends_at = Result(), self._states, 1
        seen = set(states)
        for at, state in enumerate(states):
            if at == ends_at:
                result.depth, ends_at = result.depth + 1, len(states)
                self._tell(self._counted(result))
            result.finding = self._visit(at, state, seen, result)
            if result.finding is not None or len(states) >= (self.bounds.most_states or float("inf")):
                return self._counted(result)
        result.is_complete = True
        return self._counted(result)

    def _visit(self, at: int, state: State, seen: set[State], result: Result) -> Finding | None:
        """Go on from a state to those that were not seen yet."""
        goes_on = False
        for moves, after, fault in self._onward(state):
            result.steps += 1
            if fault is None:
                goes_on = True
            else:
                result.faults[fault] += 1
            if after in seen:
                continue
            seen.add(after)
            self._states.append(after)
            self._came_from.append(at)
            if broken := self.judge.broken(after[0], after[_CLIENTS:]):
                return Finding(broken, (*self._way_to(at), *moves))
        if goes_on:
            return None
        result.settled += 1
        broken = self.judge.unsettled(state[0], state[_CLIENTS:])
        return Finding(broken, self._way_to(at)) if broken else None

    def _counted(self, result: Result) -> Result:
        result.states, result.overtaken = len(self._states), self.judge.overtaken
        result.coordinators, result.clients = len(self.coordinators.standings), len(self.crowd.lives)
        return result

    def _way_to(self, at: int) -> tuple[Move, ...]:
        way: list[tuple[Move, ...]] = []
        while self._came_from[at] >= 0:
            before, after = self._states[self._came_from[at]], self._states[at]
            way.append(next(moves for moves, found, _ in self._onward(before) if found == after))
            at = self._came_from[at]
        return tuple(move for moves in reversed(way) for move in moves)

    def _first(self) -> State:
        topics = {_TOPIC: TopicImage(TopicId(int=1), _TOPIC, self.bounds.partitions)}
        clients = (self.crowd.first(name) for name in self.bounds.names)
        return (self.coordinators.first(topics), NO_TAIL, self.bounds.faults, *clients)

    # ---- steps

    def _onward(self, state: State) -> Iterator[Onward]:
        coordinator, _, left, *clients = state
        steps_of = self._pairs.steps
        for who, client in enumerate(clients):
            before, behind = state[_CLIENTS : _CLIENTS + who], state[_CLIENTS + who + 1 :]
            for step in steps_of(coordinator, client):
                tail = self._tail_after(state, who, step) if left else NO_TAIL
                yield step[0], (step[1], tail, left, *before, step[2], *behind), None
        if left:
            yield from self._faults(state)

    def _tail_after(self, state: State, who: int, step: Step) -> int:
        kind = step[3]
        if kind is Kind.ALONE:
            return state[1]
        answers = len(self.crowd.lives[state[_CLIENTS + who]].answers)
        return self._tails.after(state[1], kind, state[0], who, answers)

    def _faults(self, state: State) -> Iterator[Onward]:
        left = state[2] - 1
        for fault, moves, after in self._all_faults(state):
            if fault in self.bounds.kinds:
                yield moves, (after[0], after[1] if left else NO_TAIL, left, *after[_CLIENTS:]), fault

    def _all_faults(self, state: State) -> Iterator[tuple[Fault, tuple[Move, ...], State]]:
        coordinator, tail, left, *clients = state
        for who, client in enumerate(clients):
            for fault, step in self._pairs.faults(coordinator, client):
                others = (*clients[:who], step[2], *clients[who + 1 :])
                yield fault, step[0], (step[1], self._tail_after(state, who, step), left, *others)
        if self.coordinators.standings[coordinator].group is not None:
            after = self.coordinators.fail_over(coordinator, coordinator)
            yield Fault.FAIL_OVER, (("fail-over",),), (after, NO_TAIL, left, *clients)
        if tail != NO_TAIL:
            waiting = zip(self.bounds.names, self._tails.of(tail)[1], strict=True)
            move = ("lose-tail", *(f"{name.lower()}={answers}" for name, answers in waiting if answers))
            yield Fault.LOST_TAIL, (move,), self._without_tail(state)
        for move, topics in self._topic_changes(coordinator):
            yield Fault.TOPICS, (move,), (self.coordinators.change_topics(coordinator, topics), tail, left, *clients)

    def _without_tail(self, state: State) -> State:
        back_to, waiting = self._tails.of(state[1])
        clients = (
            self.crowd.bereft(client, answers) if answers else client
            for client, answers in zip(state[_CLIENTS:], waiting, strict=True)
        )
        return (self.coordinators.fail_over(back_to, state[0]), NO_TAIL, state[2], *clients)

    def _topic_changes(self, coordinator: int) -> Iterator[tuple[Move, Mapping[str, TopicImage]]]:
        topic = self.coordinators.standings[coordinator].topics.by_name.get(_TOPIC)
        if topic is not None:
            more = topic.num_partitions + 1
            yield ("grow", _TOPIC, str(more)), {_TOPIC: TopicImage(topic.topic_id, _TOPIC, more)}
            yield ("delete", _TOPIC), {}
