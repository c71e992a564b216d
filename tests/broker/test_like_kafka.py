"""Odd requests about groups, and what every Kafka answers to them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.wire import apis
from kafka_nextgen.wire.messages import (
    ConsumerGroupDescribeRequest,
    DescribeGroupsRequest,
    FindCoordinatorRequest,
    LeaveGroupRequest,
    OffsetCommitRequest,
    OffsetDeleteRequest,
    SyncGroupRequest,
)
from tests.broker.client import Client, join_request
from tests.broker.extended import heartbeat
from tests.support.clients import unique
from tests.support.kafka_server import KafkaServer
from tests.support.waiting import eventually
from tests.worlds.topics import create_topic


@pytest.fixture
def at(every_kafka: KafkaServer) -> Iterator[Client]:
    with Client(every_kafka.bootstrap_servers) as client:
        eventually("there is a coordinator", lambda: found(client, "g").error_code == ErrorCode.NONE)
        yield client


def found(client: Client, group: str) -> Any:
    request = FindCoordinatorRequest(key_type=0, coordinator_keys=[group])
    return client.ask(apis.FIND_COORDINATOR, request).coordinators[0]


def commit(client: Client, group: str, topic: str) -> None:
    """Commit from outside any group, as soon as its coordinator has loaded what it knows."""
    asked = OffsetCommitRequest.OffsetCommitRequestTopic
    partition = asked.OffsetCommitRequestPartition(partition_index=0, committed_offset=5, committed_metadata="")
    request = OffsetCommitRequest(
        group_id=group,
        generation_id_or_member_epoch=-1,
        member_id="",
        topics=[asked(name=topic, partitions=[partition])],
    )

    def error() -> int:
        found: int = client.ask(apis.OFFSET_COMMIT, request, 9).topics[0].partitions[0].error_code
        return found

    eventually(f"{group} is coordinated", lambda: error() != ErrorCode.COORDINATOR_LOAD_IN_PROGRESS)
    assert error() == ErrorCode.NONE


def test_what_is_no_group_of_the_kind_is_said_in_the_same_words(at: Client) -> None:
    nowhere, simple, topic = unique("nowhere"), unique("simple"), unique("orders")
    create_topic(at, topic, 1)
    commit(at, simple, topic)
    consumer = ConsumerGroupDescribeRequest(group_ids=[nowhere, simple])
    described = {group.group_id: group for group in at.ask(apis.CONSUMER_GROUP_DESCRIBE, consumer).groups}
    assert described[nowhere].error_message == f"Group {nowhere} not found."
    both = {f"Group {simple} is not a consumer group.", f"Group {simple} not found."}  # Kafka 4.0 says the latter
    assert described[simple].error_message in both
    classic = at.ask(apis.DESCRIBE_GROUPS, DescribeGroupsRequest(groups=[nowhere])).groups[0]
    assert (classic.error_code, classic.group_state) == (ErrorCode.GROUP_ID_NOT_FOUND, "Dead")
    assert classic.error_message == f"Group {nowhere} not found."
    assert found(at, "g").error_message == ""


def test_a_sync_has_to_name_its_protocol(at: Client) -> None:
    request = SyncGroupRequest(group_id="g", generation_id=1, member_id="A", assignments=[])
    assert at.ask(apis.SYNC_GROUP, request, 5).error_code == ErrorCode.INCONSISTENT_GROUP_PROTOCOL
    assert at.ask(apis.SYNC_GROUP, request, 4).error_code == ErrorCode.UNKNOWN_MEMBER_ID


def test_a_join_that_a_consumer_group_refuses_names_no_member(at: Client) -> None:
    group, topic, member = unique("billing"), unique("orders"), str(uuid4())
    create_topic(at, topic, 1)

    def error_of_joining() -> int:
        return int(heartbeat(at, group, member, 0, subscribed_topic_names=[topic]).error_code)

    eventually(f"{member} joins", lambda: error_of_joining() == ErrorCode.NONE)
    answer = at.ask(apis.JOIN_GROUP, join_request(group, member_id="zorro", protocol_type="connect"), 9)
    assert (answer.error_code, answer.member_id) == (ErrorCode.INCONSISTENT_GROUP_PROTOCOL, "")


def test_a_join_that_waits_while_its_member_is_removed_names_no_member(at: Client) -> None:
    group = unique("billing")
    member_id = at.ask(apis.JOIN_GROUP, join_request(group, group_instance_id="one")).member_id
    at.ask(apis.JOIN_GROUP, join_request(group))  # another gets its id, and is waited for
    again = join_request(group, b"other topics", member_id=member_id, group_instance_id="one")
    at.send(again, apis.JOIN_GROUP.max_version)
    with Client(at.bootstrap_servers) as administrator:
        eventually("it waits", lambda: state_of(administrator, group) == "PreparingRebalance")
        removed = LeaveGroupRequest.MemberIdentity(member_id="", group_instance_id="one")
        administrator.ask(apis.LEAVE_GROUP, LeaveGroupRequest(group_id=group, members=[removed]))
    answer = at.receive(apis.JOIN_GROUP, apis.JOIN_GROUP.max_version)
    assert (answer.error_code, answer.member_id) == (ErrorCode.UNKNOWN_MEMBER_ID, "")


def state_of(client: Client, group: str) -> str:
    state: str = client.ask(apis.DESCRIBE_GROUPS, DescribeGroupsRequest(groups=[group])).groups[0].group_state
    return state


def test_offsets_are_deleted_where_there_are_such_partitions(at: Client) -> None:
    group, topic = unique("simple"), unique("orders")
    create_topic(at, topic, 1)
    commit(at, group, topic)
    assert deleted(at, group, {topic: [0, 9], "nowhere": [0]}) == {
        (topic, 0): ErrorCode.NONE,
        (topic, 9): ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ("nowhere", 0): ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    }
    assert deleted(at, unique("nobody"), {"nowhere": [0]}) == ErrorCode.GROUP_ID_NOT_FOUND
    assert deleted(at, "", {topic: [0]}) == ErrorCode.INVALID_GROUP_ID


def deleted(client: Client, group: str, partitions: dict[str, list[int]]) -> dict[tuple[str, int], int] | int:
    asked = OffsetDeleteRequest.OffsetDeleteRequestTopic
    topics = [
        asked(name=topic, partitions=[asked.OffsetDeleteRequestPartition(partition_index=index) for index in indexes])
        for topic, indexes in partitions.items()
    ]
    answer = client.ask(apis.OFFSET_DELETE, OffsetDeleteRequest(group_id=group, topics=topics))
    if answer.error_code != ErrorCode.NONE:
        return int(answer.error_code)
    return {
        (topic.name, partition.partition_index): partition.error_code
        for topic in answer.topics
        for partition in topic.partitions
    }


@pytest.mark.parametrize("retention_ms", [2**63 - 1, -(2**63), 0])
def test_a_retention_time_may_end_beyond_all_time(at: Client, retention_ms: int) -> None:
    group, topic = unique("simple"), unique("orders")
    create_topic(at, topic, 1)
    commit(at, group, topic)
    asked = OffsetCommitRequest.OffsetCommitRequestTopic
    partition = asked.OffsetCommitRequestPartition(partition_index=0, committed_offset=5, committed_metadata="")
    request = OffsetCommitRequest(
        group_id=group,
        generation_id_or_member_epoch=-1,
        member_id="",
        retention_time_ms=retention_ms,
        topics=[asked(name=topic, partitions=[partition])],
    )
    answer = at.ask(apis.OFFSET_COMMIT, request, 4)
    assert answer.topics[0].partitions[0].error_code == ErrorCode.NONE
