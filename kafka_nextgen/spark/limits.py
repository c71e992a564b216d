"""Where a query can start and end, and which of it a batch can't have.

The rules for batches are those of Spark's built-in source (KafkaSourceProvider.scala):

- A batch can't start at the latest offset, nor end at the earliest, in all partitions or in one.
- Offsets by partition for both the start and the end name the same partitions, and no start exceeds its end. The
  same holds for timestamps. Here it holds for one timestamp for all partitions too: the built-in source reads nothing.
- One kind of start is ours: the offsets that a group has committed. It is no end.

Limits are equal by value, have a hash and can be sent to another process.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import TypeAlias

from attrs import field, frozen

from kafka_nextgen.spark.errors import OffsetLimitError, PartitionsMismatchError, StartBeyondEndError
from kafka_nextgen.spark.offsets import EARLIEST, LATEST
from kafka_nextgen.spark.values import PartitionOffsets, first_few
from kafka_nextgen.types import TopicPartition, format_partitions

__all__ = [
    "Edge",
    "GlobalTimestamp",
    "GroupFallback",
    "GroupOffsets",
    "NoMatch",
    "OffsetLimit",
    "SpecificOffsets",
    "SpecificTimestamps",
    "check_batch_limits",
    "check_start_not_beyond_end",
]


class Edge(Enum):
    """One end of every partition's log: ``startingOffsets=earliest`` and the like."""

    EARLIEST = "earliest"
    LATEST = "latest"


class NoMatch(str, Enum):
    """``startingOffsetsByTimestampStrategy``: where to start if no record has the timestamp or a later one."""

    ERROR = "error"
    LATEST = "latest"


class GroupFallback(str, Enum):
    """``groupFallback``: where to start in a partition for which the group has no committed offset."""

    ERROR = "error"
    EARLIEST = "earliest"
    LATEST = "latest"


def _by_value(numbers: PartitionOffsets) -> frozenset[tuple[TopicPartition, int]]:
    return frozenset(numbers.items())


@frozen
class SpecificOffsets:
    """Offsets by partition, ``EARLIEST`` and ``LATEST`` among them."""

    offsets: PartitionOffsets = field(eq=_by_value)


@frozen
class SpecificTimestamps:
    """Timestamps by partition, in milliseconds since the epoch."""

    timestamps: Mapping[TopicPartition, int] = field(eq=_by_value)
    no_match: NoMatch = NoMatch.ERROR


@frozen
class GlobalTimestamp:
    """One timestamp for all partitions, in milliseconds since the epoch."""

    timestamp_ms: int
    no_match: NoMatch = NoMatch.ERROR


@frozen
class GroupOffsets:
    """``startingOffsets=group``: the offsets that a group has committed."""

    group_id: str
    fallback: GroupFallback = GroupFallback.ERROR


#: What an option can say about the start or the end.
OffsetLimit: TypeAlias = Edge | SpecificOffsets | SpecificTimestamps | GlobalTimestamp | GroupOffsets


def check_batch_limits(start: OffsetLimit, end: OffsetLimit) -> None:
    """Check what a batch's options say before the cluster is asked.

    Raises ``OffsetLimitError`` for a start at the latest or an end at the earliest offset, ``PartitionsMismatchError``
    if the two name different partitions, ``StartBeyondEndError`` if a start is greater than its end.
    """
    _refuse_edge("startingOffsets", "a batch can't start at the latest offset", start, Edge.LATEST, LATEST)
    _refuse_edge("endingOffsets", "a batch can't end at the earliest offset", end, Edge.EARLIEST, EARLIEST)
    match start, end:
        case SpecificOffsets(first), SpecificOffsets(last):
            _check_pairs("offset", first, last)
        case SpecificTimestamps(first), SpecificTimestamps(last):
            _check_pairs("timestamp", first, last)
        case GlobalTimestamp(begin_ms), GlobalTimestamp(end_ms) if begin_ms > end_ms:
            raise StartBeyondEndError(f"startingTimestamp {begin_ms} is greater than endingTimestamp {end_ms}")


def check_start_not_beyond_end(
    what: str, start: Mapping[TopicPartition, int], end: Mapping[TopicPartition, int], hint: str = ""
) -> None:
    """Raise ``StartBeyondEndError`` if a start is greater than its end; special offsets are not compared.

    ``what`` is what the numbers are, and ``hint`` ends the error.
    """
    beyond = [tp for tp in sorted(start) if start[tp] > end[tp] >= 0]
    if beyond:
        pairs = first_few([f"{tp} ({start[tp]} > {end[tp]})" for tp in beyond])
        raise StartBeyondEndError(f"the starting {what} is greater than the end in {pairs}{hint}", beyond)


def _check_pairs(what: str, start: Mapping[TopicPartition, int], end: Mapping[TopicPartition, int]) -> None:
    if start.keys() != end.keys():
        raise PartitionsMismatchError(
            f"starting and ending {what}s must name the same partitions: "
            f"start {format_partitions(start)}, end {format_partitions(end)}",
            sorted(start.keys() ^ end.keys()),
        )
    check_start_not_beyond_end(what, start, end)


def _refuse_edge(option: str, rule: str, limit: OffsetLimit, edge: Edge, special: int) -> None:
    offsets = limit.offsets if isinstance(limit, SpecificOffsets) else {}
    partitions = [tp for tp, offset in offsets.items() if offset == special]
    if limit is edge or partitions:
        where = f" (in {format_partitions(partitions)})" if partitions else ""
        raise OffsetLimitError(f"{option}: {rule}{where}", option)
