"""``Consumer``'s calls about offsets, positions and topics: each waits, at most for its timeout."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from concurrent.futures import Future
from typing import TypeVar

from kafka_nextgen.engine.application.arguments import Offsets
from kafka_nextgen.engine.application.base_consumer import BaseConsumer
from kafka_nextgen.engine.application.rebalance_listener import is_in_callback
from kafka_nextgen.engine.mailbox import CommitCallback
from kafka_nextgen.groups.partition_results import PartitionResults
from kafka_nextgen.properties.offset_reset import OffsetReset
from kafka_nextgen.requests.list_offsets import EARLIEST, LATEST
from kafka_nextgen.transport.futures import wait_for_result
from kafka_nextgen.transport.offset_lookup import OffsetAndTimestamp, offsets_of
from kafka_nextgen.types import OffsetAndMetadata, TopicDescription, TopicPartition

__all__ = ["BlockingCalls"]

T = TypeVar("T")


class BlockingCalls(BaseConsumer):
    """Timeouts are seconds, None for ``default.api.timeout.ms``; RequestTimeoutError when they are over."""

    def _ask(self, call: str, timeout: float | None, begin: Callable[[float], Future[T]]) -> T:
        """Wait for a query of at most so many seconds; ends it if a signal handler closes the consumer meanwhile."""
        with self._use(call):
            limit_s = self._limit_s(timeout)
            future = begin(limit_s)
            if self._calls.has_wish and not is_in_callback(self._core):
                future.cancel()
            return wait_for_result(future, limit_s)

    # ---- offsets

    def commit(self, offsets: Offsets | None = None, timeout: float | None = None) -> None:
        """Commit ``offsets``, or the positions behind everything handed over, and wait for it.

        Raises CommitFailedError naming the partitions, GroupAuthorizationError, or RequestTimeoutError. Without
        ``offsets`` it fails, once, if records were handed over whose partitions were lost before they were committed
        (or revoked, and there was no listener to commit them): their next owner reads them again.
        """
        self._ask("commit", timeout, lambda limit_s: self._core.commit(offsets, limit_s))

    def commit_async(self, offsets: Offsets | None = None, callback: CommitCallback | None = None) -> Future[None]:
        """Commit without waiting; the future has the error that ``commit`` would raise.

        Commits of a partition keep their order. A commit that still waits to be sent, or sent again, is merged into a
        later one, whose result counts for both: repeating an earlier commit never sets a position back.
        ``close`` waits for it. Callbacks added to the future run on the I/O thread and must not block it.

        ``callback`` runs where rebalance callbacks do, in ``poll`` and ``close``, with the offsets that were to be
        committed and what the future would raise, or None. It must not call the consumer; what it raises is raised
        there.
        """
        with self._use("commit_async"):
            return self._core.commit(offsets, self._limit_s(None), callback)

    def committed(
        self, partitions: Collection[TopicPartition], timeout: float | None = None
    ) -> dict[TopicPartition, OffsetAndMetadata | None]:
        """The group's committed offsets, None where there is none or no such partition.

        Raises MisuseError without ``group.id``, GroupAuthorizationError, RequestTimeoutError, and another BrokerError
        where the coordinator refuses: UNKNOWN_MEMBER_ID for a member that was thrown out and is about to hear of it.
        """
        return self._ask("committed", timeout, lambda limit_s: self._core.committed(partitions, limit_s))

    def group_lag(
        self, partitions: Collection[TopicPartition] | None = None, timeout: float | None = None
    ) -> PartitionResults[int | None]:
        """How many offsets the group has to read in each partition, from its committed offset on; None without one.

        Offsets that retention or DeleteRecords removed are not counted, unlike in Kafka's tools. Without ``partitions``
        it is asked for those that are assigned or, while this member stands by (``group.target.size``), for those that
        it may get. A partition without a leader is in ``failed`` of the result. Raises as ``committed`` and
        ``end_offsets`` do.
        """
        return self._ask("group_lag", timeout, lambda limit_s: self._core.group_lag(partitions, limit_s))

    # ---- positions

    def position(self, partition: TopicPartition, timeout: float | None = None) -> int:
        """The offset of the next record of ``partition``; waits while it is being looked up.

        Raises MisuseError if the partition is not assigned, or RequestTimeoutError.
        """
        return self._ask("position", timeout, lambda limit_s: self._core.find_position(partition, limit_s))

    def seek(self, partition: TopicPartition, offset: int | OffsetAndMetadata) -> None:
        """Go on reading ``partition`` at ``offset``.

        Raises MisuseError if it is not assigned, ValueError for an offset that can't be one.
        """
        with self._use("seek"):
            self._core.seek(partition, offset)

    def seek_to_beginning(self, partitions: Collection[TopicPartition] | None = None) -> None:
        """Go on reading at the first offset there is, in ``partitions`` or in all that are assigned."""
        with self._use("seek_to_beginning"):
            self._core.seek_to(partitions, OffsetReset.EARLIEST)

    def seek_to_end(self, partitions: Collection[TopicPartition] | None = None) -> None:
        """Go on reading behind the last record there is, in ``partitions`` or in all that are assigned."""
        with self._use("seek_to_end"):
            self._core.seek_to(partitions, OffsetReset.LATEST)

    def pause(self, partitions: Collection[TopicPartition]) -> None:
        """Hand out no record of ``partitions`` until they are resumed; dropped when they are given up."""
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
        """The first offset there is in each partition.

        A partition that has no leader when it is looked up a few times is in ``failed`` of the result, and not among
        its keys: it holds up no other. One whose leader does not answer gets there when the time is over. Raises
        RequestTimeoutError if nothing was found until then, UnknownTopicError if the partition does not exist, and
        TopicAuthorizationError.
        """
        found = self._list_offsets("beginning_offsets", dict.fromkeys(partitions, EARLIEST), timeout)
        return offsets_of(found)

    def end_offsets(self, partitions: Iterable[TopicPartition], timeout: float | None = None) -> PartitionResults[int]:
        """The offset behind the last record of each partition. Raises as ``beginning_offsets`` does."""
        found = self._list_offsets("end_offsets", dict.fromkeys(partitions, LATEST), timeout)
        return offsets_of(found)

    def offsets_for_times(
        self, timestamps: Mapping[TopicPartition, int], timeout: float | None = None
    ) -> PartitionResults[OffsetAndTimestamp]:
        """The first offset whose record is not older than the timestamp (milliseconds since the epoch).

        Raises as ``beginning_offsets`` does.
        """
        return self._list_offsets("offsets_for_times", timestamps, timeout)

    def _list_offsets(
        self, call: str, timestamps: Mapping[TopicPartition, int], timeout: float | None
    ) -> PartitionResults[OffsetAndTimestamp]:
        return self._ask(call, timeout, lambda limit_s: self._core.list_offsets(timestamps, limit_s))

    def partitions_for(self, topic: str, timeout: float | None = None) -> tuple[int, ...]:
        """The partitions of a topic, empty if there is no such topic."""
        return self._ask("partitions_for", timeout, lambda limit_s: self._core.partitions_for(topic, limit_s))

    def describe_topics(
        self, topics: Collection[str] | None = None, timeout: float | None = None
    ) -> dict[str, TopicDescription]:
        """These topics with their ids and partitions, or all that may be seen; those that are not there are left out.

        Raises TopicAuthorizationError for a topic that may not be seen, and RequestTimeoutError.
        """
        return self._ask("describe_topics", timeout, lambda limit_s: self._core.describe_topics(topics, limit_s))

    def topics(self, timeout: float | None = None) -> tuple[str, ...]:
        """The topics of the cluster this principal may see."""
        return self._ask("topics", timeout, lambda limit_s: self._core.cluster_topics(limit_s))
