"""A topic's configuration, under Kafka's own names and with Kafka's defaults.

Of the keys of Kafka 4.4, these have an effect here:

==========================================  =======================================================================
``max.message.bytes``                       larger batches are refused
``message.timestamp.type``                  whether the producer's or the broker's clock stamps the records
``message.timestamp.after.max.ms``,         records with timestamps further from now are refused
``message.timestamp.before.max.ms``
``cleanup.policy``, ``retention.bytes``,    when records are deleted
``retention.ms``, ``delete.retention.ms``
``segment.bytes``                           the size of files, and of the pieces in which a log is deleted
``min.insync.replicas``                     with fewer replicas in sync, produce requests with ``acks=all`` are refused
==========================================  =======================================================================

The others are accepted, checked, stored and described, so that scripts for a real cluster run unchanged.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field

from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.testing.broker.configs.keys import ConfigKey, Kind
from kafka_nextgen.testing.coordinator.settings import Profile

__all__ = ["TOPIC_KEYS", "TopicSettings", "topic_keys"]

_FOR_EVER = str(2**63 - 1)

_LARGEST_ARRAY = str(2**31 - 9)  # the largest array that Java can allocate

_REPLICAS = r"\*|\d+:\d+(,\d+:\d+)*"


def _throttled(name: str) -> ConfigKey:
    form = "[partitionId]:[brokerId],[partitionId]:[brokerId],..."
    text = f"{name} must be the literal '*' or a list of replicas in the following format: {form}"
    return ConfigKey(name, Kind.LIST, pattern=_REPLICAS, form=text)


#: Every key that a topic may set, by name.
TOPIC_KEYS: Mapping[str, ConfigKey] = {
    key.name: key
    for key in (
        ConfigKey("cleanup.policy", Kind.LIST, "delete", "log.cleanup.policy", choices=("compact", "delete")),
        ConfigKey("compression.gzip.level", Kind.INT, "-1", lowest=1, highest=9, also=-1),
        ConfigKey("compression.lz4.level", Kind.INT, "9", lowest=1, highest=17),
        ConfigKey(
            "compression.type",
            Kind.STRING,
            "producer",
            choices=("uncompressed", "zstd", "lz4", "snappy", "gzip", "producer"),
        ),
        ConfigKey("compression.zstd.level", Kind.INT, "3", lowest=-131072, highest=22),
        ConfigKey("delete.retention.ms", Kind.LONG, "86400000", "log.cleaner.delete.retention.ms", lowest=0),
        ConfigKey("errors.deadletterqueue.group.enable", Kind.BOOLEAN, "false", since=Profile.V4_4),
        ConfigKey("file.delete.delay.ms", Kind.LONG, "60000", "log.segment.delete.delay.ms", lowest=0),
        ConfigKey("flush.messages", Kind.LONG, _FOR_EVER, "log.flush.interval.messages", lowest=1),
        ConfigKey("flush.ms", Kind.LONG, _FOR_EVER, "log.flush.interval.ms", lowest=0),
        _throttled("follower.replication.throttled.replicas"),
        ConfigKey("index.interval.bytes", Kind.INT, "4096", "log.index.interval.bytes", lowest=0),
        _throttled("leader.replication.throttled.replicas"),
        ConfigKey("local.retention.bytes", Kind.LONG, "-2", "log.local.retention.bytes", lowest=-2),
        ConfigKey("local.retention.ms", Kind.LONG, "-2", "log.local.retention.ms", lowest=-2),
        ConfigKey("max.compaction.lag.ms", Kind.LONG, _FOR_EVER, "log.cleaner.max.compaction.lag.ms", lowest=1),
        ConfigKey(
            "max.decompressed.message.bytes", Kind.INT, _LARGEST_ARRAY, lowest=1, highest=2**31 - 9, since=Profile.V4_4
        ),
        ConfigKey("max.message.bytes", Kind.INT, "1048588", "message.max.bytes", lowest=0),
        ConfigKey(
            "message.timestamp.after.max.ms", Kind.LONG, "3600000", "log.message.timestamp.after.max.ms", lowest=0
        ),
        ConfigKey(
            "message.timestamp.before.max.ms", Kind.LONG, _FOR_EVER, "log.message.timestamp.before.max.ms", lowest=0
        ),
        ConfigKey(
            "message.timestamp.type",
            Kind.STRING,
            "CreateTime",
            "log.message.timestamp.type",
            choices=("CreateTime", "LogAppendTime"),
        ),
        ConfigKey(
            "min.cleanable.dirty.ratio", Kind.DOUBLE, "0.5", "log.cleaner.min.cleanable.ratio", lowest=0, highest=1
        ),
        ConfigKey("min.compaction.lag.ms", Kind.LONG, "0", "log.cleaner.min.compaction.lag.ms", lowest=0),
        ConfigKey("min.insync.replicas", Kind.INT, "1", lowest=1),
        ConfigKey("preallocate", Kind.BOOLEAN, "false", "log.preallocate"),
        ConfigKey("remote.copy.lag.bytes", Kind.LONG, "-1", "log.remote.copy.lag.bytes", lowest=-1, since=Profile.V4_4),
        ConfigKey("remote.copy.lag.ms", Kind.LONG, "0", "log.remote.copy.lag.ms", lowest=-1, since=Profile.V4_4),
        ConfigKey("remote.log.copy.disable", Kind.BOOLEAN, "false"),
        ConfigKey("remote.log.delete.on.disable", Kind.BOOLEAN, "false"),
        ConfigKey("remote.storage.enable", Kind.BOOLEAN, "false"),
        ConfigKey("retention.bytes", Kind.LONG, "-1", "log.retention.bytes"),
        ConfigKey("retention.ms", Kind.LONG, "604800000", "log.retention.ms", lowest=-1),
        ConfigKey("segment.bytes", Kind.INT, "1073741824", "log.segment.bytes"),
        ConfigKey("segment.index.bytes", Kind.INT, "10485760", "log.index.size.max.bytes", lowest=4),
        ConfigKey("segment.jitter.ms", Kind.LONG, "0", "log.roll.jitter.ms", lowest=0),
        ConfigKey("segment.ms", Kind.LONG, "604800000", "log.roll.ms", lowest=1),
        ConfigKey("unclean.leader.election.enable", Kind.BOOLEAN, "false"),
    )
}


def topic_keys(profile: Profile) -> Mapping[str, ConfigKey]:
    """The keys that a topic may set in this release."""
    return {name: key for name, key in TOPIC_KEYS.items() if profile.has(key.since)}


@frozen
class TopicSettings:
    """The settings of one topic; the caller has checked ``overrides``."""

    overrides: Mapping[str, str] = field(factory=dict)
    default_max_message_bytes: int = 1_048_588  # the broker's message.max.bytes
    default_segment_bytes: int = 1_073_741_824  # the broker's log.segment.bytes

    def value(self, key: str) -> str:
        """The value of a key of ``TOPIC_KEYS``."""
        if key == "max.message.bytes":
            return self.overrides.get(key, str(self.default_max_message_bytes))
        if key == "segment.bytes":
            return self.overrides.get(key, str(self.default_segment_bytes))
        return self.overrides.get(key, TOPIC_KEYS[key].default)

    @property
    def max_message_bytes(self) -> int:
        """The largest batch that may be produced, in bytes."""
        return int(self.value("max.message.bytes"))

    @property
    def retention_bytes(self) -> int | None:
        """The size in bytes above which old segments of a partition are deleted, None for no limit."""
        size = int(self.value("retention.bytes"))
        return None if size < 0 or "delete" not in self.value("cleanup.policy").split(",") else size

    @property
    def is_compacted(self) -> bool:
        """Whether the topic is compacted."""
        return "compact" in self.value("cleanup.policy").split(",")

    @property
    def delete_retention_ms(self) -> int:
        """How long tombstones are kept, in milliseconds."""
        return int(self.value("delete.retention.ms"))

    @property
    def retention_ms(self) -> int | None:
        """The minimum time for which records are kept, in milliseconds; None if their age does not matter."""
        kept_ms = int(self.value("retention.ms"))
        return kept_ms if kept_ms >= 0 and "delete" in self.value("cleanup.policy") else None

    @property
    def min_insync_replicas(self) -> int:
        """How many replicas must be in sync for coordinators and for producers with ``acks=all`` to write."""
        return int(self.value("min.insync.replicas"))

    @property
    def segment_bytes(self) -> int:
        """The largest size of a segment, in bytes."""
        return int(self.value("segment.bytes"))

    def timestamps_at(self, now_ms: int) -> tuple[int, int]:
        """The earliest and the latest timestamp that a record may have at ``now_ms``; all in milliseconds."""
        before = int(self.value("message.timestamp.before.max.ms"))
        return now_ms - before, now_ms + int(self.value("message.timestamp.after.max.ms"))

    @property
    def has_log_append_time(self) -> bool:
        """Whether the broker's clock stamps the records."""
        return self.value("message.timestamp.type") == "LogAppendTime"
