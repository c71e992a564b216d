"""The messages of members of the consumer group protocol (KIP-848), made from ``kafka_nextgen.wire.schemas``."""

from __future__ import annotations

from kafka_nextgen.wire.messages import ApiMessage

__all__ = [
    "ConsumerGroupHeartbeatRequest",
    "ConsumerGroupHeartbeatResponse",
]

_SCHEMAS = "kafka_nextgen.wire.schemas"


class ConsumerGroupHeartbeatRequest(ApiMessage, load_json=_SCHEMAS):
    """KIP-848, "ConsumerGroupHeartbeat API": join, stay, leave; version 1 has patterns and client-made ids."""


class ConsumerGroupHeartbeatResponse(ApiMessage, load_json=_SCHEMAS):
    """KIP-848, "ConsumerGroupHeartbeat API": the member's epoch, and its assignment if that changed."""
