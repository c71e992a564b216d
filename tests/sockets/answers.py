"""Answers that the embedded broker does not give: errors, and answers that can be decoded but are invalid."""

from __future__ import annotations

from collections.abc import Callable

from kafka_nextgen.bridge import find_coordinator
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.wire import apis
from kafka_nextgen.wire.apis import Api
from kafka_nextgen.wire.frames import RequestFrame
from kafka_nextgen.wire.messages import (
    ApiVersionsResponse,
    ConsumerGroupDescribeResponse,
    ConsumerGroupHeartbeatResponse,
    DescribeGroupsResponse,
    FetchResponse,
    FindCoordinatorResponse,
    HeartbeatResponse,
    JoinGroupResponse,
    LeaveGroupResponse,
    ListOffsetsResponse,
    MetadataResponse,
    OffsetCommitResponse,
    OffsetFetchResponse,
    OffsetForLeaderEpochResponse,
    SyncGroupResponse,
)
from kafka_nextgen.wire.schema import Message
from kafka_nextgen.wire.schemas.consumer_group import TopicPartitions

__all__ = ["nonsense", "refusal"]


def refusal(request: RequestFrame, code: int, partition: int | None = None) -> Message:
    """Return the answer that refuses ``request`` with ``code``, in all partitions or in one."""
    plain = _PLAIN.get(request.api)
    if plain is not None:
        return plain(error_code=code)
    return _OTHERS[request.api](request, code, partition)


#: APIs whose answer has one error code, and nothing else that matters with it.
_PLAIN: dict[Api, Callable[..., Message]] = {
    apis.API_VERSIONS: ApiVersionsResponse,
    apis.METADATA: MetadataResponse,
    apis.CONSUMER_GROUP_HEARTBEAT: ConsumerGroupHeartbeatResponse,
    apis.JOIN_GROUP: JoinGroupResponse,
    apis.SYNC_GROUP: SyncGroupResponse,
    apis.HEARTBEAT: HeartbeatResponse,
    apis.LEAVE_GROUP: LeaveGroupResponse,
}


def _find_coordinator(request: RequestFrame, code: int, _partition: int | None) -> Message:
    assert request.message is not None
    _, keys = find_coordinator.from_request(request.message)  # type: ignore[arg-type]
    refused = [find_coordinator.FoundCoordinator(key, error=code) for key in keys]
    return find_coordinator.to_response(refused, request.version)


def _offset_commit(request: RequestFrame, code: int, partition: int | None) -> Message:
    assert request.message is not None
    topic_of = OffsetCommitResponse.OffsetCommitResponseTopic
    partition_of = topic_of.OffsetCommitResponsePartition
    return OffsetCommitResponse(
        topics=[
            topic_of(
                name=topic.name,
                topic_id=topic.topic_id,
                partitions=[
                    partition_of(
                        partition_index=one.partition_index,
                        error_code=code if partition in (None, one.partition_index) else ErrorCode.NONE,
                    )
                    for one in topic.partitions
                ],
            )
            for topic in request.message.topics
        ]
    )


def _offset_fetch(request: RequestFrame, code: int, partition: int | None) -> Message:
    assert request.message is not None
    group_of = OffsetFetchResponse.OffsetFetchResponseGroup
    if partition is None:
        groups = [group_of(group_id=group.group_id, error_code=code, topics=[]) for group in request.message.groups]
        return OffsetFetchResponse(groups=groups)
    topic_of = group_of.OffsetFetchResponseTopics
    partition_of = topic_of.OffsetFetchResponsePartitions
    return OffsetFetchResponse(
        groups=[
            group_of(
                group_id=group.group_id,
                topics=[
                    topic_of(
                        name=topic.name,
                        topic_id=topic.topic_id,
                        partitions=[
                            partition_of(
                                partition_index=number,
                                committed_offset=-1,
                                error_code=code if number == partition else ErrorCode.NONE,
                            )
                            for number in topic.partition_indexes
                        ],
                    )
                    for topic in group.topics
                ],
            )
            for group in request.message.groups
        ]
    )


def _list_offsets(request: RequestFrame, code: int, partition: int | None) -> Message:
    assert request.message is not None
    topic_of = ListOffsetsResponse.ListOffsetsTopicResponse
    return ListOffsetsResponse(
        topics=[
            topic_of(
                name=topic.name,
                partitions=[
                    topic_of.ListOffsetsPartitionResponse(partition_index=one.partition_index, error_code=code)
                    for one in topic.partitions
                ],
            )
            for topic in request.message.topics
        ]
    )


def _epoch_end(request: RequestFrame, code: int, partition: int | None) -> Message:
    assert request.message is not None
    topic_of = OffsetForLeaderEpochResponse.OffsetForLeaderTopicResult
    return OffsetForLeaderEpochResponse(
        topics=[
            topic_of(
                topic=topic.topic,
                partitions=[
                    topic_of.EpochEndOffset(partition=one.partition, error_code=code) for one in topic.partitions
                ],
            )
            for topic in request.message.topics
        ]
    )


def _fetch(request: RequestFrame, code: int, partition: int | None) -> Message:
    if partition is None:
        return FetchResponse(error_code=code)
    assert request.message is not None
    topic_of = FetchResponse.FetchableTopicResponse
    partition_of = topic_of.PartitionData
    return FetchResponse(
        responses=[
            topic_of(
                topic=topic.topic,
                topic_id=topic.topic_id,
                partitions=[
                    partition_of(partition_index=partition, error_code=code, high_watermark=-1, records=b"")
                    for one in topic.partitions
                    if one.partition == partition
                ],
            )
            for topic in request.message.topics
        ]
    )


_OTHERS: dict[Api, Callable[[RequestFrame, int, int | None], Message]] = {
    apis.FIND_COORDINATOR: _find_coordinator,
    apis.OFFSET_COMMIT: _offset_commit,
    apis.OFFSET_FETCH: _offset_fetch,
    apis.LIST_OFFSETS: _list_offsets,
    apis.OFFSET_FOR_LEADER_EPOCH: _epoch_end,
    apis.FETCH: _fetch,
}


def nonsense(request: RequestFrame) -> Message:
    """Return an answer to ``request`` that can be decoded but is invalid."""
    return _NONSENSE[request.api]()


_Assignment = ConsumerGroupHeartbeatResponse.Assignment
_NowhereAtAll = MetadataResponse.MetadataResponseBroker

_NONSENSE: dict[Api, Callable[[], Message]] = {
    apis.API_VERSIONS: lambda: ApiVersionsResponse(error_code=ErrorCode.INVALID_REQUEST, api_keys=[]),
    apis.METADATA: lambda: MetadataResponse(brokers=[_NowhereAtAll(node_id=-7, host="", port=0)], topics=[]),
    apis.FIND_COORDINATOR: lambda: FindCoordinatorResponse(coordinators=[]),
    apis.CONSUMER_GROUP_HEARTBEAT: lambda: ConsumerGroupHeartbeatResponse(
        member_epoch=5,
        heartbeat_interval_ms=50,
        assignment=_Assignment(topic_partitions=[TopicPartitions(topic_id=None, partitions=[-4])]),
    ),
    apis.OFFSET_FETCH: lambda: OffsetFetchResponse(groups=[]),
    apis.LIST_OFFSETS: lambda: ListOffsetsResponse(topics=[]),
    apis.OFFSET_FOR_LEADER_EPOCH: lambda: OffsetForLeaderEpochResponse(topics=[]),
    apis.FETCH: lambda: FetchResponse(responses=[]),
    apis.OFFSET_COMMIT: lambda: OffsetCommitResponse(topics=[]),
    apis.JOIN_GROUP: lambda: JoinGroupResponse(generation_id=-5, member_id="", members=[]),
    apis.SYNC_GROUP: lambda: SyncGroupResponse(assignment=b"\x00\x01\xff\xff"),
    apis.HEARTBEAT: lambda: HeartbeatResponse(throttle_time_ms=-1),
    apis.LEAVE_GROUP: lambda: LeaveGroupResponse(members=[]),
    apis.CONSUMER_GROUP_DESCRIBE: lambda: ConsumerGroupDescribeResponse(groups=[]),
    apis.DESCRIBE_GROUPS: lambda: DescribeGroupsResponse(groups=[]),
}
