"""The configuration of topics (KIP-133): the keys of ``topic_settings`` and their valid values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import evolve

from kafka_nextgen.broker.configs.altering import Change, altered
from kafka_nextgen.broker.configs.brokers import setting_synonyms
from kafka_nextgen.broker.configs.keys import ConfigKey, ConfigValue, Kind, Source, Synonym
from kafka_nextgen.broker.configs.state import DynamicConfigs
from kafka_nextgen.broker.refusal import Refusal
from kafka_nextgen.broker.releases import RELEASES
from kafka_nextgen.broker.topic_settings import DEFAULTS, TopicSettings
from kafka_nextgen.broker.topics import Topics
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.coordinator.settings import Profile
from kafka_nextgen.types import topic_name_complaint

__all__ = ["alter_topic", "describe_topic", "topic_config_complaint"]

_REPLICAS = r"\*|\d+:\d+(,\d+:\d+)*"


def _throttled(name: str) -> ConfigKey:
    form = "[partitionId]:[brokerId],[partitionId]:[brokerId],..."
    text = f"{name} must be the literal '*' or a list of replicas in the following format: {form}"
    return ConfigKey(name, Kind.LIST, pattern=_REPLICAS, form=text)


_KEYS: Mapping[str, ConfigKey] = {
    key.name: key
    for key in (
        ConfigKey("cleanup.policy", Kind.LIST, choices=("compact", "delete")),
        ConfigKey("compression.gzip.level", Kind.INT, lowest=1, highest=9, also=-1),
        ConfigKey("compression.lz4.level", Kind.INT, lowest=1, highest=17),
        ConfigKey(
            "compression.type", Kind.STRING, choices=("uncompressed", "zstd", "lz4", "snappy", "gzip", "producer")
        ),
        ConfigKey("compression.zstd.level", Kind.INT, lowest=-131072, highest=22),
        ConfigKey("delete.retention.ms", Kind.LONG, lowest=0),
        ConfigKey("file.delete.delay.ms", Kind.LONG, lowest=0),
        ConfigKey("flush.messages", Kind.LONG, lowest=1),
        ConfigKey("flush.ms", Kind.LONG, lowest=0),
        _throttled("follower.replication.throttled.replicas"),
        ConfigKey("index.interval.bytes", Kind.INT, lowest=0),
        _throttled("leader.replication.throttled.replicas"),
        ConfigKey("local.retention.bytes", Kind.LONG, lowest=-2),
        ConfigKey("local.retention.ms", Kind.LONG, lowest=-2),
        ConfigKey("max.compaction.lag.ms", Kind.LONG, lowest=1),
        ConfigKey("max.message.bytes", Kind.INT, lowest=0),
        ConfigKey("message.timestamp.after.max.ms", Kind.LONG, lowest=0),
        ConfigKey("message.timestamp.before.max.ms", Kind.LONG, lowest=0),
        ConfigKey("message.timestamp.type", Kind.STRING, choices=("CreateTime", "LogAppendTime")),
        ConfigKey("min.cleanable.dirty.ratio", Kind.DOUBLE, lowest=0, highest=1),
        ConfigKey("min.compaction.lag.ms", Kind.LONG, lowest=0),
        ConfigKey("min.insync.replicas", Kind.INT, lowest=1),
        ConfigKey("preallocate", Kind.BOOLEAN),
        ConfigKey("remote.log.copy.disable", Kind.BOOLEAN),
        ConfigKey("remote.log.delete.on.disable", Kind.BOOLEAN),
        ConfigKey("remote.storage.enable", Kind.BOOLEAN),
        ConfigKey("retention.bytes", Kind.LONG),
        ConfigKey("retention.ms", Kind.LONG, lowest=-1),
        ConfigKey("segment.bytes", Kind.INT),
        ConfigKey("segment.index.bytes", Kind.INT, lowest=4),
        ConfigKey("segment.jitter.ms", Kind.LONG, lowest=0),
        ConfigKey("segment.ms", Kind.LONG, lowest=1),
        ConfigKey("unclean.leader.election.enable", Kind.BOOLEAN),
    )
}

#: The broker settings that are the defaults of topics, where their names differ.
_BROKER_KEYS = {
    "cleanup.policy": "log.cleanup.policy",
    "delete.retention.ms": "log.cleaner.delete.retention.ms",
    "file.delete.delay.ms": "log.segment.delete.delay.ms",
    "flush.messages": "log.flush.interval.messages",
    "flush.ms": "log.flush.interval.ms",
    "index.interval.bytes": "log.index.interval.bytes",
    "local.retention.bytes": "log.local.retention.bytes",
    "local.retention.ms": "log.local.retention.ms",
    "max.compaction.lag.ms": "log.cleaner.max.compaction.lag.ms",
    "max.message.bytes": "message.max.bytes",
    "message.timestamp.after.max.ms": "log.message.timestamp.after.max.ms",
    "message.timestamp.before.max.ms": "log.message.timestamp.before.max.ms",
    "message.timestamp.type": "log.message.timestamp.type",
    "min.cleanable.dirty.ratio": "log.cleaner.min.cleanable.ratio",
    "min.compaction.lag.ms": "log.cleaner.min.compaction.lag.ms",
    "preallocate": "log.preallocate",
    "retention.bytes": "log.retention.bytes",
    "retention.ms": "log.retention.ms",
    "segment.bytes": "log.segment.bytes",
    "segment.index.bytes": "log.index.size.max.bytes",
    "segment.jitter.ms": "log.roll.jitter.ms",
    "segment.ms": "log.roll.ms",
}


def describe_topic(configs: DynamicConfigs, topics: Topics, name: str, node_id: int) -> Sequence[ConfigValue] | Refusal:
    """All keys of topics, with the values in force for this one."""
    if wrong := topic_name_complaint(name):
        return Refusal(ErrorCode.INVALID_TOPIC_EXCEPTION, wrong)
    topic = topics.named(name)
    if topic is None:
        return Refusal(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, "")
    own = topic.settings.overrides
    return [ConfigValue(key.name, key.kind, _synonyms(configs, key.name, own, node_id)) for key in _KEYS.values()]


def alter_topic(topics: Topics, name: str, changes: Sequence[Change], profile: Profile) -> Mapping[str, str] | Refusal:
    """The configuration of the topic after the changes, or why it is refused: as in Kafka unknown topics last."""
    topic = topics.named(name)
    after = altered(topic.settings.overrides if topic else {}, changes, _KEYS, DEFAULTS)
    if isinstance(after, Refusal):
        return after
    if not name:
        return Refusal(ErrorCode.INVALID_REQUEST, "Default topic resources are not allowed.")
    if wrong := topic_name_complaint(name):
        return Refusal(ErrorCode.INVALID_TOPIC_EXCEPTION, wrong)
    if invalid := topic_config_complaint(after, profile):
        return Refusal(ErrorCode.INVALID_CONFIG, invalid)
    if topic is None:
        return Refusal(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"The topic '{name}' does not exist.")
    return after


def topic_config_complaint(config: Mapping[str, str | None], profile: Profile) -> str | None:
    """Say why a configuration is invalid in this release; None if it is valid."""
    smallest_segment = evolve(_KEYS["segment.bytes"], lowest=RELEASES[profile].smallest_segment_bytes)
    keys = {**_KEYS, "segment.bytes": smallest_segment}
    for name, value in config.items():
        if name not in _KEYS:
            return f"Unknown topic config name: {name}"
        if value is None:
            return f"Null value not supported for topic configs: {name}"
        if wrong := keys[name].complaint(value):
            return wrong
    return _conflict(TopicSettings({name: value for name, value in config.items() if value is not None}))


def _conflict(settings: TopicSettings) -> str | None:
    least, most = "min.compaction.lag.ms", "max.compaction.lag.ms"
    if int(settings.value(least)) > int(settings.value(most)):
        return f"conflict topic config setting {least} ({settings.value(least)}) > {most} ({settings.value(most)})"
    if settings.value("remote.storage.enable").lower() == "true":
        return (
            "Tiered Storage functionality is disabled in the broker. "
            "Topic cannot be configured with remote log storage."
        )
    return None


def _synonyms(configs: DynamicConfigs, key: str, own: Mapping[str, str], node_id: int) -> tuple[Synonym, ...]:
    given = (Synonym(key, own[key], Source.TOPIC),) if key in own else ()
    broker_key = _BROKER_KEYS.get(key, key)
    if configs.knows(broker_key):
        return given + setting_synonyms(configs, broker_key, node_id)
    return (*given, Synonym(broker_key, DEFAULTS[key], Source.DEFAULT))
