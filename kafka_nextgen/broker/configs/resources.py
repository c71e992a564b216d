"""Describes and alters the configuration of any resource, by Kafka's number of its type."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import IntEnum

from attrs import frozen

from kafka_nextgen.broker.cluster import Cluster
from kafka_nextgen.broker.configs.altering import Change, refuse_changes
from kafka_nextgen.broker.configs.brokers import alter_broker, describe_broker
from kafka_nextgen.broker.configs.groups import alter_group, describe_group
from kafka_nextgen.broker.configs.keys import ConfigValue
from kafka_nextgen.broker.configs.topics import alter_topic, describe_topic
from kafka_nextgen.broker.context import Context
from kafka_nextgen.broker.refusal import Refusal
from kafka_nextgen.broker.security.acl_types import CLUSTER_NAME, ResourceType
from kafka_nextgen.broker.security.rights import (
    ALTER_CLUSTER_CONFIGS,
    ALTER_GROUP_CONFIGS,
    ALTER_TOPIC_CONFIGS,
    DESCRIBE_CLUSTER_CONFIGS,
    DESCRIBE_GROUP_CONFIGS,
    DESCRIBE_TOPIC_CONFIGS,
    Right,
)
from kafka_nextgen.codes import ErrorCode

__all__ = ["Resource", "alter", "describe", "given_to"]


class Resource(IntEnum):
    """The types of resources. Kafka has more: loggers and subscriptions to clients' metrics."""

    TOPIC = 2
    BROKER = 4
    GROUP = 32


def describe(kind: int, name: str, context: Context) -> Sequence[ConfigValue] | Refusal:
    """The configuration of a resource, or why it is refused."""
    if kind not in _OPERATIONS:
        return _unknown(kind)
    return _unauthorized(_OPERATIONS[kind].to_describe, name, context) or _OPERATIONS[kind].describe(context, name)


def alter(
    kind: int, name: str, changes: Sequence[Change], context: Context, *, validate_only: bool = False
) -> Refusal | None:
    """Change a resource's configuration, or only check that with ``validate_only``; return why it is refused."""
    if kind not in _OPERATIONS:
        return _unknown(kind)
    refusal = _unauthorized(_OPERATIONS[kind].to_alter, name, context) or refuse_changes(changes)
    if refusal is not None:
        return refusal
    after = _OPERATIONS[kind].altered(context, name, changes)
    if isinstance(after, Refusal):
        return after
    if not validate_only:
        _OPERATIONS[kind].keep(context.cluster, name, after)
    return None


def given_to(kind: int, name: str, context: Context) -> Sequence[str]:
    """The keys that are set on the resource itself."""
    return tuple(_OPERATIONS[kind].given(context.cluster, name)) if kind in _OPERATIONS else ()


@frozen
class _Operations:
    """How to describe, alter and store the configuration of one type of resource, and the rights this needs."""

    to_describe: Right
    to_alter: Right
    describe: Callable[[Context, str], Sequence[ConfigValue] | Refusal]
    altered: Callable[[Context, str, Sequence[Change]], Mapping[str, str] | Refusal]
    keep: Callable[[Cluster, str, Mapping[str, str]], None]
    given: Callable[[Cluster, str], Iterable[str]]


def _given_to_topic(cluster: Cluster, name: str) -> Iterable[str]:
    topic = cluster.topics.named(name)
    return topic.settings.overrides if topic else ()


_OPERATIONS: Mapping[int, _Operations] = {
    Resource.TOPIC: _Operations(
        DESCRIBE_TOPIC_CONFIGS,
        ALTER_TOPIC_CONFIGS,
        describe_topic,
        alter_topic,
        Cluster.configure_topic,
        _given_to_topic,
    ),
    Resource.BROKER: _Operations(
        DESCRIBE_CLUSTER_CONFIGS,
        ALTER_CLUSTER_CONFIGS,
        describe_broker,
        alter_broker,
        Cluster.configure_broker,
        lambda cluster, name: cluster.configs.brokers.get(name, {}),
    ),
    Resource.GROUP: _Operations(
        DESCRIBE_GROUP_CONFIGS,
        ALTER_GROUP_CONFIGS,
        describe_group,
        alter_group,
        Cluster.configure_group,
        lambda cluster, name: cluster.configs.groups.get(name, {}),
    ),
}


def _unauthorized(right: Right, name: str, context: Context) -> Refusal | None:
    of_cluster = right.resource_type is ResourceType.CLUSTER  # brokers' configuration needs rights to the cluster
    if context.may(right, CLUSTER_NAME if of_cluster else name):
        return None
    return Refusal(right.error, f"{right.resource_type.name.capitalize()} authorization failed.")


def _unknown(kind: int) -> Refusal:
    return Refusal(ErrorCode.INVALID_REQUEST, f"Unknown resource type {kind}")
