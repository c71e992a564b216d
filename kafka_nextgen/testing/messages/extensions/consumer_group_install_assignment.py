"""ConsumerGroupInstallAssignment (KIP-848, "ConsumerGroupInstallAssignment API"), on the broker.

No computed assignment is refused here: the coordinator decides whether it is installed. A flaw that an assignment can't
represent, such as a member or one of its partitions given twice, is passed on as text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kafka_nextgen.assignors.spec import MemberAssignment
from kafka_nextgen.testing.coordinator.extensions.requests import InstallAssignment
from kafka_nextgen.testing.coordinator.extensions.responses import AssignmentInstalled
from kafka_nextgen.types import TopicId
from kafka_nextgen.wire.extensions.fields import METADATA
from kafka_nextgen.wire.messages import (
    ConsumerGroupInstallAssignmentRequest,
    ConsumerGroupInstallAssignmentResponse,
)
from kafka_nextgen.wire.topics import NO_TOPIC_ID

__all__ = ["from_request", "to_response"]

_Member = ConsumerGroupInstallAssignmentRequest.Member


def from_request(message: ConsumerGroupInstallAssignmentRequest) -> InstallAssignment:
    """Read the computed assignment."""
    return InstallAssignment(
        group_id=message.group_id,
        member_id=message.member_id,
        member_epoch=message.member_epoch,
        group_epoch=message.group_epoch,
        error=message.error,
        members={member.member_id: _member_from(member) for member in message.members},
        message=message.error_message,
        flaw=next(_flaws_in(message.members), None),
    )


def to_response(answer: AssignmentInstalled) -> ConsumerGroupInstallAssignmentResponse:
    """Write whether the assignment was installed."""
    return ConsumerGroupInstallAssignmentResponse(error_code=answer.error, error_message=answer.message)


def _member_from(member: _Member) -> MemberAssignment:
    partitions: dict[TopicId, set[int]] = {}
    for topic in member.partitions:
        partitions.setdefault(topic.topic_id or NO_TOPIC_ID, set()).update(topic.partitions)
    return MemberAssignment(partitions, METADATA.read(member))


def _flaws_in(members: Iterable[_Member]) -> Iterator[str]:
    """The flaw that no assignment can represent, worded to follow "the assignor"; or None."""
    seen: set[str] = set()
    for member in members:
        if member.member_id in seen:
            yield f"named member {member.member_id} twice"
        seen.add(member.member_id)
        partitions = [(topic.topic_id, number) for topic in member.partitions for number in topic.partitions]
        if len(set(partitions)) < len(partitions):
            yield f"gave a partition to member {member.member_id} twice"
