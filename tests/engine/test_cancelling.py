"""Cancelled at any moment, whatever a consumer is asked for, every record is handed over exactly once, in order.

Each example is a group that reads two partitions in two lives. In each life calls are made one after the other; most
are cancelled after a number of turns of the event loop or some milliseconds, by ``cancel`` or by ``asyncio.wait_for``.
So is the close that ends the first life: what it commits must be what was handed over, no more and no less, or the
second life would miss records or get them again.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Collection, Coroutine, Iterator, Sequence

import pytest
from attrs import define, field, frozen
from hypothesis import given, settings
from hypothesis import strategies as st

from kafka_nextgen import AsyncConsumer, AsyncRebalanceConsumer, AsyncRebalanceListener, Record, TopicPartition
from kafka_nextgen.engine.application.records import Records
from kafka_nextgen.testing import Cluster
from tests.engine.injected_calls import next_of
from tests.engine.stage import SETTINGS, TOPIC, Stage, tp
from tests.support.examples import examples
from tests.support.waiting import GUARD_S

PARTITIONS, IN_EACH = 2, 30
RECORDS = PARTITIONS * IN_EACH

GROUPS = itertools.count()


async def batch(consumer: AsyncConsumer) -> Records:
    batches = consumer.batches(max_records=4)
    try:
        return await anext(batches)
    finally:
        await batches.aclose()  # type: ignore[attr-defined]


async def position(consumer: AsyncConsumer) -> None:
    if consumer.assignment():
        await consumer.position(min(consumer.assignment()))


async def look_up(consumer: AsyncConsumer) -> None:
    await consumer.committed([tp(0)])
    await consumer.end_offsets([tp(1)])


Call = Callable[[AsyncConsumer], Coroutine[object, object, object]]
HANDING_OVER: list[Call] = [lambda consumer: consumer.poll(timeout=0.5, max_records=3), next_of, batch]
OTHERS: list[Call] = [
    *(position, look_up),
    lambda consumer: consumer.subscribe([TOPIC, "audit"], Awaits()),
    lambda consumer: consumer.subscribe([TOPIC], Awaits()),
]


@frozen
class Step:
    """A call, and after which time it is cut short: turns of the loop if ``limit`` is not above 0, else seconds."""

    call: Call
    limit: float | None
    by_wait_for: bool = False


limits = st.one_of(st.none(), st.integers(0, 6).map(lambda turns: -turns), st.floats(0, 0.02))
steps = st.builds(Step, st.sampled_from([*HANDING_OVER * 3, *OTHERS]), limits, st.booleans())
lives = st.lists(steps, max_size=20)


class Awaits(AsyncRebalanceListener):
    """Awaits in its callbacks, so that the polls they run in are cancelled there too."""

    async def on_partitions_assigned(
        self, consumer: AsyncRebalanceConsumer, partitions: Sequence[TopicPartition]
    ) -> None:
        await asyncio.sleep(0)
        for partition in partitions:
            await consumer.position(partition)


async def cut_short(work: Coroutine[object, object, object], step: Step) -> list[Record]:
    """Run a call and cancel it; return the records that it handed over if it was quicker."""
    result = await cut_off(work, step)
    return [result] if isinstance(result, Record) else list(result) if isinstance(result, Records) else []


async def cut_off(work: Coroutine[object, object, object], step: Step) -> object:
    if step.by_wait_for and step.limit is not None and step.limit > 0:
        try:
            return await asyncio.wait_for(work, step.limit)
        except asyncio.TimeoutError:
            return None
    task = asyncio.ensure_future(work)
    if step.limit is not None:
        if step.limit > 0:
            await asyncio.wait([task], timeout=step.limit)
        for _ in range(int(-step.limit)):
            await asyncio.sleep(0)
        task.cancel()
    await asyncio.wait([task])
    return None if task.cancelled() else task.result()


@define
class Reading:
    """What was handed over in all lives of one group."""

    stage: Stage
    group: str = field(factory=lambda: f"cancelling-{next(GROUPS)}")
    records: list[Record] = field(factory=list)

    def begin(self) -> AsyncConsumer:
        """Return the next consumer; it commits what it handed over when it closes, and not before."""
        more = {"enable_auto_commit": True, "auto_commit_interval_ms": 60_000}
        return AsyncConsumer(**self.stage.config(group_id=self.group, **more))

    async def take(self, consumer: AsyncConsumer, script: Collection[Step]) -> None:
        """Make the calls, as long as there is something to be handed over."""
        await consumer.subscribe([TOPIC], Awaits())
        for step in script:
            if len(self.records) < RECORDS:
                self.records += await cut_short(step.call(consumer), step)

    async def take_the_rest(self, consumer: AsyncConsumer) -> None:
        while len(self.records) < RECORDS:
            self.records += await consumer.poll(timeout=0.5)
        assert list(await consumer.poll(timeout=0.05)) == [], "and no more"


async def close_at_last(consumer: AsyncConsumer, limit: float | None) -> None:
    """Close, have that cancelled, and wait for its end."""
    await cut_short(consumer.close(), Step(batch, limit))
    await consumer.close()


@pytest.fixture(scope="module")
def full() -> Iterator[Stage]:
    with pytest.MonkeyPatch.context() as monkeypatch, Cluster(config=SETTINGS) as cluster:
        stage = Stage(cluster, monkeypatch)
        stage.create(PARTITIONS, IN_EACH)
        cluster.create_topic("audit", 1)
        yield stage


@settings(max_examples=examples(40))
@given(first=lives, close_limit=limits, second=lives)
def test_every_record_comes_once_and_in_order(
    full: Stage, first: list[Step], close_limit: float | None, second: list[Step]
) -> None:
    reading = Reading(full)

    async def scene() -> None:
        consumer = reading.begin()
        await reading.take(consumer, first)
        await close_at_last(consumer, close_limit)
        async with reading.begin() as again:
            await reading.take(again, second)
            await reading.take_the_rest(again)

    asyncio.run(asyncio.wait_for(scene(), GUARD_S))
    for partition in range(PARTITIONS):
        offsets = [record.offset for record in reading.records if record.partition == partition]
        assert offsets == list(range(IN_EACH))
