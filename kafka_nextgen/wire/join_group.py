"""JoinGroup as Kafka has it, with what a member states added as a tag (an extension, version 6 and up)."""

from __future__ import annotations

from kafka_nextgen.wire.messages import ApiMessage

__all__ = ["JoinGroupRequest"]


class JoinGroupRequest(ApiMessage, load_json="kafka_nextgen.wire.schemas"):
    """Join a classic group, or its next generation."""
