"""ConsumerGroupAddMembers, an extension: announces static members before they join (KIP-345, "Future Works")."""

from __future__ import annotations

from kafka_nextgen.groups.extensions.adding import AddMembers, ExpectedMember, MembersAdded
from kafka_nextgen.wire.error_codes import code_of
from kafka_nextgen.wire.field_map import FieldMap
from kafka_nextgen.wire.messages import ConsumerGroupAddMembersRequest, ConsumerGroupAddMembersResponse

__all__ = ["REQUEST", "from_response", "to_request"]

_EXPECTED = FieldMap(ExpectedMember, ConsumerGroupAddMembersRequest.ExpectedMember)
#: The request, for client and broker.
REQUEST = FieldMap(AddMembers, ConsumerGroupAddMembersRequest, members=_EXPECTED.array("members"))

to_request = REQUEST.to_structure


def from_response(message: ConsumerGroupAddMembersResponse) -> MembersAdded:
    """Read the result for each member."""
    return MembersAdded(
        error=code_of(message.error_code),
        message=message.error_message,
        results={each.instance_id: (code_of(each.error_code), each.error_message) for each in message.members},
    )
