"""What members with assignors of their own are told besides (KIP-848, "ConsumerGroupHeartbeat API", response).

* Whether to compute, with the answer to the heartbeat that shows the member to be alive (``computing``).
* Why the last computation failed, once.
* When the member reaches the epoch of the target: what it has of it, what others have still to release of it, and the
  assignor's name, error and metadata. So it is told of its partitions then even if these are what it had before.
"""

from __future__ import annotations

from attrs import evolve

from kafka_nextgen.coordinator.draft import Draft
from kafka_nextgen.coordinator.extensions.computing import choose, take_complaint
from kafka_nextgen.coordinator.records import CurrentMemberAssignment, MemberMetadata
from kafka_nextgen.coordinator.requests import ConsumerGroupHeartbeat
from kafka_nextgen.coordinator.responses import ConsumerGroupHeartbeatAnswer
from kafka_nextgen.coordinator.share import flatten
from kafka_nextgen.coordinator.topics import NamedTopics
from kafka_nextgen.types import TopicIdPartition

__all__ = ["with_extensions"]


def with_extensions(
    draft: Draft,
    request: ConsumerGroupHeartbeat,
    member: MemberMetadata,
    current: CurrentMemberAssignment,
    answer: ConsumerGroupHeartbeatAnswer,
) -> ConsumerGroupHeartbeatAnswer:
    """The answer, with what only such a member is told."""
    if not draft.settings.extensions or not member.client_assignors:
        return answer
    has_moved = request.member_epoch != current.member_epoch
    assigned = frozenset(partition for partition, _ in current.assigned)
    answer = evolve(
        answer,
        should_compute=choose(draft, member.member_id),
        assignment_message=take_complaint(draft, member.member_id),
        assignment=assigned if has_moved else answer.assignment,
    )
    if answer.assignment is None or current.member_epoch != draft.group.assignment_epoch:
        return answer
    return evolve(
        answer,
        assignment_assignor=draft.group.client_assignor,
        assignment_error=draft.group.assignment_error,
        assignment_metadata=draft.group.target_metadata.get(member.member_id),
        pending=_target(draft, member) - assigned,
    )


def _target(draft: Draft, member: MemberMetadata) -> frozenset[TopicIdPartition]:
    subscribed = NamedTopics(draft.group.topics_of(member), draft.topics)
    target = draft.group.target(member.member_id)
    return frozenset(partition for partition in flatten(target) if partition.topic_id in subscribed)
