"""Thousands of calls in random order, from two threads or two tasks, with a listener that makes calls itself.

Nothing hangs; nothing is raised that is not documented for that method; whoever calls while the other is inside gets
ConcurrentUseError, except by what may always be asked; ``close`` comes from either, at a random moment, and whatever is
called afterwards raises MisuseError. Meanwhile the group throws the member out at times.

Each life of a consumer has its seed. The calls of each caller are the same in every run, how they meet is not.
"""

from __future__ import annotations

import asyncio
import contextlib
import faulthandler
import inspect
import random
import tempfile
import threading
from collections.abc import Callable, Iterator

import pytest

from kafka_nextgen import AsyncConsumer, ConcurrentUseError, Consumer, MisuseError
from kafka_nextgen.testing import Cluster
from tests.engine.injected_calls import result_of
from tests.engine.random_calls import PARTITIONS, RECORDS, ListenerError, RandomCalls, RandomListener
from tests.engine.stage import SETTINGS, Stage
from tests.support.examples import examples
from tests.support.waiting import GUARD_S

LIVES, TURNS = examples(30), 200  # with two callers; 12,000 calls in a night's run, for each kind of consumer


@pytest.fixture(scope="module")
def full() -> Iterator[Stage]:
    with pytest.MonkeyPatch.context() as monkeypatch, Cluster(config=SETTINGS) as cluster:
        stage = Stage(cluster, monkeypatch)
        stage.create(PARTITIONS, RECORDS)
        cluster.create_topic("audit", 1)
        yield stage


class Life:
    """One consumer from its first call to its last, and its two callers; ``faults`` has what should not have been."""

    def __init__(self, stage: Stage, make: Callable[..., Consumer | AsyncConsumer], seed: int) -> None:
        dice = random.Random(seed)
        auto_commit = {"enable_auto_commit": bool(seed % 2), "auto_commit_interval_ms": 20}
        self.stage = stage
        self.consumer = make(**stage.config(group_id=f"random-{seed}", **auto_commit))
        self.begins_to_close, self.is_closed = threading.Event(), False
        self.listener = RandomListener(self.consumer, random.Random(dice.random()))
        self.callers = [
            RandomCalls(self.consumer, self.listener, random.Random(dice.random()), self.begins_to_close)
            for _ in range(2)
        ]
        self.closes_at = dice.randrange(2), dice.randrange(TURNS * 3 // 4, TURNS)  # who, and when
        self.fenced_at = {dice.randrange(TURNS * 3 // 4) for _ in range(2)}
        self.faults: list[str] = []

    def fence(self) -> None:
        """Have the member thrown out of its group, if it is in one."""
        with contextlib.suppress(MisuseError):  # it is being closed
            if self.consumer.group_metadata().member_epoch > 0:
                self.stage.fence(self.consumer)

    def closed(self, error: Exception | None = None) -> None:
        """Note how ``close`` ended: what a callback raised it may raise, and that it cut a call short."""
        self.is_closed = True
        if error is not None and not isinstance(error, ListenerError | ConcurrentUseError):
            self.faults.append(f"close: {error!r}")

    def judge(self, seed: int) -> None:
        """Fail if anything was not as it should have been."""
        for caller in self.callers:
            caller.judge_commits()
        faults = [*self.faults, *self.listener.undocumented, *(f for one in self.callers for f in one.undocumented)]
        assert not faults, f"seed {seed}: {faults[:5]}"
        assert self.is_closed
        assert not self.consumer._core.engine.thread._thread.is_alive()


def lived_by_threads(stage: Stage, seed: int) -> Life:
    life = Life(stage, Consumer, seed)
    callers = [threading.Thread(target=lambda n=n: asyncio.run(take_turns(life, n)), daemon=True) for n in (0, 1)]  # type: ignore[misc]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join(GUARD_S)
    assert not any(caller.is_alive() for caller in callers), f"seed {seed} hangs:\n{stacks()}"
    return life


def lived_by_tasks(stage: Stage, seed: int) -> Life:
    async def live() -> None:
        tasks = [asyncio.ensure_future(take_turns(life, number)) for number in (0, 1)]
        _, hanging = await asyncio.wait(tasks, timeout=GUARD_S)
        assert not hanging, f"seed {seed} hangs:\n{hanging}\n{stacks()}"
        for task in tasks:
            task.result()

    life = Life(stage, AsyncConsumer, seed)
    asyncio.run(live())
    return life


def stacks() -> str:
    """Where every thread is."""
    with tempfile.TemporaryFile("w+") as file:
        faulthandler.dump_traceback(file)
        file.seek(0)
        return file.read()


async def take_turns(life: Life, number: int) -> None:
    for turn in range(TURNS):
        if number == 0 and turn in life.fenced_at:
            await asyncio.to_thread(life.fence)
        if (number, turn) == life.closes_at:
            await close(life)
        await call_once(life, life.callers[number])
        await asyncio.sleep(0)


async def close(life: Life) -> None:
    life.begins_to_close.set()
    try:
        await result_of(life.consumer.close(timeout=GUARD_S))
    except Exception as error:
        life.closed(error)
    else:
        life.closed()


async def call_once(life: Life, caller: RandomCalls) -> None:
    call, closed_before = caller.next(), life.is_closed
    try:
        result = call.make(life.consumer, caller.dice, life.listener)
        if inspect.iscoroutine(result):
            await result
    except Exception as error:
        caller.judge(call, error)
    else:
        caller.passed(call, result, closed_before)


@pytest.mark.parametrize("lived", [lived_by_threads, lived_by_tasks])
def test_nothing_hangs_and_nothing_undocumented_is_raised(full: Stage, lived: Callable[[Stage, int], Life]) -> None:
    refused, calls = 0, 0
    for seed in range(LIVES):
        life = lived(full, seed)
        life.judge(seed)
        refused, calls = refused + sum(one.refused for one in life.callers), calls + life.listener.calls
    assert refused, "the callers met"
    assert calls, "the listener was called"
