"""A process that forks while it has a consumer: ``python -m tests.sockets.fork_process METHOD ACTION SERVERS``.

The child, started by one of ``START_METHODS``, does one of ``CHILD_ACTIONS``, and ends as any process does, including
garbage collection and exit handlers. The parent goes on polling meanwhile, and reads, commits and leaves normally. Both
check what they see; the exit code tells.
"""

from __future__ import annotations

import asyncio
import gc
import multiprocessing
import os
import sys
from collections.abc import Callable
from itertools import islice

from kafka_nextgen import AsyncConsumer, Consumer, Record
from tests.engine.names import GROUP, TOPIC, tp
from tests.sockets.child_actions import ASYNC_CHILD_ACTIONS, CHILD_ACTIONS

HALF = 5  # records before the fork, and as many after it


def config(servers: str) -> dict[str, object]:
    return {
        "bootstrap_servers": servers,
        "group_id": GROUP,
        "auto_offset_reset": "earliest",
        "auto_commit_interval_ms": 200,
        "fetch_max_wait_ms": 20,
    }


def fork(action: str, servers: str) -> None:
    """Have a child by ``os.fork`` that ends by running out of code."""
    consumer = Consumer(**config(servers))
    records = read_half(consumer)
    child = os.fork()
    if child == 0:
        CHILD_ACTIONS[action](consumer)
        del consumer
        gc.collect()
        return  # and through all that happens when an interpreter ends
    status = go_on(consumer, records, lambda: _reaped(child))
    assert status == 0, "the child failed"


def _reaped(child: int) -> int | None:
    pid, status = os.waitpid(child, os.WNOHANG)
    return status if pid else None


def process(action: str, servers: str) -> None:
    """Have a child by ``multiprocessing``, forked."""
    consumer = Consumer(**config(servers))
    records = read_half(consumer)
    child = multiprocessing.get_context("fork").Process(target=CHILD_ACTIONS[action], args=(consumer,))
    child.start()
    assert go_on(consumer, records, lambda: child.exitcode) == 0, "the child failed"


def read_half(consumer: Consumer) -> list[Record]:
    consumer.subscribe([TOPIC])
    return list(islice(consumer, HALF))  # and is in the middle of what it looked at


def read(consumer: Consumer, records: list[Record], count: int) -> list[Record]:
    while len(records) < count:
        records += consumer.poll(timeout=1, max_records=count - len(records))
    return records


def go_on(consumer: Consumer, records: list[Record], status: Callable[[], int | None]) -> int:
    """Read on as long as the child lives, and to the end; return how it ended."""
    consumer.pause([tp()])
    while (ended := status()) is None:
        assert not consumer.poll(timeout=0.01)
    consumer.resume([tp()])
    read(consumer, records, 2 * HALF)
    assert [record.offset for record in records] == list(range(2 * HALF))
    consumer.close()
    return ended


def awaiting(action: str, servers: str) -> None:
    """Have a child by ``multiprocessing``, forked in a running event loop."""
    asyncio.run(_await_child(action, servers))


async def _await_child(action: str, servers: str) -> None:
    records: list[Record] = []
    async with AsyncConsumer(**config(servers)) as consumer:
        await consumer.subscribe([TOPIC])
        async for record in consumer:
            records.append(record)
            if len(records) == HALF:
                break
        child = multiprocessing.get_context("fork").Process(target=ASYNC_CHILD_ACTIONS[action], args=(consumer,))
        child.start()
        await consumer.pause([tp()])
        while child.exitcode is None:
            assert not await consumer.poll(timeout=0.01)
        assert child.exitcode == 0, "the child failed"
        await consumer.resume([tp()])
        while len(records) < 2 * HALF:
            records += await consumer.poll(timeout=1)
    assert [record.offset for record in records] == list(range(2 * HALF))


START_METHODS: dict[str, Callable[[str, str], None]] = {"fork": fork, "process": process, "awaiting": awaiting}

if __name__ == "__main__":
    START_METHODS[sys.argv[1]](sys.argv[2], sys.argv[3])
