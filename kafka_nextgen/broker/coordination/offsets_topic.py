"""The topic that groups are kept in: its name and its settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = ["OFFSETS_TOPIC", "OVERRIDES"]

OFFSETS_TOPIC: Final = "__consumer_offsets"

#: What Kafka's brokers give the topic when they make it. Nothing but the last word on each fact is ever needed.
OVERRIDES: Final[Mapping[str, str]] = {
    "cleanup.policy": "compact",
    "compression.type": "producer",
    "segment.bytes": "104857600",
}
