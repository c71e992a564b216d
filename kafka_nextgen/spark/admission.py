"""Where the next batch of a streaming query ends: ``maxOffsetsPerTrigger``, the minimum and the trigger delay.

The rules match Spark's built-in source (KafkaMicroBatchStream.scala):

- Without a maximum, a batch reads up to the latest offsets.
- A maximum is shared among the partitions in proportion to their backlogs. Shares of one or more are rounded down, and
  smaller ones are rounded up to one, so that no partition starves. A batch may exceed the maximum by one record for
  each of these.
- A minimum delays the batch while the backlog is smaller, for at most the trigger delay since the last batch. The first
  batch of a run is never delayed.
- With AvailableNow, a run takes a snapshot of the latest offsets once.

There are four differences:

- The backlog of a new partition counts from its earliest offset, for the minimum too. A log that became shorter has no
  backlog.
- Records that aged out are not part of the backlog, so a batch never consists of them.
- If a topic was deleted and created again, the batch that detects this reads nothing from it and is not delayed. It
  ends at the earliest offset of the new topic, so that the checkpoint has that offset before anything is read.
- AvailableNow ignores the minimum: a remainder below it would never be read.
"""

from __future__ import annotations

from collections.abc import Collection
from math import ceil, floor, inf

from attrs import field, validators

from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.spark.errors import AvailableNowError
from kafka_nextgen.spark.values import PartitionOffsets, begin_offset
from kafka_nextgen.types import TopicPartition, format_partitions

__all__ = ["TriggerLimits", "admit", "check_available_now", "rate_limited", "receded"]


@frozen
class TriggerLimits:
    """``maxOffsetsPerTrigger``, ``minOffsetsPerTrigger`` (records, at least 1) and ``maxTriggerDelay`` in seconds."""

    max_offsets: int | None = field(default=None, validator=validators.optional(validators.ge(1)))
    min_offsets: int | None = field(default=None, validator=validators.optional(validators.ge(1)))
    max_delay_s: float = 900.0


def admit(
    start: PartitionOffsets,
    latest: PartitionOffsets,
    earliest: PartitionOffsets,
    limits: TriggerLimits,
    recreated: Collection[TopicPartition] = (),
    *,
    since_last_s: float = inf,
) -> dict[TopicPartition, int] | None:
    """Return where the next batch ends; None if there is not enough to read yet.

    Arguments:
        start: the end of the last batch.
        latest: the latest offsets of the partitions that exist now.
        earliest: the earliest offsets of at least the ``recreated`` partitions and those that are not in ``start``.
        limits: the options.
        recreated: the partitions of ``start`` whose topic was deleted and created again since.
        since_last_s: the time since the last batch was admitted; infinite for the first one of a run.
    """
    backlog = sum(_backlogs(start, latest, earliest, recreated).values())
    if backlog < (limits.min_offsets or 0) and not recreated and since_last_s < limits.max_delay_s:
        return None
    return rate_limited(start, latest, earliest, limits.max_offsets, recreated)


def rate_limited(
    start: PartitionOffsets,
    latest: PartitionOffsets,
    earliest: PartitionOffsets,
    max_offsets: int | None,
    recreated: Collection[TopicPartition] = (),
) -> dict[TopicPartition, int]:
    """Return the end of a batch of ``max_offsets`` records, None for all; arguments as for ``admit``."""
    backlog = _backlogs(start, latest, earliest, recreated)
    total = sum(backlog.values())
    end = {tp: earliest[tp] if tp in recreated else offset for tp, offset in sorted(latest.items())}
    if max_offsets is None:
        return end
    for tp, size in backlog.items():
        # In this order and in floating point, because other arithmetic would round differently from the built-in
        # source.
        share = max_offsets * (size / total)
        count = ceil(share) if share < 1 else floor(share)
        end[tp] -= size - min(count, size)
    return end


def receded(known: PartitionOffsets, latest: PartitionOffsets) -> list[TopicPartition]:
    """Return the partitions whose latest offset is smaller than a known one, sorted.

    A broker may return such an offset just after an election (KAFKA-7703).
    """
    return [tp for tp in sorted(latest) if latest[tp] < known.get(tp, 0)]


def check_available_now(snapshot: PartitionOffsets, end: PartitionOffsets, latest: PartitionOffsets) -> None:
    """Check the end of an AvailableNow batch against the run's snapshot and the current offsets, like Spark's source.

    Raises ``AvailableNowError``, regardless of ``failOnDataLoss``, if partitions differ, are gone, or end after the
    snapshot or after the log. Do not check a batch that a restart repeats: it was planned before the snapshot.
    """
    _check_none("appeared or vanished during the run", end.keys() ^ snapshot.keys())
    _check_none("end beyond the offsets taken when the run began", [tp for tp in end if end[tp] > snapshot[tp]])
    _check_none("were deleted during the run", [tp for tp in end if tp not in latest])
    _check_none("lost records of the planned range", [tp for tp in end if end[tp] > latest[tp]])


def _backlogs(
    start: PartitionOffsets,
    latest: PartitionOffsets,
    earliest: PartitionOffsets,
    recreated: Collection[TopicPartition],
) -> dict[TopicPartition, int]:
    begins = {tp: begin_offset(tp, start, earliest) for tp in sorted(latest) if tp not in recreated}
    return {tp: latest[tp] - begin for tp, begin in begins.items() if begin is not None and begin < latest[tp]}


def _check_none(what: str, partitions: Collection[TopicPartition]) -> None:
    if partitions:
        message = f"{format_partitions(partitions)} {what}; this may be temporary: restart the query"
        raise AvailableNowError(message, sorted(partitions))
