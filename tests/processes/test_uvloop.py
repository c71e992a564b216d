"""An application whose event loops are uvloop's, by policy or by runner: every client works as with asyncio's."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Callable, Coroutine, Iterator

import pytest

from kafka_nextgen import AsyncConsumer
from kafka_nextgen.admin import AsyncGroupAdmin, GroupAdmin
from kafka_nextgen.config import ConsumerConfig
from kafka_nextgen.producing.producer import Producer, connect
from kafka_nextgen.testing import Cluster
from kafka_nextgen.testing.broker import Broker
from kafka_nextgen.wire.records import NewRecord
from tests.conftest import Certificates
from tests.engine.stage import GROUP, TOPIC, Stage, read
from tests.security.conftest import secured_embedded  # noqa: F401  (a fixture)
from tests.security.ways import WAYS
from tests.support.secured_kafka import SecuredKafka

uvloop = pytest.importorskip("uvloop")

RECORDS = 20
#: More than a socket gives at once.
LARGE = 1_000_000


@pytest.fixture(autouse=True)
def _uvloop() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # policies go away in Python 3.16
        before = asyncio.get_event_loop_policy()
        asyncio.set_event_loop_policy(uvloop.EventLoopPolicy())
        yield
        asyncio.set_event_loop_policy(before)


def run(scene: Callable[[], Coroutine[object, object, None]]) -> None:
    """Run a coroutine on a loop of uvloop's."""

    async def checked() -> None:
        assert isinstance(asyncio.get_running_loop(), uvloop.Loop)
        await scene()

    asyncio.run(checked())


def test_a_consumer_reads_and_commits(stage: Stage) -> None:
    stage.create(records=RECORDS)
    with stage.subscribed() as consumer:
        assert len(read(consumer, RECORDS)) == RECORDS
        consumer.commit()
    assert stage.committed() == {0: RECORDS}


def test_so_does_one_for_asyncio(stage: Stage) -> None:
    stage.create(records=RECORDS)

    async def scene() -> None:
        async with AsyncConsumer(**stage.config()) as consumer:
            await consumer.subscribe([TOPIC])
            async for record in consumer:
                if record.offset == RECORDS - 1:
                    break
            await consumer.commit()

    run(scene)
    assert stage.committed() == {0: RECORDS}


def test_groups_are_described_by_a_thread_and_on_the_loop(stage: Stage) -> None:
    stage.create()
    with stage.subscribed() as consumer, GroupAdmin(stage.config()) as admin:
        consumer.poll(0.1)
        assert set(admin.describe([GROUP])) == {GROUP}

        async def scene() -> None:
            async with AsyncGroupAdmin(stage.config()) as on_the_loop:
                assert set(await on_the_loop.describe([GROUP])) == {GROUP}

        run(scene)


def test_the_producer_writes_on_the_loop_what_a_consumer_reads(stage: Stage) -> None:
    stage.create()

    async def scene() -> None:
        cluster = await connect(ConsumerConfig.parse(stage.config()), 10)
        try:
            await Producer(cluster, TOPIC).send([NewRecord(bytes(LARGE // 4)) for _ in range(4)])
        finally:
            await cluster.close()

    run(scene)
    with stage.subscribed() as consumer:
        assert [len(record.value or b"") for record in read(consumer, 4)] == 4 * [LARGE // 4]


def test_the_embedded_broker_serves_on_the_loop() -> None:
    async def scene() -> None:
        broker = Broker()
        await broker.start()
        try:
            broker.create_topic(TOPIC, 1)
            async with AsyncConsumer(bootstrap_servers=broker.bootstrap_servers, group_id=GROUP) as consumer:
                await consumer.subscribe([TOPIC])
                while not consumer.assignment():
                    await consumer.poll(0.1)
        finally:
            await broker.close()

    run(scene)


@pytest.mark.parametrize("way", ["TLS", "a certificate", "SCRAM-SHA-512 with TLS"])
def test_tls_on_the_loop(secured_embedded: SecuredKafka, certificates: Certificates, way: str) -> None:  # noqa: F811
    async def scene() -> None:
        async with AsyncGroupAdmin(WAYS[way].config(secured_embedded, certificates)) as admin:
            assert not (await admin.list()).failed

    run(scene)


def test_the_cluster_of_a_test_runs_in_a_loop_of_its_own() -> None:
    with Cluster() as cluster:
        assert not isinstance(cluster._loop, uvloop.Loop)
