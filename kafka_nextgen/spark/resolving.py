"""Resolve the start or the end of a query to an offset for each partition.

The rules match Spark's built-in source (KafkaOffsetReaderAdmin.scala):

- Offsets or timestamps by partition must name exactly the partitions that are read.
- In offsets by partition, -1 means the latest and -2 the earliest. The words ``latest`` and ``earliest`` apply to all
  partitions of a topic.
- A timestamp means the first record with that timestamp or a later one. Without such a record a start is an error or
  the latest offset, depending on the strategy, and an end is the latest offset.

``groupFallback`` is for partitions without a committed offset. A committed offset that the log no longer has is kept,
and planning reports the loss.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import TypeAlias

from kafka_nextgen.spark.errors import CommittedOffsetError, PartitionsMismatchError, TimestampNotFoundError
from kafka_nextgen.spark.limits import (
    Edge,
    GlobalTimestamp,
    GroupFallback,
    GroupOffsets,
    NoMatch,
    OffsetLimit,
    SpecificOffsets,
    SpecificTimestamps,
)
from kafka_nextgen.spark.offsets import EARLIEST, LATEST
from kafka_nextgen.spark.values import ClusterOffsets, PartitionOffsets, first_few
from kafka_nextgen.types import TopicPartition, format_partitions

__all__ = ["resolve_ending_offsets", "resolve_starting_offsets", "timestamps_to_look_up"]

#: The offset found by timestamp or committed by the group, for each partition; None without one.
FoundOffsets: TypeAlias = Mapping[TopicPartition, int | None]


def timestamps_to_look_up(limit: OffsetLimit, partitions: Collection[TopicPartition]) -> dict[TopicPartition, int]:
    """Return the timestamps (ms) to look up for these partitions, if the limit has timestamps.

    Raises ``PartitionsMismatchError`` if the option names other partitions.
    """
    if isinstance(limit, GlobalTimestamp):
        return dict.fromkeys(sorted(partitions), limit.timestamp_ms)
    if isinstance(limit, SpecificTimestamps):
        _check_partitions("timestamps", limit.timestamps, partitions)
        return {tp: limit.timestamps[tp] for tp in sorted(partitions)}
    return {}


def resolve_starting_offsets(
    limit: OffsetLimit, cluster: ClusterOffsets, found: FoundOffsets | None = None
) -> dict[TopicPartition, int]:
    """Return the starting offset of each partition, sorted by partition.

    ``cluster`` has the offsets of the partitions to read. ``found`` has the offsets of ``timestamps_to_look_up``,
    or the offsets that a group has committed.
    Raises ``PartitionsMismatchError``, ``TimestampNotFoundError`` or ``CommittedOffsetError``.
    """
    if isinstance(limit, GroupOffsets):
        return _from_group(limit, cluster, found or {})
    if isinstance(limit, SpecificTimestamps | GlobalTimestamp) and limit.no_match is NoMatch.ERROR:
        _check_found(timestamps_to_look_up(limit, cluster.latest), found or {})
    return resolve_ending_offsets(limit, cluster, found)


def resolve_ending_offsets(
    limit: OffsetLimit, cluster: ClusterOffsets, found: FoundOffsets | None = None
) -> dict[TopicPartition, int]:
    """Return the ending offset of each partition, sorted by partition; arguments as for the start."""
    assert cluster.earliest.keys() == cluster.latest.keys(), "both offsets of each partition are known"
    if isinstance(limit, SpecificOffsets):
        _check_topics(limit.topics, cluster.latest)
        offsets = limit.of(cluster.latest)
        _check_partitions("offsets", offsets, cluster.latest)
        special = {EARLIEST: cluster.earliest, LATEST: cluster.latest}
        named = sorted(offsets.items())
        return {tp: special[offset][tp] if offset in special else offset for tp, offset in named}
    if isinstance(limit, SpecificTimestamps | GlobalTimestamp):
        return _or_else(cluster.latest, timestamps_to_look_up(limit, cluster.latest), found or {})
    assert isinstance(limit, Edge), "a group's offsets can only be a start"
    return dict(sorted((cluster.earliest if limit is Edge.EARLIEST else cluster.latest).items()))


def _from_group(limit: GroupOffsets, cluster: ClusterOffsets, committed: FoundOffsets) -> dict[TopicPartition, int]:
    missing = [tp for tp in sorted(cluster.latest) if committed.get(tp) is None]
    if missing and limit.fallback is GroupFallback.ERROR:
        raise CommittedOffsetError(
            f'group "{limit.group_id}" has no committed offset for {format_partitions(missing)}; '
            "set groupFallback to earliest or latest to start there",
            missing,
        )
    fallback = cluster.earliest if limit.fallback is GroupFallback.EARLIEST else cluster.latest
    return _or_else(fallback, sorted(cluster.latest), committed)


def _or_else(
    fallback: PartitionOffsets, partitions: Iterable[TopicPartition], found: FoundOffsets
) -> dict[TopicPartition, int]:
    offsets = {tp: found.get(tp) for tp in partitions}
    return {tp: fallback[tp] if offset is None else offset for tp, offset in offsets.items()}


def _check_found(asked: Mapping[TopicPartition, int], found: FoundOffsets) -> None:
    missing = [tp for tp in asked if found.get(tp) is None]
    if missing:
        raise TimestampNotFoundError(
            "no record has the starting timestamp or a later one in "
            f"{first_few([f'{tp} (timestamp {asked[tp]})' for tp in missing])}; "
            "set startingOffsetsByTimestampStrategy to latest to start at the end there",
            missing,
        )


def _check_topics(specified: Iterable[str], assigned: Collection[TopicPartition]) -> None:
    unknown = sorted(set(specified) - {tp.topic for tp in assigned})
    if unknown:
        raise PartitionsMismatchError(
            f"offsets are given for {first_few([f'topic {topic}' for topic in unknown])}, which is not read: "
            f"assigned {format_partitions(assigned)}"
        )


def _check_partitions(what: str, specified: Collection[TopicPartition], assigned: Collection[TopicPartition]) -> None:
    if set(specified) == set(assigned):
        return
    hint = "use -1 for latest, -2 for earliest" if what == "offsets" else "a timestamp is needed for each"
    raise PartitionsMismatchError(
        f"{what} by partition must name exactly the partitions that are read ({hint}): "
        f"specified {format_partitions(specified)}, assigned {format_partitions(assigned)}",
        sorted(set(specified) ^ set(assigned)),
    )
