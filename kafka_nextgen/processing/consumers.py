"""What ``run`` needs of a consumer; ``Consumer`` and ``AsyncConsumer`` have it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Collection
from concurrent.futures import Future
from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeAlias, TypeVar

from kafka_nextgen.config import ConsumerConfig
from kafka_nextgen.engine.application.arguments import Offsets, Topics
from kafka_nextgen.engine.application.records import Records
from kafka_nextgen.engine.observability.hooks import HookList
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition

__all__ = ["AsyncConsumerToRun", "ConsumerToRun"]

Done = TypeVar("Done", covariant=True)
Polled = TypeVar("Polled", covariant=True)
Commit = TypeVar("Commit", covariant=True)


class _Consumer(Protocol[Done, Polled, Commit]):
    """What methods return depends on whether they block; see ``Consumer`` for what they do."""

    @property
    def config(self) -> ConsumerConfig:
        """The configuration in force."""

    @property
    def hooks(self) -> HookList:
        """What watches the consumer."""

    def _topics_to_run(self, topics: Topics | None) -> Topics | None:
        """The topics that ``run`` subscribes to; None if it reads partitions that were assigned by hand."""

    def _running(self) -> AbstractContextManager[None]:
        """Lets one ``run`` in at a time, and tells ``health`` of the error that ends it."""

    def _positions(self) -> dict[TopicPartition, OffsetAndMetadata]:
        """The known position of each partition that is not being given up."""

    def assignment(self) -> frozenset[TopicPartition]:
        """The partitions this member owns now."""

    def subscribe(self, topics: Topics, listener: Any = None) -> Done:
        """Read ``topics`` as a member of the group."""

    def poll(self, timeout: float = 1.0, max_records: int | None = None) -> Polled:
        """Wait up to ``timeout`` seconds for records and hand them over."""

    def pause(self, partitions: Collection[TopicPartition]) -> Done:
        """Hand out no record of ``partitions`` until they are resumed."""

    def resume(self, partitions: Collection[TopicPartition]) -> Done:
        """Undo ``pause``."""

    def seek(self, partition: TopicPartition, offset: int | OffsetAndMetadata) -> Done:
        """Go on reading ``partition`` at ``offset``."""

    def commit(self, offsets: Offsets | None = None, timeout: float | None = None) -> Done:
        """Commit ``offsets`` and wait for it."""

    def commit_async(self, offsets: Offsets | None = None) -> Commit:
        """Commit ``offsets`` without waiting."""


ConsumerToRun: TypeAlias = _Consumer[None, Records, Future[None]]
AsyncConsumerToRun: TypeAlias = _Consumer[Awaitable[None], Awaitable[Records], asyncio.Future[None]]
