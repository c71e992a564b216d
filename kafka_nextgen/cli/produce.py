"""``kafka-nextgen produce``: each line of stdin becomes a record.

A thread reads the lines. The lines that arrive while a batch is in flight form the next batch, so a typed line is sent
immediately and a file in large batches.
"""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from typing import BinaryIO

import click

from kafka_nextgen import clocks
from kafka_nextgen.cli.options import ClientProperties, bootstrap_option, client_options
from kafka_nextgen.config import ConsumerConfig
from kafka_nextgen.producing.producer import ACKS_ALL, Producer, connect
from kafka_nextgen.wire.records import Compression, NewRecord

__all__ = ["produce"]

MAX_BATCH_RECORDS = 1_000
MAX_BATCH_BYTES = 500_000
_CODECS = [codec.name.lower() for codec in Compression]


@click.command()
@click.argument("topic")
@bootstrap_option
@click.option(
    "--key-separator", metavar="TEXT", help="What separates key and value in a line, such as : for key:value."
)
@click.option(
    "--compression", type=click.Choice(_CODECS), default="none", show_default=True, help="How batches are compressed."
)
@click.option(
    "--acks",
    type=click.Choice(["all", "1"]),
    default="all",
    show_default=True,
    help="Which replicas must store a batch before it counts as written: all in-sync ones, or only the leader (1).",
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0.001),
    default=30.0,
    show_default=True,
    help="Maximum seconds for each batch.",
)
@client_options
def produce(
    topic: str,
    bootstrap_servers: str,
    key_separator: str | None,
    compression: str,
    acks: str,
    timeout: float,
    properties: ClientProperties,
) -> None:
    """Write each line of stdin to TOPIC.

    No line is written twice: if a batch may have arrived without a response, the command fails.
    """
    if key_separator == "":
        raise click.BadParameter("must not be empty", param_hint="--key-separator")
    separator = None if key_separator is None else key_separator.encode()
    codec = Compression[compression.upper()]
    config = properties.config({"bootstrap.servers": bootstrap_servers})
    written = asyncio.run(_run(topic, config, separator, codec, ACKS_ALL if acks == "all" else 1, timeout))
    click.echo(f"{written} records written to {topic}", err=True)


async def _run(
    topic: str, config: ConsumerConfig, separator: bytes | None, codec: Compression, acks: int, timeout_s: float
) -> int:
    cluster = await connect(config, timeout_s)
    try:
        producer = Producer(cluster, topic, compression=codec, acks=acks, timeout_s=timeout_s)
        lines = _LineReader(os.fdopen(os.dup(sys.stdin.fileno()), "rb"))
        written = 0
        while batch := await lines.next_batch():
            await producer.send([_record(line, separator, written + index) for index, line in enumerate(batch, 1)])
            written += len(batch)
        return written
    finally:
        await cluster.close()


def _record(line: bytes, separator: bytes | None, number: int) -> NewRecord:
    timestamp = int(clocks.time() * 1000)
    if separator is None:
        return NewRecord(line, timestamp=timestamp)
    key, found, value = line.partition(separator)
    if not found:
        raise click.ClickException(f"line {number} has no {separator.decode()!r}; the lines before it were written")
    return NewRecord(value, key=key, timestamp=timestamp)


class _LineReader:
    """Reads lines of a stream, without newlines, in batches. None in the queue marks the end.

    The stream must not be sys.stdin.buffer: Python aborts if a thread is reading it when the process exits.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._loop = asyncio.get_running_loop()
        self._queue: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._room = threading.Semaphore(2 * MAX_BATCH_RECORDS)
        threading.Thread(target=self._read, args=(stream,), name="stdin", daemon=True).start()

    def _read(self, stream: BinaryIO) -> None:
        for line in stream:
            self._room.acquire()
            if not self._put(line.rstrip(b"\r\n")):
                return
        self._put(None)

    def _put(self, line: bytes | None) -> bool:
        """Queue a line; False if the command has failed in the meantime, so that its loop is closed."""
        try:
            self._loop.call_soon_threadsafe(self._queue.put_nowait, line)
        except RuntimeError:
            return False
        return True

    async def next_batch(self) -> list[bytes]:
        """Return at least one line, or none at the end of the stream."""
        batch: list[bytes] = []
        size = 0
        while len(batch) < MAX_BATCH_RECORDS and size < MAX_BATCH_BYTES:
            if batch and self._queue.empty():
                break
            line = await self._queue.get()
            if line is None:
                self._queue.put_nowait(None)
                break
            self._room.release()
            batch.append(line)
            size += len(line)
        return batch
