"""Hot standby with ``AsyncConsumer``: a standby that loads its state can be stopped meanwhile."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Sequence

import pytest

from kafka_nextgen import (
    AsyncConsumer,
    AsyncRebalanceConsumer,
    AsyncRebalanceListener,
    Consumer,
    GroupAdmin,
    TopicPartition,
)
from kafka_nextgen.testing import Cluster
from tests.endtoend.reading import poll_until

TOPIC, GROUP = "orders", "billing"


class Slow(AsyncRebalanceListener):
    """Takes minutes to load its state."""

    def __init__(self) -> None:
        self.has_begun = asyncio.Event()

    async def on_standby(self, consumer: AsyncRebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
        self.has_begun.set()
        await asyncio.sleep(600)


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
    async with consumer:
        await consumer.subscribe([TOPIC], slow)
        while True:
            await consumer.poll()


@pytest.mark.parametrize("is_closed", [True, False], ids=["closed by another task", "cancelled"])
def test_a_standby_that_loads_its_state_ends_at_once(cluster: Cluster, is_closed: bool) -> None:
    async def stop() -> float:
        consumer, slow = AsyncConsumer(bootstrap_servers=cluster.bootstrap_servers, group_id=GROUP), Slow()
        reading = asyncio.create_task(read(consumer, slow))
        await slow.has_begun.wait()
        began = time.monotonic()
        if is_closed:
            await consumer.close()
        else:
            reading.cancel()
        await asyncio.wait([reading])
        return time.monotonic() - began

    assert asyncio.run(stop()) < 5, "it would take 30 seconds to wait for on_standby"
