"""DescribeConfigs, AlterConfigs, IncrementalAlterConfigs and ListConfigResources: topics, brokers and groups.

From KIP-133, KIP-226, KIP-339, KIP-848 and KIP-1142. AlterConfigs replaces the whole configuration of a resource;
IncrementalAlterConfigs changes single keys. ``validate_only`` changes nothing and returns the same errors.

ListConfigResources lists the groups that have configuration of their own. Subscriptions to clients' metrics, all that
its version 0 lists, do not exist here, and neither do configurable loggers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TypeVar

from kafka_nextgen.broker.cluster import Cluster
from kafka_nextgen.broker.configs.altering import Change, replacing
from kafka_nextgen.broker.configs.keys import ConfigValue
from kafka_nextgen.broker.configs.resources import Resource, alter, describe, given_to
from kafka_nextgen.broker.context import Context
from kafka_nextgen.broker.refusal import Refusal
from kafka_nextgen.broker.security.rights import DESCRIBE_CLUSTER_CONFIGS
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.wire.messages import (
    AlterConfigsRequest,
    AlterConfigsResponse,
    DescribeConfigsRequest,
    DescribeConfigsResponse,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResponse,
    ListConfigResourcesRequest,
    ListConfigResourcesResponse,
)
from kafka_nextgen.wire.schemas.configs import AlterConfigsResourceResponse

__all__ = ["alter_configs", "describe_configs", "incremental_alter_configs", "list_config_resources"]

_Described = DescribeConfigsResponse.DescribeConfigsResult
_Config = _Described.DescribeConfigsResourceResult
_Synonym = _Config.DescribeConfigsSynonym
_Replacement = AlterConfigsRequest.AlterConfigsResource
_Alteration = IncrementalAlterConfigsRequest.AlterConfigsResource

_Resource = TypeVar("_Resource", _Replacement, _Alteration)

_TWICE = Refusal(ErrorCode.INVALID_REQUEST, "Each resource must appear at most once.")

_LISTS_ALL_TYPES = 1
_BROKER_LOGGER, _CLIENT_METRICS = 8, 16

_NAMES: Mapping[int, Callable[[Cluster], Iterable[str]]] = {
    Resource.GROUP: lambda cluster: (group_id for group_id, given in cluster.configs.groups.items() if given),
    _CLIENT_METRICS: lambda _: (),
    _BROKER_LOGGER: lambda _: (),
    Resource.BROKER: lambda cluster: (str(node.node_id) for node in cluster.nodes),
    Resource.TOPIC: lambda cluster: (topic.name for topic in cluster.topics.all()),
}


async def describe_configs(request: DescribeConfigsRequest, context: Context) -> DescribeConfigsResponse:
    """Describe each resource."""
    return DescribeConfigsResponse(
        results=[_describe(asked, context, request.include_synonyms) for asked in request.resources]
    )


async def alter_configs(request: AlterConfigsRequest, context: Context) -> AlterConfigsResponse:
    """Replace the configuration of each resource on its own."""
    replace = partial(_replace, context=context, validate_only=request.validate_only)
    return AlterConfigsResponse(responses=_alter_each(request.resources, replace))


async def incremental_alter_configs(
    request: IncrementalAlterConfigsRequest, context: Context
) -> IncrementalAlterConfigsResponse:
    """Alter each resource on its own."""
    change = partial(_alter, context=context, validate_only=request.validate_only)
    return IncrementalAlterConfigsResponse(responses=_alter_each(request.resources, change))


async def list_config_resources(request: ListConfigResourcesRequest, context: Context) -> ListConfigResourcesResponse:
    """List the resources of the types asked for; no types means all."""
    if not context.may(DESCRIBE_CLUSTER_CONFIGS):
        return ListConfigResourcesResponse(error_code=DESCRIBE_CLUSTER_CONFIGS.error, config_resources=[])
    kinds = {_CLIENT_METRICS} if context.version < _LISTS_ALL_TYPES else set(request.resource_types) or set(_NAMES)
    if not kinds <= set(_NAMES):
        return ListConfigResourcesResponse(error_code=ErrorCode.UNSUPPORTED_VERSION, config_resources=[])
    return ListConfigResourcesResponse(
        error_code=ErrorCode.NONE,
        config_resources=[
            ListConfigResourcesResponse.ConfigResource(resource_name=name, resource_type=kind)
            for kind, names in _NAMES.items()
            if kind in kinds
            for name in names(context.cluster)
        ],
    )


def _describe(
    asked: DescribeConfigsRequest.DescribeConfigsResource, context: Context, with_synonyms: bool
) -> _Described:
    found = describe(asked.resource_type, asked.resource_name, context)
    refusal = found if isinstance(found, Refusal) else Refusal(ErrorCode.NONE, "")
    values = () if isinstance(found, Refusal) else found
    wanted = asked.configuration_keys
    return _Described(
        error_code=refusal.code,
        error_message=refusal.message,
        resource_type=asked.resource_type,
        resource_name=asked.resource_name,
        configs=[_config(value, with_synonyms) for value in values if wanted is None or value.name in wanted],
    )


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
    resources: Sequence[_Resource], alter_one: Callable[[_Resource], Refusal | None]
) -> list[AlterConfigsResourceResponse]:
    """Alter each resource that is named once; resources that are named twice are refused."""
    counts = Counter((asked.resource_type, asked.resource_name) for asked in resources)
    return [
        _altered(asked, _TWICE if counts[asked.resource_type, asked.resource_name] > 1 else alter_one(asked))
        for asked in resources
    ]


def _altered(asked: _Replacement | _Alteration, refusal: Refusal | None) -> AlterConfigsResourceResponse:
    return AlterConfigsResourceResponse(
        error_code=ErrorCode.NONE if refusal is None else refusal.code,
        error_message=None if refusal is None else refusal.message,
        resource_type=asked.resource_type,
        resource_name=asked.resource_name,
    )


def _replace(asked: _Replacement, context: Context, validate_only: bool) -> Refusal | None:
    kind, name = asked.resource_type, asked.resource_name
    given = [(config.name, config.value) for config in asked.configs]
    changes = replacing(given, given_to(kind, name, context))
    return alter(kind, name, changes, context, validate_only=validate_only)


def _alter(asked: _Alteration, context: Context, validate_only: bool) -> Refusal | None:
    changes = [Change(config.name, config.config_operation, config.value) for config in asked.configs]
    return alter(asked.resource_type, asked.resource_name, changes, context, validate_only=validate_only)
