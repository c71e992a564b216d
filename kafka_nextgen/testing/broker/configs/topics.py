"""The configuration of topics (KIP-133): the keys of ``topic_settings`` and their valid values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import evolve

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.testing.broker.configs.altering import Change, altered
from kafka_nextgen.testing.broker.configs.brokers import setting_synonyms
from kafka_nextgen.testing.broker.configs.keys import ConfigKey, ConfigValue, Source, Synonym
from kafka_nextgen.testing.broker.context import Context
from kafka_nextgen.testing.broker.refusal import Refusal
from kafka_nextgen.testing.broker.releases import RELEASES
from kafka_nextgen.testing.broker.topic_settings import TOPIC_KEYS, TopicSettings, topic_keys
from kafka_nextgen.testing.coordinator.settings import Profile
from kafka_nextgen.types import topic_name_complaint

__all__ = ["alter_topic", "describe_topic", "topic_config_complaint"]


def describe_topic(context: Context, name: str) -> Sequence[ConfigValue] | Refusal:
    """All keys of topics, with the effective values of this one."""
    if wrong := topic_name_complaint(name):
        return Refusal(ErrorCode.INVALID_TOPIC_EXCEPTION, wrong)
    topic = context.cluster.topics.named(name)
    if topic is None:
        return Refusal(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, "")
    own = topic.settings.overrides
    return [ConfigValue(key.name, key.kind, _synonyms(context, key, own)) for key in _keys(context).values()]


def alter_topic(context: Context, name: str, changes: Sequence[Change]) -> Mapping[str, str] | Refusal:
    """The configuration of the topic after the changes, or why it is refused.

    As in Kafka, an unknown topic is refused only if nothing else is wrong.
    """
    topic = context.cluster.topics.named(name)
    after = altered(topic.settings.overrides if topic else {}, changes, _keys(context))
    if isinstance(after, Refusal):
        return after
    if not name:
        return Refusal(ErrorCode.INVALID_REQUEST, "Default topic resources are not allowed.")
    if wrong := topic_name_complaint(name):
        return Refusal(ErrorCode.INVALID_TOPIC_EXCEPTION, wrong)
    if invalid := topic_config_complaint(after, context.cluster.settings.profile):
        return Refusal(ErrorCode.INVALID_CONFIG, invalid)
    if topic is None:
        return Refusal(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"The topic '{name}' does not exist.")
    return after


def topic_config_complaint(config: Mapping[str, str | None], profile: Profile) -> str | None:
    """Return why a configuration is invalid in this release; None if it is valid."""
    smallest_segment = evolve(TOPIC_KEYS["segment.bytes"], lowest=RELEASES[profile].smallest_segment_bytes)
    keys = {**topic_keys(profile), "segment.bytes": smallest_segment}
    for name, value in config.items():
        if name not in keys:
            return f"Unknown topic config name: {name}"
        if value is None:
            return f"Null value not supported for topic configs: {name}"
        if wrong := keys[name].complaint(value):
            return wrong
    return _conflict(TopicSettings({name: value for name, value in config.items() if value is not None}))


def _keys(context: Context) -> Mapping[str, ConfigKey]:
    return topic_keys(context.cluster.settings.profile)


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


def _synonyms(context: Context, key: ConfigKey, own: Mapping[str, str]) -> tuple[Synonym, ...]:
    given = (Synonym(key.name, own[key.name], Source.TOPIC),) if key.name in own else ()
    broker_key = key.broker_key or key.name
    if context.cluster.configs.knows(broker_key):
        return given + setting_synonyms(context, broker_key)
    return (*given, Synonym(broker_key, key.default, Source.DEFAULT))
