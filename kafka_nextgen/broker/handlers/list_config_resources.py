"""ListConfigResources: what has a configuration (KIP-1142).

In version 0, as ListClientMetricsResources, it lists subscriptions to clients' metrics only, of which there are none
here. Nor are there loggers that could be configured. Groups are listed that were given something for themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from kafka_nextgen.broker.cluster import Cluster
from kafka_nextgen.broker.configs.resources import Resource
from kafka_nextgen.broker.context import Context
from kafka_nextgen.broker.security.rights import DESCRIBE_CLUSTER_CONFIGS
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.wire.messages import ListConfigResourcesRequest, ListConfigResourcesResponse

__all__ = ["handle"]

_WITH_TYPES = 1
_BROKER_LOGGER, _CLIENT_METRICS = 8, 16

_NAMES: Mapping[int, Callable[[Cluster], Iterable[str]]] = {
    Resource.GROUP: lambda cluster: (group_id for group_id, given in cluster.configs.groups.items() if given),
    _CLIENT_METRICS: lambda _: (),
    _BROKER_LOGGER: lambda _: (),
    Resource.BROKER: lambda cluster: (str(node.node_id) for node in cluster.nodes),
    Resource.TOPIC: lambda cluster: (topic.name for topic in cluster.topics.all()),
}


async def handle(request: ListConfigResourcesRequest, context: Context) -> ListConfigResourcesResponse:
    """List the resources of the types asked for, of all types if none is named."""
    if not context.may(DESCRIBE_CLUSTER_CONFIGS):
        return ListConfigResourcesResponse(error_code=DESCRIBE_CLUSTER_CONFIGS.error, config_resources=[])
    kinds = {_CLIENT_METRICS} if context.version < _WITH_TYPES else set(request.resource_types) or set(_NAMES)
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
