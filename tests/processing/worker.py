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


class Handling:
    """What handlers do, in threads or in tasks."""

    def __init__(self) -> None:
        self._may_go_on, self._at_work = threading.Event(), threading.Semaphore(PARTITIONS - 1)
        threading.Thread(target=lambda: sys.stdin.readline() and self._may_go_on.set()).start()

    def handle(self, record: Record) -> None:
        if record.offset == 3:
            if not self._at_work.acquire(blocking=False):  # the last of them
                say("begun")
            self._may_go_on.wait()
        assert isinstance(record.value, bytes)
        say(record.value.decode())

    async def handle_async(self, record: Record) -> None:
        await asyncio.to_thread(self.handle, record)


def work(servers: str, topic: str, group: str) -> None:
    with Consumer(member_config(servers, group)) as consumer:
        consumer.run(Handling().handle, [topic])
    say("ended")


async def work_async(servers: str, topic: str, group: str) -> None:
    async with AsyncConsumer(member_config(servers, group)) as consumer:
        await consumer.run(Handling().handle_async, [topic])
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
    else:
        asyncio.run(work_async(*where) if kind == "async" else Server().serve(*where))
