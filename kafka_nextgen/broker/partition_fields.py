"""What Metadata and DescribeTopicPartitions both tell of a partition, as the fields of their messages."""

from __future__ import annotations

from typing import TypedDict

from kafka_nextgen.broker.cluster import Cluster
from kafka_nextgen.broker.topic import Partition
from kafka_nextgen.codes import ErrorCode

__all__ = ["PartitionFields", "partition_fields"]


class PartitionFields(TypedDict):
    """The fields, under the names they have in both messages."""

    error_code: ErrorCode
    partition_index: int
    leader_id: int
    leader_epoch: int
    replica_nodes: list[int]
    isr_nodes: list[int]
    offline_replicas: list[int]


def partition_fields(partition: Partition, cluster: Cluster) -> PartitionFields:
    """Who leads a partition, and who of its replicas is there."""
    return PartitionFields(
        error_code=ErrorCode.LEADER_NOT_AVAILABLE if partition.leader is None else ErrorCode.NONE,
        partition_index=partition.index,
        leader_id=partition.leader_id,
        leader_epoch=partition.leader_epoch,
        replica_nodes=list(partition.replicas),
        isr_nodes=list(partition.isr),
        offline_replicas=[node_id for node_id in partition.replicas if not cluster.node(node_id).is_alive],
    )
