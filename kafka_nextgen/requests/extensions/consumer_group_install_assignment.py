"""ConsumerGroupInstallAssignment (KIP-848, "ConsumerGroupInstallAssignment API"): sends the assignment that a member
computed."""

from __future__ import annotations

from kafka_nextgen.assignors.spec import MemberAssignment
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.membership.assigning.effects import SendInstall
from kafka_nextgen.membership.assigning.events import Installed, Refused
from kafka_nextgen.wire.extensions.fields import METADATA
from kafka_nextgen.wire.messages import (
    ConsumerGroupInstallAssignmentRequest,
    ConsumerGroupInstallAssignmentResponse,
)
from kafka_nextgen.wire.schemas.consumer_group import TopicPartitions

__all__ = ["to_event", "to_request"]

_Member = ConsumerGroupInstallAssignmentRequest.Member


def to_request(effect: SendInstall, group_id: str) -> ConsumerGroupInstallAssignmentRequest:
    """Write the computed assignment."""
    return ConsumerGroupInstallAssignmentRequest(
        group_id=group_id,
        member_id=effect.member_id,
        member_epoch=effect.member_epoch,
        group_epoch=effect.group_epoch,
        error=effect.error,
        error_message=effect.message,
        members=[_member_to(member_id, share) for member_id, share in effect.members.items()],
    )


def to_event(number: int, message: ConsumerGroupInstallAssignmentResponse) -> Installed | Refused:
    """Read the answer to request ``number``."""
    if message.error_code != ErrorCode.NONE:
        return Refused(number, message.error_code, message.error_message)
    return Installed(number)


def _member_to(member_id: str, share: MemberAssignment) -> _Member:
    return _Member(
        member_id=member_id,
        partitions=[
            TopicPartitions(topic_id=topic_id, partitions=sorted(numbers))
            for topic_id, numbers in share.partitions.items()
        ],
        **METADATA.to_fields(share.metadata),
    )
