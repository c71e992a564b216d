"""ConsumerGroupAddMembers, an extension, on the broker.

If an instance is named twice, its last entry applies, and it has one result.
"""

from __future__ import annotations

from kafka_nextgen.groups.extensions.adding import AddMembers, MembersAdded
from kafka_nextgen.requests.extensions.consumer_group_add_members import REQUEST
from kafka_nextgen.wire.messages import ConsumerGroupAddMembersRequest, ConsumerGroupAddMembersResponse

__all__ = ["from_request", "to_response"]

_Added = ConsumerGroupAddMembersResponse.AddedMember


def from_request(message: ConsumerGroupAddMembersRequest) -> AddMembers:
    """Read the announced instances."""
    last = {member.instance_id: member for member in message.members}
    return REQUEST.from_structure(message.replaced(members=list(last.values())))


def to_response(answer: MembersAdded) -> ConsumerGroupAddMembersResponse:
    """Write the result for each instance."""
    return ConsumerGroupAddMembersResponse(
        error_code=answer.error,
        error_message=answer.message,
        members=[
            _Added(instance_id=instance_id, error_code=error, error_message=message)
            for instance_id, (error, message) in answer.results.items()
        ],
    )
