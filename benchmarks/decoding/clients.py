"""The clients: each reads a topic and gives the values of many records at once to a decoder."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

import pyarrow as pa

from benchmarks.consuming.gauge import Gauge, Reading
from benchmarks.consuming.task import BATCH, CONSUMED
from benchmarks.decoding.task import Seen, Task

__all__ = ["CLIENTS", "IN_MEMORY", "OURS", "Client"]

OURS = "kafka_nextgen"
IN_MEMORY = "no client"

#: Reads what a task says, with a decoder of its format.
Client = Callable[[Task, Any, Gauge, Seen], Reading]


def _ours(task: Task, value: Any, gauge: Gauge, seen: Seen) -> Reading:
    """``consumer.batches(50000)``, each made an Arrow table of typed columns."""
    import kafka_nextgen.engine.application.arrow  # noqa: F401  (what to_arrow() will import)
    from benchmarks.consuming.readers import ours
    from kafka_nextgen import Consumer

    with Consumer(ours.config(task.of_client)) as consumer:
        gauge.begin()
        consumer.assign(ours.partitions(task.of_client))
        for records in consumer.batches(BATCH):
            seen.take(records.to_arrow(value=value))
            if seen.is_all:
                break
        return gauge.end(seen.rows)


def _in_memory(task: Task, value: Any, gauge: Gauge, seen: Seen) -> Reading:
    """The same batches, but all of them were read before the reading begins."""
    from benchmarks.consuming.readers import ours
    from kafka_nextgen import Consumer

    found, missing = [], task.records
    with Consumer(ours.config(task.of_client)) as consumer:
        consumer.assign(ours.partitions(task.of_client))
        for records in consumer.batches(BATCH):
            found.append(records)
            missing -= len(records)
            if missing <= 0:
                break
    found[0].to_arrow(value=value)  # its imports, and the programs it makes of schemas
    gauge.begin()
    for records in found:
        seen.take(records.to_arrow(value=value))
    return gauge.end(seen.rows)


def _confluent(task: Task, to_table: Callable[[list[bytes]], pa.Table], gauge: Gauge, seen: Seen) -> Reading:
    """``consumer.consume(10000)``, whose values become a table."""
    from confluent_kafka import Consumer

    from benchmarks.consuming.readers import confluent

    consumer = Consumer(confluent.config(task.of_client))
    gauge.begin()
    consumer.assign(confluent.partitions(task.of_client))
    while not seen.is_all:
        messages = consumer.consume(min(CONSUMED, seen.wanted - seen.rows), confluent.CONSUME_S)
        if messages:
            seen.take(to_table([message.value() or b"" for message in messages]))
    reading = gauge.end(seen.rows)
    consumer.close()
    return reading


def _aiokafka(task: Task, to_table: Callable[[list[bytes]], pa.Table], gauge: Gauge, seen: Seen) -> Reading:
    """``await consumer.getmany(max_records=10000)``, whose values become a table."""
    return asyncio.run(_getmany(task, to_table, gauge, seen))


async def _getmany(task: Task, to_table: Callable[[list[bytes]], pa.Table], gauge: Gauge, seen: Seen) -> Reading:
    from benchmarks.consuming.readers import with_aiokafka

    consumer = with_aiokafka.make_consumer(task.of_client)
    await consumer.start()
    gauge.begin()
    consumer.assign(with_aiokafka.partitions(task.of_client))
    while not seen.is_all:
        found = await consumer.getmany(timeout_ms=1000, max_records=CONSUMED)
        if found:
            seen.take(to_table([record.value for records in found.values() for record in records]))
    reading = gauge.end(seen.rows)
    await consumer.stop()
    return reading


CLIENTS: Mapping[str, Client] = {
    OURS: _ours,
    "confluent-kafka": _confluent,
    "aiokafka": _aiokafka,
    IN_MEMORY: _in_memory,
}
