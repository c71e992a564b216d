"""ConsumerGroupAnnounceLeaving, an extension, on the broker."""

from __future__ import annotations

from kafka_nextgen.requests.extensions.consumer_group_announce_leaving import REQUEST, RESPONSE

__all__ = ["from_request", "to_response"]

from_request = REQUEST.from_structure
to_response = RESPONSE.to_structure
