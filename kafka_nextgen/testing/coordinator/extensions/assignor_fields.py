"""The client-side assignor fields of heartbeats and their answers (KIP-848, "ConsumerGroupHeartbeat API").

In a heartbeat, null assignors mean unchanged; when a member joins they mean that it has none, even if its instance had
some before. A reason other than 0 requests a new assignment each time it is sent, and changed metadata does so once,
but only if a client-side assignor makes, or made, the group's assignment. A server-side assignor does not read them.

The answer also has:

* Whether to compute, in the answer to the heartbeat by which the member is chosen (``computing``).
* Why the last computation failed, once.
* When the member reaches the target's epoch: its partitions in the target, those that others have not released yet, and
  the assignor's name, error and metadata. It gets its partitions then even if they did not change.
"""

from __future__ import annotations

from attrs import evolve

from kafka_nextgen.assignors.spec import ClientAssignor
from kafka_nextgen.groups.records import CurrentMemberAssignment, MemberMetadata
from kafka_nextgen.groups.topic_partitions import flatten
from kafka_nextgen.testing.coordinator.admission import JOIN
from kafka_nextgen.testing.coordinator.draft import Draft
from kafka_nextgen.testing.coordinator.extensions.assignor_selection import common_assignor
from kafka_nextgen.testing.coordinator.extensions.computing import choose, take_failure_message
from kafka_nextgen.testing.coordinator.requests import ConsumerGroupHeartbeat
from kafka_nextgen.testing.coordinator.responses import ConsumerGroupHeartbeatAnswer
from kafka_nextgen.testing.coordinator.topics import NamedTopics
from kafka_nextgen.types import TopicIdPartition

__all__ = ["answer_with_assignors", "asks_for_assignment", "with_assignors"]


def with_assignors(known: MemberMetadata, request: ConsumerGroupHeartbeat, member: MemberMetadata) -> MemberMetadata:
    """The member with its new assignors; with client-side ones it does not vote for a server-side one."""
    assignors = _assignors_after(known, request)
    if not assignors:
        return member
    server_assignor = None if request.client_assignors else member.server_assignor
    return evolve(member, client_assignors=assignors, server_assignor=server_assignor)


def _assignors_after(known: MemberMetadata, request: ConsumerGroupHeartbeat) -> tuple[ClientAssignor, ...]:
    if request.client_assignors is not None:
        return request.client_assignors
    is_elsewhere = request.member_epoch == JOIN or request.server_assignor is not None
    return () if is_elsewhere else known.client_assignors


def asks_for_assignment(draft: Draft, known: MemberMetadata, request: ConsumerGroupHeartbeat) -> bool:
    """Whether the member's reason or metadata for its assignors is new to the group."""
    if not request.client_assignors and not known.client_assignors:
        return False
    now = _assignors_after(known, request)
    has_reason = any(assignor.reason for assignor in request.client_assignors or ())
    if not has_reason and _metadata(now) == _metadata(known.client_assignors):
        return False
    return draft.group.client_assignor is not None or common_assignor(draft.group, draft.settings) is not None


def _metadata(assignors: tuple[ClientAssignor, ...]) -> dict[str, object]:
    return {assignor.name: assignor.metadata for assignor in assignors}


def answer_with_assignors(
    draft: Draft,
    request: ConsumerGroupHeartbeat,
    member: MemberMetadata,
    current: CurrentMemberAssignment,
    answer: ConsumerGroupHeartbeatAnswer,
) -> ConsumerGroupHeartbeatAnswer:
    """The answer, with the fields for members with client-side assignors."""
    if not draft.settings.extensions or not member.client_assignors:
        return answer
    has_moved = request.member_epoch != current.member_epoch
    assigned = frozenset(partition for partition, _ in current.assigned)
    answer = evolve(
        answer,
        should_compute=choose(draft, member.member_id),
        assignment_message=take_failure_message(draft, member.member_id),
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
