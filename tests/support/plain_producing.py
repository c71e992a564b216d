"""Writing values to a topic, without a client of another library."""

from __future__ import annotations

import asyncio

from kafka_nextgen.config import ConsumerConfig
from kafka_nextgen.producing.producer import Producer, connect
from kafka_nextgen.wire.records import NewRecord


def write(servers: str, topic: str, values: list[bytes]) -> None:
    """Write each value, with its number as the key."""

    async def run() -> None:
        cluster = await connect(ConsumerConfig.parse(bootstrap_servers=servers), 10.0)
        try:
            records = [NewRecord(value, key=str(number).encode()) for number, value in enumerate(values)]
            await Producer(cluster, topic).send(records)
        finally:
            await cluster.close()

    asyncio.run(run())
