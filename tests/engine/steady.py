"""A consumer whose fetches are in a steady state, and what may happen to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from kafka_nextgen import Consumer
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.compiled import accelerator
from kafka_nextgen.engine.reading.locked_fetches import LockedFetches
from kafka_nextgen.fetching import Fetch, NodeFetches
from kafka_nextgen.wire.apis import FETCH
from tests.engine.stage import Stage, read, tp, values

LONG_MS = 5_000
#: No fetch is answered without records, however long the test takes to write the next one.
PATIENT = {"fetch_max_wait_ms": 600_000, "request_timeout_ms": 900_000}


class Steadiness:
    """Counts steady states that have begun and ended, and the answers that were followed and not in these."""

    def __init__(self) -> None:
        self.begun = self.ended = self.odd_answers = 0
        self._steps: list[accelerator.SteadyFetch[Any]] = []

    @property
    def answers(self) -> int:
        """On whichever thread."""
        return sum(step.answers for step in self._steps)

    @property
    def is_on(self) -> bool:
        return self.begun > self.ended

    def watch(self, monkeypatch: pytest.MonkeyPatch) -> None:
        begin, take, end = LockedFetches.begin_steady, LockedFetches.take_steady, LockedFetches.end_steady

        def begun(fetches: LockedFetches, *what: Any) -> NodeFetches | None:
            steady = begin(fetches, *what)
            if steady is not None:
                self.begun += 1
                self._steps.append(steady.step)
            return steady

        def taken(fetches: LockedFetches, *what: Any) -> object:
            following = take(fetches, *what)
            self.odd_answers += following is None
            return following

        def ended(fetches: LockedFetches, steady: NodeFetches) -> Fetch:
            self.ended += 1
            return end(fetches, steady)

        monkeypatch.setattr(LockedFetches, "begin_steady", begun)
        monkeypatch.setattr(LockedFetches, "take_steady", taken)
        monkeypatch.setattr(LockedFetches, "end_steady", ended)


def reading(stage: Stage, steady: Steadiness, **config: object) -> Consumer:
    """A consumer of two partitions that has read some records of the first one, and is in a steady state."""
    stage.create(partitions=2)
    consumer = stage.reader(0, 1, **{"fetch_max_wait_ms": LONG_MS, **config})
    go_on(stage, consumer, steady)
    return consumer


def go_on(stage: Stage, consumer: Consumer, steady: Steadiness) -> None:
    """Read one by one until some answers in a row are followed."""
    for offset in range(next_of(consumer), next_of(consumer) + 100):
        before = steady.answers
        assert one_by_one(stage, consumer, 1) == [offset]
        if steady.is_on and steady.answers > before:
            return
    raise AssertionError("no steady state has begun")


def one_by_one(stage: Stage, consumer: Consumer, count: int, partition: int = 0) -> list[int]:
    """Write a record and read it, so many times; what was read."""
    records = []
    for _ in range(count):
        stage.write(partition, 1)
        records += read(consumer, 1)
    return values(records)


def next_of(consumer: Consumer) -> int:
    """The offset, and so the value, of the next record of the first partition."""
    return consumer.position(tp(0))


def reads_on(stage: Stage, consumer: Consumer, count: int) -> bool:
    """Whether so many records more of it are read one by one, each of them."""
    first = next_of(consumer)
    return one_by_one(stage, consumer, count) == list(range(first, first + count))


def once(stage: Stage, change: Callable[[Any], Any]) -> None:
    """Have the next answer to a fetch changed."""
    fetch = stage.original(FETCH)

    async def changed(*question: object) -> object:
        stage.handle(FETCH, fetch)
        return change(await fetch(*question))

    stage.handle(FETCH, changed)


def fails(stage: Stage, how: Callable[[], object]) -> None:
    """Let the broker fail once, where the next fetch is to be answered."""

    def refused(answer: Any) -> Any:
        how()
        return answer.replaced(error_code=ErrorCode.KAFKA_STORAGE_ERROR)

    once(stage, refused)


def hang_up() -> None:
    raise ConnectionResetError("the broker has had enough")
