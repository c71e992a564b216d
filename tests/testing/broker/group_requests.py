"""Requests of members of groups, by either protocol."""

from __future__ import annotations

from typing import Any

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.types import TopicId
from kafka_nextgen.wire import apis
from tests.testing.broker.client import Client, join_request

_OF_NOTHING = b"\0\0\0\0\0\0\xff\xff\xff\xff"  # a subscription, and an assignment


def heartbeat(client: Client, group: str, epoch: int, *, version: int = 1, **fields: Any) -> Any:
    """Send a heartbeat of member A, or of ``member_id``; a join says everything that there is to say."""
    joining = {"rebalance_timeout_ms": 5_000, "topic_partitions": []} if epoch == 0 else {}
    named = {"group_id": group, "member_id": "A", "member_epoch": epoch}
    return client.ask(apis.CONSUMER_GROUP_HEARTBEAT, version=version, **{**named, **joining, **fields})


def commit(
    client: Client, group: str, topic: str | TopicId, offset: int, *, partition: int = 0, epoch: int = -1
) -> Any:
    """Commit an offset from outside the group, or as its member A at ``epoch``; return the error."""
    is_name = isinstance(topic, str)
    at = {"partition_index": partition, "committed_offset": offset, "committed_metadata": "why"}
    answer = client.ask(
        apis.OFFSET_COMMIT,
        version=9 if is_name else 10,
        group_id=group,
        generation_id_or_member_epoch=epoch,
        member_id="" if epoch < 0 else "A",
        topics=[{"name" if is_name else "topic_id": topic, "partitions": [at]}],
    )
    return answer.topics[0].partitions[0].error_code


def fetched_offset(client: Client, group: str, topic: str) -> Any:
    """What is told of the stable offset of partition 0."""
    topics = [{"name": topic, "partition_indexes": [0]}]
    groups = [{"group_id": group, "member_id": None, "member_epoch": -1, "topics": topics}]
    answer = client.ask(apis.OFFSET_FETCH, version=9, groups=groups, require_stable=True)
    return answer.groups[0].topics[0].partitions[0]


def committed(client: Client, group: str, topic: str) -> int:
    return fetched_offset(client, group, topic).committed_offset


def sync(client: Client, group: str, generation: int, member_id: str, assignment: bytes = b"", **fields: Any) -> Any:
    """Ask for a member's share as the leader of a group of one, who gives it to itself."""
    given = [{"member_id": member_id, "assignment": assignment}]
    named = {"group_id": group, "generation_id": generation, "member_id": member_id, "assignments": given}
    return client.ask(apis.SYNC_GROUP, **{"version": 3, **named, **fields})


def leave(client: Client, group: str, member_id: str, instance_id: str | None = None) -> Any:
    """Take a member out of a classic group; return what is said of it."""
    who = {"member_id": member_id, "group_instance_id": instance_id, "reason": None}
    return client.ask(apis.LEAVE_GROUP, group_id=group, members=[who]).members[0]


def live_by_the_classic_protocol(client: Client) -> str:
    """Have a member join the group "old"; return its id."""
    joined = client.ask(apis.JOIN_GROUP, join_request("old", _OF_NOTHING), 3)
    sync(client, "old", joined.generation_id, joined.member_id, _OF_NOTHING)
    return joined.member_id


def join(client: Client, group: str, member: str, **fields: Any) -> Any:
    return heartbeat(client, group, 0, member_id=member, subscribed_topic_names=["orders"], **fields)


def is_joined(client: Client, group: str) -> bool:
    return bool(join(client, group, "A").error_code == ErrorCode.NONE)
