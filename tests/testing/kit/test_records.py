"""What a test produces is in the topic as it was said, on each kind of cluster."""

from __future__ import annotations

import os
import threading
import warnings
from datetime import datetime, timezone

import pytest

from kafka_nextgen import BrokerError, Consumer, MisuseError, Record
from kafka_nextgen.testing import Cluster, KafkaCluster, ProducerRecord, RealCluster
from kafka_nextgen.testing.kit import remote
from tests.support.clients import unique
from tests.support.waiting import eventually

NOON = datetime(2024, 5, 1, 12, tzinfo=timezone.utc)
NOON_MS = 1_714_564_800_000


def new_topic(cluster: KafkaCluster, partitions: int = 1) -> str:
    topic = unique("orders")
    cluster.create_topic(topic, partitions)
    return topic


def test_a_record_is_bytes_text_json_or_a_tombstone(cluster: KafkaCluster) -> None:
    topic = new_topic(cluster)
    cluster.produce(topic, [b"\xff", "größer", {"id": 1, "tags": ["a"]}, 7, True, None])
    assert cluster.records(topic).values == [b"\xff", "größer".encode(), b'{"id":1,"tags":["a"]}', b"7", b"true", None]


def test_one_record_needs_no_list(cluster: KafkaCluster) -> None:
    topic = new_topic(cluster)
    cluster.produce(topic, {"id": 1})
    cluster.produce(topic, None, key="gone")
    cluster.produce(topic, ("k", "v"))
    assert cluster.records(topic).by_key == {None: [b'{"id":1}'], b"gone": [None], b"k": [b"v"]}


def test_a_record_has_key_headers_timestamp_and_partition(cluster: KafkaCluster) -> None:
    topic = new_topic(cluster, partitions=2)
    record = ProducerRecord("v", key=7, headers=[("a", "1"), ("a", None)], timestamp=NOON, partition=1)
    (written,) = cluster.produce(topic, record)
    (read,) = cluster.records(topic, partition=1)
    assert (read.key, read.headers, read.timestamp) == (b"7", (("a", b"1"), ("a", None)), NOON_MS)
    assert written == read._replace(leader_epoch=-1)
    assert cluster.records(topic, partition=0) == []


def test_what_a_record_does_not_say_comes_from_the_call(cluster: KafkaCluster) -> None:
    topic = new_topic(cluster, partitions=2)
    records = ["a", ProducerRecord("b", key="own", headers={"h": "own"}, timestamp=2, partition=0)]
    cluster.produce(topic, records, key="k", headers={"h": "1"}, timestamp=1, partition=1)
    own, usual = cluster.records(topic)
    assert (own.key, own.headers, own.timestamp, own.partition) == (b"own", (("h", b"own"),), 2, 0)
    assert (usual.key, usual.headers, usual.timestamp, usual.partition) == (b"k", (("h", b"1"),), 1, 1)


def test_keys_choose_partitions_as_with_kafkas_producer(cluster: KafkaCluster) -> None:
    topic = new_topic(cluster, partitions=4)
    written = cluster.produce(topic, [("a", 1), ("f", 2), ("a", 3)])
    assert [(each.partition, each.offset) for each in written] == [(0, 0), (3, 0), (0, 1)]


def test_a_record_that_was_read_is_written_again_as_it_was(cluster: KafkaCluster) -> None:
    topic, copy = new_topic(cluster, 2), new_topic(cluster, 2)
    cluster.produce(topic, ProducerRecord("v", "k", {"h": "1"}, NOON, 1))
    cluster.produce(copy, cluster.records(topic))
    assert [each._replace(topic=topic) for each in cluster.records(copy)] == cluster.records(topic)


def test_consumers_read_what_was_produced(cluster: KafkaCluster) -> None:
    topic = new_topic(cluster)
    cluster.produce(topic, [{"id": 1}, {"id": 2}])
    with Consumer(
        bootstrap_servers=cluster.bootstrap_servers, group_id=unique("billing"), auto_offset_reset="earliest"
    ) as consumer:
        consumer.subscribe([topic])
        read: list[Record] = []
        while len(read) < 2:
            read += consumer.poll()
    assert [each.value for each in read] == cluster.records(topic).values


def test_records_of_a_transaction_are_seen_once_it_is_committed(cluster: KafkaCluster) -> None:
    topic = new_topic(cluster, partitions=2)
    with cluster.transaction() as transaction:
        transaction.produce(topic, ["a", "b"], partition=0)
        transaction.produce(topic, ["c"], partition=0)
        transaction.produce(topic, ["d"], partition=1)
        assert cluster.records(topic) == []
        assert cluster.records(topic, isolation_level="read_uncommitted").texts == ["a", "b", "c", "d"]
    assert cluster.records(topic).texts == ["a", "b", "c", "d"]


def test_records_of_an_aborted_transaction_are_left_out(cluster: KafkaCluster) -> None:
    topic = new_topic(cluster)
    with cluster.transaction() as transaction:
        transaction.produce(topic, ["given up"])
        transaction.abort()
    with pytest.raises(ZeroDivisionError):
        fail_in_a_transaction(cluster, topic)
    cluster.produce(topic, "kept")
    assert cluster.records(topic).texts == ["kept"]
    assert cluster.records(topic, isolation_level="read_uncommitted").texts == ["given up", "failed", "kept"]


def fail_in_a_transaction(cluster: KafkaCluster, topic: str) -> None:
    with cluster.transaction() as transaction:
        transaction.produce(topic, ["failed"])
        raise ZeroDivisionError


def test_a_transaction_that_wrote_nothing_ends_quietly(cluster: KafkaCluster) -> None:
    with cluster.transaction("nothing"):
        pass
    with cluster.transaction("nothing") as transaction:
        pass
    with pytest.raises(MisuseError, match="has ended"):
        transaction.produce(new_topic(cluster), "late")


def write_beside_a_new_producer(cluster: KafkaCluster, name: str, topic: str) -> None:
    with cluster.transaction(name) as old:
        old.produce(topic, "old")
        with cluster.transaction(name) as new:
            new.produce(topic, "new")
        old.produce(topic, "fenced")


def test_a_new_producer_of_a_transactional_id_fences_the_last(cluster: KafkaCluster) -> None:
    topic, name = new_topic(cluster), unique("payments")
    with pytest.raises(BrokerError, match=r"EPOCH|FENCED"):
        write_beside_a_new_producer(cluster, name, topic)
    assert cluster.records(topic).texts == ["new"]


def test_a_missing_topic_has_no_records(cluster: KafkaCluster) -> None:
    assert cluster.records("nothing-here") == []
    assert str(cluster.records("nothing-here")) == "no records"


def test_a_missing_topic_is_created_as_for_a_producer(embedded: Cluster) -> None:
    embedded.produce("new", "a")
    assert embedded.records("new").texts == ["a"]
    with pytest.raises(MisuseError, match="has characters other than"):
        embedded.produce("no topic", "a")
    with (
        Cluster(config={"auto.create.topics.enable": False}) as strict,
        pytest.raises(MisuseError, match=r"there is no topic orders: call cluster\.create_topic\('orders'\) first"),
    ):
        strict.produce("orders", "a")


def test_what_the_broker_refuses_is_said(embedded: Cluster) -> None:
    embedded.create_topic("orders")
    with pytest.raises(BrokerError, match=r"orders\[0\]: the broker refused the records \(MESSAGE_TOO_LARGE\)"):
        embedded.produce("orders", b"x" * 2_000_000)
    with pytest.raises(ValueError, match="topic orders has no partition 3, only 0 to 0"):
        embedded.produce("orders", "a", partition=3)


@pytest.mark.parametrize(
    ("records", "words"),
    [
        ([object()], "a value of type object is not bytes, text or JSON"),
        ([({1, 2}, "v")], "a key of type set is not bytes, text or JSON"),
        ([ProducerRecord("v", headers={"h": object()})], "a header h of type object is not bytes, text or JSON"),
        ([("k", "v", "more")], "a pair of key and value, not 3 items"),
    ],
)
def test_what_can_t_be_written_is_refused_before_anything_is(
    embedded: Cluster, records: list[object], words: str
) -> None:
    embedded.create_topic("orders")
    with pytest.raises(TypeError, match=words):
        embedded.produce("orders", ["first", *records])
    assert embedded.records("orders") == []


def test_a_timestamp_needs_a_time_zone(embedded: Cluster) -> None:
    with pytest.raises(ValueError, match="has no time zone"):
        embedded.produce("orders", "a", timestamp=datetime(2026, 5, 1))


def test_a_value_that_is_no_json_is_named(embedded: Cluster) -> None:
    embedded.produce("orders", ['{"id": 1}', "poison", None])
    with pytest.raises(ValueError, match=r"orders\[0\] offset 1 is not JSON .*: b'poison'"):
        embedded.records("orders").json  # noqa: B018
    assert embedded.records("orders").texts == ['{"id": 1}', "poison", None]
    assert str(embedded.records("orders")).splitlines()[1] == "orders[0] offset 1: key=None value=b'poison'"


def test_an_isolation_level_is_one_of_kafkas(embedded: Cluster) -> None:
    with pytest.raises(ValueError, match="isolation_level must be read_committed or read_uncommitted, not 'all'"):
        embedded.records("orders", isolation_level="all")


def test_a_cluster_that_is_not_running_says_so() -> None:
    cluster = Cluster()
    with pytest.raises(MisuseError, match="not running"):
        cluster.produce("orders", "a")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a system that forks")
def test_a_forked_process_can_only_connect(embedded: Cluster) -> None:
    said_here, said_there = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python 3.12 warns, since this process has threads
        child = os.fork()
    if child == 0:
        try:
            os.write(said_there, what_a_forked_process_sees(embedded).encode())
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    os.close(said_there)
    with open(said_here) as said:
        assert said.read().splitlines() == [
            embedded.bootstrap_servers,
            "created before a fork",
            "created before a fork",
            "closed",
        ]
    embedded.produce("orders", "a")


def what_a_forked_process_sees(cluster: Cluster) -> str:
    seen = [cluster.bootstrap_servers]
    for call in (lambda: cluster.produce("orders", "a"), lambda: cluster.advance(1)):
        try:
            call()
        except MisuseError as error:
            seen.append("created before a fork" if "created before a fork" in str(error) else str(error))
    cluster.__exit__(None, None, None)
    return "\n".join([*seen, "closed"])


def test_what_only_the_embedded_broker_can_do_is_said(embedded: Cluster) -> None:
    with RealCluster(embedded.bootstrap_servers) as real:
        with pytest.raises(AttributeError, match=r"RealCluster has no fault: .* kafka_cluster_factory"):
            real.fault  # type: ignore[attr-defined]  # noqa: B018
        with pytest.raises(ValueError, match="0 seconds or more, not -1"):
            real.advance(-1)
        real.advance(0)
    with pytest.raises(MisuseError, match="this RealCluster is closed"):
        real.records("orders")
    real.close()


def test_a_real_cluster_that_can_t_be_made_leaves_no_thread(embedded: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    before = set(threading.enumerate())
    monkeypatch.setattr(remote, "GroupAdmin", lambda config: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        RealCluster(embedded.bootstrap_servers)
    eventually("its thread has ended", lambda: set(threading.enumerate()) <= before)
