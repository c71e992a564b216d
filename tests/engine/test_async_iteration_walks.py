"""Whatever is done with what ``__anext__`` gives, in whatever order: the compiled part and its twin do the same."""

from __future__ import annotations

import warnings
from collections.abc import AsyncIterator, Callable, Coroutine, Generator, Iterator, Sequence

import pytest
from attrs import frozen
from hypothesis import given, settings
from hypothesis import strategies as st

from kafka_nextgen.compiled import ACCELERATED, accelerator
from kafka_nextgen.engine.application.iteration import IterationInPython
from tests.support.examples import examples

pytestmark = pytest.mark.skipif(not ACCELERATED, reason="nothing is compiled here")

Given = tuple[int]
Refill = tuple[Iterator[Given], int]


@frozen
class Script:
    """What one refill does: wait some turns, each of which may be interrupted, and then fail or bring records."""

    turns: int
    bears_interruption: bool
    fails: bool
    lying_ready: int
    then_fails: bool
    stride: int


SCRIPTS = st.builds(
    Script, st.integers(0, 2), st.booleans(), st.booleans(), st.integers(1, 4), st.booleans(), st.integers(1, 4)
)
#: What is done, and with which of those that are under way.
STEPS = st.tuples(
    st.sampled_from(["begin", "send", "send", "send", "interrupt", "break", "close", "drop"]), st.integers(0, 9)
)


class Turn:
    def __await__(self) -> Generator[str, None, None]:
        yield "turn"


class Source:
    """Refills by the scripts, round and round; records are numbers that count up."""

    def __init__(self, scripts: Sequence[Script]) -> None:
        self.scripts = scripts
        self.refills = self.records = 0

    async def refill(self) -> Refill:
        script = self.scripts[self.refills % len(self.scripts)]
        self.refills += 1
        for _ in range(script.turns):
            try:
                await Turn()
            except KeyError:
                if not script.bears_interruption:
                    raise
        if script.fails:
            raise IndexError("refill")
        return self.lying_ready(script), script.stride

    def lying_ready(self, script: Script) -> Iterator[Given]:
        for _ in range(script.lying_ready):
            yield self.next()
        if script.then_fails:
            raise ValueError("record")

    def next(self) -> Given:
        self.records += 1
        return (self.records,)


def walk(
    kind: Callable[[Callable[[], Coroutine[None, None, Refill]]], AsyncIterator[Given]],
    scripts: Sequence[Script],
    steps: Sequence[tuple[str, int]],
) -> list[tuple[object, ...]]:
    """What came of each step."""
    source = Source(scripts)
    iteration = kind(source.refill)
    under_way: list[Coroutine[object, None, Given]] = []
    came: list[tuple[object, ...]] = []
    for what, which in steps:
        if what == "begin" or not under_way:
            under_way.append(iteration.__anext__())  # type: ignore[arg-type]
            continue
        one = under_way[which % len(under_way)]
        if what != "drop":
            came.append(outcome(what, one))
        if what == "drop" or (came[-1][0] != "yielded" and which):  # now and then one is asked again at its end
            under_way.remove(one)
        came.append((source.refills, source.records))
    for one in under_way:
        one.close()
    return came


def outcome(what: str, one: Coroutine[object, None, Given]) -> tuple[object, ...]:
    acts = {
        "send": lambda: one.send(None),
        "interrupt": lambda: one.throw(KeyError("interrupt")),
        "break": lambda: one.throw(OSError("break")),
        "close": one.close,
    }
    try:
        return "yielded", acts[what]()
    except StopIteration as end:
        return "returned", end.value
    except RuntimeError:  # it is at its end; in what words, that is the interpreter's
        return ("refused",)
    except (KeyError, OSError, IndexError, ValueError) as error:
        return type(error).__name__, str(error)


@settings(max_examples=examples(300))
@given(st.lists(SCRIPTS, min_size=1, max_size=4), st.lists(STEPS, max_size=60))
def test_both_do_the_same(scripts: list[Script], steps: list[tuple[str, int]]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of coroutines that were dropped before they began
        in_python = walk(IterationInPython, scripts, steps)  # type: ignore[arg-type]
        assert walk(accelerator.Iteration, scripts, steps) == in_python
