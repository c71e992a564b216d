"""ConsumerGroupAddMembers, an extension, on the broker.

An instance that is named twice is expected on the terms that were named last; it has one result.
"""

from __future__ import annotations

from kafka_nextgen.groups.extensions.adding import AddMembers, MembersAdded
from kafka_nextgen.requests.extensions.consumer_group_add_members import REQUEST
from kafka_nextgen.wire.messages import ConsumerGroupAddMembersRequest, ConsumerGroupAddMembersResponse

__all__ = ["from_request", "to_response"]

_Added = ConsumerGroupAddMembersResponse.AddedMember


def from_request(message: ConsumerGroupAddMembersRequest) -> AddMembers:
    """Read who is announced."""
    last = {member.instance_id: member for member in message.members}
    return REQUEST.from_structure(message.replaced(members=list(last.values())))


def to_response(answer: MembersAdded) -> ConsumerGroupAddMembersResponse:
    """Write what became of each."""
    return ConsumerGroupAddMembersResponse(
        error_code=answer.error,
        error_message=answer.message,
        members=[
            _Added(instance_id=instance_id, error_code=error, error_message=message)
            for instance_id, (error, message) in answer.results.items()
        ],
    )
