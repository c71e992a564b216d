"""ConsumerGroupAnnounceLeaving, an extension: announces members before they leave (the draft of batched joins)."""

from __future__ import annotations

from kafka_nextgen.groups.extensions.leaving import AnnouncedMember, AnnounceLeaving, LeavingAnnounced, NamedMember
from kafka_nextgen.wire.error_codes import code_of
from kafka_nextgen.wire.field_map import FieldMap, converted
from kafka_nextgen.wire.messages import ConsumerGroupAnnounceLeavingRequest, ConsumerGroupAnnounceLeavingResponse

__all__ = ["REQUEST", "RESPONSE", "from_response", "to_request"]

_NAMED = FieldMap(NamedMember, ConsumerGroupAnnounceLeavingRequest.LeavingMember)
_ANNOUNCED = FieldMap(
    AnnouncedMember,
    ConsumerGroupAnnounceLeavingResponse.AnnouncedMember,
    error=converted("error_code", int, code_of),
    message="error_message",
)
#: The request, for client and broker.
REQUEST = FieldMap(AnnounceLeaving, ConsumerGroupAnnounceLeavingRequest, members=_NAMED.array("members"))
#: The response, for client and broker.
RESPONSE = FieldMap(
    LeavingAnnounced,
    ConsumerGroupAnnounceLeavingResponse,
    error=converted("error_code", int, code_of),
    message="error_message",
    members=_ANNOUNCED.array("members"),
)

to_request = REQUEST.to_structure
from_response = RESPONSE.from_structure
