"""A topic's configuration, under Kafka's own names and with Kafka's defaults.

Four keys have an effect here: ``max.message.bytes``, ``message.timestamp.type``, ``retention.bytes``, which keeps a
topic from growing for ever, and ``segment.bytes``, where logs are in files. The others are taken, kept and described,
so that scripts written for a real cluster run unchanged.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field, frozen

__all__ = ["DEFAULTS", "TopicSettings"]

#: Every key a topic may set, with its default.
DEFAULTS: Mapping[str, str] = {
    "cleanup.policy": "delete",
    "compression.type": "producer",
    "delete.retention.ms": "86400000",
    "max.message.bytes": "1048588",
    "message.timestamp.type": "CreateTime",
    "min.insync.replicas": "1",
    "retention.bytes": "-1",
    "retention.ms": "604800000",
    "segment.bytes": "1073741824",
    "segment.ms": "604800000",
}

#: The keys whose values are whole numbers, with the least they may be.
_LOWEST = {
    "delete.retention.ms": 0,
    "max.message.bytes": 0,
    "min.insync.replicas": 1,
    "retention.bytes": -1,
    "retention.ms": -1,
    "segment.bytes": 14,
    "segment.ms": 1,
}

_CHOICES = {
    "cleanup.policy": ("delete", "compact", "compact,delete", "delete,compact", ""),
    "compression.type": ("producer", "uncompressed", "gzip", "snappy", "lz4", "zstd"),
    "message.timestamp.type": ("CreateTime", "LogAppendTime"),
}


@frozen
class TopicSettings:
    """What one topic was given; ``overrides`` passed ``complaint`` before."""

    overrides: Mapping[str, str] = field(factory=dict)
    default_max_message_bytes: int = 1_048_588  # the broker's message.max.bytes
    default_segment_bytes: int = 1_073_741_824  # the broker's log.segment.bytes

    def value(self, key: str) -> str:
        """The value of a key that is in ``DEFAULTS``."""
        if key == "max.message.bytes":
            return self.overrides.get(key, str(self.default_max_message_bytes))
        if key == "segment.bytes":
            return self.overrides.get(key, str(self.default_segment_bytes))
        return self.overrides.get(key, DEFAULTS[key])

    @property
    def max_message_bytes(self) -> int:
        """The largest batch that may be produced, in bytes."""
        return int(self.value("max.message.bytes"))

    @property
    def retention_bytes(self) -> int | None:
        """How many bytes a partition keeps at least, None for all."""
        size = int(self.value("retention.bytes"))
        return None if size < 0 else size

    @property
    def segment_bytes(self) -> int:
        """The size of a file before the next is begun, in bytes."""
        return int(self.value("segment.bytes"))

    @property
    def has_log_append_time(self) -> bool:
        """Whether the broker's clock stamps the records."""
        return self.value("message.timestamp.type") == "LogAppendTime"


def complaint(overrides: Mapping[str, str | None]) -> str | None:
    """Say what is wrong with a topic's configuration; None if nothing is."""
    for key, value in overrides.items():
        if key not in DEFAULTS:
            return f"Unknown topic config name: {key}"
        if value is None:
            return f"Null value not supported for topic configs: {key}"
        if key in _CHOICES and value not in _CHOICES[key]:
            return f"Invalid value {value} for configuration {key}: must be one of {', '.join(_CHOICES[key])}"
        if key in _LOWEST and not _is_number(value, _LOWEST[key]):
            return f"Invalid value {value} for configuration {key}: must be a number of at least {_LOWEST[key]}"
    return None


def _is_number(text: str, lowest: int) -> bool:
    try:
        return lowest <= int(text) < 2**63
    except ValueError:
        return False
