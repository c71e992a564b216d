"""Sources of events to follow: a growing file, a topic, or the groups of a cluster."""

from __future__ import annotations

import asyncio
import os
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Protocol

from kafka_nextgen.admin import AsyncGroupAdmin
from kafka_nextgen.aio import AsyncConsumer
from kafka_nextgen.cli.options import ClusterOptions
from kafka_nextgen.collecting.collector import Collector, GroupFilter, new_source
from kafka_nextgen.errors import ConfigError, UnknownTopicError
from kafka_nextgen.history.events import Event
from kafka_nextgen.history.json_lines import decode_event
from kafka_nextgen.history.log_reader import GZIP_MAGIC, MAX_LINE_BYTES
from kafka_nextgen.history.queued_sink import CLOSE_TIMEOUT_S
from kafka_nextgen.types import TopicPartition

__all__ = ["ClusterSource", "FileSource", "Source", "TopicSource"]

_READ_BYTES = 1 << 20
_POLL_S = 0.1


class Source(Protocol):
    """Provides events as they arrive, in an ``async with`` block."""

    @property
    def skipped(self) -> int:
        """The number of lines or records that were no events."""
        ...

    async def __aenter__(self) -> Source: ...

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    async def take(self) -> list[Event]:
        """Return the events since the last call. Raises the error that ended the source."""
        ...


class FileSource:
    """Reads a file from its beginning. When the file is rotated, continues with the new one.

    Entering raises ConfigError if the file is compressed, or no regular file (a pipe would block).
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: BinaryIO | None = None
        self._partial_line = b""
        self.skipped = 0

    async def __aenter__(self) -> FileSource:
        if not self._path.is_file():
            raise ConfigError(f"{self._path} can't be followed: it is no file; history report reads pipes, too")
        self._file = self._path.open("rb")
        if self._file.read(len(GZIP_MAGIC)) == GZIP_MAGIC:
            self._file.close()
            raise ConfigError(f"{self._path} can't be followed: it is compressed; history report reads it")
        self._file.seek(0)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            self._file.close()

    async def take(self) -> list[Event]:
        """Return the events in the next megabyte at most."""
        assert self._file is not None
        data = self._file.read(_READ_BYTES)
        if data:
            *lines, self._partial_line = (self._partial_line + data).split(b"\n")
            if len(self._partial_line) > MAX_LINE_BYTES:  # too long for an event, and so is the rest
                self._partial_line = b"-"
            return self._events(lines)
        if self._is_rotated(self._file):
            return self._events(self._last_lines(self._file))
        if self._file.tell() > os.fstat(self._file.fileno()).st_size:  # the file was truncated
            self._file.seek(0)
            torn, self._partial_line = self._partial_line, b""
            return self._events([torn])
        return []

    def _events(self, lines: list[bytes]) -> list[Event]:
        events, skipped = _events(lines)
        self.skipped += skipped
        return events

    def _last_lines(self, file: BinaryIO) -> list[bytes]:
        """Return the lines written just before the rotation, and switch to the new file."""
        lines, self._partial_line = (self._partial_line + file.read()).split(b"\n"), b""
        with suppress(FileNotFoundError):  # the writer is about to create it
            self._file = self._path.open("rb")
            file.close()
        return lines

    def _is_rotated(self, file: BinaryIO) -> bool:
        try:
            return not os.path.samestat(os.stat(self._path), os.fstat(file.fileno()))
        except FileNotFoundError:
            return False


class TopicSource:
    """Reads a topic from its beginning, without a group."""

    def __init__(self, cluster: ClusterOptions, topic: str) -> None:
        self.skipped = 0
        self._cluster = cluster
        self._topic = topic
        self._consumer: AsyncConsumer | None = None

    async def __aenter__(self) -> TopicSource:
        self._consumer = AsyncConsumer(self._cluster.config)
        found = (await self._consumer.describe_topics([self._topic])).get(self._topic)
        if found is None:
            await self._consumer.close()
            raise UnknownTopicError(
                f"there is no topic {self._topic} to follow; collect with --topic makes one", code=3
            )
        await self._consumer.assign([TopicPartition(self._topic, number) for number in found.partitions])
        await self._consumer.seek_to_beginning()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._consumer is not None:
            await self._consumer.close(CLOSE_TIMEOUT_S)

    async def take(self) -> list[Event]:
        """Return the events in the records of one poll."""
        assert self._consumer is not None
        values = [record.value for record in await self._consumer.poll(_POLL_S)]
        events, skipped = _events([value for value in values if isinstance(value, bytes)])
        self.skipped += skipped
        return events


class ClusterSource:
    """Polls a cluster's groups; nothing is stored."""

    skipped = 0

    def __init__(
        self, cluster: ClusterOptions, wanted: GroupFilter, interval_s: float, is_stopped: Callable[[], bool]
    ) -> None:
        self._cluster = cluster
        self._wanted = wanted
        self._interval_s = interval_s
        self._is_stopped = is_stopped
        self._buffer = _Buffer()
        self._admin: AsyncGroupAdmin | None = None
        self._run: asyncio.Future[None] | None = None

    async def __aenter__(self) -> ClusterSource:
        self._admin = AsyncGroupAdmin(self._cluster.config)
        timeout_s = self._cluster.timeout_s
        collector = Collector(self._admin, self._buffer, new_source(), self._wanted, timeout_s=timeout_s)
        self._run = asyncio.ensure_future(collector.run(self._interval_s, self._is_stopped))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._run is not None:
            self._run.cancel()
            await asyncio.wait([self._run])
        if self._admin is not None:
            await self._admin.close()

    async def take(self) -> list[Event]:
        """Return the events of the polls since the last call."""
        if self._run is not None and self._run.done():
            self._run.result()
        return self._buffer.take()


class _Buffer:
    """A sink that buffers events until they are taken."""

    def __init__(self) -> None:
        self._events: deque[Event] = deque()
        self.written = self.dropped = 0

    def write(self, event: Event) -> None:
        self._events.append(event)

    def close(self, timeout_s: float = CLOSE_TIMEOUT_S) -> None:
        pass

    def take(self) -> list[Event]:
        events = list(self._events)
        self._events.clear()
        return events


def _events(lines: list[bytes]) -> tuple[list[Event], int]:
    """Return the events, and the number of lines that are none; ``history report`` reports those."""
    found = [decode_event(line) for line in lines if line.strip()]
    events = [each for each in found if isinstance(each, Event)]
    return events, len(found) - len(events)
