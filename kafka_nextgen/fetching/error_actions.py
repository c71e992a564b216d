"""What an error code about one partition means for it, whether a fetch or a look-up of offsets met it.

    REFRESH  another broker leads it, or none does yet: look its leader up, then ask again
    RETRY    it will pass: ask again after a pause
    RESET    the log has nothing at this offset: ``auto.offset.reset`` decides where to go on
    RAISE    the user has to do something: the application is told, the position stays

A code that Kafka counts as retriable and that has no row here is a RETRY, any other one a RAISE. The rows are what
Kafka's own consumer does (4.3, FetchCollector and OffsetFetcherUtils).
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from kafka_nextgen.codes import ErrorCode, is_retriable, name_of
from kafka_nextgen.errors import BrokerError, CorruptRecordError, KafkaNextgenError, TopicAuthorizationError
from kafka_nextgen.types import TopicPartition

__all__ = ["ErrorAction", "action_for", "error_of"]


class ErrorAction(Enum):
    """What to do about an error code."""

    REFRESH = "refresh"
    RETRY = "retry"
    RESET = "reset"
    RAISE = "raise"


_ACTIONS: Mapping[int, ErrorAction] = {
    ErrorCode.NOT_LEADER_OR_FOLLOWER: ErrorAction.REFRESH,
    ErrorCode.FENCED_LEADER_EPOCH: ErrorAction.REFRESH,
    ErrorCode.LEADER_NOT_AVAILABLE: ErrorAction.REFRESH,
    ErrorCode.REPLICA_NOT_AVAILABLE: ErrorAction.REFRESH,
    ErrorCode.KAFKA_STORAGE_ERROR: ErrorAction.REFRESH,
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION: ErrorAction.REFRESH,
    ErrorCode.UNKNOWN_TOPIC_ID: ErrorAction.REFRESH,
    ErrorCode.INCONSISTENT_TOPIC_ID: ErrorAction.REFRESH,
    ErrorCode.UNKNOWN_LEADER_EPOCH: ErrorAction.RETRY,  # the broker is behind us, not we behind it
    ErrorCode.OFFSET_NOT_AVAILABLE: ErrorAction.RETRY,  # a new leader that does not know yet how far it may serve
    ErrorCode.UNKNOWN_SERVER_ERROR: ErrorAction.RETRY,
    ErrorCode.OFFSET_OUT_OF_RANGE: ErrorAction.RESET,
    ErrorCode.CORRUPT_MESSAGE: ErrorAction.RAISE,  # retriable for Kafka, but here the log itself is broken
}


def action_for(code: int) -> ErrorAction:
    """What to do about an error code."""
    action = _ACTIONS.get(code)
    if action is None:
        return ErrorAction.RETRY if is_retriable(code) else ErrorAction.RAISE
    return action


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
