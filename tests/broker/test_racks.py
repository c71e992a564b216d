"""Nodes in racks: consumers are sent to the replica in theirs, and served there (KIP-392)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import confluent_kafka
import pytest

from kafka_nextgen.broker.apis import SERVED
from kafka_nextgen.broker.context import Context
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.testing import Cluster
from kafka_nextgen.wire import apis
from kafka_nextgen.wire.messages import DescribeClusterRequest
from tests.broker.client import Client
from tests.broker.requests import by_name_fetch, fetch_request, list_offset, metadata, produce, records_of, values

RACK_AWARE = "org.apache.kafka.common.replica.RackAwareReplicaSelector"
LONG_MS = 60_000


def cluster_of(selector: str, replicas: int = 2) -> Cluster:
    """Three nodes, in racks r1, r2 and r3."""
    settings = {
        "broker.rack": "r1,r2,r3",
        "default.replication.factor": replicas,
        "replica.selector.class": selector,
    }
    return Cluster(brokers=3, config=settings)


def connect(cluster: Cluster) -> dict[int, Client]:
    with Client(cluster.bootstrap_servers) as first:
        brokers = metadata(first).brokers
    return {broker.node_id: Client(f"{broker.host}:{broker.port}") for broker in brokers}


@pytest.fixture
def nodes() -> Iterator[dict[int, Client]]:
    """A client of each node; node 1 leads orders[0], node 2 has a replica of it, node 3 has none."""
    with cluster_of(RACK_AWARE) as cluster:
        cluster.create_topic("orders")
        clients = connect(cluster)
        produce(clients[1], "orders", values("a", "b"))
        yield clients
        for client in clients.values():
            client.close()


def fetched(client: Client, **how: Any) -> Any:
    (partition,) = by_name_fetch(client, "orders", **how)
    return partition


def test_clients_are_told_where_nodes_are(nodes: dict[int, Client]) -> None:
    racks = {1: "r1", 2: "r2", 3: "r3"}
    assert {broker.node_id: broker.rack for broker in metadata(nodes[1]).brokers} == racks
    described = nodes[1].ask(apis.DESCRIBE_CLUSTER, DescribeClusterRequest(endpoint_type=1))
    assert {broker.broker_id: broker.rack for broker in described.brokers} == racks


def test_a_leader_sends_a_consumer_to_the_replica_in_its_rack_at_once(nodes: dict[int, Client]) -> None:
    answer = fetched(nodes[1], rack="r2", min_bytes=1, max_wait_ms=LONG_MS, offset=2)
    assert (answer.error_code, answer.preferred_read_replica, answer.records) == (ErrorCode.NONE, 2, b"")
    assert answer.high_watermark == 2


@pytest.mark.parametrize("rack", ["", "r1", "r3", "elsewhere"])
def test_a_leader_serves_whoever_has_no_replica_nearer(nodes: dict[int, Client], rack: str) -> None:
    answer = fetched(nodes[1], rack=rack)
    assert answer.preferred_read_replica == -1
    assert records_of(answer) == [(0, "a"), (1, "b")]


def test_nobody_is_sent_on_for_an_offset_that_is_nowhere(nodes: dict[int, Client]) -> None:
    answer = fetched(nodes[1], rack="r2", offset=7)
    assert (answer.error_code, answer.preferred_read_replica) == (ErrorCode.OFFSET_OUT_OF_RANGE, -1)


def test_a_replica_serves_what_its_leader_has_and_takes_and_looks_up_nothing(nodes: dict[int, Client]) -> None:
    assert records_of(fetched(nodes[2], rack="r2")) == [(0, "a"), (1, "b")]
    assert records_of(fetched(nodes[2], rack="r1")) == [(0, "a"), (1, "b")], "only a leader sends consumers on"
    assert fetched(nodes[2], offset=7).error_code == ErrorCode.OFFSET_OUT_OF_RANGE
    assert fetched(nodes[2], leader_epoch=1).error_code == ErrorCode.UNKNOWN_LEADER_EPOCH
    for refused in (produce(nodes[2], "orders", values("c")), list_offset(nodes[2], "orders", -1)):
        assert refused.error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER


def test_a_node_without_a_replica_serves_nothing(nodes: dict[int, Client]) -> None:
    assert fetched(nodes[3]).error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER


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

    monkeypatch.setitem(SERVED, apis.FETCH, handle)  # type: ignore[arg-type]
    with cluster_of(RACK_AWARE) as cluster:
        cluster.create_topic("orders")
        with Client(cluster.bootstrap_servers) as leader:
            produce(leader, "orders", values("a", "b"))
        consumer = confluent_kafka.Consumer(
            {"bootstrap.servers": cluster.bootstrap_servers, "group.id": "g", "client.rack": "r2"}
        )
        consumer.assign([confluent_kafka.TopicPartition("orders", 0, 0)])
        messages = consumer.consume(2, timeout=20)
        consumer.close()
    assert [message.value() for message in messages] == [b"a", b"b"]
    assert set(served) == {2}
