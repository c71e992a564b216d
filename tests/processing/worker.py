"""A worker for the tests of signals: ``python -m tests.processing.worker SERVERS TOPIC GROUP sync|async|server``.

It says ``begun`` when every partition has a record at work, holds these until a line arrives on its standard input,
and prints the number of every record it has finished with.
"""

from __future__ import annotations

import asyncio
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from kafka_nextgen import AsyncConsumer, Consumer, Record
from tests.processing.group import PARTITIONS, member_config


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def work(servers: str, topic: str, group: str) -> None:
    opened, at_work = threading.Event(), threading.Semaphore(PARTITIONS - 1)

    def handle(record: Record) -> None:
        if record.offset == 3:
            if not at_work.acquire(blocking=False):  # the last of them
                say("begun")
            opened.wait()
        assert isinstance(record.value, bytes)
        say(record.value.decode())

    threading.Thread(target=lambda: sys.stdin.readline() and opened.set(), daemon=True).start()
    with Consumer(member_config(servers, group)) as consumer:
        consumer.run(handle, [topic])
    say("ended")


async def work_async(servers: str, topic: str, group: str) -> None:
    opened, at_work = asyncio.Event(), 0

    async def handle(record: Record) -> None:
        nonlocal at_work
        if record.offset == 3:
            at_work += 1
            if at_work == PARTITIONS:
                say("begun")
            await opened.wait()
        assert isinstance(record.value, bytes)
        say(record.value.decode())

    loop = asyncio.get_running_loop()
    reading = threading.Thread(
        target=lambda: sys.stdin.readline() and loop.call_soon_threadsafe(opened.set), daemon=True
    )
    reading.start()
    async with AsyncConsumer(member_config(servers, group)) as consumer:
        await consumer.run(handle, [topic])
    say("ended")


class Server:
    """Handles SIGTERM as uvicorn does: by ``signal.signal``, and once more as it was before when it has shut down."""

    def __init__(self) -> None:
        self.captured: list[int] = []

    @contextmanager
    def captures_signals(self) -> Iterator[None]:
        before = signal.signal(signal.SIGTERM, lambda number, _: self.captured.append(number))
        try:
            yield
        finally:
            signal.signal(signal.SIGTERM, before)
        for number in self.captured:
            signal.raise_signal(number)

    async def serve(self, *where: str) -> None:
        with self.captures_signals():
            working = asyncio.ensure_future(work_async(*where))
            while not self.captured:
                await asyncio.sleep(0.01)
            await working


if __name__ == "__main__":
    *where, kind = sys.argv[1:]
    if kind == "sync":
        work(*where)
    elif kind == "async":
        asyncio.run(work_async(*where))
    else:
        asyncio.run(Server().serve(*where))
