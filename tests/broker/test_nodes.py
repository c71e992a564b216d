"""Several nodes in one process: shared topics and groups, divided duties."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from kafka_nextgen.broker.broker import Broker
from kafka_nextgen.broker.cluster import Cluster as ClusterState
from kafka_nextgen.broker.node import Node
from kafka_nextgen.broker.settings import BrokerSettings
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.testing import Cluster
from kafka_nextgen.wire import apis
from kafka_nextgen.wire.messages import (
    DeleteGroupsRequest,
    DescribeGroupsRequest,
    FindCoordinatorRequest,
    HeartbeatRequest,
    JoinGroupRequest,
    LeaveGroupRequest,
    ListGroupsRequest,
    SyncGroupRequest,
)
from kafka_nextgen.wire.schema import Message
from tests.broker.client import Client
from tests.broker.group_requests import commit, committed, heartbeat
from tests.broker.requests import (
    by_name_fetch,
    fetch_request,
    list_offset,
    metadata,
    produce,
    produce_request,
    records_of,
    values,
)

GROUPS = [f"group-{number}" for number in range(12)]


@pytest.fixture(scope="module")
def three() -> Iterator[Cluster]:
    with Cluster(brokers=3) as running:
        running.create_topic("orders", 6)
        yield running


@pytest.fixture
def clients(three: Cluster) -> Iterator[dict[int, Client]]:
    """A client of each node, by node id."""
    with Client(three.bootstrap_servers) as first:
        brokers = metadata(first, "orders").brokers
    connected = {broker.node_id: Client(f"{broker.host}:{broker.port}") for broker in brokers}
    yield connected
    for client in connected.values():
        client.__exit__(None, None, None)


@pytest.mark.parametrize(
    ("api", "request_of", "first"),
    [(apis.PRODUCE, produce_request, 10), (apis.FETCH, lambda name, _: fetch_request(name), 16)],
    ids=["produce", "fetch"],
)
def test_who_comes_to_the_wrong_node_is_told_where_the_leader_is(
    clients: dict[int, Client], api: apis.Api, request_of: Callable[[Any, bytes], Message], first: int
) -> None:
    described = metadata(clients[1], "orders")
    leader = described.topics[0].partitions[0].leader_id
    wrong = next(client for node_id, client in clients.items() if node_id != leader)
    name = described.topics[0].topic_id if api is apis.FETCH else "orders"
    for version in (first, first - 1):
        answer = wrong.ask(api, request_of(name, values("a")), version)
        topic = answer.responses[0]
        (partition,) = topic.partition_responses if api is apis.PRODUCE else topic.partitions
        assert partition.error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER
        told = partition.current_leader and (partition.current_leader.leader_id, partition.current_leader.leader_epoch)
        assert told == ((leader, 0) if version == first else None)
        addresses = {broker.node_id: broker.port for broker in described.brokers}
        nodes = {node.node_id: node.port for node in answer.node_endpoints or ()}
        assert nodes == ({leader: addresses[leader]} if version == first else {})


def coordinator_of(client: Client, group: str) -> int:
    request = FindCoordinatorRequest(coordinator_keys=[group], key_type=0)
    node_id: int = client.ask(apis.FIND_COORDINATOR, request).coordinators[0].node_id
    return node_id


def test_leaders_are_spread_and_every_node_tells_the_same(clients: dict[int, Client]) -> None:
    told = [metadata(client, "orders").topics[0] for client in clients.values()]
    assert told[0] == told[1] == told[2]
    leaders = [partition.leader_id for partition in told[0].partitions]
    assert sorted(leaders) == [1, 1, 2, 2, 3, 3]


def test_records_go_to_and_come_from_their_leader_only(clients: dict[int, Client]) -> None:
    for partition in metadata(clients[1], "orders").topics[0].partitions:
        index, leader = partition.partition_index, partition.leader_id
        for node_id, client in clients.items():
            expected = ErrorCode.NONE if node_id == leader else ErrorCode.NOT_LEADER_OR_FOLLOWER
            assert produce(client, "orders", values("a"), partition=index).error_code == expected
            assert list_offset(client, "orders", -1, partition=index).error_code == expected
            (fetched,) = by_name_fetch(client, "orders", partitions=[index])
            assert fetched.error_code == expected
        (fetched,) = by_name_fetch(clients[leader], "orders", partitions=[index])
        assert records_of(fetched) == [(0, "a")]


def test_groups_are_spread_and_answered_by_their_coordinator_only(clients: dict[int, Client]) -> None:
    coordinators = {group: coordinator_of(clients[1], group) for group in GROUPS}
    assert set(coordinators.values()) == {1, 2, 3}
    for group, coordinator in coordinators.items():
        for node_id, client in clients.items():
            expected = ErrorCode.NONE if node_id == coordinator else ErrorCode.NOT_COORDINATOR
            assert commit(client, group, "orders", 5) == expected
            joined = heartbeat(client, group, 0, subscribed_topic_names=["orders"])
            assert joined.error_code == expected
            if node_id == coordinator:
                heartbeat(client, group, -1)
        assert committed(clients[coordinator], group, "orders") == 5


def test_members_of_classic_groups_are_sent_to_their_coordinator(clients: dict[int, Client]) -> None:
    group = GROUPS[0]
    coordinator = coordinator_of(clients[1], group)
    for node_id, client in clients.items():
        codes = {_first_error(client.ask(api, request)) for api, request in _classic_requests(group)}
        assert (codes == {ErrorCode.NOT_COORDINATOR}) == (node_id != coordinator)


def _classic_requests(group: str) -> list[tuple[apis.Api, Message]]:
    who = LeaveGroupRequest.MemberIdentity(member_id="m", group_instance_id=None, reason=None)
    join = JoinGroupRequest(
        group_id=group,
        session_timeout_ms=6000,
        rebalance_timeout_ms=6000,
        member_id="m",
        protocol_type="consumer",
        protocols=[],
    )
    sync = SyncGroupRequest(
        group_id=group,
        generation_id=1,
        member_id="m",
        protocol_type="consumer",
        protocol_name="range",
        assignments=[],
    )
    return [
        (apis.JOIN_GROUP, join),
        (apis.SYNC_GROUP, sync),
        (apis.HEARTBEAT, HeartbeatRequest(group_id=group, generation_id=1, member_id="m")),
        (apis.LEAVE_GROUP, LeaveGroupRequest(group_id=group, members=[who])),
        (apis.DESCRIBE_GROUPS, DescribeGroupsRequest(groups=[group])),
    ]


def _first_error(answer: Any) -> int:
    """That of the answer, of its first group, or of its first member."""
    parts = [answer, *getattr(answer, "groups", ()), *getattr(answer, "members", ())]
    return next((part.error_code for part in parts if getattr(part, "error_code", 0)), 0)


def test_each_node_lists_and_deletes_its_own_groups(clients: dict[int, Client]) -> None:
    for group in GROUPS:
        commit(clients[coordinator_of(clients[1], group)], group, "orders", 5)
    listing = ListGroupsRequest(states_filter=[], types_filter=[])
    listed = {
        node_id: {group.group_id for group in client.ask(apis.LIST_GROUPS, listing).groups}
        for node_id, client in clients.items()
    }
    assert sorted(group for groups in listed.values() for group in groups if group in GROUPS) == sorted(GROUPS)
    results = clients[1].ask(apis.DELETE_GROUPS, DeleteGroupsRequest(groups_names=GROUPS)).results
    codes = {result.group_id: result.error_code for result in results}
    assert {group for group, code in codes.items() if code == ErrorCode.NONE} == listed[1]
    assert set(codes.values()) == {ErrorCode.NONE, ErrorCode.NOT_COORDINATOR}


@pytest.mark.parametrize(
    ("group", "partition"),
    # String.hashCode by its definition: the sum of s[i] * 31**(n-1-i) over UTF-16 units, in 32 bits. The last is the
    # well-known string whose hash is the lowest number, which has no absolute value; Kafka takes 0.
    [("", 0), ("a", 97 % 50), ("ü", 252 % 50), ("hello", 99162322 % 50), ("polygenelubricants", 0)],
)
def test_the_coordinator_hangs_on_the_groups_hash_as_in_kafka(group: str, partition: int) -> None:
    nodes = [Node(number) for number in range(50)]
    state = ClusterState(BrokerSettings(), nodes, lambda: 0.0)
    assert state.coordinator_of(group).node_id == partition


def test_what_clients_are_told_may_differ_from_what_is_listened_on() -> None:
    told = Broker(host="0.0.0.0", advertised_host="kafka.example")
    named = Broker(host="0.0.0.0")

    async def start_both() -> None:
        for broker in (told, named):
            await broker.start()
            addresses.append(broker.bootstrap_servers)
            await broker.close()

    addresses: list[str] = []
    asyncio.run(start_both())
    assert addresses[0].startswith("kafka.example:")
    assert not addresses[1].startswith("0.0.0.0:")
