"""An application of aiokafka, and its tests, which are coroutines run by anyio; pytest-asyncio does as well."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import pytest
from aiokafka import AIOKafkaConsumer
from aiokafka.errors import CommitFailedError

from kafka_nextgen.testing import Api

pytestmark = pytest.mark.anyio


class Billing:
    """Bills each order; one that comes again is not billed again."""

    def __init__(self, servers: str, group: str, topic: str, **config: object) -> None:
        self.billed: dict[str, int] = {}
        where = {"bootstrap_servers": servers, "group_id": group, "auto_offset_reset": "earliest"}
        self._consumer = AIOKafkaConsumer(topic, **{**where, "enable_auto_commit": False, **config})

    async def run(self) -> None:
        """Work until this task is cancelled."""
        await self._consumer.start()
        try:
            async for message in self._consumer:
                order = json.loads(message.value)
                self.billed[order["id"]] = order["cents"]
                await self._commit()
        finally:
            await self._consumer.stop()

    async def _commit(self) -> None:
        with suppress(CommitFailedError):  # if the member is out of its group, the order comes again
            await self._consumer.commit()


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@asynccontextmanager
async def running(billing: Billing) -> AsyncIterator[None]:
    task = asyncio.create_task(billing.run())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait([task])


async def test_each_order_is_billed(kafka_cluster, kafka_bootstrap_servers, kafka_group, kafka_topic):
    kafka_cluster.produce(kafka_topic, [{"id": "1", "cents": 100}, {"id": "2", "cents": 200}])
    billing = Billing(kafka_bootstrap_servers, kafka_group, kafka_topic)
    async with running(billing):
        await kafka_cluster.wait_until_async(lambda: kafka_cluster.lag(kafka_group, kafka_topic) == 0)
    assert billing.billed == {"1": 100, "2": 200}


async def test_it_waits_for_a_coordinator_that_is_loading(kafka_cluster_factory):
    cluster = kafka_cluster_factory()
    cluster.produce("orders", {"id": "1", "cents": 100})
    billing = Billing(cluster.bootstrap_servers, "billing", "orders")
    with cluster.fault(Api.OFFSET_COMMIT, error="COORDINATOR_LOAD_IN_PROGRESS", times=1):
        async with running(billing):
            await cluster.wait_until_async(lambda: cluster.lag("billing", "orders") == 0)
    assert billing.billed == {"1": 100}


async def test_it_joins_again_after_its_session_has_ended(kafka_cluster_factory):
    cluster = kafka_cluster_factory()
    cluster.produce("orders", {"id": "1", "cents": 100})
    quick = {"session_timeout_ms": 45_000, "heartbeat_interval_ms": 100}
    billing = Billing(cluster.bootstrap_servers, "billing", "orders", **quick)
    async with running(billing):
        await cluster.wait_until_async(lambda: cluster.lag("billing", "orders") == 0)
        with cluster.fault(Api.HEARTBEAT, silent=True) as suspended:  # as if the process was
            await asyncio.to_thread(suspended.wait_until_met)
            await asyncio.to_thread(cluster.advance, seconds=46)
            assert cluster.group("billing").members == ()
        cluster.produce("orders", {"id": "2", "cents": 200})
        await cluster.wait_until_async(lambda: cluster.lag("billing", "orders") == 0)
    assert billing.billed == {"1": 100, "2": 200}
