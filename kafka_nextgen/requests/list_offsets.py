"""ListOffsets, versions 1 to 11: a partition's first and end offsets, or the offset at a timestamp."""

from __future__ import annotations

from collections.abc import Mapping

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import DecodeError
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.properties.value_types import IsolationLevel
from kafka_nextgen.types import TopicPartition, format_partitions
from kafka_nextgen.wire import messages as m
from kafka_nextgen.wire.topics import by_name

__all__ = [
    "EARLIEST",
    "ISOLATION_LEVELS",
    "LATEST",
    "READ_COMMITTED",
    "READ_UNCOMMITTED",
    "ListedOffset",
    "from_response",
    "number_of",
    "to_request",
]

#: The timestamp that represents the end of the partition.
LATEST = -1
#: The timestamp that represents the first record in the log.
EARLIEST = -2
#: The isolation level of clients that also read records of open and aborted transactions (KIP-98); Fetch uses it, too.
READ_UNCOMMITTED = 0
#: The isolation level of clients that read only committed records.
READ_COMMITTED = 1

#: All isolation levels; requests with any other value are invalid.
ISOLATION_LEVELS = (READ_UNCOMMITTED, READ_COMMITTED)

_CONSUMER = -1  # sent instead of a replica's id


@frozen
class ListedOffset:
    """The answer for one partition: ``offset`` is -1 if every record is older; ``error`` is a code, 0 for none."""

    offset: int
    timestamp: int = -1
    leader_epoch: int = -1
    error: int = ErrorCode.NONE


def number_of(level: IsolationLevel) -> int:
    """Kafka's number for an isolation level."""
    return READ_COMMITTED if level is IsolationLevel.READ_COMMITTED else READ_UNCOMMITTED


def to_request(
    timestamps: Mapping[TopicPartition, int],
    leader_epochs: Mapping[TopicPartition, int],
    isolation_level: int,
    timeout_ms: int,
) -> m.ListOffsetsRequest:
    """Request the first offset at or after a timestamp (milliseconds), ``EARLIEST`` or ``LATEST``.

    With ``leader_epochs``, which need not contain every partition, a broker notices if its own or our leader
    information is outdated (KIP-320). With ``isolation_level`` 1, the end is the last stable offset. ``timeout_ms``
    limits the broker's work (version 10).
    """
    topic_of = m.ListOffsetsRequest.ListOffsetsTopic
    return m.ListOffsetsRequest(
        replica_id=_CONSUMER,
        isolation_level=isolation_level,
        topics=[
            topic_of(
                name=topic,
                partitions=[
                    topic_of.ListOffsetsPartition(
                        partition_index=number,
                        current_leader_epoch=leader_epochs.get(TopicPartition(topic, number), -1),
                        timestamp=timestamps[TopicPartition(topic, number)],
                    )
                    for number in numbers
                ],
            )
            for topic, numbers in by_name(timestamps).items()
        ],
        timeout_ms=timeout_ms,
    )


def from_response(
    message: m.ListOffsetsResponse, asked: Mapping[TopicPartition, int]
) -> dict[TopicPartition, ListedOffset]:
    """Read the answer for ``asked``; the result contains all of these partitions.

    Raises ``DecodeError`` if the answer omits a partition; ignores partitions that were not requested.
    """
    found = {}
    for topic in message.topics:
        for partition in topic.partitions:
            tp = TopicPartition(topic.name, partition.partition_index)
            if tp in asked:
                found[tp] = ListedOffset(
                    offset=max(partition.offset, -1),
                    timestamp=partition.timestamp,
                    leader_epoch=max(partition.leader_epoch, -1),
                    error=partition.error_code,
                )
    if missing := asked.keys() - found.keys():
        raise DecodeError(f"the response to ListOffsets lacks {format_partitions(missing)}")
    return found
