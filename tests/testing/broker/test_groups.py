"""Groups over the wire: heartbeats, offsets, and what administrators see. The coordinator has its own tests."""

from __future__ import annotations

from uuid import uuid4

import pytest

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.groups.listed import GroupsListed
from kafka_nextgen.testing import Cluster
from kafka_nextgen.testing.broker.cluster import Cluster as ClusterState
from kafka_nextgen.testing.broker.node import Node
from kafka_nextgen.testing.broker.settings import BrokerSettings
from kafka_nextgen.testing.coordinator.requests import ListGroups, OffsetFetch
from kafka_nextgen.testing.coordinator.responses import OffsetsFetched
from kafka_nextgen.wire import apis
from tests.support.clients import unique
from tests.support.waiting import eventually
from tests.testing.broker.client import Client
from tests.testing.broker.group_requests import commit, committed, heartbeat
from tests.testing.broker.requests import coordinator_of, topic_id_of


def test_a_member_joins_is_described_and_leaves(client: Client, topic: str, group: str) -> None:
    joined = heartbeat(client, group, 0, subscribed_topic_names=[topic])
    assert joined.error_code == ErrorCode.NONE
    assert joined.heartbeat_interval_ms == 100
    (assigned,) = joined.assignment.topic_partitions
    assert (assigned.topic_id, assigned.partitions) == (topic_id_of(client, topic), (0,))

    described, unknown = client.ask(apis.CONSUMER_GROUP_DESCRIBE, group_ids=[group, "nobody"]).groups
    assert unknown.error_code == ErrorCode.GROUP_ID_NOT_FOUND
    assert (described.group_state, described.assignor_name) == ("Stable", "uniform")
    (member,) = described.members
    assert (member.client_id, member.client_host) == ("tests", "/127.0.0.1")
    assert member.assignment.topic_partitions[0].topic_name == topic

    assert heartbeat(client, group, -1).error_code == ErrorCode.NONE
    assert client.ask(apis.CONSUMER_GROUP_DESCRIBE, group_ids=[group]).groups[0].members == ()


def test_in_version_0_a_member_without_an_id_is_given_one(client: Client, topic: str, group: str) -> None:
    answer = heartbeat(client, group, 0, version=0, member_id="", subscribed_topic_names=[topic])
    assert answer.error_code == ErrorCode.NONE
    assert len(answer.member_id) == 36


def test_a_member_hears_of_a_topic_made_after_it_joined(cluster: Cluster, client: Client, group: str) -> None:
    topic = unique("late")
    assert heartbeat(client, group, 0, subscribed_topic_names=[topic]).assignment.topic_partitions == ()
    cluster.create_topic(topic)

    def is_assigned() -> bool:
        answer = heartbeat(client, group, 0, subscribed_topic_names=[topic])
        return bool(answer.assignment and answer.assignment.topic_partitions)

    eventually("the new topic is assigned", is_assigned)


def test_offsets_are_committed_by_name_and_by_id_and_read_again(client: Client, topic: str, group: str) -> None:
    assert committed(client, group, topic) == -1
    assert commit(client, group, topic, 5) == ErrorCode.NONE
    assert committed(client, group, topic) == 5
    assert commit(client, group, topic_id_of(client, topic), 6) == ErrorCode.NONE
    assert committed(client, group, topic) == 6


def test_partitions_that_do_not_exist_cannot_be_committed(client: Client, topic: str, group: str) -> None:
    assert commit(client, group, topic, 5, partition=1) == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert commit(client, group, "nowhere", 5) == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert commit(client, group, uuid4(), 5) == ErrorCode.UNKNOWN_TOPIC_ID


def test_a_member_of_nothing_cannot_commit(client: Client, topic: str, group: str) -> None:
    heartbeat(client, group, 0, subscribed_topic_names=[topic])
    assert commit(client, group, topic, 5, epoch=99) == ErrorCode.STALE_MEMBER_EPOCH
    assert commit(client, group, topic, 5) == ErrorCode.UNKNOWN_MEMBER_ID


def test_groups_are_listed_by_state_and_type(client: Client, topic: str, group: str) -> None:
    heartbeat(client, group, 0, subscribed_topic_names=[topic])

    def listed(**filters: list[str]) -> list[tuple[str, str, str]]:
        groups = client.ask(apis.LIST_GROUPS, **filters).groups
        return [(each.group_state, each.group_type, each.protocol_type) for each in groups if each.group_id == group]

    assert listed() == [("Stable", "consumer", "consumer")]
    assert listed(states_filter=["Empty"]) == []
    assert listed(types_filter=["classic"]) == []
    assert listed(types_filter=["consumer"]) == listed()


def test_a_groups_coordinator_is_found_in_every_version(cluster: Cluster, client: Client) -> None:
    for version in range(apis.FIND_COORDINATOR.max_version + 1):
        answer = client.ask(apis.FIND_COORDINATOR, version=version, key="billing", coordinator_keys=["billing"])
        found = answer if version < 4 else answer.coordinators[0]
        assert (found.error_code, f"{found.host}:{found.port}") == (ErrorCode.NONE, cluster.bootstrap_servers)


def test_transactions_have_a_coordinator_and_share_groups_have_none(client: Client) -> None:
    assert coordinator_of(client, "t", key_type=1).error_code == ErrorCode.NONE
    assert coordinator_of(client, "t", key_type=2).error_code == ErrorCode.INVALID_REQUEST


async def test_timers_that_fail_are_logged_and_the_groups_go_on(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("a bug")

    groups = ClusterState(BrokerSettings(), [Node(1)], lambda: 0.0).groups
    groups.ask(OffsetFetch("billing"), OffsetsFetched)
    shard = groups.shard_of("billing")
    monkeypatch.setattr(shard.coordinator, "expire", fail)
    shard.expire()
    assert groups.list_groups(ListGroups(), 1) == GroupsListed(())
    groups.close()
    assert "a bug" in caplog.text
