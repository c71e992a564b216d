"""The interface that ``run`` needs; ``Consumer`` and ``AsyncConsumer`` implement it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Collection
from concurrent.futures import Future
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

from kafka_nextgen.engine.application.records import Records

if TYPE_CHECKING:
    from kafka_nextgen.config import ConsumerConfig
    from kafka_nextgen.engine.application.arguments import Offsets, Topics
    from kafka_nextgen.engine.observability.hooks import HookList
    from kafka_nextgen.types import OffsetAndMetadata, TopicPartition

__all__ = ["AsyncConsumerToRun", "BaseConsumerToRun", "ConsumerToRun"]

Done = TypeVar("Done", covariant=True)
Polled = TypeVar("Polled", covariant=True)
Commit = TypeVar("Commit", covariant=True)


class BaseConsumerToRun(Protocol[Done, Polled, Commit]):
    """The return types depend on whether the methods block; the methods are documented in ``Consumer``."""

    @property
    def config(self) -> ConsumerConfig:
        """The configuration of the consumer."""

    @property
    def hooks(self) -> HookList:
        """The hooks of the consumer."""

    def _topics_to_run(self, topics: Topics | None) -> Topics | None:
        """The topics that ``run`` subscribes to; None with a manual assignment."""

    def _running(self) -> AbstractContextManager[None]:
        """Allow only one ``run`` at a time, and report the error that ends it in ``health``."""

    def _positions(self) -> dict[TopicPartition, OffsetAndMetadata]:
        """The known position of each partition that is not being revoked."""

    def assignment(self) -> frozenset[TopicPartition]:
        """The partitions that this member owns now."""

    def subscribe(self, topics: Topics, listener: Any = None) -> Done:
        """Read ``topics`` as a member of the group."""

    def poll(self, timeout: float = 1.0, max_records: int | None = None) -> Polled:
        """Wait up to ``timeout`` seconds for records and hand them over."""

    def pause(self, partitions: Collection[TopicPartition]) -> Done:
        """Stop handing over records of ``partitions`` until they are resumed."""

    def resume(self, partitions: Collection[TopicPartition]) -> Done:
        """Undo ``pause``."""

    def seek(self, partition: TopicPartition, offset: int | OffsetAndMetadata) -> Done:
        """Continue reading ``partition`` at ``offset``."""

    def commit(self, offsets: Offsets | None = None, timeout: float | None = None) -> Done:
        """Commit ``offsets`` and wait for the result."""

    def commit_async(self, offsets: Offsets | None = None) -> Commit:
        """Commit ``offsets`` without waiting."""


ConsumerToRun: TypeAlias = BaseConsumerToRun[None, Records, Future[None]]
AsyncConsumerToRun: TypeAlias = BaseConsumerToRun[Awaitable[None], Awaitable[Records], asyncio.Future[None]]
