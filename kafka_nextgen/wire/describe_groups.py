"""DescribeGroups as Kafka has it, with who is expected added as a tag (an extension, version 5 and up)."""

from __future__ import annotations

from kafka_nextgen.wire.messages import ApiMessage

__all__ = ["DescribeGroupsResponse"]


class DescribeGroupsResponse(ApiMessage, load_json="kafka_nextgen.wire.schemas"):
    """Classic groups and their members."""
