"""The state of an offset lookup: which partitions are found, which have failed, and which are still missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from kafka_nextgen.codes import ErrorCode, is_retriable, name_of
from kafka_nextgen.errors import BrokerError, KafkaNextgenError, OutageError, RequestTimeoutError, UnknownTopicError
from kafka_nextgen.groups.partition_results import PartitionResults
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.requests.cluster_image import LOOKS, ClusterImage
from kafka_nextgen.transport.failures import error_from_code
from kafka_nextgen.types import TopicPartition, format_partitions

if TYPE_CHECKING:
    from kafka_nextgen.requests.list_offsets import ListedOffset

__all__ = ["NO_LEADER", "Lookup", "OffsetAndTimestamp", "checked", "offsets_of"]

NO_LEADER = "it has no known leader"


@frozen
class OffsetAndTimestamp:
    """An offset found by time: -1 if every record is older; ``timestamp`` is the record's, in milliseconds."""

    offset: int
    timestamp: int = -1
    leader_epoch: int = -1


def offsets_of(found: PartitionResults[OffsetAndTimestamp]) -> PartitionResults[int]:
    """The same results as plain offsets, without timestamps and leader epochs."""
    return PartitionResults({tp: at.offset for tp, at in found.items()}, found.failed)


class Lookup:
    """Offsets being looked up: which were found, which failed permanently, and why the rest is still missing.

    Partitions without a leader do not hold up the others, unless the caller ``needs_all``.
    """

    def __init__(self, timestamps: Mapping[TopicPartition, int], *, needs_all: bool = False) -> None:
        self.missing = dict(timestamps)
        self._needs_all = needs_all
        self.found: dict[TopicPartition, OffsetAndTimestamp] = {}
        self.failed: dict[TopicPartition, KafkaNextgenError] = {}
        self._causes: dict[TopicPartition, object] = {}
        self._in_vain: Counter[TopicPartition] = Counter()
        self._leaderless: Counter[TopicPartition] = Counter()

    def read(self, answer: Mapping[TopicPartition, ListedOffset]) -> None:
        """Apply a leader's answer."""
        for tp, listed in answer.items():
            if not listed.error:
                self.found[tp] = OffsetAndTimestamp(listed.offset, listed.timestamp, listed.leader_epoch)
                del self.missing[tp]
            elif is_retriable(listed.error):
                self._causes[tp] = name_of(listed.error)
            else:
                self._fail(tp, error_from_code(listed.error, f"offset of {tp}"))

    def note_failure(self, partitions: Iterable[TopicPartition], cause: object) -> None:
        """Note why these partitions were not found in this attempt."""
        self._causes.update(dict.fromkeys(partitions, cause))

    def note_no_metadata(self, cause: object) -> None:
        """Note this cause for partitions that have none: causes from leaders are more specific."""
        for tp in self.missing:
            self._causes.setdefault(tp, cause)

    def note_image(self, image: ClusterImage) -> None:
        """Apply the cluster image. A partition fails if it is missing a few times in a row, or if it repeatedly has no
        leader while others were found.
        """
        self._fail_unknown(image)
        self._count_leaderless(image)
        if self.found and not self._needs_all:
            self._fail_leaderless()

    def _fail_unknown(self, image: ClusterImage) -> None:
        for tp in list(self.missing):
            why = image.why_missing(tp)
            self._in_vain[tp] = 0 if why is None else self._in_vain[tp] + 1
            if self._in_vain[tp] >= LOOKS:
                code = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
                self._fail(tp, UnknownTopicError(f"{tp} has no offsets: {why}", code=code, partition=tp))

    def _count_leaderless(self, image: ClusterImage) -> None:
        for tp in self.missing:
            partition = image.partition(tp)
            is_leaderless = partition is not None and partition.leader < 0
            self._leaderless[tp] = self._leaderless[tp] + 1 if is_leaderless else 0

    def _fail_leaderless(self) -> None:
        for tp in [tp for tp in self.missing if self._leaderless[tp] >= LOOKS]:
            error = error_from_code(ErrorCode.LEADER_NOT_AVAILABLE, f"offset of {tp}: it has no leader")
            error.partition = tp
            self._fail(tp, error)

    def end(self, timeout_s: float) -> PartitionResults[OffsetAndTimestamp]:
        """Return the results; the lookup is complete or its time has expired."""
        by_cause: dict[str, list[TopicPartition]] = {}
        for tp in self.missing:
            by_cause.setdefault(str(self._causes.get(tp, NO_LEADER)), []).append(tp)
        for cause, partitions in by_cause.items():
            what = f"offsets of {format_partitions(partitions)}: not found within {timeout_s:g} s"
            late = RequestTimeoutError(f"{what}; the last failure was: {cause}")
            self.failed.update(dict.fromkeys(partitions, late))
        return PartitionResults(self.found, self.failed)

    def _fail(self, tp: TopicPartition, error: KafkaNextgenError) -> None:
        self.failed[tp] = error
        del self.missing[tp]


def checked(results: PartitionResults[OffsetAndTimestamp]) -> PartitionResults[OffsetAndTimestamp]:
    """The same results; raises a permanent error, or any error if nothing was found."""
    for error in results.failed.values():
        if not results or not _may_pass(error):
            raise error
    return results


def _may_pass(error: KafkaNextgenError) -> bool:
    """Whether the error is transient: the partition has no leader, or its leader can't be reached."""
    is_leaderless = isinstance(error, BrokerError) and error.code == ErrorCode.LEADER_NOT_AVAILABLE
    return is_leaderless or isinstance(error, OutageError)
