"""Several nodes in one process: shared topics and groups, divided duties, and racks (KIP-392)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import confluent_kafka
import pytest

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.testing import Cluster
from kafka_nextgen.testing.broker.apis import SERVED
from kafka_nextgen.testing.broker.broker import Broker
from kafka_nextgen.testing.broker.cluster import Cluster as ClusterState
from kafka_nextgen.testing.broker.context import Context
from kafka_nextgen.testing.broker.node import Node
from kafka_nextgen.testing.broker.settings import BrokerSettings
from kafka_nextgen.wire import apis
from tests.support.waiting import GUARD_S
from tests.testing.broker.client import Client, clients_of, join_request
from tests.testing.broker.group_requests import commit, committed, heartbeat, sync
from tests.testing.broker.requests import (
    by_name_fetch,
    coordinator_of,
    fetch_request,
    list_offset,
    metadata,
    produce,
    produce_request,
    records_of,
    values,
)

GROUPS = [f"group-{number}" for number in range(12)]

Clients = dict[int, Client]


@pytest.fixture(scope="module")
def three() -> Iterator[Cluster]:
    with Cluster(brokers=3) as running:
        running.create_topic("orders", 6)
        yield running


@pytest.fixture
def clients(three: Cluster) -> Iterator[Clients]:
    """A client of each node, by node id."""
    with clients_of(three.bootstrap_servers) as connected:
        yield connected


@pytest.mark.parametrize(("api", "first"), [(apis.PRODUCE, 10), (apis.FETCH, 16)], ids=str)
def test_who_comes_to_the_wrong_node_is_told_where_the_leader_is(clients: Clients, api: apis.Api, first: int) -> None:
    described = metadata(clients[1], "orders")
    addresses = {broker.node_id: broker.port for broker in described.brokers}
    leader = described.topics[0].partitions[0].leader_id
    wrong = next(client for node_id, client in clients.items() if node_id != leader)
    is_fetch = api is apis.FETCH
    asked = fetch_request(described.topics[0].topic_id) if is_fetch else produce_request("orders", values("a"))
    for version, is_told in ((first, True), (first - 1, False)):
        answer = wrong.ask(api, asked, version)
        topic = answer.responses[0]
        (partition,) = topic.partitions if is_fetch else topic.partition_responses
        assert partition.error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER
        told = partition.current_leader and (partition.current_leader.leader_id, partition.current_leader.leader_epoch)
        assert told == ((leader, 0) if is_told else None)
        nodes = {node.node_id: node.port for node in answer.node_endpoints or ()}
        assert nodes == ({leader: addresses[leader]} if is_told else {})


def test_leaders_are_spread_and_every_node_tells_the_same(clients: Clients) -> None:
    told = [metadata(client, "orders").topics[0] for client in clients.values()]
    assert told[0] == told[1] == told[2]
    assert sorted(partition.leader_id for partition in told[0].partitions) == [1, 1, 2, 2, 3, 3]


def test_records_go_to_and_come_from_their_leader_only(clients: Clients) -> None:
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


def test_groups_are_spread_and_answered_by_their_coordinator_only(clients: Clients) -> None:
    coordinators = {group: coordinator_of(clients[1], group).node_id for group in GROUPS}
    assert set(coordinators.values()) == {1, 2, 3}
    for group, coordinator in coordinators.items():
        for node_id, client in clients.items():
            expected = ErrorCode.NONE if node_id == coordinator else ErrorCode.NOT_COORDINATOR
            assert commit(client, group, "orders", 5) == expected
            assert heartbeat(client, group, 0, subscribed_topic_names=["orders"]).error_code == expected
        heartbeat(clients[coordinator], group, -1)
        assert committed(clients[coordinator], group, "orders") == 5


def test_members_of_classic_groups_are_sent_to_their_coordinator(clients: Clients) -> None:
    group = GROUPS[0]
    coordinator = coordinator_of(clients[1], group).node_id
    for node_id, client in clients.items():
        answers = [
            client.ask(apis.JOIN_GROUP, join_request(group, member_id="m")),
            sync(client, group, 1, "m"),
            client.ask(apis.HEARTBEAT, group_id=group, generation_id=1, member_id="m"),
            client.ask(apis.LEAVE_GROUP, group_id=group, members=[{"member_id": "m"}]),
            client.ask(apis.DESCRIBE_GROUPS, groups=[group]).groups[0],
        ]
        codes = {answer.error_code for answer in answers}
        assert (codes == {ErrorCode.NOT_COORDINATOR}) == (node_id != coordinator)


def test_each_node_lists_and_deletes_its_own_groups(clients: Clients) -> None:
    for group in GROUPS:
        commit(clients[coordinator_of(clients[1], group).node_id], group, "orders", 5)
    listed = {
        node_id: {group.group_id for group in client.ask(apis.LIST_GROUPS).groups}
        for node_id, client in clients.items()
    }
    assert sorted(group for groups in listed.values() for group in groups if group in GROUPS) == sorted(GROUPS)
    results = clients[1].ask(apis.DELETE_GROUPS, groups_names=GROUPS).results
    codes = {result.group_id: result.error_code for result in results}
    assert {group for group, code in codes.items() if code == ErrorCode.NONE} == listed[1]
    assert set(codes.values()) == {ErrorCode.NONE, ErrorCode.NOT_COORDINATOR}


def test_the_coordinator_hangs_on_the_groups_hash_as_in_kafka() -> None:
    """String.hashCode by its definition: the sum of s[i] * 31**(n-1-i) over UTF-16 units, in 32 bits.

    The last is the well-known string whose hash is the lowest number, which has no absolute value; Kafka takes 0.
    """
    hashes = {"": 0, "a": 97, "ü": 252, "hello": 99162322, "polygenelubricants": 0}
    state = ClusterState(BrokerSettings(), [Node(number) for number in range(50)], lambda: 0.0)
    found = {group: state.coordinator_of(group).node_id for group in hashes}
    assert found == {group: number % 50 for group, number in hashes.items()}


async def test_what_clients_are_told_may_differ_from_what_is_listened_on() -> None:
    addresses = []
    for broker in (Broker(host="0.0.0.0", advertised_host="kafka.example"), Broker(host="0.0.0.0")):
        await broker.start()
        addresses.append(broker.bootstrap_servers)
        await broker.close()
    assert addresses[0].startswith("kafka.example:")
    assert not addresses[1].startswith("0.0.0.0:")


RACK_AWARE = "org.apache.kafka.common.replica.RackAwareReplicaSelector"
LONG_MS = 60_000


def cluster_of(selector: str) -> Cluster:
    """Three nodes, in racks r1, r2 and r3."""
    settings = {"broker.rack": "r1,r2,r3", "default.replication.factor": 2, "replica.selector.class": selector}
    return Cluster(brokers=3, config=settings)


@pytest.fixture
def nodes() -> Iterator[dict[int, Client]]:
    """A client of each node; node 1 leads orders[0], node 2 has a replica of it, node 3 has none."""
    with cluster_of(RACK_AWARE) as cluster, clients_of(cluster.bootstrap_servers) as clients:
        cluster.create_topic("orders")
        produce(clients[1], "orders", values("a", "b"))
        yield clients


def fetched(client: Client, **how: Any) -> Any:
    (partition,) = by_name_fetch(client, "orders", **how)
    return partition


def test_clients_are_told_where_nodes_are(nodes: dict[int, Client]) -> None:
    racks = {1: "r1", 2: "r2", 3: "r3"}
    assert {broker.node_id: broker.rack for broker in metadata(nodes[1]).brokers} == racks
    described = nodes[1].ask(apis.DESCRIBE_CLUSTER, endpoint_type=1)
    assert {broker.broker_id: broker.rack for broker in described.brokers} == racks


def test_a_leader_sends_a_consumer_to_the_replica_in_its_rack_at_once(nodes: dict[int, Client]) -> None:
    answer = fetched(nodes[1], rack="r2", min_bytes=1, max_wait_ms=LONG_MS, offset=2)
    assert (answer.error_code, answer.preferred_read_replica, answer.records) == (ErrorCode.NONE, 2, b"")
    assert answer.high_watermark == 2


def test_a_leader_serves_a_consumer_that_has_no_replica_nearer(nodes: dict[int, Client]) -> None:
    for rack in ("", "r1", "r3", "elsewhere"):
        answer = fetched(nodes[1], rack=rack)
        assert answer.preferred_read_replica == -1
        assert records_of(answer) == [(0, "a"), (1, "b")]
    answer = fetched(nodes[1], rack="r2", offset=7)  # which is nowhere
    assert (answer.error_code, answer.preferred_read_replica) == (ErrorCode.OFFSET_OUT_OF_RANGE, -1)


def test_a_replica_serves_what_its_leader_has_and_takes_and_looks_up_nothing(nodes: dict[int, Client]) -> None:
    assert records_of(fetched(nodes[2], rack="r2")) == [(0, "a"), (1, "b")]
    assert records_of(fetched(nodes[2], rack="r1")) == [(0, "a"), (1, "b")], "only a leader sends consumers on"
    assert fetched(nodes[2], offset=7).error_code == ErrorCode.OFFSET_OUT_OF_RANGE
    assert fetched(nodes[2], leader_epoch=1).error_code == ErrorCode.UNKNOWN_LEADER_EPOCH
    for refused in (produce(nodes[2], "orders", values("c")), list_offset(nodes[2], "orders", -1)):
        assert refused.error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER
    assert fetched(nodes[3]).error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER, "it has no replica"


def test_clients_that_do_not_know_of_preferred_replicas_read_from_leaders_only(nodes: dict[int, Client]) -> None:
    def asked(node_id: int) -> Any:
        return nodes[node_id].ask(apis.FETCH, fetch_request("orders"), 10).responses[0].partitions[0]

    assert records_of(asked(1)) == [(0, "a"), (1, "b")]
    assert asked(2).error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER


@pytest.mark.parametrize("selector", ["", "org.apache.kafka.common.replica.LeaderSelector"])
def test_without_a_rack_aware_selector_nobody_is_sent_on(selector: str) -> None:
    with cluster_of(selector) as cluster:
        cluster.create_topic("orders")
        with Client(cluster.bootstrap_servers) as leader:
            produce(leader, "orders", values("a"))
            assert records_of(fetched(leader, rack="r2")) == [(0, "a")]


def test_confluents_consumer_reads_where_it_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    served: list[int] = []
    original = SERVED[apis.FETCH]

    async def handle(request: Any, context: Context) -> Any:
        answer = await original(request, context)
        records = [partition.records for topic in answer.responses for partition in topic.partitions]
        served.extend([context.node.node_id] * any(records))
        return answer

    monkeypatch.setitem(SERVED, apis.FETCH, handle)
    with cluster_of(RACK_AWARE) as cluster:
        cluster.create_topic("orders")
        with Client(cluster.bootstrap_servers) as leader:
            produce(leader, "orders", values("a", "b"))
        consumer = confluent_kafka.Consumer(
            {"bootstrap.servers": cluster.bootstrap_servers, "group.id": "g", "client.rack": "r2"}
        )
        consumer.assign([confluent_kafka.TopicPartition("orders", 0, 0)])
        messages = consumer.consume(2, timeout=GUARD_S)
        consumer.close()
    assert [message.value() for message in messages] == [b"a", b"b"]
    assert set(served) == {2}
