"""ConsumerGroupHeartbeat (KIP-848, "ConsumerGroupHeartbeat API"), on the broker.

Null, or -1 for the timeout, means *unchanged since the last heartbeat*, and empty means empty. In an answer, a null
assignment means unchanged, and an empty one means that the member owns nothing.
"""

from __future__ import annotations

from collections.abc import Iterable

from kafka_nextgen.requests.consumer_group_heartbeat import topic_partitions
from kafka_nextgen.testing.coordinator.requests import ConsumerGroupHeartbeat
from kafka_nextgen.testing.coordinator.responses import ConsumerGroupHeartbeatAnswer
from kafka_nextgen.types import TopicIdPartition
from kafka_nextgen.wire.messages import (
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatResponse,
)
from kafka_nextgen.wire.schemas.consumer_group import TopicPartitions
from kafka_nextgen.wire.topics import NO_TOPIC_ID

__all__ = ["from_request", "to_response"]

_Assignment = ConsumerGroupHeartbeatResponse.Assignment


def from_request(
    message: ConsumerGroupHeartbeatRequest,
    client_id: str,
    client_host: str,
    new_member_id: str = "",
) -> ConsumerGroupHeartbeat:
    """Convert a heartbeat to a request of the coordinator.

    ``client_id`` comes from the request's header, ``client_host`` from the connection; ``new_member_id`` is the id for
    a member that joins without one (version 0 only).
    """
    names, owned = message.subscribed_topic_names, message.topic_partitions
    return ConsumerGroupHeartbeat(
        group_id=message.group_id,
        member_id=message.member_id,
        member_epoch=message.member_epoch,
        instance_id=message.instance_id,
        rack_id=message.rack_id,
        rebalance_timeout_ms=message.rebalance_timeout_ms,
        subscribed_topics=None if names is None else frozenset(names),
        subscribed_pattern=message.subscribed_topic_regex,
        server_assignor=message.server_assignor,
        owned=None if owned is None else _owned(owned),
        client_id=client_id,
        client_host=client_host,
        version=message.version,
        new_member_id=new_member_id,
    )


def to_response(answer: ConsumerGroupHeartbeatAnswer) -> ConsumerGroupHeartbeatResponse:
    """Write the coordinator's answer; it is the same in every version."""
    owned = answer.assignment
    return ConsumerGroupHeartbeatResponse(
        error_code=answer.error,
        error_message=answer.message,
        member_id=answer.member_id,
        member_epoch=answer.member_epoch,
        heartbeat_interval_ms=answer.heartbeat_interval_ms,
        assignment=None if owned is None else _Assignment(topic_partitions=topic_partitions(owned)),
    )


def _owned(topics: Iterable[TopicPartitions]) -> frozenset[TopicIdPartition]:
    # The partitions that a member claims to own are only compared with those it may own, so none need to be refused.
    return frozenset(
        TopicIdPartition(topic.topic_id or NO_TOPIC_ID, partition) for topic in topics for partition in topic.partitions
    )
