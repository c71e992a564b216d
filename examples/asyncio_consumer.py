"""The same on asyncio. Heartbeats and fetches have a thread of their own: a busy event loop loses no partition.

python examples/asyncio_consumer.py --bootstrap-servers localhost:9092 --topic orders --group billing
"""

from __future__ import annotations

import asyncio

from arguments import parse_arguments

from kafka_nextgen import AsyncConsumer


async def main() -> None:
    arguments = parse_arguments(__doc__)
    async with AsyncConsumer(
        bootstrap_servers=arguments.bootstrap_servers,
        group_id=arguments.group,
        auto_offset_reset="earliest",
    ) as consumer:
        await consumer.subscribe([arguments.topic])
        done = 0
        async for record in consumer:
            print(f"{record.topic}[{record.partition}] {record.offset}: {record.value!r}", flush=True)
            done += 1
            if done >= arguments.max_messages:
                break


asyncio.run(main())
