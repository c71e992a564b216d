"""The resources that have a configuration, by Kafka's numbers for them, and the way to each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import IntEnum

from attrs import frozen

from kafka_nextgen.broker.cluster import Cluster, Context
from kafka_nextgen.broker.configs.altering import Change, refuse_changes
from kafka_nextgen.broker.configs.brokers import alter_broker, describe_broker
from kafka_nextgen.broker.configs.groups import alter_group, describe_group
from kafka_nextgen.broker.configs.keys import ConfigValue
from kafka_nextgen.broker.configs.topics import alter_topic, describe_topic
from kafka_nextgen.broker.topics import Refusal
from kafka_nextgen.codes import ErrorCode

__all__ = ["Resource", "alter", "describe", "given_to"]


class Resource(IntEnum):
    """What can be configured here. Kafka has more: loggers and subscriptions to clients' metrics."""

    TOPIC = 2
    BROKER = 4
    GROUP = 32


def describe(kind: int, name: str, context: Context) -> Sequence[ConfigValue] | Refusal:
    """Everything that a resource is configured with, or why that can't be told."""
    return _WAYS[kind].describe(context, name) if kind in _WAYS else _unknown(kind)


def alter(
    kind: int, name: str, changes: Sequence[Change], context: Context, *, validate_only: bool = False
) -> Refusal | None:
    """Change a resource's configuration, unless this only asks whether that could be; or say why it can't be."""
    refusal = refuse_changes(changes)
    if kind not in _WAYS or refusal is not None:
        return refusal or _unknown(kind)
    after = _WAYS[kind].altered(context, name, changes)
    if isinstance(after, Refusal):
        return after
    if not validate_only:
        _WAYS[kind].keep(context.cluster, name, after)
    return None


def given_to(kind: int, name: str, context: Context) -> Sequence[str]:
    """The keys that a resource was given itself."""
    return tuple(_WAYS[kind].given(context.cluster, name)) if kind in _WAYS else ()


@frozen
class _Way:
    """How one kind of resource is described, what changes would lead to, and where that is kept."""

    describe: Callable[[Context, str], Sequence[ConfigValue] | Refusal]
    altered: Callable[[Context, str, Sequence[Change]], Mapping[str, str] | Refusal]
    keep: Callable[[Cluster, str, Mapping[str, str]], None]
    given: Callable[[Cluster, str], Iterable[str]]


def _given_to_topic(cluster: Cluster, name: str) -> Iterable[str]:
    topic = cluster.topics.named(name)
    return topic.settings.overrides if topic else ()


_WAYS: Mapping[int, _Way] = {
    Resource.TOPIC: _Way(
        lambda at, name: describe_topic(at.cluster.configs, at.cluster.topics, name, at.node.node_id),
        lambda at, name, changes: alter_topic(at.cluster.topics, name, changes),
        lambda cluster, name, given: cluster.configure_topic(name, given),
        _given_to_topic,
    ),
    Resource.BROKER: _Way(
        lambda at, name: describe_broker(at.cluster.configs, name, at.node.node_id),
        lambda at, name, changes: alter_broker(at.cluster.configs, name, changes, at.node.node_id),
        lambda cluster, name, given: cluster.configure_broker(name, given),
        lambda cluster, name: cluster.configs.brokers.get(name, {}),
    ),
    Resource.GROUP: _Way(
        lambda at, name: describe_group(at.cluster.configs, name, at.node.node_id),
        lambda at, name, changes: alter_group(at.cluster.configs, name, changes),
        lambda cluster, name, given: cluster.configure_group(name, given),
        lambda cluster, name: cluster.configs.groups.get(name, {}),
    ),
}


def _unknown(kind: int) -> Refusal:
    return Refusal(ErrorCode.INVALID_REQUEST, f"Unknown resource type {kind}")
