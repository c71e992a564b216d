"""What ``run`` needs of a consumer; ``Consumer`` and ``AsyncConsumer`` have it."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from concurrent.futures import Future
from typing import Protocol

from kafka_nextgen.config import ConsumerConfig
from kafka_nextgen.engine.application.arguments import Offsets, Topics
from kafka_nextgen.engine.application.rebalance_listener import AsyncRebalanceListener, RebalanceListener
from kafka_nextgen.engine.application.records import Records
from kafka_nextgen.engine.observability.hooks import HookList
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition

__all__ = ["AsyncConsumerToRun", "ConsumerToRun"]


class _Common(Protocol):
    @property
    def config(self) -> ConsumerConfig:
        """The configuration in force."""

    @property
    def hooks(self) -> HookList:
        """What watches the consumer."""

    def assignment(self) -> frozenset[TopicPartition]:
        """The partitions this member owns now."""

    def _topics_to_run(self, topics: Topics | None) -> Topics | None:
        """What ``run`` is to subscribe to; None if it reads what was assigned by hand."""


class ConsumerToRun(_Common, Protocol):
    """A consumer that is waited for; see ``Consumer`` for what its methods do."""

    def subscribe(self, topics: Topics, listener: RebalanceListener | None = None) -> None:
        """Read ``topics`` as a member of the group."""

    def poll(self, timeout: float = 1.0, max_records: int | None = None) -> Records:
        """Wait up to ``timeout`` seconds for records and hand them over."""

    def pause(self, partitions: Collection[TopicPartition]) -> None:
        """Hand out no record of ``partitions`` until they are resumed."""

    def resume(self, partitions: Collection[TopicPartition]) -> None:
        """Undo ``pause``."""

    def seek(self, partition: TopicPartition, offset: int | OffsetAndMetadata) -> None:
        """Go on reading ``partition`` at ``offset``."""

    def commit(self, offsets: Offsets | None = None, timeout: float | None = None) -> None:
        """Commit ``offsets`` and wait for it."""

    def commit_async(self, offsets: Offsets | None = None) -> Future[None]:
        """Commit ``offsets`` without waiting."""


class AsyncConsumerToRun(_Common, Protocol):
    """A consumer that is awaited; see ``AsyncConsumer`` for what its methods do."""

    async def subscribe(
        self, topics: Topics, listener: RebalanceListener | AsyncRebalanceListener | None = None
    ) -> None:
        """Read ``topics`` as a member of the group."""

    async def poll(self, timeout: float = 1.0, max_records: int | None = None) -> Records:
        """Wait up to ``timeout`` seconds for records and hand them over."""

    async def pause(self, partitions: Collection[TopicPartition]) -> None:
        """Hand out no record of ``partitions`` until they are resumed."""

    async def resume(self, partitions: Collection[TopicPartition]) -> None:
        """Undo ``pause``."""

    async def seek(self, partition: TopicPartition, offset: int | OffsetAndMetadata) -> None:
        """Go on reading ``partition`` at ``offset``."""

    async def commit(self, offsets: Offsets | None = None, timeout: float | None = None) -> None:
        """Commit ``offsets`` and wait for it."""

    def commit_async(self, offsets: Offsets | None = None) -> asyncio.Future[None]:
        """Commit ``offsets`` without waiting."""
