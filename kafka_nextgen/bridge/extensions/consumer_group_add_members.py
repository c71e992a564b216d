"""ConsumerGroupAddMembers, an extension, from both ends: which static members are about to join (KIP-345, "Future
Works"), and what became of each.

An instance that is named twice is expected on the terms that were named last; it has one result.
"""

from __future__ import annotations

from kafka_nextgen.bridge.topics import code_of
from kafka_nextgen.groups.extensions.adding import AddMembers, ExpectedMember, MembersAdded
from kafka_nextgen.wire.field_map import FieldMap
from kafka_nextgen.wire.messages import ConsumerGroupAddMembersRequest, ConsumerGroupAddMembersResponse

__all__ = ["from_request", "from_response", "to_request", "to_response"]

_Added = ConsumerGroupAddMembersResponse.AddedMember

_EXPECTED = FieldMap(ExpectedMember, ConsumerGroupAddMembersRequest.ExpectedMember)
_REQUEST = FieldMap(AddMembers, ConsumerGroupAddMembersRequest, members=_EXPECTED.array("members"))

to_request = _REQUEST.to_structure


def from_request(message: ConsumerGroupAddMembersRequest) -> AddMembers:
    """Read who is announced."""
    last = {member.instance_id: member for member in message.members}
    return _REQUEST.from_structure(message.replaced(members=list(last.values())))


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


def from_response(message: ConsumerGroupAddMembersResponse) -> MembersAdded:
    """Read what became of each."""
    return MembersAdded(
        error=code_of(message.error_code),
        message=message.error_message,
        results={each.instance_id: (code_of(each.error_code), each.error_message) for each in message.members},
    )
