"""Sources of events to follow: a growing file, a topic, or the groups of a cluster.

Each is an asynchronous generator, to be closed with ``aclosing``. It yields what has arrived since the last time, which
can be nothing: events, and the number of lines or records that are not events.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, TypeAlias

from kafka_nextgen.admin import AsyncGroupAdmin
from kafka_nextgen.aio import AsyncConsumer
from kafka_nextgen.cli.options import ClusterOptions
from kafka_nextgen.collecting.collector import Collector, GroupFilter, new_source
from kafka_nextgen.errors import ConfigError, UnknownTopicError
from kafka_nextgen.history.events import Event
from kafka_nextgen.history.json_lines import InvalidLine, decode_event
from kafka_nextgen.history.log_reader import GZIP_MAGIC, MAX_LINE_BYTES
from kafka_nextgen.history.queued_sink import CLOSE_TIMEOUT_S, CallbackSink
from kafka_nextgen.types import TopicPartition

__all__ = ["Source", "cluster_events", "file_events", "topic_events"]

Source: TypeAlias = AsyncGenerator[list[Event | InvalidLine], None]

_READ_BYTES = 1 << 20
_POLL_S = 0.1


async def file_events(path: Path) -> Source:
    """Read a file from its beginning, a megabyte at a time. When the file is rotated, continue with the new one.

    Raises ConfigError if the file is compressed, or not a regular file (a pipe would block).
    """
    file = _open_log(path)
    partial = b""
    try:
        while True:
            if data := file.read(_READ_BYTES):
                *lines, partial = (partial + data).split(b"\n")
                if len(partial) > MAX_LINE_BYTES:  # the line is too long for an event
                    partial = b"-"  # so that the rest of the line is not read as an event either
            elif _is_rotated(path, file):
                lines, partial = (partial + file.read()).split(b"\n"), b""  # written just before the rotation
                with suppress(FileNotFoundError):  # the writer is about to create it
                    rotated, file = file, path.open("rb")
                    rotated.close()
            elif file.tell() > os.fstat(file.fileno()).st_size:  # the file was truncated
                file.seek(0)
                lines, partial = [partial], b""
            else:
                lines = []
            yield _decoded(lines)
    finally:
        file.close()


def _open_log(path: Path) -> BinaryIO:
    if not path.is_file():
        raise ConfigError(f"{path} can't be followed: it is not a file; history report also reads pipes")
    file = path.open("rb")
    if file.read(len(GZIP_MAGIC)) == GZIP_MAGIC:
        file.close()
        raise ConfigError(f"{path} can't be followed: it is compressed; history report reads it")
    file.seek(0)
    return file


def _is_rotated(path: Path, file: BinaryIO) -> bool:
    try:
        return not os.path.samestat(os.stat(path), os.fstat(file.fileno()))
    except FileNotFoundError:
        return False


async def topic_events(cluster: ClusterOptions, topic: str) -> Source:
    """Read a topic from its beginning, without a group. Raises UnknownTopicError."""
    consumer = AsyncConsumer(cluster.config)
    try:
        found = (await consumer.describe_topics([topic])).get(topic)
        if found is None:
            raise UnknownTopicError(f"topic {topic} does not exist; history collect --topic {topic} writes one", code=3)
        await consumer.assign([TopicPartition(topic, number) for number in found.partitions])
        await consumer.seek_to_beginning()
        while True:
            values = [record.value for record in await consumer.poll(_POLL_S)]
            yield _decoded(value for value in values if isinstance(value, bytes))
    finally:
        await consumer.close(CLOSE_TIMEOUT_S)


async def cluster_events(
    cluster: ClusterOptions, wanted: GroupFilter, interval_s: float, is_stopped: Callable[[], bool]
) -> Source:
    """Poll a cluster's groups every ``interval_s`` seconds; nothing is stored."""
    events: list[Event | InvalidLine] = []
    async with AsyncGroupAdmin(cluster.config) as admin:
        sink = CallbackSink(events.append)
        collector = Collector(admin, sink, new_source(), wanted, timeout_s=cluster.timeout_s)
        polling = asyncio.ensure_future(collector.run(interval_s, is_stopped))
        try:
            while True:
                if polling.done():
                    polling.result()
                arrived = events.copy()
                events.clear()
                yield arrived
        finally:
            polling.cancel()
            await asyncio.wait([polling])


def _decoded(lines: Iterable[bytes]) -> list[Event | InvalidLine]:
    return [decode_event(line) for line in lines if line.strip()]
