"""``async for`` by the compiled part and by its twin: what ``__anext__`` gives is a coroutine by all that it does."""

from __future__ import annotations

import asyncio
import gc
import inspect
import itertools
import sys
import weakref
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from typing import TypeVar

import pytest

from kafka_nextgen.compiled import ACCELERATED, accelerator
from kafka_nextgen.engine.application import iteration as iterating
from kafka_nextgen.engine.application.iteration import IterationInPython
from tests.support.garbage import no_collections
from tests.support.waiting import GUARD_S

T = TypeVar("T")
Refill = tuple[Iterator[int], int]
Makes = Callable[[Callable[[], Coroutine[None, None, Refill]]], AsyncIterator[int]]

either = pytest.mark.parametrize(
    "kind", [accelerator.Iteration, IterationInPython] if ACCELERATED else [IterationInPython]
)
compiled = pytest.mark.skipif(not ACCELERATED, reason="nothing is compiled here")


class Source:
    """Numbers from 0 on, three with each refill, which lets the loop turn; says how many of them were taken."""

    def __init__(self) -> None:
        self.taken = 0
        self.refills = 0
        self.error: Exception | None = None

    def numbers(self) -> Iterator[int]:
        while True:
            if self.taken == 7:
                self.taken += 1
                raise ValueError("seven")
            self.taken += 1
            yield self.taken - 1

    async def refill(self) -> Refill:
        self.refills += 1
        await asyncio.sleep(0)
        if self.error is not None:
            raise self.error
        return self.numbers(), 3


def begun(awaitable: Awaitable[T]) -> Coroutine[None, None, T]:
    assert isinstance(awaitable, Coroutine)
    return awaitable


@either
async def test_what_lies_ready_is_given_out_and_refilled_when_it_is_used_up(kind: Makes) -> None:
    source = Source()
    seen = []
    async for number in kind(source.refill):
        seen.append(number)
        if number == 5:
            break
    assert seen == [0, 1, 2, 3, 4, 5]
    assert (source.refills, source.taken) == (2, 6)


@either
async def test_an_error_ends_neither_the_loop_object_nor_what_lies_ready(kind: Makes) -> None:
    source = Source()
    numbers = kind(source.refill)
    source.error = ZeroDivisionError("mine")
    with pytest.raises(ZeroDivisionError, match="mine"):
        await anext(numbers)
    source.error = None
    assert [await anext(numbers) for _ in range(7)] == list(range(7))
    with pytest.raises(ValueError, match="seven"):
        await anext(numbers)
    assert await anext(numbers) == 8


@either
async def test_one_that_is_dropped_or_cancelled_before_it_began_has_taken_nothing(kind: Makes) -> None:
    source = Source()
    numbers = kind(source.refill)
    assert await anext(numbers) == 0
    begun(anext(numbers)).close()
    for _ in range(2):
        task = asyncio.ensure_future(anext(numbers))
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert source.taken == 1
    assert await asyncio.wait_for(anext(numbers), GUARD_S) == 1


@either
def test_it_is_driven_by_hand_as_a_coroutine_is_and_a_tuple_comes_out_as_it_is(
    kind: Callable[[object], AsyncIterator[object]],
) -> None:
    async def refill() -> object:
        return (iter([(1, 2), (), 3]), 3)

    numbers = kind(refill)
    one = begun(anext(numbers))
    assert inspect.isawaitable(one)
    with pytest.raises(TypeError, match="can't send non-None value to a just-started coroutine"):
        one.send(3)  # type: ignore[arg-type]
    for send, came in ((one.send, (1, 2)), (begun(anext(numbers)).send, ()), (begun(anext(numbers)).send, 3)):
        with pytest.raises(StopIteration) as stop:
            send(None)
        assert stop.value.value == came
    with pytest.raises(RuntimeError, match="cannot reuse already awaited"):
        one.send(None)


@either
def test_a_refill_that_awaits_its_own_is_an_error(kind: Makes) -> None:
    waits: list[Coroutine[None, None, int]] = []

    async def refill() -> Refill:
        await waits[0]
        raise AssertionError

    waits.append(begun(anext(kind(refill))))
    with pytest.raises((ValueError, RuntimeError), match="already"):
        waits[0].send(None)
    waits.clear()


@compiled
@pytest.mark.parametrize(
    "given", [None, (iter([1]), 2, 3), (1, 2), (iter([1]), "3")], ids=["nothing", "three", "no iterator", "no number"]
)
def test_a_refill_of_another_kind_is_refused(given: object) -> None:
    async def refill() -> object:
        return given

    for other in (refill, lambda: given, None):
        with pytest.raises(TypeError):
            asyncio.run(first_of(accelerator.Iteration(other)))  # type: ignore[arg-type]


async def first_of(numbers: AsyncIterator[int]) -> int:
    return await anext(numbers)


@either
def test_nothing_is_left_of_a_loop_that_was_left(kind: Makes) -> None:
    class Watched(Source):
        pass

    async def scene() -> weakref.ref[Source]:
        source = Watched()
        numbers = kind(source.refill)
        assert [await anext(numbers) for _ in range(5)] == list(range(5))
        dropped = begun(anext(numbers))
        dropped.close()
        return weakref.ref(source)

    with no_collections():
        gone = asyncio.run(scene())
        assert gone() is None


@compiled
def test_a_circle_through_what_is_not_awaited_is_collected() -> None:
    class Watched(Source):
        circle: object = None

    source = Watched()
    numbers = accelerator.Iteration(source.refill)
    source.circle = [anext(numbers), numbers]
    gone = weakref.ref(source)
    del source, numbers
    gc.collect()
    assert gone() is None


@compiled
async def test_a_loop_makes_no_object_for_each() -> None:
    async def refill() -> Refill:
        return (iter(range(100)), 100)

    numbers, seen = accelerator.Iteration(refill), set[int]()
    for _ in range(50):
        one = anext(numbers)
        seen.add(id(one))
        await one
        del one
    assert len(seen) == 1


@pytest.mark.skipif(sys.implementation.name != "cpython", reason="counts references")
@compiled
async def test_references_are_as_many_after_a_loop_as_before() -> None:
    async def refill() -> tuple[Iterator[object], int]:
        return (iter([thing] * 6), 6)

    thing = object()
    before = sys.getrefcount(thing)
    numbers = accelerator.Iteration(refill)
    for _ in range(30):
        await anext(numbers)
        begun(anext(numbers)).close()
    del numbers
    assert sys.getrefcount(thing) == before


class Clock:
    """Time that passes when it is told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now


class Stand:
    """In place of a cursor whose run has come to its end."""

    records: Iterator[int] = itertools.count(1)
    next = None
    following = None

    async def poll(self) -> None:
        pass


@pytest.mark.parametrize(
    ("body_s", "strides", "is_paused"),
    [
        (0.0, [128, 256, 512, 1024, 1024, 1024], False),
        (2**-13, [8, 8, 8, 8, 8, 8], True),
        (0.01, [1, 1, 1, 1, 1, 1], True),
    ],
    ids=["idle", "busy", "slow"],
)
async def test_a_stride_is_as_long_as_the_body_is_quick(
    monkeypatch: pytest.MonkeyPatch, body_s: float, strides: list[int], is_paused: bool
) -> None:
    clock, stand = Clock(), Stand()
    monkeypatch.setattr(iterating, "clocks", clock)
    turned = asyncio.get_running_loop().create_future()
    asyncio.get_running_loop().call_soon(turned.set_result, None)
    loop = iterating._Strides(stand, stand.poll)  # type: ignore[arg-type]
    count = 64
    for stride in strides:
        clock.now += count * body_s
        _, count = await loop.begin_next()  # type: ignore[assignment]
        assert count == stride
    assert turned.done() is is_paused
