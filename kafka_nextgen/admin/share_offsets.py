"""The position of a share group: the start offset of each partition that its broker has stored (KIP-932)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import field

from kafka_nextgen.errors import DecodeError
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.transport.cluster import Coordinator
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition
from kafka_nextgen.wire import messages as m
from kafka_nextgen.wire.apis import DESCRIBE_SHARE_GROUP_OFFSETS

if TYPE_CHECKING:
    from kafka_nextgen.admin.requests import AdminCall
    from kafka_nextgen.wire.messages import DescribeShareGroupOffsetsResponse

    _Group = DescribeShareGroupOffsetsResponse.DescribeShareGroupOffsetsResponseGroup
    _Topic = _Group.DescribeShareGroupOffsetsResponseTopic
    _Partition = _Topic.DescribeShareGroupOffsetsResponsePartition

__all__ = ["ShareOffsets", "fetch_share_offsets"]

_UNKNOWN = -1


@frozen
class ShareOffsets:
    """Offsets, lags as counted by the broker (KIP-1226, Kafka 4.2 and later), and error codes, by partition."""

    offsets: dict[TopicPartition, OffsetAndMetadata] = field(factory=dict)
    lags: dict[TopicPartition, int] = field(factory=dict)
    errors: dict[TopicPartition, int] = field(factory=dict)
    error: int = 0
    message: str | None = None


async def fetch_share_offsets(call: AdminCall, group_id: str) -> ShareOffsets:
    """Return the offsets of all partitions. Raises GroupNotFoundError and the errors of ``AdminCall.send``."""
    asked = m.DescribeShareGroupOffsetsRequest.DescribeShareGroupOffsetsRequestGroup(group_id=group_id, topics=None)
    return await call.send(
        f"group {group_id}: listing its offsets",
        Coordinator(group_id),
        DESCRIBE_SHARE_GROUP_OFFSETS,
        build=lambda version: m.DescribeShareGroupOffsetsRequest(groups=[asked]),
        read=lambda response: _read(response, group_id),
        error_in=lambda found: (found.error, found.message),
    )


def _read(response: DescribeShareGroupOffsetsResponse, group_id: str) -> ShareOffsets:
    for group in response.groups:
        if group.group_id == group_id:
            found = ShareOffsets(error=group.error_code, message=group.error_message)
            for topic in group.topics:
                for partition in topic.partitions:
                    _add(found, TopicPartition(topic.topic_name, partition.partition_index), partition)
            return found
    raise DecodeError(f"the response to DescribeShareGroupOffsets lacks {group_id}")


def _add(
    found: ShareOffsets,
    tp: TopicPartition,
    partition: _Partition,
) -> None:
    if partition.error_code:
        found.errors[tp] = partition.error_code
    elif partition.start_offset != _UNKNOWN:
        found.offsets[tp] = OffsetAndMetadata(partition.start_offset, partition.leader_epoch)
        if partition.lag != _UNKNOWN:
            found.lags[tp] = partition.lag
