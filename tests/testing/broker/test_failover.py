"""Nodes come and go: leaders and coordinators move, clients are told so, and nothing of a group is lost."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import MisuseError
from kafka_nextgen.groups.records import OffsetCommitted
from kafka_nextgen.offsets_topic.extensions import replay
from kafka_nextgen.testing import Cluster
from kafka_nextgen.wire import apis
from tests.support.waiting import eventually
from tests.testing.broker.client import Client, join_request
from tests.testing.broker.group_requests import commit, committed, heartbeat
from tests.testing.broker.requests import by_name_fetch, coordinator_of, metadata, produce, records_of, values

GROUP = "billing"


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    config = {"default.replication.factor": 2, "group.initial.rebalance.delay.ms": 60_000}
    with Cluster(brokers=3, config=config) as running:
        running.create_topic("orders", 3)
        yield running


class Nodes(ExitStack):
    """Clients of the nodes of a cluster, connected when needed."""

    def __init__(self, cluster: Cluster) -> None:
        super().__init__()
        self._addresses = dict(enumerate(cluster.bootstrap_servers.split(","), 1))

    def __getitem__(self, node_id: int) -> Client:
        return self.enter_context(Client(self._addresses[node_id]))


@pytest.fixture
def nodes(cluster: Cluster) -> Iterator[Nodes]:
    with Nodes(cluster) as opened:
        yield opened


def others(node_id: int) -> list[int]:
    return [other for other in (1, 2, 3) if other != node_id]


def moved(cluster: Cluster) -> tuple[int, int]:
    """Let another node coordinate the group; the one before, the one now."""
    before = cluster.coordinator_of(GROUP)
    after = others(before)[0]
    cluster.move_coordinator(GROUP, after)
    return before, after


def test_when_its_coordinator_is_killed_a_group_goes_on_with_another(cluster: Cluster, nodes: Nodes) -> None:
    first = cluster.coordinator_of(GROUP)
    epoch = heartbeat(nodes[first], GROUP, 0, subscribed_topic_names=["orders"]).member_epoch
    assert commit(nodes[first], GROUP, "orders", 7, epoch=epoch) == ErrorCode.NONE
    cluster.stop_node(first)
    second = cluster.coordinator_of(GROUP)
    assert second in others(first)
    assert coordinator_of(nodes[others(first)[0]], GROUP).node_id == second
    again = heartbeat(nodes[second], GROUP, epoch)
    assert (again.error_code, again.member_epoch) == (ErrorCode.NONE, epoch)
    assert committed(nodes[second], GROUP, "orders") == 7


def test_who_does_not_coordinate_any_more_says_so(cluster: Cluster, nodes: Nodes) -> None:
    before, after = moved(cluster)
    assert heartbeat(nodes[before], GROUP, 0, subscribed_topic_names=[]).error_code == ErrorCode.NOT_COORDINATOR
    assert heartbeat(nodes[after], GROUP, 0, subscribed_topic_names=[]).error_code == ErrorCode.NONE


def test_a_coordinator_that_reads_its_log_tells_clients_to_wait(cluster: Cluster, nodes: Nodes) -> None:
    first = cluster.coordinator_of(GROUP)
    commit(nodes[first], GROUP, "orders", 7)
    with cluster.loading_held():
        _, after = moved(cluster)
        client = nodes[after]
        loading = ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
        assert heartbeat(client, GROUP, 0, subscribed_topic_names=[]).error_code == loading
        assert commit(client, GROUP, "orders", 8) == loading
        assert client.ask(apis.LIST_GROUPS).error_code == loading
        beaten = client.ask(apis.HEARTBEAT, group_id=GROUP, generation_id=1, member_id="A")
        assert beaten.error_code == ErrorCode.NONE, "as Kafka answers it"
        assert coordinator_of(client, GROUP).node_id == after
    assert committed(client, GROUP, "orders") == 7


def test_who_waits_for_others_to_join_is_sent_to_the_new_coordinator(cluster: Cluster, nodes: Nodes) -> None:
    waiting = nodes[cluster.coordinator_of(GROUP)]
    waiting.send(join_request(GROUP), 3)
    shard = cluster._broker._cluster.groups.shard_of(GROUP)
    eventually("the join is parked", lambda: bool(shard._parking._waiting))
    moved(cluster)
    assert waiting.receive(apis.JOIN_GROUP, 3).error_code == ErrorCode.NOT_COORDINATOR


def test_without_a_living_replica_a_group_waits_until_one_is_back() -> None:
    config = {"offsets.topic.replication.factor": 1}
    with Cluster(brokers=2, config=config) as cluster, Nodes(cluster) as nodes:
        cluster.create_topic("orders")
        only = cluster.coordinator_of(GROUP)
        commit(nodes[only], GROUP, "orders", 7)
        other = 3 - only
        cluster.stop_node(only)
        assert coordinator_of(nodes[other], GROUP).error_code == ErrorCode.COORDINATOR_NOT_AVAILABLE
        assert commit(nodes[other], GROUP, "orders", 8) == ErrorCode.NOT_COORDINATOR
        assert cluster.coordinator_of(GROUP) is None
        cluster.start_node(only)
        assert coordinator_of(nodes[other], GROUP).node_id == only
        assert committed(nodes[only], GROUP, "orders") == 7


def test_a_single_node_that_restarts_remembers_its_groups() -> None:
    with Cluster() as cluster, Nodes(cluster) as nodes:
        cluster.create_topic("orders")
        commit(nodes[1], GROUP, "orders", 7)
        cluster.stop_node(1)
        cluster.start_node(1)
        assert committed(nodes[1], GROUP, "orders") == 7


def test_metadata_tells_who_is_alive_and_who_leads_since_when(cluster: Cluster, nodes: Nodes) -> None:
    leader = cluster.leader_of("orders", 0)
    follower = follower_of(nodes, leader)
    before = metadata(nodes[follower], "orders").topics[0].partitions[0]
    cluster.stop_node(leader)
    told = metadata(nodes[follower], "orders")
    after = told.topics[0].partitions[0]
    assert sorted(broker.node_id for broker in told.brokers) == others(leader)
    assert (after.leader_id, after.leader_epoch) == (follower, before.leader_epoch + 1)
    assert (after.isr_nodes, after.offline_replicas) == ((follower,), (leader,))
    cluster.stop_node(follower)
    (third,) = {1, 2, 3} - {leader, follower}
    down = metadata(nodes[third], "orders").topics[0].partitions[0]
    assert (down.error_code, down.leader_id) == (ErrorCode.LEADER_NOT_AVAILABLE, -1)
    cluster.start_node(leader)
    assert cluster.leader_of("orders", 0) is None, "the last one in sync has what was written last"
    cluster.start_node(follower)
    assert cluster.leader_of("orders", 0) == follower
    cluster.elect_preferred_leaders()
    assert cluster.leader_of("orders", 0) == leader


def follower_of(nodes: Nodes, leader: int) -> int:
    """The other node that has a replica of the partition."""
    (follower,) = {*metadata(nodes[leader], "orders").topics[0].partitions[0].replica_nodes} - {leader}
    return follower


def test_a_leader_that_was_moved_takes_no_records_and_fences_who_knows_the_old_epoch(
    cluster: Cluster, nodes: Nodes
) -> None:
    leader = cluster.leader_of("orders", 0)
    follower = follower_of(nodes, leader)
    produce(nodes[leader], "orders", values("a"))
    cluster.move_leader("orders", 0, follower)
    assert produce(nodes[leader], "orders", values("b")).error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER
    assert produce(nodes[follower], "orders", values("b")).error_code == ErrorCode.NONE
    (fetched,) = by_name_fetch(nodes[follower], "orders")
    assert records_of(fetched) == [(0, "a"), (1, "b")]


def test_without_enough_replicas_only_who_does_not_ask_for_them_may_write() -> None:
    config = {"default.replication.factor": 2}
    with Cluster(brokers=2, config=config) as cluster, Nodes(cluster) as nodes:
        cluster.create_topic("orders")
        state = cluster._broker._cluster
        cluster._call(lambda: state.configure_topic("orders", {"min.insync.replicas": "2"}))
        follower = 3 - cluster.leader_of("orders", 0)
        cluster.stop_node(follower)
        leader = nodes[3 - follower]
        assert produce(leader, "orders", values("a")).error_code == ErrorCode.NOT_ENOUGH_REPLICAS
        assert produce(leader, "orders", values("b"), acks=1).error_code == ErrorCode.NONE
        cluster.start_node(follower)
        assert produce(leader, "orders", values("c")).error_code == ErrorCode.NONE
        (fetched,) = by_name_fetch(leader, "orders")
        assert records_of(fetched) == [(0, "b"), (1, "c")]


def test_what_brokers_write_for_themselves_is_not_taken_from_clients(cluster: Cluster, nodes: Nodes) -> None:
    leader = cluster.coordinator_of(GROUP)
    led = next(index for index in range(50) if cluster.leader_of("__consumer_offsets", index) == leader)
    refused = produce(nodes[leader], "__consumer_offsets", values("a"), partition=led)
    assert refused.error_code == ErrorCode.INVALID_TOPIC_EXCEPTION


def test_the_offsets_topic_is_internal_compacted_and_can_be_read(cluster: Cluster, nodes: Nodes) -> None:
    first = cluster.coordinator_of(GROUP)
    commit(nodes[first], GROUP, "orders", 7)
    topic = metadata(nodes[first], "__consumer_offsets").topics[0]
    assert topic.is_internal
    assert len(topic.partitions) == 50
    assert {len(partition.replica_nodes) for partition in topic.partitions} == {3}
    shard = cluster._broker._cluster.groups.shard_of(GROUP)
    (fetched,) = by_name_fetch(nodes[first], "__consumer_offsets", partitions=[shard.log.partition.partition])
    (batch,) = replay(fetched.records, shard.log.partition)
    (record,) = batch.records
    assert isinstance(record, OffsetCommitted)
    assert (record.group_id, record.offset.offset) == (GROUP, 7)


def test_what_can_not_be_is_refused(cluster: Cluster) -> None:
    cluster.stop_node(2)
    for wrong, complaint in (
        (lambda: cluster.stop_node(4), "there is no node 4, only 1, 2, 3"),
        (lambda: cluster.stop_node(2), "node 2 is not running"),
        (lambda: cluster.start_node(1), "node 1 is already running"),
        (lambda: cluster.leader_of("gone", 0), r"no partition gone\[0\]"),
        (lambda: cluster.move_coordinator(GROUP, 2), "node 2 can't lead"),
    ):
        with pytest.raises(MisuseError, match=complaint):
            wrong()
