"""The watchdog speaks when a partition stalls, and when it goes on; and only then."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence

import pytest

from kafka_nextgen import Hooks, TopicPartition
from kafka_nextgen.engine.observability.health import Health, Watchdog
from kafka_nextgen.engine.observability.hooks import HookList
from kafka_nextgen.membership.states import Status
from kafka_nextgen.wire.apis import FETCH
from tests.engine.stage import TOPIC, Stage, poll_until, read, tp


class Hears(Hooks):
    def __init__(self) -> None:
        self.calls: list[tuple[tuple[TopicPartition, ...], float]] = []

    def stalled(self, partitions: Sequence[TopicPartition], silent_s: float) -> None:
        self.calls.append((tuple(partitions), silent_s))


def silent(**partitions: float) -> Health:
    silence_s = {tp(int(name[1:])): silent_s for name, silent_s in partitions.items()}
    return Health(status=Status.STABLE, silence_s=silence_s, stalled=tuple(silence_s))


def test_each_stall_is_told_once_and_its_end(caplog: pytest.LogCaptureFixture) -> None:
    hears, hooks = Hears(), HookList()
    hooks.add(hears)
    looks = iter([silent(), silent(p0=31), silent(p0=38, p1=32), silent(p0=45, p1=39), silent(p1=46), silent()])
    dog = Watchdog("group billing", lambda: next(looks), hooks)
    with caplog.at_level(logging.INFO, "kafka_nextgen.fetch"):
        for _ in range(6):
            dog.look()
    assert hears.calls == [((tp(0),), 31), ((tp(1),), 32)]
    assert [line.getMessage().partition("; ")[0] for line in caplog.records] == [
        "group billing: orders[0] stalled: no leader has answered a fetch for 31 s",
        "group billing: orders[1] stalled: no leader has answered a fetch for 32 s",
        "group billing: orders[0] not stalled any more",
        "group billing: orders[1] not stalled any more",
    ]


def test_a_consumer_has_one_that_barks(stage: Stage) -> None:
    stage.create(records=5)
    hears, fetch, is_mute = Hears(), stage.original(FETCH), [True]

    async def mute(*question: object) -> object:
        while is_mute:
            await asyncio.sleep(0.01)
        return await fetch(*question)

    stage.handle(FETCH, mute)
    with stage.consumer(request_timeout_ms=600) as consumer:
        consumer.hooks.add(hears)
        consumer.subscribe([TOPIC])
        poll_until(consumer, lambda: bool(hears.calls))
        assert consumer.health().stalled == (tp(),)
        is_mute.clear()
        read(consumer, 5)
        assert consumer.health().stalled == ()
    assert [partitions for partitions, _ in hears.calls] == [(tp(),)]
