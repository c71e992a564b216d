"""ConsumerGroupHeartbeat (KIP-848, "ConsumerGroupHeartbeat API"): a member's heartbeat, and the answer to it.

Null, or -1 for the timeout, means *unchanged since the last heartbeat*, and empty means empty. In an answer a null
assignment means unchanged, an empty one that nothing is owned.

An epoch below -2, a missing topic id or a negative partition is no answer at all. The member limits the heartbeat
interval itself.
"""

from __future__ import annotations

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import DecodeError, UnsupportedProtocolError
from kafka_nextgen.membership.effects import SendHeartbeat
from kafka_nextgen.membership.events import HeartbeatAnswered, HeartbeatRefused
from kafka_nextgen.types import TopicIdPartition
from kafka_nextgen.wire.messages import (
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatResponse,
)
from kafka_nextgen.wire.schemas.consumer_group import TopicPartitions
from kafka_nextgen.wire.topics import by_topic_id, topic_id_partitions

__all__ = ["NoPatternsError", "to_event", "to_request", "topic_partitions"]

_JOIN = 0
_STATIC_LEAVE = -2  # Kafka's LEAVE_GROUP_STATIC_MEMBER_EPOCH


class NoPatternsError(UnsupportedProtocolError):
    """The broker speaks version 0 only, in which topics are subscribed to by name."""


def to_request(
    effect: SendHeartbeat, group_id: str, version: int, own_member_id: str | None = None
) -> ConsumerGroupHeartbeatRequest:
    """Write a member's heartbeat. Raises ``NoPatternsError`` for a pattern in version 0.

    Member ids are made by the coordinator in version 0: a join leaves ``own_member_id`` out, the id that the member
    made for itself. If the answer gets lost, the join is repeated, and the coordinator counts one member too many
    until that one's session is over (why KIP-1082 changed it).
    """
    if version == 0 and effect.subscribed_pattern:
        raise NoPatternsError(
            "the broker knows no pattern subscriptions (ConsumerGroupHeartbeat version 1, Apache Kafka 4.0)",
            code=ErrorCode.UNSUPPORTED_VERSION,
            group=group_id,
            member=effect.member_id,
        )
    names = effect.subscribed_topics
    is_unnamed = version == 0 and effect.member_epoch == _JOIN and effect.member_id == own_member_id
    return ConsumerGroupHeartbeatRequest(
        group_id=group_id,
        member_id="" if is_unnamed else effect.member_id,
        member_epoch=effect.member_epoch,
        instance_id=effect.instance_id,
        rack_id=effect.rack_id,
        rebalance_timeout_ms=effect.rebalance_timeout_ms,
        subscribed_topic_names=None if names is None else list(names),
        subscribed_topic_regex=effect.subscribed_pattern,
        server_assignor=effect.server_assignor,
        topic_partitions=None if effect.owned is None else topic_partitions(effect.owned),
    )


def to_event(number: int, message: ConsumerGroupHeartbeatResponse) -> HeartbeatAnswered | HeartbeatRefused:
    """Read the answer to heartbeat ``number``. Raises ``DecodeError`` for what no coordinator may answer."""
    if message.error_code != ErrorCode.NONE:
        return HeartbeatRefused(number, message.error_code, message.error_message)
    if message.member_epoch < _STATIC_LEAVE:
        raise DecodeError(f"ConsumerGroupHeartbeat answered with member epoch {message.member_epoch}")
    return HeartbeatAnswered(
        number=number,
        member_id=message.member_id,
        member_epoch=message.member_epoch,
        heartbeat_interval_ms=message.heartbeat_interval_ms,
        assignment=_assignment(message),
    )


def topic_partitions(partitions: frozenset[TopicIdPartition]) -> list[TopicPartitions]:
    """Write partitions by topic id."""
    grouped = by_topic_id(partitions)
    return [TopicPartitions(topic_id=topic_id, partitions=numbers) for topic_id, numbers in grouped.items()]


def _assignment(message: ConsumerGroupHeartbeatResponse) -> frozenset[TopicIdPartition] | None:
    if message.assignment is None:
        return None
    return topic_id_partitions((topic.topic_id, topic.partitions) for topic in message.assignment.topic_partitions)
