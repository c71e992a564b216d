"""A connection as one of ours, which is told of what Apache Kafka never shipped; and what is asked of it often."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.requests.api_versions import to_request
from kafka_nextgen.wire import apis
from tests.testing.broker import group_requests
from tests.testing.broker.client import Client
from tests.testing.broker.requests import topic_id_of


@contextmanager
def extended(bootstrap_servers: str) -> Iterator[Client]:
    """Connect, and say by which software."""
    with Client(bootstrap_servers) as client:
        client.ask(apis.API_VERSIONS, to_request("1"), 4)
        yield client


def heartbeat(client: Client, group: str, member: str, epoch: int, **fields: Any) -> Any:
    return group_requests.heartbeat(client, group, epoch, **{"member_id": member, **fields})


def describe(client: Client, group: str) -> Any:
    return client.ask(apis.CONSUMER_GROUP_DESCRIBE, group_ids=[group]).groups[0]


def announce(client: Client, group: str, *instances: str, timeout_ms: int = 60_000) -> dict[str, int]:
    """Announce instances, and return what became of each."""
    expected = [{"instance_id": instance} for instance in instances]
    answer = client.ask(apis.CONSUMER_GROUP_ADD_MEMBERS, group_id=group, members=expected, timeout_ms=timeout_ms)
    assert answer.error_code == ErrorCode.NONE
    return {member.instance_id: member.error_code for member in answer.members}


def weighted(weight: bytes, reason: int = 0) -> list[dict[str, Any]]:
    """An assignor of a member's own, in versions 0 to 2."""
    metadata = {"metadata_version": 1, "metadata_bytes": weight}
    return [{"name": "weighted", "minimum_version": 0, "maximum_version": 2, "reason": reason, **metadata}]


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
        return self.client.ask(apis.CONSUMER_GROUP_PREPARE_ASSIGNMENT, **{**self._named(member), **fields})

    def install(self, member: str, shares: dict[str, list[int]], **fields: Any) -> Any:
        members = [self.share(name, numbers) for name, numbers in shares.items()]
        asked = {**self._named(member), "members": members, **fields}
        return self.client.ask(apis.CONSUMER_GROUP_INSTALL_ASSIGNMENT, **asked)

    def share(self, member: str, numbers: list[int]) -> dict[str, Any]:
        partitions = [{"topic_id": self.topic_id, "partitions": numbers}]
        return {"member_id": member, "partitions": partitions, "metadata_version": 1, "metadata_bytes": b"hello"}

    def _named(self, member: str) -> dict[str, Any]:
        return {"group_id": self.group_id, "member_id": member, "member_epoch": self.epochs.get(member, 0)}
