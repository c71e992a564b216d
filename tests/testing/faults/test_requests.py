"""Faults of single requests: errors, delays, throttles, lost requests and answers, silence."""

from __future__ import annotations

import json

import pytest

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.testing import Api, Cluster
from kafka_nextgen.wire import apis
from tests.testing.broker.client import Client, clients_of
from tests.testing.broker.requests import fetch_request, produce, produce_request, values
from tests.testing.faults.committing import Committer

LOADING = ErrorCode.COORDINATOR_LOAD_IN_PROGRESS


def test_an_error_is_answered_as_often_as_asked_and_nothing_is_carried_out(cluster: Cluster, group: Committer) -> None:
    with cluster.fault(Api.OFFSET_COMMIT, error="COORDINATOR_LOAD_IN_PROGRESS", times=2) as fault:
        assert [group.commit(5), group.commit(6)] == [[LOADING], [LOADING]]
        assert (fault.met, group.committed()) == (2, -1)
        assert group.commit(7) == [ErrorCode.NONE]
    assert (fault.met, group.committed()) == (2, 7)


def test_requests_before_the_first_that_counts_are_served(cluster: Cluster, group: Committer) -> None:
    with cluster.fault(Api.OFFSET_COMMIT, error=LOADING, after=2, times=1) as fault:
        assert [group.commit(offset) for offset in range(4)] == [[0], [0], [LOADING], [0]]
    assert fault.met == 1


def test_an_error_of_one_partition_leaves_the_others_of_the_request_as_they_are(
    cluster: Cluster, group: Committer
) -> None:
    with cluster.fault(Api.OFFSET_COMMIT, error=LOADING, topic="orders", partition=1):
        assert group.commit(5, 1, 0) == [LOADING, ErrorCode.NONE]
        assert group.commit(6, 0) == [ErrorCode.NONE]
    assert (group.committed(0), group.committed(1)) == (6, -1)


def test_an_error_of_a_topic_in_metadata_leaves_the_brokers_in_the_answer(cluster: Cluster, client: Client) -> None:
    with cluster.fault(Api.METADATA, error="LEADER_NOT_AVAILABLE", topic="orders") as fault:
        for version, topics in ((0, []), (9, None), (9, [{"name": "orders"}])):
            answer = client.ask(apis.METADATA, version=version, topics=topics)
            assert [broker.node_id for broker in answer.brokers] == [1]
            assert [(topic.name, topic.error_code) for topic in answer.topics] == [
                ("orders", ErrorCode.LEADER_NOT_AVAILABLE)
            ]
    assert fault.met == 3


@pytest.mark.parametrize("version", range(apis.FETCH.min_version, 13))
def test_an_error_of_a_fetched_partition_comes_with_the_records_of_others(
    cluster: Cluster, client: Client, version: int
) -> None:
    for partition in (0, 1):
        produce(client, "orders", values("one"), partition=partition)
    error = ErrorCode.NOT_LEADER_OR_FOLLOWER
    request = fetch_request("orders", partitions=(0, 1))
    with cluster.fault(Api.FETCH, error=error, topic="orders", partition=1, times=1):
        zero, one = client.ask(apis.FETCH, request, version).responses[0].partitions
        assert (zero.error_code, one.error_code, bool(zero.records), bool(one.records)) == (0, error, True, False)
    answer = client.ask(apis.FETCH, request, version)
    assert [each.error_code for each in answer.responses[0].partitions] == [0, 0]


def test_records_that_are_refused_are_not_in_the_log(cluster: Cluster, client: Client) -> None:
    with cluster.fault(Api.PRODUCE, error="NOT_ENOUGH_REPLICAS", topic="orders", partition=0, times=1):
        refused = produce(client, "orders", values("one"))
    assert (refused.error_code, refused.base_offset) == (ErrorCode.NOT_ENOUGH_REPLICAS, -1)
    assert produce(client, "orders", values("two")).base_offset == 0


def test_a_producer_that_expects_no_answer_loses_its_connection_by_an_error(cluster: Cluster, client: Client) -> None:
    with cluster.fault(Api.PRODUCE, error="NOT_ENOUGH_REPLICAS"):
        client.send(produce_request("orders", values("one"), acks=0), 12)
        assert client.is_hung_up()


def test_a_delay_ends_by_the_clusters_clock(cluster: Cluster, group: Committer) -> None:
    with cluster.fault(Api.OFFSET_COMMIT, delay_s=3600, times=1) as fault:
        group.send(5)
        fault.wait_until_met()
        cluster.advance(3599)
        assert not group.client.has_answer(0)
        cluster.advance(1)
        assert group.receive() == [ErrorCode.NONE]


def test_a_delayed_request_is_served_when_the_fault_ends(cluster: Cluster, group: Committer) -> None:
    with cluster.fault(Api.OFFSET_COMMIT, delay_s=3600) as fault:
        group.send(5)
        fault.wait_until_met()
    assert group.receive() == [ErrorCode.NONE]


def test_a_throttled_client_is_told_so_and_its_next_request_waits(cluster: Cluster, client: Client) -> None:
    with cluster.fault(Api.METADATA, throttle_s=3600, times=1):
        assert client.ask(apis.METADATA, version=9, topics=[]).throttle_time_ms == 3_600_000
    client.send(apis.METADATA.request(topics=[]), 9)
    cluster.advance(3599)
    assert not client.has_answer(0)
    cluster.advance(1)
    assert client.receive(apis.METADATA, 9).throttle_time_ms == 0


@pytest.mark.parametrize(("when", "committed"), [("before", -1), ("after", 5)])
def test_a_request_or_its_answer_is_lost_with_the_connection(cluster: Cluster, when: str, committed: int) -> None:
    with Client(cluster.bootstrap_servers) as first, cluster.fault(Api.OFFSET_COMMIT, drop=when, times=1):  # type: ignore[typeddict-item]
        Committer(first).send(5)
        assert first.is_hung_up()
    with Client(cluster.bootstrap_servers) as second:
        assert Committer(second).committed() == committed


def test_a_connection_is_cut_in_the_middle_of_an_answer(cluster: Cluster, group: Committer) -> None:
    with cluster.fault(Api.OFFSET_COMMIT, cut_connection=True):
        group.send(5)
        with pytest.raises(ConnectionError, match="the broker hung up"):
            group.receive()
    with Client(cluster.bootstrap_servers) as second:
        assert Committer(second).committed() == 5


def test_a_silent_node_answers_nothing_until_the_fault_ends_and_the_others_go_on() -> None:
    with Cluster(brokers=2) as cluster, clients_of(cluster.bootstrap_servers) as clients:
        with cluster.fault(node=2, silent=True) as fault:
            clients[2].send(apis.METADATA.request(topics=[]), 9)
            fault.wait_until_met()
            assert clients[1].ask(apis.METADATA, version=9, topics=[]).brokers
            assert not clients[2].has_answer(0)
        assert clients[2].receive(apis.METADATA, 9).brokers


def test_only_the_client_of_that_name_meets_a_fault(cluster: Cluster, group: Committer) -> None:
    with (
        Client(cluster.bootstrap_servers, client_id="billing-2") as second,
        cluster.fault(Api.OFFSET_COMMIT, error=LOADING, client_id="billing-2") as fault,
    ):
        assert group.commit(5) == [0]
        assert Committer(second).commit(6) == [LOADING]
    assert fault.met == 1


def test_a_request_that_names_only_the_topic_is_not_about_its_partition(cluster: Cluster, client: Client) -> None:
    with cluster.fault(drop="before", topic="orders", partition=0, times=1) as fault:
        client.ask(apis.METADATA, topics=[{"name": "orders"}])
        assert fault.met == 0
        client.send(fetch_request("orders"), 12)
        assert client.is_hung_up()


@pytest.mark.parametrize(
    ("api", "version", "fields"),
    [
        (Api.HEARTBEAT, 4, {"group_id": "GROUP"}),
        (Api.OFFSET_FETCH, 8, {"groups": [{"group_id": "GROUP", "topics": None}]}),
        (Api.OFFSET_FETCH, 7, {"group_id": "GROUP", "topics": None}),
        (Api.FIND_COORDINATOR, 3, {"key": "GROUP"}),
        (Api.FIND_COORDINATOR, 4, {"coordinator_keys": ["GROUP"]}),
        (Api.CONSUMER_GROUP_DESCRIBE, 1, {"group_ids": ["GROUP"]}),
        (Api.DELETE_GROUPS, 2, {"groups_names": ["GROUP"]}),
    ],
    ids=str,
)
def test_only_requests_about_that_group_meet_a_fault(
    cluster: Cluster, client: Client, api: Api, version: int, fields: dict[str, object]
) -> None:
    with cluster.fault(api, error=LOADING, group_id="billing") as fault:
        for group in ("shipping", "billing"):
            assert fault.met == 0
            client.ask(api.value, version=version, **json.loads(json.dumps(fields).replace("GROUP", group)))
    assert fault.met == 1


def test_an_error_of_a_partition_that_only_the_fetch_session_names(cluster: Cluster, client: Client) -> None:
    topic_id = client.ask(apis.METADATA, topics=[{"name": "orders"}]).topics[0].topic_id
    begun = client.ask(apis.FETCH, fetch_request(topic_id, partitions=(0, 1), session_epoch=0), 13)
    empty = {"session_id": begun.session_id, "max_wait_ms": 0, "topics": []}
    with cluster.fault(Api.FETCH, error="FENCED_LEADER_EPOCH", topic="orders", partition=1, times=1):
        (topic,) = client.ask(apis.FETCH, version=13, session_epoch=1, **empty).responses
    (failed,) = topic.partitions
    assert (failed.partition_index, failed.error_code) == (1, ErrorCode.FENCED_LEADER_EPOCH)
    with cluster.fault(Api.FETCH, error="FETCH_SESSION_ID_NOT_FOUND", times=1):
        answer = client.ask(apis.FETCH, version=13, session_epoch=2, **empty)
    assert (answer.error_code, answer.responses) == (ErrorCode.FETCH_SESSION_ID_NOT_FOUND, ())
