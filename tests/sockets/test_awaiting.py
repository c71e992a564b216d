"""``AsyncConsumer`` on the same sockets: faults cost it nothing, and errors reach it, as they do its sibling.

What it hears of fences and of what is fatal is in ``tests/engine/test_async_consumer.py``.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from kafka_nextgen import AsyncConsumer, CommitFailedError
from tests.engine.stage import TOPIC, Hears, Stage, values
from tests.sockets.script import Script
from tests.support.waiting import GUARD_S

STEPS = ["find coordinator", "join", "heartbeat", "offset fetch", "fetch", "commit", "leave"]


def play(scene: Callable[[AsyncConsumer, Hears], Awaitable[None]], stage: Stage) -> list[str]:
    """Run a scene with a consumer of one partition's ten records; return what its listener heard."""
    stage.create(records=10)
    heard = Hears()

    async def within_reason() -> None:
        async with AsyncConsumer(**stage.config()) as consumer:
            await consumer.subscribe([TOPIC], heard)
            await asyncio.wait_for(scene(consumer, heard), GUARD_S)

    asyncio.run(within_reason())
    return heard.calls


async def read(consumer: AsyncConsumer, count: int) -> list[int]:
    found: list[int] = []
    while len(found) < count:
        found += values(list(await consumer.poll(timeout=1, max_records=count - len(found))))
    return found


def test_a_fault_at_each_step_costs_nothing(script: Script, stage: Stage) -> None:
    async def scene(consumer: AsyncConsumer, _: Hears) -> None:
        assert await read(consumer, 10) == list(range(10))
        await consumer.commit()
        while len(script.acted_on) < len(STEPS) - 1:  # all but the leave
            await consumer.poll(timeout=0.05)

    script.play("\n".join(f"when {step}: drop the connection" for step in STEPS))
    assert play(scene, stage) == ["assigned orders[0]", "revoked orders[0]"]
    assert script.is_done
    assert stage.committed() == {0: 10}


def test_a_commit_that_is_refused_names_its_partitions(script: Script, stage: Stage) -> None:
    async def scene(consumer: AsyncConsumer, _: Hears) -> None:
        await read(consumer, 10)
        script.play("when commit, 2 times: answer error UNKNOWN_MEMBER_ID")
        for commit in (consumer.commit, consumer.commit_async):
            with pytest.raises(CommitFailedError, match=r"orders\[0\] \(UNKNOWN_MEMBER_ID\)"):
                await commit()
        await consumer.commit()

    play(scene, stage)
    assert stage.committed() == {0: 10}
