"""``Consumer``'s calls about offsets, positions and topics: each waits, up to its timeout."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from concurrent.futures import Future
from typing import TYPE_CHECKING, TypeVar

from kafka_nextgen.engine.application.base_consumer import BaseConsumer
from kafka_nextgen.engine.application.rebalance_listener import is_in_callback
from kafka_nextgen.properties.offset_reset import OffsetReset
from kafka_nextgen.requests.list_offsets import EARLIEST, LATEST
from kafka_nextgen.transport.futures import wait_for_result
from kafka_nextgen.transport.offset_lookup import OffsetAndTimestamp, offsets_of

if TYPE_CHECKING:
    from kafka_nextgen.engine.application.arguments import Offsets
    from kafka_nextgen.engine.mailbox import CommitCallback
    from kafka_nextgen.groups.partition_results import PartitionResults
    from kafka_nextgen.types import OffsetAndMetadata, TopicDescription, TopicPartition

__all__ = ["BlockingCalls"]

T = TypeVar("T")


class BlockingCalls(BaseConsumer):
    """Timeouts are in seconds, None for ``default.api.timeout.ms``; calls raise RequestTimeoutError on expiry."""

    def _ask(self, call: str, timeout: float | None, begin: Callable[[float], Future[T]]) -> T:
        """Wait for a query, at most ``timeout`` seconds; the wait ends if a signal handler closes the consumer."""
        with self._use(call):
            limit_s = self._limit_s(timeout)
            future = begin(limit_s)
            if self._calls.has_deferred and not is_in_callback(self._core):
                future.cancel()
            return wait_for_result(future, limit_s)

    # ---- offsets

    def commit(self, offsets: Offsets | None = None, timeout: float | None = None) -> None:
        """Commit ``offsets``, or the positions after everything handed over, and wait for the result.

        ``offsets`` maps each partition to the offset of the next record to read. A ``Record`` means the position after
        it: it and all earlier records of its partition count as processed, those of other partitions are not affected.

        Raises CommitFailedError naming the partitions, GroupAuthorizationError, or RequestTimeoutError. Without
        ``offsets``, it fails once if partitions were lost, or were revoked without a listener that could commit, before
        their records were committed: their next owner reads these records again.
        """
        self._ask("commit", timeout, lambda limit_s: self._core.commit(offsets, limit_s))

    def commit_async(self, offsets: Offsets | None = None, callback: CommitCallback | None = None) -> Future[None]:
        """Commit without waiting; the future fails with the error that ``commit`` would raise.

        Commits for the same partition keep their order. A commit that is still waiting to be sent or retried is merged
        into a later one, whose result applies to both: retrying an earlier commit never moves a position back.
        ``close`` waits for it. Callbacks added to the future run on the I/O thread and must not block it.

        ``callback`` runs where rebalance callbacks do, in ``poll`` and ``close``. It gets the offsets to be committed,
        and the exception that the future would raise, or None. It must not call the consumer; an exception that it
        raises is raised by that ``poll`` or ``close``.
        """
        with self._use("commit_async"):
            return self._core.commit(offsets, self._limit_s(None), callback)

    def committed(
        self, partitions: Collection[TopicPartition], timeout: float | None = None
    ) -> dict[TopicPartition, OffsetAndMetadata | None]:
        """Return the group's committed offsets, None for a partition that has none or does not exist.

        Raises MisuseError without ``group.id``, GroupAuthorizationError, RequestTimeoutError, or another BrokerError if
        the coordinator refuses, for example UNKNOWN_MEMBER_ID for a member that was removed and has not been informed
        yet.
        """
        return self._ask("committed", timeout, lambda limit_s: self._core.committed(partitions, limit_s))

    def group_lag(
        self, partitions: Collection[TopicPartition] | None = None, timeout: float | None = None
    ) -> PartitionResults[int | None]:
        """Return how many offsets the group has yet to read in each partition; None without a committed offset.

        Unlike in Kafka's tools, offsets removed by retention or DeleteRecords are not counted. ``partitions`` defaults
        to the assigned ones or, while this member is a standby (``group.target.size``), to those that it may get. A
        partition without a leader is listed in the result's ``failed``. Raises the same errors as ``committed`` and
        ``end_offsets``.
        """
        return self._ask("group_lag", timeout, lambda limit_s: self._core.group_lag(partitions, limit_s))

    # ---- positions

    def position(self, partition: TopicPartition, timeout: float | None = None) -> int:
        """Return the offset of the next record in ``partition``, waiting while the position is being looked up.

        Raises MisuseError if the partition is not assigned, or RequestTimeoutError.
        """
        return self._ask("position", timeout, lambda limit_s: self._core.find_position(partition, limit_s))

    def seek(self, partition: TopicPartition, offset: int | OffsetAndMetadata) -> None:
        """Continue reading ``partition`` at ``offset``.

        Raises MisuseError if it is not assigned, ValueError for an invalid offset.
        """
        with self._use("seek"):
            self._core.seek(partition, offset)

    def seek_to_beginning(self, partitions: Collection[TopicPartition] | None = None) -> None:
        """Continue reading at the first available offset, in ``partitions`` or in all that are assigned."""
        with self._use("seek_to_beginning"):
            self._core.seek_to(partitions, OffsetReset.EARLIEST)

    def seek_to_end(self, partitions: Collection[TopicPartition] | None = None) -> None:
        """Continue reading after the last available record, in ``partitions`` or in all that are assigned."""
        with self._use("seek_to_end"):
            self._core.seek_to(partitions, OffsetReset.LATEST)

    def pause(self, partitions: Collection[TopicPartition]) -> None:
        """Stop handing over records of ``partitions`` until they are resumed or no longer assigned."""
        with self._use("pause"):
            self._core.pause(partitions)

    def resume(self, partitions: Collection[TopicPartition]) -> None:
        """Undo ``pause``."""
        with self._use("resume"):
            self._core.resume(partitions)

    # ---- looking things up

    def beginning_offsets(
        self, partitions: Iterable[TopicPartition], timeout: float | None = None
    ) -> PartitionResults[int]:
        """Return the first available offset of each partition.

        A partition that still has no leader after a few lookups is in the result's ``failed`` and not among its keys,
        so it does not delay the others. A partition whose leader has not answered when the timeout expires is there,
        too. Raises RequestTimeoutError if no offset was found by then, UnknownTopicError if the partition does not
        exist, and TopicAuthorizationError.
        """
        found = self._list_offsets("beginning_offsets", dict.fromkeys(partitions, EARLIEST), timeout)
        return offsets_of(found)

    def end_offsets(self, partitions: Iterable[TopicPartition], timeout: float | None = None) -> PartitionResults[int]:
        """Return the offset after the last record of each partition.

        Raises the same errors as ``beginning_offsets``.
        """
        found = self._list_offsets("end_offsets", dict.fromkeys(partitions, LATEST), timeout)
        return offsets_of(found)

    def offsets_for_times(
        self, timestamps: Mapping[TopicPartition, int], timeout: float | None = None
    ) -> PartitionResults[OffsetAndTimestamp]:
        """Return the first offset whose record is not older than the timestamp (milliseconds since the epoch).

        Where no record is that late, ``offset`` and ``timestamp`` are -1; Java's consumer has null there.
        Raises the same errors as ``beginning_offsets``.
        """
        return self._list_offsets("offsets_for_times", timestamps, timeout)

    def _list_offsets(
        self, call: str, timestamps: Mapping[TopicPartition, int], timeout: float | None
    ) -> PartitionResults[OffsetAndTimestamp]:
        return self._ask(call, timeout, lambda limit_s: self._core.list_offsets(timestamps, limit_s))

    def partitions_for(self, topic: str, timeout: float | None = None) -> tuple[int, ...]:
        """Return the partitions of a topic, empty if it does not exist."""
        return self._ask("partitions_for", timeout, lambda limit_s: self._core.partitions_for(topic, limit_s))

    def describe_topics(
        self, topics: Collection[str] | None = None, timeout: float | None = None
    ) -> dict[str, TopicDescription]:
        """Describe these topics, or all that are visible: ids and partitions. Topics that do not exist are left out.

        Raises TopicAuthorizationError for a topic that this principal may not see, and RequestTimeoutError.
        """
        return self._ask("describe_topics", timeout, lambda limit_s: self._core.describe_topics(topics, limit_s))

    def topics(self, timeout: float | None = None) -> tuple[str, ...]:
        """Return the topics of the cluster that this principal may see."""
        return self._ask("topics", timeout, lambda limit_s: self._core.cluster_topics(limit_s))
