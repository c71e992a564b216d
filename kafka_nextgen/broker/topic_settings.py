"""A topic's configuration, under Kafka's own names and with Kafka's defaults.

Of all that Kafka 4.3 has these keys have an effect here:

==========================================  =======================================================================
``max.message.bytes``                       larger batches are refused
``message.timestamp.type``                  whose clock stamps the records
``message.timestamp.after.max.ms``,         records whose producer's clock is further off are refused
``message.timestamp.before.max.ms``
``cleanup.policy``, ``retention.bytes``,    what keeps a topic from growing for ever
``retention.ms``, ``delete.retention.ms``
``segment.bytes``                           in how large pieces a log is dropped, and how large its files are
``min.insync.replicas``                     whether records that all replicas are to have are taken
==========================================  =======================================================================

The others are taken, checked, kept and described, so that scripts written for a real cluster run unchanged.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field, frozen

__all__ = ["DEFAULTS", "TopicSettings"]

_FOR_EVER = str(2**63 - 1)

#: Every key a topic may set, with its default.
DEFAULTS: Mapping[str, str] = {
    "cleanup.policy": "delete",
    "compression.gzip.level": "-1",
    "compression.lz4.level": "9",
    "compression.type": "producer",
    "compression.zstd.level": "3",
    "delete.retention.ms": "86400000",
    "file.delete.delay.ms": "60000",
    "flush.messages": _FOR_EVER,
    "flush.ms": _FOR_EVER,
    "follower.replication.throttled.replicas": "",
    "index.interval.bytes": "4096",
    "leader.replication.throttled.replicas": "",
    "local.retention.bytes": "-2",
    "local.retention.ms": "-2",
    "max.compaction.lag.ms": _FOR_EVER,
    "max.message.bytes": "1048588",
    "message.timestamp.after.max.ms": "3600000",
    "message.timestamp.before.max.ms": _FOR_EVER,
    "message.timestamp.type": "CreateTime",
    "min.cleanable.dirty.ratio": "0.5",
    "min.compaction.lag.ms": "0",
    "min.insync.replicas": "1",
    "preallocate": "false",
    "remote.log.copy.disable": "false",
    "remote.log.delete.on.disable": "false",
    "remote.storage.enable": "false",
    "retention.bytes": "-1",
    "retention.ms": "604800000",
    "segment.bytes": "1073741824",
    "segment.index.bytes": "10485760",
    "segment.jitter.ms": "0",
    "segment.ms": "604800000",
    "unclean.leader.election.enable": "false",
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

    def timestamps_at(self, now_ms: int) -> tuple[int, int]:
        """The earliest and the latest timestamp of a record that is taken at ``now_ms``; all in milliseconds."""
        before = int(self.value("message.timestamp.before.max.ms"))
        return now_ms - before, now_ms + int(self.value("message.timestamp.after.max.ms"))

    @property
    def has_log_append_time(self) -> bool:
        """Whether the broker's clock stamps the records."""
        return self.value("message.timestamp.type") == "LogAppendTime"
