"""ConsumerGroupDescribe (KIP-848), made from ``kafka_nextgen.wire.schemas``; for administration and the broker."""

from __future__ import annotations

from kafka_nextgen.wire.messages import ApiMessage

__all__ = ["ConsumerGroupDescribeRequest", "ConsumerGroupDescribeResponse"]

_SCHEMAS = "kafka_nextgen.wire.schemas"


class ConsumerGroupDescribeRequest(ApiMessage, load_json=_SCHEMAS):
    """KIP-848, "ConsumerGroupDescribe API": which groups to describe."""


class ConsumerGroupDescribeResponse(ApiMessage, load_json=_SCHEMAS):
    """KIP-848, "ConsumerGroupDescribe API": the groups and their members; version 1 has the members' types."""
