"""Lost records: what can happen to a partition between two batches, and whether it ends the query.

| what happened | the built-in source's condition | where reading continues |
|---|---|---|
| a partition of the last batch no longer exists | PARTITIONS_DELETED | nowhere |
| a partition of this batch vanished before it was read | INITIAL_OFFSET_NOT_FOUND_FOR_PARTITIONS | nowhere |
| a new partition's first records are gone | ADDED_PARTITION_DOES_NOT_START_FROM_OFFSET_ZERO | at its earliest offset |
| the log ends before the read records, or its topic was created again | PARTITION_OFFSET_CHANGED | at its end |
| records aged out before they were read | COULD_NOT_READ_OFFSET_RANGE | at the earliest offset |
| the log ends before the planned end | COULD_NOT_READ_OFFSET_RANGE | at the planned end |

With ``failOnDataLoss=true`` any loss ends the query; with ``false`` each is logged as a warning
(KafkaOffsetReaderAdmin.scala, KafkaDataConsumer.scala, kafka-error-conditions.json). The built-in source detects the
last two in a task. Planning detects them if it has the earliest and latest offsets.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.logs import logger_of
from kafka_nextgen.spark.errors import DataLossError
from kafka_nextgen.spark.values import ClusterOffsets, PartitionOffsets, first_few
from kafka_nextgen.types import TopicPartition

__all__ = ["DataLoss", "LossKind", "batch_losses", "report_losses", "stream_losses", "vanished_losses"]

logger = logger_of(__name__)


class LossKind(Enum):
    """What happened, in the order of the table above."""

    DELETED = "deleted"
    VANISHED = "vanished"
    NOT_FROM_ZERO = "not from zero"
    RECEDED = "receded"
    AGED_OUT = "aged out"
    TRUNCATED = "truncated"


@frozen
class DataLoss:
    """A partition that may have lost records: the cause, and where reading continues."""

    kind: LossKind
    partition: TopicPartition
    happened: str
    goes_on: str

    def __str__(self) -> str:
        return f"{self.partition} {self.happened}; {self.goes_on}"


def report_losses(losses: Sequence[DataLoss], *, fail_on_data_loss: bool, advice: str = "") -> None:
    """Log a warning for each loss, or with ``fail_on_data_loss`` raise ``DataLossError`` if there is any.

    The error ends with ``advice``, a sentence about alternatives.
    """
    if losses and fail_on_data_loss:
        lost = [f"{loss.partition} {loss.happened}" for loss in losses]
        raise DataLossError(
            f"records may be lost because they aged out, or their topic was deleted, before they were read: "
            f"{first_few(lost, '; ', '; and {} more partitions')}. "
            f"Set failOnDataLoss to false to continue with a warning{advice and f'. {advice}'}",
            losses,
        )
    for loss in losses:
        logger.warning("records may be lost: %s", loss)


def stream_losses(start: PartitionOffsets, end: PartitionOffsets, cluster: ClusterOffsets) -> tuple[DataLoss, ...]:
    """Return what was lost between two batches of a streaming query, sorted by partition.

    ``cluster.earliest`` must have the new partitions of ``end`` that still exist. Other partitions in it or in
    ``cluster.latest`` are checked too.
    """
    losses = [_deleted(tp) for tp in start if tp not in end]
    for tp in end:
        losses += _of_known(tp, start[tp], end[tp], cluster) if tp in start else _of_new(tp, end[tp], cluster)
    return tuple(sorted(losses, key=lambda loss: loss.partition))


def batch_losses(start: PartitionOffsets, end: PartitionOffsets, cluster: ClusterOffsets) -> tuple[DataLoss, ...]:
    """Return the requested records of a batch query that are gone, sorted by partition. No start is after its end."""
    return tuple(loss for tp in sorted(end) for loss in _of_known(tp, start[tp], end[tp], cluster))


def vanished_losses(end: PartitionOffsets) -> tuple[DataLoss, ...]:
    """Return the losses of partitions that vanished while they were read up to ``end``."""
    return tuple(_vanished(tp, end[tp]) for tp in sorted(end))


def _of_known(tp: TopicPartition, start: int, end: int, cluster: ClusterOffsets) -> list[DataLoss]:
    if end < start:
        return [_receded(tp, start, end)]
    if start == end:
        return []
    earliest = cluster.earliest.get(tp, 0)
    aged_out = [_aged_out(tp, start, end, earliest)] if start < earliest else []
    return aged_out + _truncated(tp, start, end, cluster)


def _of_new(tp: TopicPartition, end: int, cluster: ClusterOffsets) -> list[DataLoss]:
    earliest = cluster.earliest.get(tp)
    if earliest is None:
        return [_vanished(tp, end)]
    not_from_zero = [_not_from_zero(tp, earliest)] if earliest > 0 else []
    return not_from_zero + _truncated(tp, earliest, end, cluster)


def _truncated(tp: TopicPartition, begin: int, end: int, cluster: ClusterOffsets) -> list[DataLoss]:
    latest = cluster.latest.get(tp, end)
    if latest >= end:
        return []
    happened = f"ends at offset {latest}, before the planned end {end}"
    goes_on = f"offsets {max(begin, latest)} to {end - 1} are skipped, and the next batch begins at {end}"
    return [DataLoss(LossKind.TRUNCATED, tp, happened, goes_on)]


def _deleted(tp: TopicPartition) -> DataLoss:
    happened = "no longer exists; it was deleted, or its topic is no longer subscribed to"
    return DataLoss(
        LossKind.DELETED, tp, happened, "nothing more is read from it, and if it is created again it counts as new"
    )


def _vanished(tp: TopicPartition, end: int) -> DataLoss:
    happened = "was deleted, or its topic created again, before it was read"
    return DataLoss(LossKind.VANISHED, tp, happened, f"its records up to offset {end} are skipped")


def _not_from_zero(tp: TopicPartition, earliest: int) -> DataLoss:
    happened = f"is new and begins at offset {earliest} instead of 0"
    return DataLoss(LossKind.NOT_FROM_ZERO, tp, happened, f"reading begins at {earliest}")


def _receded(tp: TopicPartition, start: int, end: int) -> DataLoss:
    happened = (
        f"was read up to offset {start} and now ends at {end}; its log was truncated, its topic was created again, "
        "or the starting offset of the first batch is too high"
    )
    goes_on = f"nothing is read from it now, and the next batch begins at {end}: earlier records are not read again"
    return DataLoss(LossKind.RECEDED, tp, happened, goes_on)


def _aged_out(tp: TopicPartition, start: int, end: int, earliest: int) -> DataLoss:
    happened = f"was to be read from offset {start} and now begins at {earliest}; records aged out or were deleted"
    skipped = f"offsets {start} to {min(earliest, end) - 1} are skipped"
    goes_on = f"; reading continues at {earliest}" if earliest < end else "; the batch has no other records from it"
    return DataLoss(LossKind.AGED_OUT, tp, happened, skipped + goes_on)
