"""The consumer as a rebalance listener sees it: only what is safe in a callback, and only while it runs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping
from contextlib import AbstractContextManager
from types import TracebackType

from kafka_nextgen.engine.core import ConsumerCore
from kafka_nextgen.errors import MisuseError
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition

__all__ = ["AsyncRebalanceConsumer", "RebalanceConsumer"]

Offsets = Mapping[TopicPartition, OffsetAndMetadata | int]


class _View(AbstractContextManager["_View"]):
    """What both views can do without waiting."""

    def __init__(self, core: ConsumerCore) -> None:
        self._core = core
        self._expired = False

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._expired = True

    def _alive(self) -> ConsumerCore:
        if self._expired:
            raise MisuseError("this view of the consumer ended with the rebalance callback it was made for")
        return self._core

    def assignment(self) -> frozenset[TopicPartition]:
        """The partitions this member owns now."""
        return self._alive().engine.fetcher.assignment()

    def seek(self, partition: TopicPartition, offset: int | OffsetAndMetadata) -> None:
        """Go on reading ``partition`` at ``offset``; raises MisuseError if it is not assigned."""
        core = self._alive()
        core.require_assigned([partition])
        core.seek(partition, offset)

    def seek_to_beginning(self, partitions: Collection[TopicPartition]) -> None:
        """Go on reading at the first offset there is."""
        core = self._alive()
        core.require_assigned(partitions)
        core.engine.fetcher.seek_to_beginning(partitions)

    def seek_to_end(self, partitions: Collection[TopicPartition]) -> None:
        """Go on reading at the end."""
        core = self._alive()
        core.require_assigned(partitions)
        core.engine.fetcher.seek_to_end(partitions)

    def pause(self, partitions: Collection[TopicPartition]) -> None:
        """Hand out no record of ``partitions`` until they are resumed."""
        core = self._alive()
        core.require_assigned(partitions)
        core.engine.fetcher.pause(partitions)

    def resume(self, partitions: Collection[TopicPartition]) -> None:
        """Undo ``pause``."""
        core = self._alive()
        core.require_assigned(partitions)
        core.engine.fetcher.resume(partitions)

    def paused(self) -> frozenset[TopicPartition]:
        """The partitions that are paused."""
        return self._alive().engine.fetcher.paused()


class RebalanceConsumer(_View):
    """What a ``RebalanceListener`` may do while one of its methods runs."""

    def __init__(
        self,
        core: ConsumerCore,
        commit: Callable[[Offsets | None, float | None], None],
        position: Callable[[TopicPartition, float | None], int],
    ) -> None:
        super().__init__(core)
        self._commit = commit
        self._position = position

    def commit(self, offsets: Offsets | None = None, timeout: float | None = None) -> None:
        """Commit ``offsets``, or what was handed over; ``timeout`` in seconds (default.api.timeout.ms).

        Raises CommitFailedError, or RequestTimeoutError when the time is over.
        """
        self._alive()
        self._commit(offsets, timeout)

    def position(self, partition: TopicPartition, timeout: float | None = None) -> int:
        """The offset of the next record of ``partition``."""
        self._alive()
        return self._position(partition, timeout)


class AsyncRebalanceConsumer(_View):
    """What an ``AsyncRebalanceListener`` may do while one of its methods runs."""

    def __init__(
        self,
        core: ConsumerCore,
        commit: Callable[[Offsets | None, float | None], Awaitable[None]],
        position: Callable[[TopicPartition, float | None], Awaitable[int]],
    ) -> None:
        super().__init__(core)
        self._commit = commit
        self._position = position

    async def commit(self, offsets: Offsets | None = None, timeout: float | None = None) -> None:
        """Commit ``offsets``, or what was handed over; ``timeout`` in seconds (default.api.timeout.ms).

        Raises CommitFailedError, or RequestTimeoutError when the time is over.
        """
        self._alive()
        await self._commit(offsets, timeout)

    async def position(self, partition: TopicPartition, timeout: float | None = None) -> int:
        """The offset of the next record of ``partition``."""
        self._alive()
        return await self._position(partition, timeout)
