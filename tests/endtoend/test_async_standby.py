"""Hot standby with ``AsyncConsumer``: a standby that loads its state can be stopped meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence

import pytest

from kafka_nextgen import (
    AsyncConsumer,
    AsyncRebalanceConsumer,
    AsyncRebalanceListener,
    Consumer,
    GroupAdmin,
    StandbyState,
    TopicPartition,
)
from kafka_nextgen.testing import Cluster
from tests.endtoend.reading import poll_until
from tests.support.waiting import GUARD_S

TOPIC, GROUP = "orders", "billing"
#: A close that waited for on_standby would wait so long.
NEVER_S = 1e6


class Slow(AsyncRebalanceListener):
    """Loads its state for ever."""

    def __init__(self) -> None:
        self.has_begun = asyncio.Event()

    async def on_standby(self, consumer: AsyncRebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
        self.has_begun.set()
        await asyncio.Event().wait()


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """One with an active member, so that the next one stands by."""
    with Cluster() as running:
        running.create_topic(TOPIC)
        with GroupAdmin(bootstrap_servers=running.bootstrap_servers) as admin:
            admin.alter_config(GROUP, {"group.target.size": 1})
        with Consumer(bootstrap_servers=running.bootstrap_servers, group_id=GROUP) as active:
            active.subscribe([TOPIC])
            poll_until([active], active.assignment)
            yield running


async def read(consumer: AsyncConsumer, slow: Slow) -> None:
    try:
        await consumer.subscribe([TOPIC], slow)
        while True:
            await consumer.poll()
    finally:
        await consumer.close(timeout=NEVER_S)


@pytest.mark.parametrize("is_closed", [True, False], ids=["closed by another task", "cancelled"])
def test_a_standby_that_loads_its_state_ends_at_once(cluster: Cluster, is_closed: bool) -> None:
    async def stop() -> None:
        consumer, slow = AsyncConsumer(bootstrap_servers=cluster.bootstrap_servers, group_id=GROUP), Slow()
        reading = asyncio.create_task(read(consumer, slow))
        await slow.has_begun.wait()
        if is_closed:
            await consumer.close(timeout=NEVER_S)
        else:
            reading.cancel()
        await asyncio.wait([reading])

    asyncio.run(asyncio.wait_for(stop(), GUARD_S))


class Background(AsyncRebalanceListener):
    """Loads its state in a task."""

    def __init__(self) -> None:
        self.partitions: Sequence[TopicPartition] | None = None

    async def on_standby(self, consumer: AsyncRebalanceConsumer, partitions: Sequence[TopicPartition]) -> StandbyState:
        self.partitions = partitions
        return StandbyState.LOADING


def test_a_standby_that_loads_in_a_task_says_when_it_is_ready(cluster: Cluster) -> None:
    async def load(admin: GroupAdmin) -> None:
        background = Background()
        async with AsyncConsumer(bootstrap_servers=cluster.bootstrap_servers, group_id=GROUP) as consumer:
            await consumer.subscribe([TOPIC], background)

            async def poll_until(state: StandbyState) -> None:
                while state not in {member.standby_state for member in await asyncio.to_thread(admin.members, GROUP)}:
                    await consumer.poll(0.1)

            await poll_until(StandbyState.LOADING)
            while background.partitions is None:
                await consumer.poll(0.1)
            assert consumer.health().standby_place == 1
            consumer.standby_ready(background.partitions)
            await poll_until(StandbyState.READY)

    with GroupAdmin(bootstrap_servers=cluster.bootstrap_servers) as admin:
        asyncio.run(asyncio.wait_for(load(admin), GUARD_S))
