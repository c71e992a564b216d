"""A topic's configuration, under Kafka's own names and with Kafka's defaults.

These keys have an effect here: ``max.message.bytes`` and ``message.timestamp.type``; ``cleanup.policy`` with
``retention.bytes``, ``retention.ms`` and ``delete.retention.ms``, which keep a topic from growing for ever;
``segment.bytes``, where logs are in files. The others are taken, kept and described, so that scripts written for a real
cluster run unchanged.
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


@frozen
class TopicSettings:
    """What one topic was given; ``overrides`` was checked before."""

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
        return None if size < 0 or "delete" not in self.value("cleanup.policy").split(",") else size

    @property
    def is_compacted(self) -> bool:
        """Whether of each key only the last record has to stay."""
        return "compact" in self.value("cleanup.policy").split(",")

    @property
    def delete_retention_ms(self) -> int:
        """How long the last record of a key stays that has no value, in milliseconds."""
        return int(self.value("delete.retention.ms"))

    @property
    def retention_ms(self) -> int | None:
        """How long records are kept at least, in milliseconds, None for ever; only if the topic deletes any."""
        kept_ms = int(self.value("retention.ms"))
        return kept_ms if kept_ms >= 0 and "delete" in self.value("cleanup.policy") else None

    @property
    def min_insync_replicas(self) -> int:
        """How many replicas have to be in sync for coordinators, and producers that ask for all, to write."""
        return int(self.value("min.insync.replicas"))

    @property
    def segment_bytes(self) -> int:
        """The size of a file before the next is begun, in bytes."""
        return int(self.value("segment.bytes"))

    @property
    def has_log_append_time(self) -> bool:
        """Whether the broker's clock stamps the records."""
        return self.value("message.timestamp.type") == "LogAppendTime"
