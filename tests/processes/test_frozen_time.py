"""A test of an application freezes time: the consumer in it goes on by the real clock."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from unittest import mock

import pytest

import kafka_nextgen
from kafka_nextgen import AsyncConsumer, MisuseError, clocks
from tests.engine.stage import TOPIC, Stage, read
from tests.support.waiting import GUARD_S

freezegun = pytest.importorskip("freezegun")

THEN = "2020-01-01"
RECORDS = 20


def by_time_machine() -> AbstractContextManager[object]:
    return pytest.importorskip("time_machine").travel(THEN, tick=False)


def by_mock() -> AbstractContextManager[object]:
    patched = ExitStack()
    for name in ("monotonic", "time", "perf_counter", "sleep"):
        patched.enter_context(mock.patch(f"time.{name}", return_value=1.0))
    return patched


Freeze = Callable[[], AbstractContextManager[object]]
FREEZES: dict[str, Freeze] = {
    "freezegun": lambda: freezegun.freeze_time(THEN),
    "freezegun, ticking": lambda: freezegun.freeze_time(THEN, tick=True),
    "time-machine": by_time_machine,
    "mock": by_mock,
}
frozen = pytest.mark.parametrize("freeze", FREEZES.values(), ids=FREEZES)


@frozen
def test_records_are_read_and_committed_and_a_poll_that_finds_none_returns(stage: Stage, freeze: Freeze) -> None:
    stage.create(records=RECORDS)
    with freeze(), stage.subscribed(enable_auto_commit=True) as consumer:
        assert len(read(consumer, RECORDS)) == RECORDS
        assert not consumer.poll(0.05)
        assert consumer.health().problem is None
    assert stage.committed() == {0: RECORDS}


def test_a_consumer_that_is_frozen_amid_its_life_keeps_its_partitions(stage: Stage) -> None:
    stage.create(records=RECORDS)
    with stage.subscribed() as consumer:
        read(consumer, RECORDS)
        for then in (THEN, "2100-01-01"):
            with freezegun.freeze_time(then):
                assert not consumer.poll(0.05)
                health = consumer.health()
                assert health.problem is None
                assert (health.since_poll_s or 0.0) < GUARD_S
        assert consumer.assignment()


@frozen
def test_the_polls_of_a_task_return_although_its_event_loop_stands_still(stage: Stage, freeze: Freeze) -> None:
    stage.create()

    async def scene() -> None:
        async with AsyncConsumer(**stage.config()) as consumer:
            await consumer.subscribe([TOPIC])
            while not consumer.assignment():
                await consumer.poll(0.05)
            assert not await consumer.poll(0.05)

    with freeze():
        asyncio.run(scene())


def test_closing_ends_another_tasks_poll_while_its_event_loop_stands_still(stage: Stage) -> None:
    stage.create()

    async def scene() -> None:
        async with AsyncConsumer(**stage.config()) as consumer:
            await consumer.subscribe([TOPIC])
            polling = asyncio.ensure_future(consumer.poll(GUARD_S))
            await asyncio.sleep(0)
        with pytest.raises(MisuseError, match="closed"):
            await polling

    with freezegun.freeze_time(THEN):
        asyncio.run(scene())


def test_the_clocks_are_real_even_if_the_library_is_first_imported_while_time_is_frozen() -> None:
    program = (
        "from freezegun import freeze_time\n"
        f"with freeze_time('{THEN}'):\n"
        "    import time\n"
        "    from kafka_nextgen import clocks\n"
        "    assert time.gmtime().tm_year == 2020\n"
        "print(clocks.time())"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert float(ended.stdout) >= time.time() - 3600


def test_the_clocks_are_those_of_the_system() -> None:
    before = time.monotonic(), time.time(), time.perf_counter(), time.monotonic_ns(), time.time_ns()
    ours = clocks.monotonic(), clocks.time(), clocks.perf_counter(), clocks.monotonic_ns(), clocks.time_ns()
    after = time.monotonic(), time.time(), time.perf_counter(), time.monotonic_ns(), time.time_ns()
    assert all(first <= our <= last for first, our, last in zip(before, ours, after, strict=True))


#: What freezing replaces.
FREEZABLE = re.compile(
    r"(?<![\w.])time\.(time|time_ns|monotonic|monotonic_ns|perf_counter|perf_counter_ns)\b"
    r"|^ *from time import|\bdatetime\.(now|utcnow|today)\b|\bdate\.today\b",
    re.MULTILINE,
)


def test_nothing_asks_another_clock() -> None:
    home = Path(kafka_nextgen.__file__).parent
    assert [str(path) for path in home.rglob("*.py") if FREEZABLE.search(path.read_text(encoding="utf-8"))] == []
