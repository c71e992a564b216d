"""A connection as one of ours, which is told of what Apache Kafka never shipped; and what is asked of it often."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from kafka_nextgen.bridge.api_versions import to_request
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.wire import apis
from kafka_nextgen.wire.messages import (
    ConsumerGroupAddMembersRequest,
    ConsumerGroupDescribeRequest,
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupInstallAssignmentRequest,
    ConsumerGroupPrepareAssignmentRequest,
)
from kafka_nextgen.wire.schemas.consumer_group import ClientAssignor as Assignor
from kafka_nextgen.wire.schemas.consumer_group import TopicPartitions
from tests.broker.client import Client
from tests.broker.requests import topic_id_of

__all__ = ["Assignor", "Group", "announce", "describe", "extended", "heartbeat", "weighted"]

Share = ConsumerGroupInstallAssignmentRequest.Member


@contextmanager
def extended(bootstrap_servers: str) -> Iterator[Client]:
    """Connect, and say by which software."""
    with Client(bootstrap_servers) as client:
        client.ask(apis.API_VERSIONS, to_request("1"), 4)
        yield client


def heartbeat(client: Client, group: str, member: str, epoch: int, **fields: Any) -> Any:
    """Send a heartbeat; a join says everything that there is to say."""
    joining: dict[str, Any] = {"rebalance_timeout_ms": 5_000, "topic_partitions": []} if epoch == 0 else {}
    request = ConsumerGroupHeartbeatRequest(
        **{"group_id": group, "member_id": member, "member_epoch": epoch, **joining, **fields}
    )
    return client.ask(apis.CONSUMER_GROUP_HEARTBEAT, request)


def describe(client: Client, group: str) -> Any:
    """Describe a group."""
    return client.ask(apis.CONSUMER_GROUP_DESCRIBE, ConsumerGroupDescribeRequest(group_ids=[group])).groups[0]


def announce(client: Client, group: str, *instances: str, timeout_ms: int = 60_000) -> dict[str, int]:
    """Announce instances, and return what became of each."""
    expected = [ConsumerGroupAddMembersRequest.ExpectedMember(instance_id=instance) for instance in instances]
    request = ConsumerGroupAddMembersRequest(group_id=group, members=expected, timeout_ms=timeout_ms)
    answer = client.ask(apis.CONSUMER_GROUP_ADD_MEMBERS, request)
    assert answer.error_code == ErrorCode.NONE
    return {member.instance_id: member.error_code for member in answer.members}


def weighted(weight: bytes, reason: int = 0) -> list[Assignor]:
    return [
        Assignor(
            name="weighted",
            minimum_version=0,
            maximum_version=2,
            reason=reason,
            metadata_version=1,
            metadata_bytes=weight,
        )
    ]


class Group:
    """A group of one topic with four partitions, and two members with the same assignor."""

    def __init__(self, client: Client, group_id: str, topic: str) -> None:
        self.client = client
        self.group_id = group_id
        self.topic = topic
        self.topic_id = topic_id_of(client, topic)
        self.epochs = {"a": 0, "b": 0}

    def join(self) -> None:
        for member in self.epochs:
            self.beat(member, subscribed_topic_names=[self.topic], client_assignors=weighted(member.encode()))

    def beat(self, member: str, **fields: Any) -> Any:
        answer = heartbeat(self.client, self.group_id, member, self.epochs[member], **fields)
        assert answer.error_code == ErrorCode.NONE, answer.error_message
        self.epochs[member] = answer.member_epoch
        return answer

    def chosen(self) -> str:
        """The member that is told to compute."""
        (member,) = [member for member in self.epochs if self.beat(member).should_compute_assignment]
        return member

    def prepare(self, member: str, **fields: Any) -> Any:
        named = {"group_id": self.group_id, "member_id": member, "member_epoch": self.epochs.get(member, 0)}
        request = ConsumerGroupPrepareAssignmentRequest(**{**named, **fields})
        return self.client.ask(apis.CONSUMER_GROUP_PREPARE_ASSIGNMENT, request)

    def install(self, member: str, shares: dict[str, list[int]], **fields: Any) -> Any:
        members = [self.share(name, numbers) for name, numbers in shares.items()]
        named = {
            "group_id": self.group_id,
            "member_id": member,
            "member_epoch": self.epochs.get(member, 0),
            "members": members,
        }
        request = ConsumerGroupInstallAssignmentRequest(**{**named, **fields})
        return self.client.ask(apis.CONSUMER_GROUP_INSTALL_ASSIGNMENT, request)

    def share(self, member: str, numbers: list[int], metadata: bytes | None = b"hello") -> Share:
        return Share(
            member_id=member,
            partitions=[TopicPartitions(topic_id=self.topic_id, partitions=numbers)],
            metadata_version=1,
            metadata_bytes=metadata,
        )
