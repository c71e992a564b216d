"""Faults that change the cluster at a request: leaders, topics, the end of a log, batches, logins."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import MisuseError
from kafka_nextgen.testing import Api, Cluster
from kafka_nextgen.wire import apis
from kafka_nextgen.wire.records import NewRecord, encode_batch
from tests.testing.broker.client import Client, clients_of
from tests.testing.broker.requests import by_name_fetch, produce, values
from tests.testing.broker.security.logging_in import handshake, log_in


@pytest.fixture
def pair() -> Iterator[tuple[Cluster, dict[int, Client]]]:
    """Two nodes with replicas of each partition, and a client of each node."""
    with Cluster(brokers=2, config={"default.replication.factor": 2}) as cluster:
        cluster.create_topic("orders")
        with clients_of(cluster.bootstrap_servers) as clients:
            yield cluster, clients


def test_a_leader_moves_just_before_the_request_is_served(pair: tuple[Cluster, dict[int, Client]]) -> None:
    cluster, clients = pair
    before = cluster.leader_of("orders", 0)
    assert before is not None
    with cluster.fault(Api.PRODUCE, move_leader=True, topic="orders", partition=0) as fault:
        answer = produce(clients[before], "orders", values("one"))
        assert answer.error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER
        assert produce(clients[3 - before], "orders", values("one")).error_code == ErrorCode.NONE
    assert (fault.met, cluster.leader_of("orders", 0)) == (1, 3 - before)


def test_each_replica_leads_in_its_turn() -> None:
    with Cluster(brokers=3, config={"default.replication.factor": 3}) as cluster:
        cluster.create_topic("orders")
        where = {"topic": "orders", "partition": 0}
        leaders = []
        with Client(cluster.bootstrap_servers) as client, cluster.fault(move_leader=True, times=3, **where):
            for _ in range(3):
                by_name_fetch(client, "orders", 0)
                leaders.append(cluster.leader_of("orders", 0))
        assert sorted(leaders, key=str) == [1, 2, 3]


def test_a_fail_over_loses_the_tail_of_a_log(pair: tuple[Cluster, dict[int, Client]]) -> None:
    cluster, clients = pair
    leader = cluster.leader_of("orders", 0)
    assert leader is not None
    for text in ("one", "two", "three"):
        produce(clients[leader], "orders", values(text))
    with cluster.fault(Api.METADATA, lose_tail=2, topic="orders", partition=0):
        clients[leader].ask(apis.METADATA, version=9, topics=[{"name": "orders"}])
    (lost,) = by_name_fetch(clients[3 - leader], "orders", 1)
    assert (lost.high_watermark, lost.records) == (1, b"")
    assert produce(clients[3 - leader], "orders", values("other")).base_offset == 1
    assert cluster.leader_of("orders", 0) == 3 - leader


def test_a_batch_is_lost_as_a_whole_and_a_lone_replica_leads_again_in_a_new_epoch(
    cluster: Cluster, client: Client
) -> None:
    produce(client, "orders", values("one", "two", "three"))
    epoch = _epoch(client)
    with cluster.fault(lose_tail=1, topic="orders", partition=0):
        by_name_fetch(client, "orders", 0)
    assert by_name_fetch(client, "orders", 0)[0].high_watermark == 0
    assert _epoch(client) == epoch + 1


def test_a_producer_whose_records_were_lost_writes_them_again(cluster: Cluster, client: Client) -> None:
    sent = [encode_batch([NewRecord(b"a")], producer_id=7, producer_epoch=0, base_sequence=number) for number in (0, 1)]
    for batch in sent:
        produce(client, "orders", batch)
    with cluster.fault(Api.FETCH, lose_tail=1, topic="orders", partition=0):
        by_name_fetch(client, "orders", 0)
    assert produce(client, "orders", sent[0]).base_offset == 0  # known, and not written again
    assert produce(client, "orders", sent[1]).base_offset == 1
    assert by_name_fetch(client, "orders", 0)[0].high_watermark == 2


def test_what_is_left_of_a_transaction_is_committed_with_it(cluster: Cluster, client: Client) -> None:
    with cluster.transaction() as transaction:
        for value in ("a", "b"):
            transaction.produce("orders", value, partition=0)
        with cluster.fault(Api.FETCH, lose_tail=1, topic="orders", partition=0):
            by_name_fetch(client, "orders", 0)
        assert cluster.records("orders") == []
        assert cluster.records("orders", isolation_level="read_uncommitted").texts == ["a"]
    assert cluster.records("orders").texts == ["a"]


def test_records_in_files_can_not_be_lost(tmp_path: Path) -> None:
    with Cluster(data_dir=tmp_path) as cluster:
        cluster.create_topic("orders")
        with pytest.raises(MisuseError, match="without data_dir"):
            cluster.fault(lose_tail=1, topic="orders", partition=0).start()


def test_a_topic_is_created_again_with_another_id_and_no_records(cluster: Cluster, client: Client) -> None:
    produce(client, "orders", values("one"))
    before = _topic(client)
    with cluster.fault(Api.METADATA, recreate_topic=True, topic="orders"):
        after = _topic(client)
    assert (before.topic_id == after.topic_id, len(after.partitions)) == (False, 2)
    assert by_name_fetch(client, "orders", 0)[0].high_watermark == 0


def test_a_topic_changes_at_a_request_that_names_no_topics(cluster: Cluster, client: Client) -> None:
    before = _topic(client)
    with cluster.fault(Api.FIND_COORDINATOR, recreate_topic=True, topic="orders"):
        client.ask(apis.METADATA, topics=[{"name": "orders"}])
        assert _topic(client).topic_id == before.topic_id
        client.ask(apis.FIND_COORDINATOR, coordinator_keys=["billing"])
    assert _topic(client).topic_id != before.topic_id


def test_a_batch_arrives_broken_as_often_as_asked_and_the_log_is_whole(cluster: Cluster, client: Client) -> None:
    for text in ("one", "two"):
        produce(client, "orders", values(text))
    whole = bytes(by_name_fetch(client, "orders", 0)[0].records)
    with cluster.fault(Api.FETCH, corrupt_offset=1, topic="orders", partition=0, times=1) as fault:
        assert by_name_fetch(client, "orders", 0, partitions=(1,))[0].records == b""
        assert fault.met == 0
        broken = by_name_fetch(client, "orders", 0)[0].records
        assert broken == whole[:-2] + bytes([whole[-2] ^ 1]) + whole[-1:]
        assert by_name_fetch(client, "orders", 0)[0].records == whole
    assert fault.met == 1


def test_an_expired_login_ends_the_connection_and_the_client_can_log_in_again() -> None:
    config = {"listeners": "SASL_PLAINTEXT://:0", "connection.failed.authentication.delay.ms": 0}
    with Cluster(config=config, users={"alice": "secret"}) as cluster, cluster.fault(expire_login=True) as fault:
        with Client(cluster.bootstrap_servers) as first:
            log_in(first, "alice", "secret")
            assert fault.met == 0
            first.send(apis.METADATA.request(topics=[]), 9)
            assert first.is_hung_up()
        with Client(cluster.bootstrap_servers) as second:
            log_in(second, "alice", "secret")
            assert second.ask(apis.METADATA, version=9, topics=[]).brokers


def test_a_refused_login_ends_the_connection() -> None:
    config = {"listeners": "SASL_PLAINTEXT://:0", "connection.failed.authentication.delay.ms": 0}
    with Cluster(config=config, users={"alice": "secret"}) as cluster:
        with Client(cluster.bootstrap_servers) as client:
            with cluster.fault(Api.SASL_HANDSHAKE, error="ILLEGAL_SASL_STATE"):
                assert handshake(client, "PLAIN").error_code == ErrorCode.ILLEGAL_SASL_STATE
            assert client.is_hung_up()
        with Client(cluster.bootstrap_servers) as client:
            with cluster.fault(Api.SASL_AUTHENTICATE, error="SASL_AUTHENTICATION_FAILED"):
                assert log_in(client, "alice", "secret").error_code == ErrorCode.SASL_AUTHENTICATION_FAILED
            assert client.is_hung_up()


def _topic(client: Client) -> Any:
    return client.ask(apis.METADATA, topics=[{"name": "orders"}]).topics[0]


def _epoch(client: Client) -> int:
    return int(_topic(client).partitions[0].leader_epoch)
