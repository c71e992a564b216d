"""ConsumerGroupHeartbeat (KIP-848, "ConsumerGroupHeartbeat API"): a member's heartbeat, and the answer to it.

Null, or -1 for the timeout, means *unchanged since the last heartbeat*, and empty means empty. In an answer, a null
assignment means unchanged, and an empty one means that the member owns nothing.

An answer with an epoch below -2, a missing topic id or a negative partition is invalid. The heartbeat interval is not
checked here; the member limits it.
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
    """The broker supports only version 0, which has no pattern subscriptions."""


def to_request(
    effect: SendHeartbeat, group_id: str, version: int, own_member_id: str | None = None
) -> ConsumerGroupHeartbeatRequest:
    """Write a member's heartbeat. Raises ``NoPatternsError`` for a pattern in version 0.

    In version 0, the coordinator generates member ids, so a join omits ``own_member_id``, the id that the member
    generated. If the answer is lost, the join is repeated, and the coordinator has one member too many until the
    session of that member expires (the reason for KIP-1082).
    """
    if version == 0 and effect.subscribed_pattern:
        raise NoPatternsError(
            "the broker does not support pattern subscriptions (ConsumerGroupHeartbeat version 1, Apache Kafka 4.0)",
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
    """Read the answer to heartbeat ``number``. Raises ``DecodeError`` for invalid answers."""
    if message.error_code != ErrorCode.NONE:
        return HeartbeatRefused(number, message.error_code, message.error_message)
    if message.member_epoch < _STATIC_LEAVE:
        raise DecodeError(f"the ConsumerGroupHeartbeat response has the invalid member epoch {message.member_epoch}")
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
