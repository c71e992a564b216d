"""What the application's thread receives while the I/O thread settles the fetches in flight."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from kafka_nextgen.fetching import DecodedPartition, Fetch, NodeFetches, SessionAnswer
from kafka_nextgen.types import TopicPartition
from kafka_nextgen.wire.records import Columns
from tests.fetching.world import PlainStep, World, bring, columns

P0, P1 = TopicPartition("orders", 0), TopicPartition("orders", 1)


class Late(PlainStep):
    """An answer arrives as soon as the number of answers is read: the socket's thread holds no lock."""

    def __init__(self, fetch: Fetch) -> None:
        self.late: list[DecodedPartition] = []
        self.taken: list[list[DecodedPartition]] = []
        super().__init__(fetch)

    @property
    def answers(self) -> int:
        if self.late:
            self.upcoming, self.late = self.late, []
            found = self.answer(memoryview(b""), 0)
            assert found is not None
            self.taken.append(found[1])
        return self._answers

    @answers.setter
    def answers(self, value: int) -> None:
        self._answers = value


def test_the_next_fetch_goes_on_after_what_arrived_while_fetches_were_settled(world: World) -> None:
    world.start(P0, P1)
    first = world.fetch()
    world.receive(first, SessionAnswer(0, 7, [P0, P1]))
    world.state.results.fetched(first, [bring(Columns(tp, 0)) for tp in (P0, P1)], world.now)
    steady, step = follow(world, world.fetch())
    step.late = [bring(columns(P0, 0, 2))]
    world.state.steady.settle()
    world.state.steady.take_back(steady)
    fetch = world.state.steady.end(steady)
    assert world.state.by_partition[P0].fetch_offset == 2
    assert fetch.wanted[P0].offset == 2
    # An answer with only a new high watermark is decoded where the request began.
    world.receive(fetch, SessionAnswer(0, 7, [P0]))
    world.state.results.fetched(fetch, [bring(Columns(P0, fetch.wanted[P0].offset))], world.now)
    assert world.fetch().wanted[P0].offset == 2


def follow(world: World, fetch: Fetch) -> tuple[NodeFetches, Late]:
    """Follow the answers to a fetch, on a socket that is lent to the application's thread."""
    step: Any = Late(fetch)
    steady = world.state.steady.begin(fetch, world.image, lambda: step)
    assert steady is not None
    socket: Any = SimpleNamespace(taken=step.taken, stop=lambda: None, asked_at=world.now)
    assert world.state.steady.lend(steady, lambda _: socket) is socket
    return steady, step
