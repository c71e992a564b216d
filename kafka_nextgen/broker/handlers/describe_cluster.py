"""DescribeCluster: the nodes, one of which is the controller (KIP-700)."""

from __future__ import annotations

from kafka_nextgen.broker.context import Context
from kafka_nextgen.broker.node import Node
from kafka_nextgen.broker.security.acl_types import ResourceType
from kafka_nextgen.broker.security.rights import DESCRIBE_CLUSTER
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.wire.messages import DescribeClusterRequest, DescribeClusterResponse

__all__ = ["cluster_operations", "handle"]

_Broker = DescribeClusterResponse.DescribeClusterBroker

_BROKERS = 1  # the endpoint type (KIP-919)


async def handle(request: DescribeClusterRequest, context: Context) -> DescribeClusterResponse:
    """Answer with the brokers."""
    cluster = context.cluster
    if request.endpoint_type != _BROKERS:
        return DescribeClusterResponse(
            error_code=ErrorCode.INVALID_REQUEST,
            error_message="only the brokers can be asked for",
            cluster_id=cluster.cluster_id,
        )
    return DescribeClusterResponse(
        error_code=ErrorCode.NONE,
        cluster_id=cluster.cluster_id,
        controller_id=cluster.controller.node_id,
        brokers=[_broker(node, context) for node in cluster.living()],
        authorized_operations=cluster_operations(context) if request.include_cluster_authorized_operations else None,
    )


def cluster_operations(context: Context) -> frozenset[int]:
    """The operations that the client may do with the cluster (KIP-430); none if it may not describe it."""
    return context.access.operations(ResourceType.CLUSTER) if context.may(DESCRIBE_CLUSTER) else frozenset()


def _broker(node: Node, context: Context) -> _Broker:
    address = context.endpoint(node)
    return _Broker(broker_id=node.node_id, host=address.host, port=address.port, rack=node.rack)
