"""Fetch, versions 4 to 17, from the client's end.

Topics go by name up to version 12 and by id from 13 on (KIP-516). A fetch session (KIP-227) is named by its id and
epoch: 0 and -1 for a fetch without one, 0 and 0 to ask for one. A broker that knows the leader better says so with
the error (KIP-951), and one whose log has gone another way tells where the two part (KIP-320).

Record batches are handed on as they came.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from attrs import field, frozen

from kafka_nextgen.bridge.topics import NO_TOPIC_ID
from kafka_nextgen.types import TopicId, TopicIdPartition, TopicPartition
from kafka_nextgen.wire.messages import FetchRequest, FetchResponse

__all__ = [
    "AbortedTransaction",
    "EpochEndOffset",
    "FetchAnswer",
    "FetchLimits",
    "FetchPosition",
    "FetchedPartition",
    "from_response",
    "to_request",
]

_WITH_TOPIC_IDS = 13
_CONSUMER = -1  # in place of a replica's id

_Topic = FetchRequest.FetchTopic
_Partition = _Topic.FetchPartition
_Forgotten = FetchRequest.ForgottenTopic
_Answered = FetchResponse.FetchableTopicResponse.PartitionData


@frozen
class FetchPosition:
    """From where to fetch, and at most how many bytes. ``topic_id`` is needed from version 13 on."""

    partition: TopicPartition
    topic_id: TopicId | None
    offset: int
    leader_epoch: int = -1
    max_bytes: int = 1 << 20


@frozen
class FetchLimits:
    """What a whole fetch may take: how long a broker may wait for ``min_bytes``, and the most it may send."""

    max_wait_ms: int = 500
    min_bytes: int = 1
    max_bytes: int = 50 << 20
    isolation_level: int = 1  # 0 reads uncommitted records too
    rack_id: str = ""


@frozen
class AbortedTransaction:
    """A producer whose records from ``first_offset`` on were aborted."""

    producer_id: int
    first_offset: int


@frozen
class EpochEndOffset:
    """The largest epoch both logs have, and where it ends on the leader."""

    epoch: int
    end_offset: int


@frozen
class FetchedPartition:
    """What was answered for one partition; ``error`` is a code, 0 for none, and -1 elsewhere means not told."""

    partition: TopicPartition
    error: int
    high_watermark: int
    last_stable_offset: int = -1
    log_start_offset: int = -1
    records: bytes | None = None
    aborted: tuple[AbortedTransaction, ...] = ()
    preferred_replica: int = -1
    diverging: EpochEndOffset | None = None
    leader: int = -1
    leader_epoch: int = -1


@frozen
class FetchAnswer:
    """A whole answer; ``error`` concerns the session (code, 0 for none)."""

    error: int
    session_id: int
    throttle_time_ms: int
    partitions: tuple[FetchedPartition, ...] = field(factory=tuple)


def to_request(
    positions: Sequence[FetchPosition],
    limits: FetchLimits,
    version: int,
    session_id: int = 0,
    session_epoch: int = -1,
    forgotten: Iterable[TopicPartition | TopicIdPartition] = (),
) -> FetchRequest:
    """Ask for records. ``forgotten`` leaves the session: by name up to version 12, by topic id from 13 on."""
    by_topic: dict[str, list[FetchPosition]] = {}
    for position in positions:
        assert version < _WITH_TOPIC_IDS or position.topic_id is not None, f"{position.partition} has no topic id"
        by_topic.setdefault(position.partition.topic, []).append(position)
    return FetchRequest(
        replica_id=_CONSUMER,
        max_wait_ms=limits.max_wait_ms,
        min_bytes=limits.min_bytes,
        max_bytes=limits.max_bytes,
        isolation_level=limits.isolation_level,
        session_id=session_id,
        session_epoch=session_epoch,
        topics=[_topic(topic, wanted) for topic, wanted in by_topic.items()],
        forgotten_topics_data=_forgotten(forgotten),
        rack_id=limits.rack_id,
    )


def from_response(message: FetchResponse, names: Mapping[TopicId, str]) -> FetchAnswer:
    """Read an answer, topic ids by ``names``; a topic that is not in there was not asked for and is ignored."""
    by_id = message.API_VERSION >= _WITH_TOPIC_IDS
    named = [(names.get(topic.topic_id) if by_id else topic.topic, topic.partitions) for topic in message.responses]
    return FetchAnswer(
        error=message.error_code,
        session_id=message.session_id,
        throttle_time_ms=max(message.throttle_time_ms, 0),
        partitions=tuple(
            _fetched(name, partition)
            for name, partitions in named
            if name is not None
            for partition in partitions
            if partition.partition_index >= 0
        ),
    )


def _topic(topic: str, positions: Sequence[FetchPosition]) -> _Topic:
    return _Topic(
        topic=topic,
        topic_id=positions[0].topic_id or NO_TOPIC_ID,
        partitions=[
            _Partition(
                partition=position.partition.partition,
                current_leader_epoch=position.leader_epoch,
                fetch_offset=position.offset,
                partition_max_bytes=position.max_bytes,
            )
            for position in positions
        ],
    )


def _forgotten(partitions: Iterable[TopicPartition | TopicIdPartition]) -> list[_Forgotten]:
    grouped: dict[str | TopicId, list[int]] = {}
    for partition in partitions:
        key = partition.topic if isinstance(partition, TopicPartition) else partition.topic_id
        grouped.setdefault(key, []).append(partition.partition)
    return [
        _Forgotten(topic=key, partitions=numbers)
        if isinstance(key, str)
        else _Forgotten(topic="", topic_id=key, partitions=numbers)
        for key, numbers in grouped.items()
    ]


def _fetched(topic: str, answered: _Answered) -> FetchedPartition:
    diverging, current = answered.diverging_epoch, answered.current_leader
    records = answered.records
    return FetchedPartition(
        partition=TopicPartition(topic, answered.partition_index),
        error=answered.error_code,
        high_watermark=answered.high_watermark,
        last_stable_offset=answered.last_stable_offset,
        log_start_offset=answered.log_start_offset,
        records=records if isinstance(records, bytes) else None,
        aborted=tuple(
            AbortedTransaction(aborted.producer_id, aborted.first_offset)
            for aborted in answered.aborted_transactions or ()
        ),
        preferred_replica=answered.preferred_read_replica,
        diverging=None if diverging is None else EpochEndOffset(diverging.epoch, diverging.end_offset),
        leader=-1 if current is None else current.leader_id,
        leader_epoch=-1 if current is None else current.leader_epoch,
    )
