"""Cancelled at any moment, polls and iteration hand every record over exactly once, in order."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kafka_nextgen import AsyncConsumer, Record
from kafka_nextgen.testing import Cluster
from tests.engine.stage import PATIENCE_S, SETTINGS, Stage, tp

RECORDS = 60

#: How long a call may run before it is cancelled: some turns of the event loop, or milliseconds; None for to its end.
patience = st.one_of(st.none(), st.integers(0, 6).map(lambda turns: -turns), st.floats(0, 0.02))
calls = st.lists(st.tuples(st.sampled_from(["poll", "next"]), patience), max_size=25)


@pytest.fixture(scope="module")
def full() -> Iterator[Stage]:
    with pytest.MonkeyPatch.context() as monkeypatch, Cluster(config=SETTINGS) as cluster:
        stage = Stage(cluster, monkeypatch)
        stage.create(partitions=2, records=RECORDS // 2)
        yield stage


async def attempt(consumer: AsyncConsumer, call: str, limit: float | None) -> list[Record]:
    """Make a call and cancel it; what it returned if it was quicker."""
    task = asyncio.ensure_future(take_one(consumer) if call == "next" else take_some(consumer))
    if limit is not None and limit > 0:
        await asyncio.wait([task], timeout=limit)
    elif limit is not None:
        for _ in range(int(-limit)):
            await asyncio.sleep(0)
    if limit is not None:
        task.cancel()
    await asyncio.wait([task])
    return [] if task.cancelled() else task.result()


async def take_one(consumer: AsyncConsumer) -> list[Record]:
    return [await consumer.__anext__()]


async def take_some(consumer: AsyncConsumer) -> list[Record]:
    return list(await consumer.poll(timeout=0.5, max_records=3))


@settings(max_examples=25, deadline=None)
@given(script=calls)
def test_every_record_comes_once_and_in_order(full: Stage, script: list[tuple[str, float | None]]) -> None:
    async def scene() -> list[Record]:
        records: list[Record] = []
        async with AsyncConsumer(**full.config()) as consumer:
            await consumer.subscribe(["orders"])
            for call, limit in script:
                if len(records) < RECORDS:
                    records += await attempt(consumer, call, limit)
            while len(records) < RECORDS:
                records += await consumer.poll(timeout=0.5)
            assert [await consumer.position(tp(partition)) for partition in (0, 1)] == [RECORDS // 2] * 2
        return records

    records = asyncio.run(asyncio.wait_for(scene(), PATIENCE_S))
    for partition in (0, 1):
        offsets = [record.offset for record in records if record.partition == partition]
        assert offsets == list(range(RECORDS // 2))
