"""What an answer costs does not grow with the partitions that are assigned, only with those that it contains."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.fetching import DecodedPartition, Fetch, FetchSettings, FetchState, SessionAnswer
from kafka_nextgen.types import TopicPartition
from kafka_nextgen.wire.records import Columns
from tests.fetching.world import World, bring, cluster, columns, steady, take_steady

SESSION = 7
FEW, MANY = 50, 500

#: The first is not counted: Python 3.13 reports the opcodes of a function only after it was traced once.
COUNTS = (FEW, FEW, MANY)


def opcodes(work: Callable[[], object]) -> int:
    """How many opcodes Python executes."""
    count = 0

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal count
        frame.f_trace_opcodes = True
        frame.f_trace_lines = False
        count += event == "opcode"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


def told(*partitions: TopicPartition) -> SessionAnswer:
    return SessionAnswer(0, SESSION, partitions)


class Reader:
    """A consumer of so many partitions of two nodes; node 1 answers with five of them."""

    def __init__(self, count: int) -> None:
        self.partitions = [TopicPartition("orders", number) for number in range(count)]
        leaders = {tp: 1 + tp.partition % 2 for tp in self.partitions}
        self.world = World(FetchState(FetchSettings()), cluster(leaders))
        self.world.start(*self.partitions)
        for need in self.world.plan():
            assert isinstance(need, Fetch)
            self.world.receive(need, told(*need.wanted))
            self.world.state.results.fetched(need, [bring(Columns(tp, 0)) for tp in need.wanted], self.world.now)
        self.fetch, self.other = self.fetches()
        self.brought = self.partitions[0:10:2]
        self.go_on()  # finds out which partitions rest
        self.go_on()

    def fetches(self) -> list[Fetch]:
        return [need for need in self.world.plan() if isinstance(need, Fetch)]

    def results(self) -> list[DecodedPartition]:
        return [bring(columns(tp, self.fetch.wanted[tp].offset, 1)) for tp in self.brought]

    def go_on(self, results: list[DecodedPartition] | None = None) -> None:
        """Apply an answer, plan, and poll."""
        results = self.results() if results is None else results
        assert self.world.receive(self.fetch, told(*(each.partition for each in results)))
        self.world.state.results.fetched(self.fetch, results, self.world.now)
        (self.fetch,) = self.fetches()
        self.poll()

    def poll(self) -> None:
        handover = self.world.state.handover
        handover.mark_consumed()
        handover.has_records()
        handover.hand_over_all(handover.peek(500, whole_runs=True))


def cost_of(reader: Reader, results: list[DecodedPartition]) -> int:
    return opcodes(lambda: reader.go_on(results))


@pytest.mark.parametrize("outcome", ["records", "nothing", "a failure"])
def test_an_answer_a_plan_and_a_poll_cost_the_same_with_ten_times_the_partitions(outcome: str) -> None:
    costs: list[int] = []
    for count in COUNTS:
        reader = Reader(count)
        results = {
            "records": reader.results(),
            "nothing": [],
            "a failure": [DecodedPartition(reader.brought[0], ErrorCode.UNKNOWN_SERVER_ERROR), *reader.results()[1:]],
        }[outcome]
        costs.append(cost_of(reader, results))
    _, few, many = costs
    assert many < few + 0.1 * (MANY - FEW), "not even one opcode for ten partitions"


def test_partitions_that_are_paused_cost_nothing() -> None:
    reader = Reader(MANY)
    with_all = cost_of(reader, reader.results())
    reader.world.state.pause(reader.partitions[20:])
    reader.go_on()
    reader.go_on()
    assert cost_of(reader, reader.results()) < with_all + 500


def test_the_fast_path_begins_and_ends_at_the_same_cost_with_ten_times_the_partitions() -> None:
    costs: list[int] = []
    for count in COUNTS:
        reader = Reader(count)
        world = reader.world
        fetches = steady(world.state, reader.fetch, world.image)  # finds out which partitions of the other node rest
        assert fetches is not None
        reader.fetch = world.state.steady.end(fetches)
        reader.go_on()
        step = steady(world.state, reader.fetch, world.image)
        assert step is not None
        reader.fetch = world.state.steady.end(step)

        def follow(reader: Reader = reader, made: Any = step.step) -> None:
            state, image = reader.world.state, reader.world.image
            fetches = state.steady.begin(reader.fetch, image, lambda: made)
            assert fetches is not None
            assert take_steady(state, fetches, reader.results(), reader.world.now)
            reader.fetch = state.steady.end(fetches)
            reader.poll()

        costs.append(opcodes(follow))
    _, few, many = costs
    assert many < few + 0.1 * (MANY - FEW), "not even one opcode for ten partitions"
