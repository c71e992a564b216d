"""DescribeConfigs, AlterConfigs, IncrementalAlterConfigs and ListConfigResources: topics, brokers and groups.

From KIP-133, KIP-226, KIP-339, KIP-848 and KIP-1142. AlterConfigs replaces the whole configuration of a resource;
IncrementalAlterConfigs changes single keys. ``validate_only`` changes nothing and returns the same errors.

ListConfigResources lists the groups that have their own configuration. Client metrics subscriptions, the only resources
that its version 0 lists, do not exist here, like configurable loggers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import IntEnum
from typing import Any

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.testing.broker.cluster import Cluster
from kafka_nextgen.testing.broker.configs.altering import Change, refuse_changes, replacing
from kafka_nextgen.testing.broker.configs.brokers import alter_broker, describe_broker
from kafka_nextgen.testing.broker.configs.groups import alter_group, describe_group
from kafka_nextgen.testing.broker.configs.keys import ConfigValue
from kafka_nextgen.testing.broker.configs.topics import alter_topic, describe_topic
from kafka_nextgen.testing.broker.context import Context
from kafka_nextgen.testing.broker.refusal import Refusal, error_fields
from kafka_nextgen.testing.broker.security.acls import CLUSTER_NAME, ResourceType, Right
from kafka_nextgen.wire import messages as m
from kafka_nextgen.wire.schemas.configs import AlterConfigsResourceResponse

__all__ = ["alter_configs", "describe_configs", "incremental_alter_configs", "list_config_resources"]

_Described = m.DescribeConfigsResponse.DescribeConfigsResult
_Config = _Described.DescribeConfigsResourceResult
_Synonym = _Config.DescribeConfigsSynonym

_TWICE = Refusal(ErrorCode.INVALID_REQUEST, "Each resource must appear at most once.")

_LISTS_ALL_TYPES = 1


class _Resource(IntEnum):
    """The types of resources, by Kafka's numbers."""

    TOPIC = 2
    BROKER = 4
    BROKER_LOGGER = 8
    CLIENT_METRICS = 16
    GROUP = 32


@frozen
class _Operations:
    """How to describe, alter and store the configuration of one type of resource, and the rights this needs."""

    to_describe: Right
    to_alter: Right
    describe: Callable[[Context, str], Sequence[ConfigValue] | Refusal]
    altered: Callable[[Context, str, Sequence[Change]], Mapping[str, str] | Refusal]
    keep: Callable[[Cluster, str, Mapping[str, str]], None]
    given: Callable[[Cluster, str], Iterable[str]]  # the keys that are set on the resource itself


def _given_to_topic(cluster: Cluster, name: str) -> Iterable[str]:
    topic = cluster.topics.named(name)
    return topic.settings.overrides if topic else ()


_OPERATIONS: Mapping[int, _Operations] = {
    _Resource.TOPIC: _Operations(
        Right.DESCRIBE_TOPIC_CONFIGS,
        Right.ALTER_TOPIC_CONFIGS,
        describe_topic,
        alter_topic,
        Cluster.configure_topic,
        _given_to_topic,
    ),
    _Resource.BROKER: _Operations(
        Right.DESCRIBE_CLUSTER_CONFIGS,
        Right.ALTER_CLUSTER_CONFIGS,
        describe_broker,
        alter_broker,
        Cluster.configure_broker,
        lambda cluster, name: cluster.configs.brokers.get(name, {}),
    ),
    _Resource.GROUP: _Operations(
        Right.DESCRIBE_GROUP_CONFIGS,
        Right.ALTER_GROUP_CONFIGS,
        describe_group,
        alter_group,
        Cluster.configure_group,
        lambda cluster, name: cluster.configs.groups.get(name, {}),
    ),
}

_NAMES: Mapping[int, Callable[[Cluster], Iterable[str]]] = {
    _Resource.GROUP: lambda cluster: (group_id for group_id, given in cluster.configs.groups.items() if given),
    _Resource.CLIENT_METRICS: lambda _: (),
    _Resource.BROKER_LOGGER: lambda _: (),
    _Resource.BROKER: lambda cluster: (str(node.node_id) for node in cluster.nodes),
    _Resource.TOPIC: lambda cluster: (topic.name for topic in cluster.topics.all()),
}


async def describe_configs(request: m.DescribeConfigsRequest, context: Context) -> m.DescribeConfigsResponse:
    """Describe each resource."""
    return m.DescribeConfigsResponse(
        results=[_describe(asked, context, request.include_synonyms) for asked in request.resources]
    )


async def alter_configs(request: m.AlterConfigsRequest, context: Context) -> m.AlterConfigsResponse:
    """Replace the configuration of each resource independently."""
    return m.AlterConfigsResponse(responses=_alter_each(request, context, _replacement))


async def incremental_alter_configs(
    request: m.IncrementalAlterConfigsRequest, context: Context
) -> m.IncrementalAlterConfigsResponse:
    """Alter each resource independently."""
    return m.IncrementalAlterConfigsResponse(responses=_alter_each(request, context, _changes))


async def list_config_resources(
    request: m.ListConfigResourcesRequest, context: Context
) -> m.ListConfigResourcesResponse:
    """List the resources of the requested types; without types, list all."""
    if not context.may(Right.DESCRIBE_CLUSTER_CONFIGS):
        return m.ListConfigResourcesResponse(error_code=Right.DESCRIBE_CLUSTER_CONFIGS.error, config_resources=[])
    asked = set(request.resource_types) or set(_NAMES)
    kinds = {_Resource.CLIENT_METRICS} if context.version < _LISTS_ALL_TYPES else asked
    if not kinds <= set(_NAMES):
        return m.ListConfigResourcesResponse(error_code=ErrorCode.UNSUPPORTED_VERSION, config_resources=[])
    return m.ListConfigResourcesResponse(
        error_code=ErrorCode.NONE,
        config_resources=[
            m.ListConfigResourcesResponse.ConfigResource(resource_name=name, resource_type=kind)
            for kind, names in _NAMES.items()
            if kind in kinds
            for name in names(context.cluster)
        ],
    )


def _describe(
    asked: m.DescribeConfigsRequest.DescribeConfigsResource, context: Context, with_synonyms: bool
) -> _Described:
    found = _values(asked.resource_type, asked.resource_name, context)
    refusal = found if isinstance(found, Refusal) else Refusal(ErrorCode.NONE, "")
    values = () if isinstance(found, Refusal) else found
    wanted = asked.configuration_keys
    return _Described(
        **error_fields(refusal),
        resource_type=asked.resource_type,
        resource_name=asked.resource_name,
        configs=[_config(value, with_synonyms) for value in values if wanted is None or value.name in wanted],
    )


def _values(kind: int, name: str, context: Context) -> Sequence[ConfigValue] | Refusal:
    if kind not in _OPERATIONS:
        return _unknown(kind)
    return _unauthorized(_OPERATIONS[kind].to_describe, name, context) or _OPERATIONS[kind].describe(context, name)


def _config(value: ConfigValue, with_synonyms: bool) -> _Config:
    return _Config(
        name=value.name,
        value=value.value,
        read_only=value.is_read_only,
        config_source=value.source,
        is_sensitive=value.is_sensitive,
        synonyms=[
            _Synonym(name=each.name, value=each.value, source=each.source)
            for each in (value.synonyms if with_synonyms else ())
        ],
        config_type=value.kind,
        documentation=None,
    )


def _alter_each(
    request: m.AlterConfigsRequest | m.IncrementalAlterConfigsRequest,
    context: Context,
    changes_of: Callable[[Any, Context], Sequence[Change]],
) -> list[AlterConfigsResourceResponse]:
    """Alter each resource that is named once; resources that are named twice are refused."""
    counts = Counter((asked.resource_type, asked.resource_name) for asked in request.resources)
    responses = []
    for asked in request.resources:
        kind, name = asked.resource_type, asked.resource_name
        if counts[kind, name] > 1:
            refusal: Refusal | None = _TWICE
        else:
            refusal = _alter(kind, name, changes_of(asked, context), context, request.validate_only)
        result = AlterConfigsResourceResponse(**error_fields(refusal), resource_type=kind, resource_name=name)
        responses.append(result)
    return responses


def _replacement(asked: m.AlterConfigsRequest.AlterConfigsResource, context: Context) -> Sequence[Change]:
    operations = _OPERATIONS.get(asked.resource_type)
    before = () if operations is None else operations.given(context.cluster, asked.resource_name)
    return replacing([(config.name, config.value) for config in asked.configs], before)


def _changes(asked: m.IncrementalAlterConfigsRequest.AlterConfigsResource, _: Context) -> Sequence[Change]:
    return [Change(config.name, config.config_operation, config.value) for config in asked.configs]


def _alter(kind: int, name: str, changes: Sequence[Change], context: Context, validate_only: bool) -> Refusal | None:
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


def _unauthorized(right: Right, name: str, context: Context) -> Refusal | None:
    of_cluster = right.resource_type is ResourceType.CLUSTER  # brokers' configuration needs rights on the cluster
    if context.may(right, CLUSTER_NAME if of_cluster else name):
        return None
    return Refusal(right.error, f"{right.resource_type.name.capitalize()} authorization failed.")


def _unknown(kind: int) -> Refusal:
    return Refusal(ErrorCode.INVALID_REQUEST, f"Unknown resource type {kind}")
