"""``AsyncConsumer`` on the same sockets: errors and faults reach it, or don't, as they do its sibling."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from kafka_nextgen import AsyncConsumer, BrokerError, CommitFailedError, FencedInstanceError, InstanceIdInUseError
from tests.engine.stage import PATIENCE_S, TOPIC, Hears, Stage, values
from tests.sockets.acts import ACTS
from tests.sockets.script import Script

STEPS = ["find coordinator", "join", "heartbeat", "offset fetch", "fetch", "commit", "leave"]
QUICK = {"request_timeout_ms": 200, "fetch_max_wait_ms": 50}


def play(scene: Callable[[AsyncConsumer, Hears], Awaitable[None]], stage: Stage, **more: object) -> list[str]:
    """Run a scene with a consumer of one partition's ten records; return what its listener heard."""
    stage.create(records=10)
    heard = Hears()

    async def within_reason() -> None:
        async with AsyncConsumer(**stage.config(**more)) as consumer:
            await consumer.subscribe([TOPIC], heard)
            await asyncio.wait_for(scene(consumer, heard), PATIENCE_S)

    asyncio.run(within_reason())
    return heard.calls


async def read(consumer: AsyncConsumer, count: int) -> list[int]:
    found: list[int] = []
    while len(found) < count:
        found += values(list(await consumer.poll(timeout=1, max_records=count - len(found))))
    return found


@pytest.mark.parametrize("act", [act for act in ACTS if act != "answer too much"])
@pytest.mark.parametrize("step", STEPS)
def test_a_fault_at_any_step_costs_nothing(script: Script, stage: Stage, step: str, act: str) -> None:
    async def scene(consumer: AsyncConsumer, _: Hears) -> None:
        assert await read(consumer, 10) == list(range(10))
        await consumer.commit()
        while not script.is_done and step != "leave":
            await consumer.poll(timeout=0.05)

    script.play(f"when {step}: {act}")
    assert play(scene, stage, **QUICK) == ["assigned orders[0]", "revoked orders[0]"]
    assert script.is_done
    assert stage.committed() == {0: 10}


def test_who_is_fenced_hears_of_the_loss_and_reads_again(script: Script, stage: Stage) -> None:
    async def scene(consumer: AsyncConsumer, _: Hears) -> None:
        await read(consumer, 10)
        script.play("when heartbeat: answer error FENCED_MEMBER_EPOCH")
        assert await read(consumer, 10) == list(range(10))

    heard = play(scene, stage)
    assert heard == ["assigned orders[0]", "lost orders[0]", "assigned orders[0]", "revoked orders[0]"]


def test_what_is_fatal_is_raised_by_every_poll_and_by_iteration(script: Script, stage: Stage) -> None:
    async def scene(consumer: AsyncConsumer, _: Hears) -> None:
        await read(consumer, 10)
        script.play("when heartbeat: answer error FENCED_INSTANCE_ID")
        for call in (lambda: read(consumer, 1), consumer.__anext__, lambda: read(consumer, 1)):
            with pytest.raises(FencedInstanceError, match=r"group billing: member \S+ at epoch \d+"):
                await call()

    assert play(scene, stage, group_instance_id="reader") == ["assigned orders[0]", "lost orders[0]"]


def test_an_instance_id_in_use_is_fatal_at_once_if_no_time_is_given(script: Script, stage: Stage) -> None:
    async def scene(consumer: AsyncConsumer, _: Hears) -> None:
        with pytest.raises(InstanceIdInUseError):
            await read(consumer, 1)

    script.play("when join, always: answer error UNRELEASED_INSTANCE_ID")
    assert play(scene, stage, group_instance_id="reader", instance_id_retry_timeout_ms=0) == []
    assert len(script.came("join")) == 1


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


def test_an_offset_fetch_that_is_refused_is_raised(script: Script, stage: Stage) -> None:
    async def scene(consumer: AsyncConsumer, _: Hears) -> None:
        with pytest.raises(BrokerError, match="INVALID_REQUEST"):
            await read(consumer, 1)
        assert await read(consumer, 10) == list(range(10))

    script.play("when offset fetch: answer error INVALID_REQUEST")
    play(scene, stage)
