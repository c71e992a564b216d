"""Topics made, grown and deleted, and the configuration of topics and groups.

What a broker does in its own time is kept out: records stay however old they are, and no log is compacted.
"""

from __future__ import annotations

from typing import Any

from kafka_nextgen.wire import apis
from tests.testing.broker.configs import APPEND, DELETE, GROUP, SET, SUBTRACT, TOPIC
from tests.testing.broker.topic_requests import new_topic_request
from tests.verification.differential.drawing.session import GROUPS, NOWHERE, TOPICS, Session
from tests.verification.differential.steps import Step
from tests.verification.differential.symbols import Group, Symbol, Topic, TopicIdOf

_TIMEOUT_MS = 10_000

#: What every topic is made with.
KEPT = {"retention.ms": "-1", "min.cleanable.dirty.ratio": "1.0"}

#: Values to be tried of each key, right and wrong ones.
_TOPIC_VALUES: dict[str, tuple[str, ...]] = {
    "cleanup.policy": ("delete", "compact", "compact,delete", "nonsense", ""),
    "compression.type": ("producer", "gzip", "zstd", "uncompressed", "nonsense"),
    "compression.gzip.level": ("1", "9", "10", "-1", "0"),
    "compression.lz4.level": ("1", "17", "18", "0"),
    "compression.zstd.level": ("3", "22", "23", "-131072", "-131073"),
    "delete.retention.ms": ("0", "86400000", "-1"),
    "file.delete.delay.ms": ("60000", "-1"),
    "flush.messages": ("1", "0"),
    "flush.ms": ("1000", "-1"),
    "follower.replication.throttled.replicas": ("*", "0:1", "nonsense", ""),
    "index.interval.bytes": ("4096", "-1"),
    "leader.replication.throttled.replicas": ("*", "0:1,1:1", "0"),
    "local.retention.bytes": ("-2", "-3", "100"),
    "local.retention.ms": ("-2", "-3", "100"),
    "max.compaction.lag.ms": ("0", "9223372036854775807"),
    "max.message.bytes": ("1048588", "150", "-1", "x"),
    "message.timestamp.after.max.ms": ("3600000", "9223372036854775807", "-1"),
    "message.timestamp.before.max.ms": ("9223372036854775807", "600000", "-1"),
    "message.timestamp.type": ("CreateTime", "LogAppendTime", "nonsense"),
    "min.compaction.lag.ms": ("0", "-1", "9223372036854775807"),
    "min.insync.replicas": ("1", "2", "0"),
    "preallocate": ("false", "maybe"),
    "remote.storage.enable": ("false", "true"),
    "retention.bytes": ("-1", "1073741824", "-2", "1.5"),
    "segment.bytes": ("1073741824", "1048576", "14", "1"),
    "segment.index.bytes": ("10485760", "3"),
    "segment.jitter.ms": ("0", "-1"),
    "segment.ms": ("604800000", "0"),
    "unclean.leader.election.enable": ("true", "false", "2"),
    "nonsense.key": ("1",),
}

_GROUP_VALUES: dict[str, tuple[str, ...]] = {
    "consumer.session.timeout.ms": ("50000", "60000", "60001", "1", "0", "x"),
    "consumer.heartbeat.interval.ms": ("5000", "500", "99", "15001", "0", "70000"),
    "consumer.assignment.interval.ms": ("0", "0", "-1", "15001", "x"),
    "share.session.timeout.ms": ("45000", "1"),
    "nonsense.key": ("1",),
}


def new_topic(name: Symbol | str, partitions: int, factor: int = 1, **configs: str | None) -> dict[str, Any]:
    """A topic of CreateTopics; ``configs`` has underscores for dots."""
    given = {**KEPT, **{key.replace("_", "."): value for key, value in configs.items()}}
    return new_topic_request(name, partitions, factor, configs=given)


def create_topics(session: Session) -> list[Step]:
    """Make topics, which may be there, or can't be."""
    topics = [_drawn_topic(session) for _ in range(session.one((1, 1, 2)))]
    only_checks = session.chance(0.2)
    if not only_checks:
        session.topics |= {topic["name"].name for topic in topics if isinstance(topic["name"], Topic)}
    return session.step(apis.CREATE_TOPICS, topics=topics, timeout_ms=_TIMEOUT_MS, validate_only=only_checks)


def _drawn_topic(session: Session) -> dict[str, Any]:
    names = [Topic(name) for name in TOPICS]
    name: Symbol | str = session.one((*names, *names, "", ".", "bad name", "x" * 250, "__internal"[:1] + "$"))
    topic = new_topic(name, session.one((1, 2, 3, 3, 0, -1)), session.one((1, 1, 1, -1, 2, 0)))
    if session.chance(0.3):
        key = session.one(sorted(_TOPIC_VALUES))
        topic["configs"].append({"name": key, "value": session.one((*_TOPIC_VALUES[key], None))})
    if session.chance(0.15):
        topic |= {"num_partitions": -1, "replication_factor": -1, "assignments": _assignments(session)}
    return topic


def _assignments(session: Session) -> list[dict[str, Any]]:
    nodes = session.one(([[1]], [[1], [1]], [[1, 1]], [[2]], [[1], [2]], [[]], [[1], [1], [1]]))
    first = session.one((0, 0, 0, 1))
    return [{"partition_index": first + number, "broker_ids": each} for number, each in enumerate(nodes)]


def create_partitions(session: Session) -> list[Step]:
    topic = {
        "name": Topic(session.topic()),
        "count": session.one((1, 2, 3, 4, 0, -1)),
        "assignments": session.one((None, None, [{"broker_ids": [1]}], [{"broker_ids": [2]}])),
    }
    how = {"timeout_ms": _TIMEOUT_MS, "validate_only": session.chance(0.2)}
    return session.step(apis.CREATE_PARTITIONS, topics=[topic], **how)


def delete_topics(session: Session) -> list[Step]:
    """Delete topics by name or id, which may be gone."""
    version = session.version(apis.DELETE_TOPICS)
    names = session.some([*sorted(session.topics), NOWHERE], 2)
    session.topics -= set(names)
    if version < 6:
        named: dict[str, Any] = {"topic_names": [Topic(name) for name in names]}
    elif session.chance(0.4):
        named = {"topics": [{"name": None, "topic_id": TopicIdOf(name)} for name in names]}
    else:
        named = {"topics": [{"name": Topic(name)} for name in names]}
    return [Step(apis.DELETE_TOPICS, version, {**named, "timeout_ms": _TIMEOUT_MS})]


def alter_configs(session: Session) -> list[Step]:
    """Change the configuration of a topic or a group."""
    kind, name, values = _resource(session)
    keys = session.some(sorted(values), 2)
    configs = [_change(session, key, values[key]) for key in keys]
    resource = {"resource_type": kind, "resource_name": name, "configs": configs}
    only_checks = session.chance(0.15)
    return session.step(apis.INCREMENTAL_ALTER_CONFIGS, resources=[resource], validate_only=only_checks)


def _resource(session: Session) -> tuple[int, Symbol | str, dict[str, tuple[str, ...]]]:
    if session.chance(0.3):
        return GROUP, "" if session.chance(0.05) else Group(session.one(sorted(GROUPS))), _GROUP_VALUES
    return TOPIC, session.one(("", "bad name")) if session.chance(0.05) else Topic(session.topic()), _TOPIC_VALUES


def _change(session: Session, key: str, values: tuple[str, ...]) -> dict[str, Any]:
    operation = session.one((SET, SET, SET, SET, DELETE, APPEND, SUBTRACT, 9))
    if key == "consumer.session.timeout.ms" and operation == DELETE:
        operation = SET  # else members are lost in the middle of an episode
    value = None if operation == DELETE or session.chance(0.03) else session.one(values)
    return {"name": key, "config_operation": operation, "value": value}


def describe_configs(session: Session) -> list[Step]:
    """Ask for all keys of a resource, or for some."""
    version = session.version(apis.DESCRIBE_CONFIGS)
    kind, name, values = _resource(session)
    if session.chance(0.04):
        kind = session.one((3, 77))
    resource = {
        "resource_type": kind,
        "resource_name": name,
        "configuration_keys": session.one((None, session.some(sorted(values), 2))),
    }
    fields: dict[str, Any] = {"resources": [resource], "include_synonyms": session.chance(0.5)}
    if version >= 3:
        fields["include_documentation"] = session.chance(0.2)
    return [Step(apis.DESCRIBE_CONFIGS, version, fields)]
