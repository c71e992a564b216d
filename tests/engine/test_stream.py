"""``for`` over runs of records that lie ready."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Iterator
from itertools import count, islice

import pytest

from kafka_nextgen.engine.application.iteration import iterate

Refill = Iterator[object]
stream: Callable[[Callable[[], Refill]], Iterator[object]] = iterate  # type: ignore[assignment]


class Source:
    """Numbers from 0 on; with each refill one more than so many, of which those that are odd may be bad."""

    def __init__(self, *rests: int, odd_are_bad: bool = False) -> None:
        self.numbers = count()
        self.rests = list(rests)
        self.odd_are_bad = odd_are_bad
        self.errors: list[Exception] = []

    def refill(self) -> Refill:
        if self.errors:
            raise self.errors.pop()
        return map(self.checked, islice(self.numbers, 1 + self.rests.pop(0)))

    def checked(self, number: int) -> int:
        if self.odd_are_bad and number % 2:
            raise ValueError(number)
        return number


def test_it_is_refilled_when_all_is_given_out_that_lay_ready() -> None:
    source = Source(2, 0, 1, 9)
    numbers = stream(source.refill)
    assert iter(numbers) is numbers
    assert source.rests == [2, 0, 1, 9], "nothing is asked before somebody wants something"
    for wanted, left in enumerate([3, 3, 3, 2, 1, 1, 0]):
        assert next(numbers) == wanted
        assert len(source.rests) == left


def test_what_a_refill_raises_ends_nothing() -> None:
    source = Source(1, 1)
    numbers = stream(source.refill)
    for before in ([], [0, 1]):
        assert list(islice(numbers, len(before))) == before
        source.errors = [ValueError("two"), ValueError("one")]
        for what in ("one", "two"):
            with pytest.raises(ValueError, match=what):
                next(numbers)
    assert next(numbers) == 2


def test_what_lies_ready_and_can_not_be_given_out_is_passed_over_by_who_asks_again() -> None:
    numbers = stream(Source(3, 9, odd_are_bad=True).refill)
    assert next(numbers) == 0
    for bad, behind in ((1, 2), (3, 4)):
        with pytest.raises(ValueError, match=str(bad)):
            next(numbers)
        assert next(numbers) == behind


def test_what_lies_ready_may_come_to_its_end_meanwhile() -> None:
    rest: list[object] = ["first"] + ["never"] * 9
    fills: list[Refill] = [iter(rest), iter(()), iter(["second"])]
    records = stream(lambda: fills.pop(0))
    assert next(records) == "first"
    rest.clear()
    assert next(records) == "second"


def test_a_tuple_comes_out_as_it_is() -> None:
    assert next(stream(lambda: iter([(1, 2)]))) == (1, 2)


def test_it_keeps_nothing_that_was_given_out() -> None:
    class Thing:
        pass

    things = stream(lambda: (Thing() for _ in range(2)))
    for _ in range(4):
        thing = weakref.ref(next(things))
        assert thing() is None


def test_a_circle_through_it_is_collected() -> None:
    class Owner:
        def refill(self) -> Refill:
            return iter([1, self, self])

    owner = Owner()
    owner.numbers = stream(owner.refill)  # type: ignore[attr-defined]
    assert next(owner.numbers) == 1  # type: ignore[attr-defined]
    gone = weakref.ref(owner)
    del owner
    gc.collect()
    assert gone() is None
