"""Fetch, versions 4 to 17.

Topics are identified by name up to version 12 and by id from 13 on (KIP-516). A fetch session (KIP-227) is identified
by its id and epoch: 0 and -1 for a fetch without a session, 0 and 0 to request one. Along with an error, a broker may
name the current leader (KIP-951). A broker whose log diverges from the records read so far returns the point of
divergence (KIP-320).

Record batches are views of the frame, so they keep the frame in memory.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple, TypeVar

from kafka_nextgen.types import TopicId, TopicPartition
from kafka_nextgen.wire import messages as m
from kafka_nextgen.wire.fetch_request import WITH_TOPIC_IDS, ForgottenTopic, RawFetchRequest, WantedTopic

__all__ = [
    "AbortedTransaction",
    "EpochEndOffset",
    "FetchAnswer",
    "FetchLimits",
    "FetchPosition",
    "FetchedPartition",
    "from_response",
    "names_of",
    "to_request",
]

K = TypeVar("K")


class FetchPosition(NamedTuple):
    """Where to fetch from, and the maximum number of bytes. ``topic_id`` is required from version 13 on.

    ``last_epoch`` is the leader epoch of the record read before ``offset``, -1 if unknown (version 12). This is a
    tuple, because tuples are the fastest to create and compare.
    """

    partition: TopicPartition
    topic_id: TopicId | None
    offset: int
    leader_epoch: int = -1
    max_bytes: int = 1 << 20
    last_epoch: int = -1


class FetchLimits(NamedTuple):
    """The limits of a whole fetch: how long a broker may wait for ``min_bytes``, and how much it may send."""

    max_wait_ms: int = 500
    min_bytes: int = 1
    max_bytes: int = 50 << 20
    isolation_level: int = 1  # 0 also reads uncommitted records
    rack_id: str = ""


class AbortedTransaction(NamedTuple):
    """An aborted transaction: its producer, and the offset of its first record."""

    producer_id: int
    first_offset: int


class EpochEndOffset(NamedTuple):
    """The largest epoch that both logs have, and its end offset on the leader."""

    epoch: int
    end_offset: int


class FetchedPartition(NamedTuple):
    """The answer for one partition; ``error`` is a code, 0 for none. In the other fields, -1 means unknown.

    This is a tuple for speed: one answer may have thousands.
    """

    partition: TopicPartition
    error: int
    high_watermark: int
    last_stable_offset: int = -1
    log_start_offset: int = -1
    aborted: tuple[AbortedTransaction, ...] = ()
    preferred_replica: int = -1
    records: bytes | memoryview | None = None
    diverging: EpochEndOffset | None = None
    leader: int = -1
    leader_epoch: int = -1


class FetchAnswer(NamedTuple):
    """A complete Fetch response; ``error`` concerns the session (code, 0 for none)."""

    error: int
    session_id: int
    throttle_time_ms: int
    partitions: tuple[FetchedPartition, ...] = ()


def to_request(
    positions: Sequence[FetchPosition],
    limits: FetchLimits,
    version: int,
    session_id: int = 0,
    session_epoch: int = -1,
    forgotten: Collection[FetchPosition] = (),
) -> RawFetchRequest:
    """Request records. ``forgotten`` are partitions to remove from the session."""
    topics: dict[str, WantedTopic] = {}
    for where in positions:
        name, number = where.partition
        assert version < WITH_TOPIC_IDS or where.topic_id is not None, f"{where.partition} has no topic id"
        topic = topics.get(name)
        if topic is None:
            topic = topics[name] = WantedTopic(name, where.topic_id, [])
        topic.partitions.append((number, where.leader_epoch, where.offset, where.last_epoch, where.max_bytes))
    return RawFetchRequest(
        max_wait_ms=limits.max_wait_ms,
        min_bytes=limits.min_bytes,
        max_bytes=limits.max_bytes,
        isolation_level=limits.isolation_level,
        session_id=session_id,
        session_epoch=session_epoch,
        topics=list(topics.values()),
        forgotten=_forgotten(forgotten, positions, version) if forgotten else (),
        rack_id=limits.rack_id,
    )


def names_of(positions: Iterable[FetchPosition]) -> dict[TopicId, str]:
    """The topic names by id, for the fetched partitions."""
    names: dict[TopicId, str] = {}
    topic_id = None
    for position in positions:
        if position.topic_id is not topic_id:  # partitions of a topic are often adjacent, and ids are slow to hash
            topic_id = position.topic_id
            if topic_id is not None:
                names[topic_id] = position.partition.topic
    return names


def from_response(message: m.FetchResponse, names: Mapping[TopicId, str]) -> FetchAnswer:
    """Read an answer. ``names`` maps topic ids to names; other topics were not requested and are ignored."""
    partitions: list[FetchedPartition] = []
    for topic in message.responses:
        name = topic.topic if topic.topic_id is None else names.get(topic.topic_id)
        if name:
            partitions += [_fetched(name, told) for told in topic.partitions if told.partition_index >= 0]
    return FetchAnswer(message.error_code, message.session_id, max(message.throttle_time_ms, 0), tuple(partitions))


def _fetched(topic: str, told: m.FetchResponse.FetchableTopicResponse.PartitionData) -> FetchedPartition:
    aborted, diverging, leader = told.aborted_transactions, told.diverging_epoch, told.current_leader
    return FetchedPartition(
        _partition_of(topic, told.partition_index),
        told.error_code,
        told.high_watermark,
        told.last_stable_offset,
        told.log_start_offset,
        tuple([AbortedTransaction(each.producer_id, each.first_offset) for each in aborted]) if aborted else (),
        told.preferred_read_replica,
        told.records,
        None if diverging is None else EpochEndOffset(diverging.epoch, diverging.end_offset),
        -1 if leader is None else leader.leader_id,
        -1 if leader is None else leader.leader_epoch,
    )


@lru_cache(maxsize=8192)
def _partition_of(topic: str, number: int) -> TopicPartition:
    """Return the partition; cached, because partitions recur and a lookup is faster than creating an object."""
    return TopicPartition(topic, number)


def _forgotten(positions: Iterable[FetchPosition], told: Sequence[FetchPosition], version: int) -> list[ForgottenTopic]:
    """The partitions to forget. Without topic ids, adding a new topic also replaces an old one of the same name."""
    if version >= WITH_TOPIC_IDS:
        by_id = _grouped((position.topic_id, position.partition.partition) for position in positions)
        return [ForgottenTopic("", topic_id, numbers) for topic_id, numbers in by_id.items()]
    kept = {position.partition for position in told}
    dropped = (position.partition for position in positions if position.partition not in kept)
    by_name = _grouped((partition.topic, partition.partition) for partition in dropped)
    return [ForgottenTopic(topic, None, numbers) for topic, numbers in by_name.items()]


def _grouped(pairs: Iterable[tuple[K, int]]) -> dict[K, list[int]]:
    grouped: dict[K, list[int]] = {}
    for key, number in pairs:
        grouped.setdefault(key, []).append(number)
    return grouped
