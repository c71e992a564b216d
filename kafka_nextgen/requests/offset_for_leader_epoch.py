"""OffsetForLeaderEpoch, versions 3 and 4: where the records of an epoch end in a leader's log.

Consumers may use version 3 and later; older versions require the ClusterAction permission (KIP-320).
"""

from __future__ import annotations

from collections.abc import Mapping

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import DecodeError
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.types import TopicPartition, format_partitions
from kafka_nextgen.wire import messages as m
from kafka_nextgen.wire.topics import by_name

__all__ = ["EpochEnd", "EpochQuestion", "from_response", "to_request"]

_CONSUMER = -1  # sent instead of a replica's id


@frozen
class EpochQuestion:
    """The epoch of the record before ``offset``, and the known leader epoch, so that a former leader refuses the
    request."""

    offset: int
    epoch: int
    leader_epoch: int


@frozen
class EpochEnd:
    """The largest epoch in the leader's log up to the requested one, and where its records end.

    Both are -1 if the leader does not know them. ``error`` is a code, 0 for none.
    """

    epoch: int = -1
    end_offset: int = -1
    error: int = ErrorCode.NONE

    @property
    def is_known(self) -> bool:
        """Whether the leader knows the end."""
        return self.epoch >= 0 and self.end_offset >= 0


def to_request(questions: Mapping[TopicPartition, EpochQuestion]) -> m.OffsetForLeaderEpochRequest:
    """Query a leader for the end offsets of these epochs."""
    topic_of = m.OffsetForLeaderEpochRequest.OffsetForLeaderTopic
    return m.OffsetForLeaderEpochRequest(
        replica_id=_CONSUMER,
        topics=[
            topic_of(
                topic=topic,
                partitions=[
                    topic_of.OffsetForLeaderPartition(
                        partition=number, current_leader_epoch=question.leader_epoch, leader_epoch=question.epoch
                    )
                    for number in numbers
                    for question in [questions[TopicPartition(topic, number)]]
                ],
            )
            for topic, numbers in by_name(questions).items()
        ],
    )


def from_response(
    message: m.OffsetForLeaderEpochResponse, asked: Mapping[TopicPartition, EpochQuestion]
) -> dict[TopicPartition, EpochEnd]:
    """Read the answers to ``asked``; the result contains all of these partitions.

    Raises ``DecodeError`` if the answer omits a partition; ignores partitions that were not requested.
    """
    found = {
        TopicPartition(topic.topic, partition.partition): EpochEnd(
            max(partition.leader_epoch, -1), max(partition.end_offset, -1), partition.error_code
        )
        for topic in message.topics
        for partition in topic.partitions
    }
    if missing := asked.keys() - found.keys():
        raise DecodeError(f"the response to OffsetForLeaderEpoch lacks {format_partitions(missing)}")
    return {partition: found[partition] for partition in asked}
