"""How far the next batch of a streaming query reads: ``maxOffsetsPerTrigger`` and what goes with it.

The rules are those of Spark's built-in source (KafkaMicroBatchStream.scala):

- Without a maximum, a batch reads up to the latest offsets.
- A maximum is shared among the partitions in proportion to their backlog. A share of one or more is rounded down, a
  smaller one up to one, so that no partition starves. So a batch may exceed the maximum by as many records as there are
  small partitions.
- A minimum delays the batch while the backlog is smaller, for at most the trigger delay since the last batch. The first
  batch of a run is never delayed.
- With AvailableNow, the latest offsets are those of a snapshot that the run takes once.

It differs in three points:

- The backlog of a new partition counts from its earliest offset for the minimum too, and a log that became shorter
  counts as no backlog.
- Records that aged out count as no backlog, so a batch never consists of them.
- A partition whose topic was deleted and created again has nothing to read in the batch that notices it, which is not
  delayed. It ends at the earliest offset of the new topic, so that the checkpoint has that before anything is read.
- AvailableNow ignores the minimum: a remainder below it would never be read.
"""

from __future__ import annotations

from collections.abc import Collection
from math import ceil, floor

from attrs import field, frozen, validators

from kafka_nextgen.spark.errors import AvailableNowError
from kafka_nextgen.spark.values import PartitionOffsets, begin_of
from kafka_nextgen.types import TopicPartition, format_partitions

__all__ = [
    "Admission",
    "TriggerLimits",
    "admit",
    "admit_available_now",
    "check_available_now",
    "rate_limited",
    "receded",
]


@frozen
class TriggerLimits:
    """``maxOffsetsPerTrigger``, ``minOffsetsPerTrigger`` (records, from 1 up) and ``maxTriggerDelay`` in seconds."""

    max_offsets: int | None = field(default=None, validator=validators.optional(validators.ge(1)))
    min_offsets: int | None = field(default=None, validator=validators.optional(validators.ge(1)))
    max_delay_s: float = 900.0


@frozen
class Admission:
    """Where the next batch ends, and when the last one was admitted, for the next call.

    ``end`` equals the start if there is nothing to read yet: Spark plans no batch then. ``delayed`` says that there is
    a backlog, but less than the minimum.
    """

    end: dict[TopicPartition, int]
    last_admitted_s: float | None
    delayed: bool = False


def admit(
    start: PartitionOffsets,
    latest: PartitionOffsets,
    earliest: PartitionOffsets,
    limits: TriggerLimits,
    *,
    now_s: float,
    last_admitted_s: float | None = None,
    recreated: Collection[TopicPartition] = (),
) -> Admission:
    """Return where the next batch ends.

    ``start`` is the end of the last batch. ``latest`` has the partitions that exist now. ``recreated`` are those of
    ``start`` whose topic was deleted and created again since. ``earliest`` has these and the partitions that are not in
    ``start``, and may have more: planning then notices records that are gone. ``now_s`` is of a clock that never goes
    back; ``last_admitted_s`` is of the admission before, None in the first call of a run.
    """
    backlog = _backlogs(start, latest, earliest, recreated)
    minimum = limits.min_offsets or 0
    overdue = bool(recreated) or last_admitted_s is None or now_s - last_admitted_s >= limits.max_delay_s
    if sum(backlog.values()) < minimum and not overdue:
        return Admission(dict(start), last_admitted_s, delayed=bool(backlog))
    return Admission(rate_limited(start, latest, earliest, limits.max_offsets, recreated), now_s)


def admit_available_now(
    start: PartitionOffsets,
    snapshot: PartitionOffsets,
    earliest: PartitionOffsets,
    limits: TriggerLimits,
    recreated: Collection[TopicPartition] = (),
) -> dict[TopicPartition, int]:
    """Return where the next batch of an AvailableNow run ends: ``snapshot`` in the end, when the run is over.

    ``snapshot`` are the latest offsets as they were at the run's first ``latestOffset``, after the batch that a restart
    may have to repeat. Other arguments are as for ``admit``.
    """
    return rate_limited(start, snapshot, earliest, limits.max_offsets, recreated)


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
        # In this order and in floating point, as the built-in source does: other arithmetic rounds elsewhere.
        share = max_offsets * (size / total)
        count = ceil(share) if share < 1 else floor(share)
        end[tp] -= size - min(count, size)
    return end


def receded(known: PartitionOffsets, latest: PartitionOffsets) -> list[TopicPartition]:
    """Return the partitions whose latest offset is smaller than a known one, sorted.

    A broker may answer so right after an election (KAFKA-7703). The built-in source asks again before it takes the log
    for truncated, ``fetchOffset.numRetries`` times in all.
    """
    return [tp for tp in sorted(latest) if latest[tp] < known.get(tp, 0)]


def check_available_now(snapshot: PartitionOffsets, end: PartitionOffsets, latest: PartitionOffsets) -> None:
    """Check the end of an AvailableNow batch against the run's snapshot and the offsets of now, as the built-in does.

    Raises ``AvailableNowError`` if partitions differ, are gone, or end beyond the snapshot or beyond the log.
    ``failOnDataLoss`` plays no part in it.
    Do not check a batch that a restart repeats: it was planned before the snapshot.
    """
    if end.keys() != snapshot.keys():
        raise _changed("appeared or vanished during the run", end.keys() ^ snapshot.keys())
    _check_none("end beyond the offsets taken when the run began", [tp for tp in end if end[tp] > snapshot[tp]])
    _check_none("were deleted during the run", [tp for tp in end if tp not in latest])
    _check_none("lost records of the planned range", [tp for tp in end if end[tp] > latest[tp]])


def _backlogs(
    start: PartitionOffsets,
    latest: PartitionOffsets,
    earliest: PartitionOffsets,
    recreated: Collection[TopicPartition],
) -> dict[TopicPartition, int]:
    begins = {tp: begin_of(tp, start, earliest) for tp in sorted(latest) if tp not in recreated}
    return {tp: latest[tp] - begin for tp, begin in begins.items() if begin is not None and begin < latest[tp]}


def _check_none(what: str, partitions: Collection[TopicPartition]) -> None:
    if partitions:
        raise _changed(what, partitions)


def _changed(what: str, partitions: Collection[TopicPartition]) -> AvailableNowError:
    return AvailableNowError(
        f"{format_partitions(partitions)} {what}; this may pass: start the query again", sorted(partitions)
    )
