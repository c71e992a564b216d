"""ConsumerGroupHeartbeat with the client-side assignors described in KIP-848."""

from __future__ import annotations

from kafka_nextgen.membership.assigning.events import HeartbeatHeard, TargetShare
from kafka_nextgen.membership.effects import SendHeartbeat
from kafka_nextgen.requests import consumer_group_heartbeat as plain
from kafka_nextgen.types import JoinReason, StandbyState, TopicIdPartition
from kafka_nextgen.wire.extensions.fields import ASSIGNOR, METADATA
from kafka_nextgen.wire.messages import ConsumerGroupHeartbeatRequest, ConsumerGroupHeartbeatResponse
from kafka_nextgen.wire.topics import topic_id_partitions

__all__ = ["to_heard", "to_may_get", "to_request"]

_Assignment = ConsumerGroupHeartbeatResponse.Assignment


def to_request(
    effect: SendHeartbeat,
    group_id: str,
    version: int,
    own_member_id: str | None = None,
    *,
    join_reason: JoinReason = JoinReason.UNKNOWN,
    standby_state: StandbyState = StandbyState.UNKNOWN,
) -> ConsumerGroupHeartbeatRequest:
    """Write a heartbeat with the member's own assignors, its join reason, and whether it is ready as a standby.

    Raises the same errors as the version without tags.
    """
    message, assignors = plain.to_request(effect, group_id, version, own_member_id), effect.client_assignors
    if assignors is None and not (join_reason or standby_state):
        return message
    told = None if assignors is None else [ASSIGNOR.to_structure(each) for each in assignors]
    return message.replaced(client_assignors=told, join_reason=join_reason, standby_state=standby_state)


def to_heard(message: ConsumerGroupHeartbeatResponse) -> HeartbeatHeard:
    """Read the data for assignors from an answer without an error. Raises ``DecodeError`` for invalid partitions."""
    return HeartbeatHeard(
        member_id=message.member_id or "",
        member_epoch=message.member_epoch,
        should_compute=message.should_compute_assignment,
        failure=message.assignment_message,
        share=None if message.assignment is None else _share(message.assignment, is_standby=message.standby_place > 0),
    )


def to_may_get(message: ConsumerGroupHeartbeatResponse) -> frozenset[TopicIdPartition] | None:
    """Read the partitions that a standby may get, None if there are none. Raises ``DecodeError`` if invalid."""
    if not message.standby_place or message.assignment is None:
        return None
    pending = message.assignment.pending_topic_partitions
    return topic_id_partitions((topic.topic_id, topic.partitions) for topic in pending)


def _share(assignment: _Assignment, *, is_standby: bool) -> TargetShare:
    topics = [(topic.topic_id, topic.partitions) for topic in assignment.topic_partitions]
    pending = [(topic.topic_id, topic.partitions) for topic in assignment.pending_topic_partitions]
    if is_standby:
        pending = []  # partitions that it may get are not part of its target
    return TargetShare(
        partitions=topic_id_partitions([*topics, *pending]),
        assignor=assignment.assignor_name,
        error=assignment.error,
        metadata=METADATA.read(assignment),
    )
