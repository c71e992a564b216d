"""Answers that the embedded broker does not give: errors, and answers that can be decoded but are invalid."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.requests import find_coordinator
from kafka_nextgen.testing.messages import find_coordinator as broker_find_coordinator
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
    _, keys = broker_find_coordinator.from_request(request.message)  # type: ignore[arg-type]
    refused = [find_coordinator.FoundCoordinator(key, error=code) for key in keys]
    return broker_find_coordinator.to_response(refused, request.version)


def _partitions(
    topics: Iterable[Any], topic_of: Any, partition_of: Any, number: str, code: int, only: int | None, **rest: object
) -> list[Any]:
    """Answer for each partition that ``topics`` of a request name: with the code, or if it is not that one, without."""

    def answer(index: int) -> object:
        return partition_of(**{number: index}, error_code=code if only in (None, index) else ErrorCode.NONE, **rest)

    return [topic_of(**_names(topic), partitions=[answer(index) for index in _numbers(topic)]) for topic in topics]


def _names(topic: Any) -> dict[str, object]:
    return {name: getattr(topic, name) for name in ("name", "topic", "topic_id") if hasattr(topic, name)}


def _numbers(topic: Any) -> list[int]:
    if hasattr(topic, "partition_indexes"):
        return list(topic.partition_indexes)
    return [one.partition_index if hasattr(one, "partition_index") else one.partition for one in topic.partitions]


def _offset_commit(request: RequestFrame, code: int, partition: int | None) -> Message:
    assert request.message is not None
    topic_of = OffsetCommitResponse.OffsetCommitResponseTopic
    partition_of = topic_of.OffsetCommitResponsePartition
    answered = _partitions(request.message.topics, topic_of, partition_of, "partition_index", code, partition)
    return OffsetCommitResponse(topics=answered)


def _offset_fetch(request: RequestFrame, code: int, partition: int | None) -> Message:
    assert request.message is not None
    group_of = OffsetFetchResponse.OffsetFetchResponseGroup
    topic_of = group_of.OffsetFetchResponseTopics
    partition_of = partial(topic_of.OffsetFetchResponsePartitions, committed_offset=-1)
    if partition is None:
        groups = [group_of(group_id=group.group_id, error_code=code, topics=[]) for group in request.message.groups]
        return OffsetFetchResponse(groups=groups)
    return OffsetFetchResponse(
        groups=[
            group_of(
                group_id=group.group_id,
                topics=_partitions(group.topics, topic_of, partition_of, "partition_index", code, partition),
            )
            for group in request.message.groups
        ]
    )


def _list_offsets(request: RequestFrame, code: int, partition: int | None) -> Message:
    assert request.message is not None
    topic_of = ListOffsetsResponse.ListOffsetsTopicResponse
    partition_of = topic_of.ListOffsetsPartitionResponse
    answered = _partitions(request.message.topics, topic_of, partition_of, "partition_index", code, partition)
    return ListOffsetsResponse(topics=answered)


def _epoch_end(request: RequestFrame, code: int, partition: int | None) -> Message:
    assert request.message is not None
    topic_of = OffsetForLeaderEpochResponse.OffsetForLeaderTopicResult
    answered = _partitions(request.message.topics, topic_of, topic_of.EpochEndOffset, "partition", code, partition)
    return OffsetForLeaderEpochResponse(topics=answered)


def _fetch(request: RequestFrame, code: int, partition: int | None) -> Message:
    if partition is None:
        return FetchResponse(error_code=code)
    assert request.message is not None
    topic_of = FetchResponse.FetchableTopicResponse
    refused = topic_of.PartitionData(partition_index=partition, error_code=code, high_watermark=-1, records=b"")
    return FetchResponse(
        responses=[
            topic_of(**_names(topic), partitions=[refused] if partition in _numbers(topic) else [])
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
