"""``AsyncConsumer``'s calls about offsets, positions and topics: each is awaited, up to its timeout."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable, Mapping
from concurrent.futures import Future
from typing import TYPE_CHECKING, TypeVar

from kafka_nextgen.engine.application.base_consumer import BaseConsumer
from kafka_nextgen.properties.offset_reset import OffsetReset
from kafka_nextgen.requests.list_offsets import EARLIEST, LATEST
from kafka_nextgen.transport.futures import await_result
from kafka_nextgen.transport.offset_lookup import OffsetAndTimestamp, offsets_of

if TYPE_CHECKING:
    from kafka_nextgen.engine.application.arguments import Offsets
    from kafka_nextgen.groups.partition_results import PartitionResults
    from kafka_nextgen.types import OffsetAndMetadata, TopicDescription, TopicPartition

__all__ = ["AsyncCalls"]

T = TypeVar("T")


class AsyncCalls(BaseConsumer):
    """Timeouts are in seconds, None for ``default.api.timeout.ms``; calls raise RequestTimeoutError on expiry.

    Cancelling a call cancels its request, but a commit may still have been carried out.
    """

    async def _ask(self, call: str, timeout: float | None, begin: Callable[[float], Future[T]]) -> T:
        """Await a query, at most ``timeout`` seconds."""
        with self._use(call):
            return await await_result(begin(self._limit_s(timeout)))

    # ---- offsets

    async def commit(self, offsets: Offsets | None = None, timeout: float | None = None) -> None:
        """Commit ``offsets``, the position after a record, or the positions after everything handed over.

        Raises the same errors as ``Consumer.commit``.
        """
        await self._ask("commit", timeout, lambda limit_s: self._core.commit(offsets, limit_s))

    def commit_async(self, offsets: Offsets | None = None) -> asyncio.Future[None]:
        """Commit without waiting; the future fails with the error that ``commit`` would raise. ``close`` waits for it.

        Commits for the same partition keep their order, as with ``Consumer.commit_async``.
        """
        with self._use("commit_async"):
            return asyncio.wrap_future(self._core.commit(offsets, self._limit_s(None)))

    async def committed(
        self, partitions: Collection[TopicPartition], timeout: float | None = None
    ) -> dict[TopicPartition, OffsetAndMetadata | None]:
        """Return the group's committed offsets, None for a partition that has none or does not exist.

        Raises the same errors as ``Consumer.committed``.
        """
        return await self._ask("committed", timeout, lambda limit_s: self._core.committed(partitions, limit_s))

    async def group_lag(
        self, partitions: Collection[TopicPartition] | None = None, timeout: float | None = None
    ) -> PartitionResults[int | None]:
        """Return how many offsets the group has yet to read in each partition; None without a committed offset.

        The default partitions, the offsets that are not counted, and the errors are as in ``Consumer.group_lag``.
        """
        return await self._ask("group_lag", timeout, lambda limit_s: self._core.group_lag(partitions, limit_s))

    # ---- positions

    async def position(self, partition: TopicPartition, timeout: float | None = None) -> int:
        """Return the offset of the next record in ``partition``, waiting while the position is being looked up.

        Raises MisuseError if the partition is not assigned, or RequestTimeoutError.
        """
        return await self._ask("position", timeout, lambda limit_s: self._core.find_position(partition, limit_s))

    async def seek(self, partition: TopicPartition, offset: int | OffsetAndMetadata) -> None:
        """Continue reading ``partition`` at ``offset``.

        Raises MisuseError if it is not assigned, ValueError for an invalid offset.
        """
        with self._use("seek"):
            self._core.seek(partition, offset)

    async def seek_to_beginning(self, partitions: Collection[TopicPartition] | None = None) -> None:
        """Continue reading at the first available offset, in ``partitions`` or in all that are assigned."""
        with self._use("seek_to_beginning"):
            self._core.seek_to(partitions, OffsetReset.EARLIEST)

    async def seek_to_end(self, partitions: Collection[TopicPartition] | None = None) -> None:
        """Continue reading after the last available record, in ``partitions`` or in all that are assigned."""
        with self._use("seek_to_end"):
            self._core.seek_to(partitions, OffsetReset.LATEST)

    async def pause(self, partitions: Collection[TopicPartition]) -> None:
        """Stop handing over records of ``partitions`` until they are resumed or no longer assigned."""
        with self._use("pause"):
            self._core.pause(partitions)

    async def resume(self, partitions: Collection[TopicPartition]) -> None:
        """Undo ``pause``."""
        with self._use("resume"):
            self._core.resume(partitions)

    # ---- looking things up

    async def beginning_offsets(
        self, partitions: Iterable[TopicPartition], timeout: float | None = None
    ) -> PartitionResults[int]:
        """Return the first available offset of each partition.

        Raises the same errors as ``Consumer.beginning_offsets``.
        """
        found = await self._list_offsets("beginning_offsets", dict.fromkeys(partitions, EARLIEST), timeout)
        return offsets_of(found)

    async def end_offsets(
        self, partitions: Iterable[TopicPartition], timeout: float | None = None
    ) -> PartitionResults[int]:
        """Return the offset after the last record of each partition.

        Raises the same errors as ``beginning_offsets``.
        """
        found = await self._list_offsets("end_offsets", dict.fromkeys(partitions, LATEST), timeout)
        return offsets_of(found)

    async def offsets_for_times(
        self, timestamps: Mapping[TopicPartition, int], timeout: float | None = None
    ) -> PartitionResults[OffsetAndTimestamp]:
        """Return the first offset whose record is not older than the timestamp (milliseconds since the epoch).

        Where no record is that late, ``offset`` and ``timestamp`` are -1; Java's consumer has null there.
        Raises the same errors as ``beginning_offsets``.
        """
        return await self._list_offsets("offsets_for_times", timestamps, timeout)

    async def _list_offsets(
        self, call: str, timestamps: Mapping[TopicPartition, int], timeout: float | None
    ) -> PartitionResults[OffsetAndTimestamp]:
        return await self._ask(call, timeout, lambda limit_s: self._core.list_offsets(timestamps, limit_s))

    async def partitions_for(self, topic: str, timeout: float | None = None) -> tuple[int, ...]:
        """Return the partitions of a topic, empty if it does not exist."""
        return await self._ask("partitions_for", timeout, lambda limit_s: self._core.partitions_for(topic, limit_s))

    async def describe_topics(
        self, topics: Collection[str] | None = None, timeout: float | None = None
    ) -> dict[str, TopicDescription]:
        """Describe these topics, or all that are visible: ids and partitions, like ``Consumer.describe_topics``."""
        return await self._ask("describe_topics", timeout, lambda limit_s: self._core.describe_topics(topics, limit_s))

    async def topics(self, timeout: float | None = None) -> tuple[str, ...]:
        """Return the topics of the cluster that this principal may see."""
        return await self._ask("topics", timeout, lambda limit_s: self._core.cluster_topics(limit_s))
