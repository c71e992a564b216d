"""What an error code about one partition means for it, whether a fetch or a look-up of offsets met it.

    REFRESH  another broker leads it, or nobody does yet: look its leader up, then ask again
    RETRY    it will pass: ask again after a pause
    RESET    the log has nothing at this offset: ``auto.offset.reset`` decides where to go on
    RAISE    somebody has to do something: the application is told, the position stays

A code that Kafka counts as retriable and that has no row here is a RETRY, any other one a RAISE. The rows are what
Kafka's own consumer does (4.3, FetchCollector and OffsetFetcherUtils).
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from kafka_nextgen.codes import ErrorCode, is_retriable, name_of
from kafka_nextgen.errors import BrokerError, CorruptRecordError, KafkaNextgenError, TopicAuthorizationError
from kafka_nextgen.types import TopicPartition

__all__ = ["Reaction", "error_of", "reaction_to"]


class Reaction(Enum):
    """What to do about an error code."""

    REFRESH = "refresh"
    RETRY = "retry"
    RESET = "reset"
    RAISE = "raise"


_REACTIONS: Mapping[int, Reaction] = {
    ErrorCode.NOT_LEADER_OR_FOLLOWER: Reaction.REFRESH,
    ErrorCode.FENCED_LEADER_EPOCH: Reaction.REFRESH,
    ErrorCode.LEADER_NOT_AVAILABLE: Reaction.REFRESH,
    ErrorCode.REPLICA_NOT_AVAILABLE: Reaction.REFRESH,
    ErrorCode.KAFKA_STORAGE_ERROR: Reaction.REFRESH,
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION: Reaction.REFRESH,
    ErrorCode.UNKNOWN_TOPIC_ID: Reaction.REFRESH,
    ErrorCode.INCONSISTENT_TOPIC_ID: Reaction.REFRESH,
    ErrorCode.UNKNOWN_LEADER_EPOCH: Reaction.RETRY,  # the broker is behind us, not we behind it
    ErrorCode.OFFSET_NOT_AVAILABLE: Reaction.RETRY,  # a new leader that does not know yet how far it may serve
    ErrorCode.UNKNOWN_SERVER_ERROR: Reaction.RETRY,
    ErrorCode.OFFSET_OUT_OF_RANGE: Reaction.RESET,
    ErrorCode.CORRUPT_MESSAGE: Reaction.RAISE,  # retriable for Kafka, but here the log itself is broken
}


def reaction_to(code: int) -> Reaction:
    """What to do about an error code."""
    reaction = _REACTIONS.get(code)
    if reaction is None:
        return Reaction.RETRY if is_retriable(code) else Reaction.RAISE
    return reaction


def error_of(code: int, partition: TopicPartition, offset: int) -> KafkaNextgenError:
    """What the application is told; ``offset`` is where reading stopped, -1 if nowhere yet."""
    place = f"{partition} can't be read at offset {offset}" if offset >= 0 else f"{partition} can't be read"
    if code == ErrorCode.CORRUPT_MESSAGE:
        return CorruptRecordError(
            f"{place}: its leader says that the log is corrupt there. Nothing was skipped; seek past it to go on.",
            partition,
            offset,
        )
    if code == ErrorCode.TOPIC_AUTHORIZATION_FAILED:
        return TopicAuthorizationError(
            f"{place}: this user may not read the topic. Grant READ on topic {partition.topic}.",
            code=code,
            partition=partition,
        )
    return BrokerError(f"{place}: its leader answered {name_of(code)}.", code=code, partition=partition)
