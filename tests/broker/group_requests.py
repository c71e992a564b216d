"""Requests of members of groups, by either protocol."""

from __future__ import annotations

from typing import Any

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.types import TopicId
from kafka_nextgen.wire import apis
from kafka_nextgen.wire.messages import (
    ConsumerGroupHeartbeatRequest,
    OffsetCommitRequest,
    OffsetFetchRequest,
    SyncGroupRequest,
)
from tests.broker.client import Client, join_request

__all__ = ["commit", "committed", "heartbeat", "is_joined", "join", "live_by_the_classic_protocol"]


def heartbeat(client: Client, group: str, epoch: int, *, version: int = 1, **fields: Any) -> Any:
    joining: dict[str, Any] = {"rebalance_timeout_ms": 5_000, "topic_partitions": []} if epoch == 0 else {}
    request = ConsumerGroupHeartbeatRequest(
        **{"group_id": group, "member_id": "A", "member_epoch": epoch, **joining, **fields}
    )
    return client.ask(apis.CONSUMER_GROUP_HEARTBEAT, request, version)


def commit(
    client: Client, group: str, topic: str | TopicId, offset: int, *, partition: int = 0, epoch: int = -1
) -> Any:
    named = {"name": topic} if isinstance(topic, str) else {"topic_id": topic}
    asked = OffsetCommitRequest.OffsetCommitRequestTopic(
        partitions=[
            OffsetCommitRequest.OffsetCommitRequestTopic.OffsetCommitRequestPartition(
                partition_index=partition, committed_offset=offset, committed_metadata="why"
            )
        ],
        **named,
    )
    request = OffsetCommitRequest(
        group_id=group,
        generation_id_or_member_epoch=epoch,
        member_id="" if epoch < 0 else "A",
        topics=[asked],
    )
    answer = client.ask(apis.OFFSET_COMMIT, request, 9 if isinstance(topic, str) else 10)
    return answer.topics[0].partitions[0].error_code


def committed(client: Client, group: str, topic: str) -> int:
    topics = [OffsetFetchRequest.OffsetFetchRequestGroup.OffsetFetchRequestTopics(name=topic, partition_indexes=[0])]
    request = OffsetFetchRequest(
        groups=[OffsetFetchRequest.OffsetFetchRequestGroup(group_id=group, topics=topics)], require_stable=True
    )
    answer = client.ask(apis.OFFSET_FETCH, request, 9)
    offset: int = answer.groups[0].topics[0].partitions[0].committed_offset
    return offset


def live_by_the_classic_protocol(client: Client) -> str:
    """Have a member join the group "old"; return its id."""
    joined = client.ask(apis.JOIN_GROUP, join_request("old", b"\0\0\0\0\0\0\xff\xff\xff\xff"), 3)
    assignment = SyncGroupRequest.SyncGroupRequestAssignment(
        member_id=joined.member_id, assignment=b"\0\0\0\0\0\0\xff\xff\xff\xff"
    )
    sync = SyncGroupRequest(
        group_id="old", generation_id=joined.generation_id, member_id=joined.member_id, assignments=[assignment]
    )
    client.ask(apis.SYNC_GROUP, sync, 3)
    member_id: str = joined.member_id
    return member_id


def join(client: Client, group: str, member: str, **fields: Any) -> Any:
    return heartbeat(client, group, 0, member_id=member, subscribed_topic_names=["orders"], **fields)


def is_joined(client: Client, group: str) -> bool:
    return bool(join(client, group, "A").error_code == ErrorCode.NONE)
