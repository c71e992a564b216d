"""A broker on a directory that another broker used before: what it still knows, and when it does not start."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import MisuseError, StorageError
from kafka_nextgen.testing import Cluster
from kafka_nextgen.testing.broker import Broker, leadership
from kafka_nextgen.testing.broker.client_quotas import DEFAULT, Entity, LimitKind, Limits
from kafka_nextgen.testing.broker.security.access import Authorizer, BrokerSecurity
from kafka_nextgen.testing.broker.security.acls import Operation, PatternType, PermissionType, ResourceType
from kafka_nextgen.testing.broker.security.principals import Principal
from kafka_nextgen.testing.broker.security.rules import Rule
from kafka_nextgen.testing.broker.security.users import ScramCredential, Users
from kafka_nextgen.testing.broker.settings import BrokerSettings
from kafka_nextgen.testing.broker.storage import DataDir
from kafka_nextgen.testing.broker.topic_settings import TopicSettings
from kafka_nextgen.testing.broker.topics import Topics
from kafka_nextgen.wire import apis
from kafka_nextgen.wire.records import NewRecord, encode_batch
from tests.testing.broker import configs
from tests.testing.broker.client import Client
from tests.testing.broker.configs import BROKER, DELETE, GROUP, SET, TOPIC
from tests.testing.broker.requests import by_name_fetch, list_offset, metadata, produce, records_of, topic_id_of, values
from tests.testing.broker.topic_requests import create, delete, describe, grow, new_topic_request

EARLIEST, LATEST = -2, -1


@contextmanager
def started(data_dir: Path, **how: Any) -> Iterator[tuple[Cluster, Client]]:
    """A cluster on this directory, and a client of its first node."""
    with Cluster(data_dir=data_dir, **how) as cluster, Client(cluster.bootstrap_servers) as client:
        yield cluster, client


@contextmanager
def opened(data_dir: Path) -> Iterator[DataDir]:
    storage = DataDir(data_dir)
    storage.open()
    yield storage
    storage.close()


def read(client: Client, topic: str) -> list[str]:
    (partition,) = by_name_fetch(client, topic)
    return [value for _, value in records_of(partition)]


def new_producer_id(client: Client) -> int:
    return client.ask(apis.INIT_PRODUCER_ID, transactional_id=None, transaction_timeout_ms=1).producer_id


def without_epochs(topic: Any) -> Any:
    return topic.replaced(partitions=[partition.replaced(leader_epoch=-1) for partition in topic.partitions])


def test_topics_and_records_are_there_again_with_their_ids(tmp_path: Path) -> None:
    with started(tmp_path) as (_, client):
        create(client, new_topic_request("orders", 3, configs={"retention.bytes": "100000"}))
        grow(client, "orders", 4)
        produce(client, "orders", values("a", "b"))
        produce(client, "orders", values("z"), partition=3)
        before = metadata(client, "orders")
    with started(tmp_path) as (_, client):
        after = metadata(client, "orders")
        assert after.cluster_id == before.cluster_id
        assert without_epochs(after.topics[0]) == without_epochs(before.topics[0])
        assert describe(client, TOPIC, "orders", ["retention.bytes"]).configs[0].value == "100000"
        assert produce(client, "orders", values("c")).base_offset == 2
        assert read(client, "orders") == ["a", "b", "c"]
        assert list_offset(client, "orders", LATEST, partition=3).offset == 1


def test_no_leader_epoch_comes_again(tmp_path: Path) -> None:
    epochs: list[int] = []
    for _ in range(3):
        with opened(tmp_path) as storage:
            topics = Topics([1, 2], storage)
            topics.recover(TopicSettings)
            topic = topics.named("orders") or topics.create("orders", [(1, 2)], TopicSettings())
            epochs.append(topic.partitions[0].leader_epoch)
            leadership.leave(topics.partitions(), 1)
            topics.store_epochs()
            epochs.append(topic.partitions[0].leader_epoch)
    assert epochs == sorted(set(epochs))


def test_a_topic_made_again_under_its_old_name_has_nothing_of_the_old_one(tmp_path: Path) -> None:
    with started(tmp_path) as (_, client):
        for value in ("old", "new"):
            create(client, new_topic_request("orders"))
            produce(client, "orders", values(value))
            topic_id = topic_id_of(client, "orders")
            if value == "old":
                delete(client, name="orders")
                assert not (tmp_path / "orders-0").exists()
    with started(tmp_path) as (_, client):
        assert topic_id_of(client, "orders") == topic_id
        assert read(client, "orders") == ["new"]


def test_a_directory_without_its_topic_is_what_a_crash_left_and_goes(tmp_path: Path) -> None:
    with started(tmp_path) as (_, client):
        for topic in ("kept", "gone"):
            create(client, new_topic_request(topic))
            produce(client, topic, values(topic))
        files = {path.name: path.read_bytes() for path in (tmp_path / "gone-0").iterdir()}
        delete(client, name="gone")
    (tmp_path / "gone-0").mkdir()
    for name, content in files.items():
        (tmp_path / "gone-0" / name).write_bytes(content)
    (tmp_path / "empty-3").mkdir()
    (tmp_path / "notes-2026").mkdir()
    (tmp_path / "notes-2026" / "mine.txt").touch()
    with started(tmp_path) as (_, client):
        assert metadata(client, "gone").topics[0].error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        assert read(client, "kept") == ["kept"]
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_dir()) == ["kept-0", "notes-2026"]


def test_a_topic_of_a_line_that_was_torn_was_never_made(tmp_path: Path) -> None:
    with Cluster(data_dir=tmp_path) as cluster:
        cluster.create_topic("kept")
        cluster.create_topic("torn")
    catalogue = tmp_path / "catalogue.log"
    catalogue.write_bytes(catalogue.read_bytes()[:-5])
    with started(tmp_path) as (cluster, client):
        assert [topic.name for topic in metadata(client, "kept", "torn").topics if not topic.error_code] == ["kept"]
        cluster.create_topic("t")
    with Cluster(data_dir=tmp_path) as cluster, pytest.raises(MisuseError, match="'t' already exists"):
        cluster.create_topic("t")


def test_an_idempotent_producers_batch_is_known_again(tmp_path: Path) -> None:
    batches: list[bytes] = []
    with started(tmp_path) as (cluster, client):
        cluster.create_topic("orders")
        producer_id = new_producer_id(client)
        for sequence in range(3):
            records = [NewRecord(b"%d" % sequence, timestamp=1_000)]
            batches.append(encode_batch(records, producer_id=producer_id, producer_epoch=0, base_sequence=sequence))
        for batch in batches[:2]:
            produce(client, "orders", batch)
    with started(tmp_path) as (_, client):
        assert [produce(client, "orders", batch).base_offset for batch in batches] == [0, 1, 2]
        assert read(client, "orders") == ["0", "1", "2"]
        assert new_producer_id(client) > producer_id


def test_what_was_configured_while_the_broker_ran_still_counts(tmp_path: Path) -> None:
    given = [
        (TOPIC, "orders", "retention.bytes", "5"),
        (GROUP, "billing", "consumer.session.timeout.ms", "50000"),
        (BROKER, "", "group.consumer.assignment.interval.ms", "7"),
    ]
    with started(tmp_path) as (_, client):
        create(client, new_topic_request("orders", configs={"retention.ms": "1"}))
        for kind, name, key, value in given:
            assert configs.alter(client, kind, name, (key, SET, value)) == ("NONE", None)
        assert configs.alter(client, GROUP, "shipping", ("consumer.session.timeout.ms", SET, "50000"))[0] == "NONE"
        assert configs.alter(client, GROUP, "shipping", ("consumer.session.timeout.ms", DELETE, None))[0] == "NONE"
    with started(tmp_path) as (_, client):
        assert [configs.describe(client, kind, name)[key].value for kind, name, key, _ in given] == ["5", "50000", "7"]
        assert configs.describe(client, TOPIC, "orders")["retention.ms"].value == "1"
        assert configs.describe(client, GROUP, "shipping")["consumer.session.timeout.ms"].value == "45000"


def test_rules_and_credentials_that_were_added_still_count(tmp_path: Path) -> None:
    rule = Rule(Principal.user("alice"), Operation.READ, ResourceType.TOPIC, "orders*", PatternType.PREFIXED)
    gone = evolve(rule, permission=PermissionType.DENY, host="127.0.0.1")
    credential = ScramCredential(b"salt", b"stored", b"server", 4096)
    for is_first in (True, False):
        security = BrokerSecurity(Users(), Authorizer(BrokerSettings.from_properties({})))
        with opened(tmp_path) as storage:
            security.recover(storage.catalogue)
            if is_first:
                security.authorizer.add(rule)
                security.authorizer.add(gone)
                security.authorizer.remove(lambda each: each == gone)
                for name in ("alice", "bob"):
                    security.users.set_scram(name, "SCRAM-SHA-256", credential)
                security.users.delete_scram("bob", "SCRAM-SHA-256")
    assert security.authorizer.rules == (rule,)
    assert security.users.scram_users() == {"alice": {"SCRAM-SHA-256": 4096}}
    assert security.users.scram_credential("alice", "SCRAM-SHA-256") == credential


def test_limits_of_clients_still_count(tmp_path: Path) -> None:
    kept = [
        (Entity("alice", "billing"), {LimitKind.PRODUCED_BYTES: 1_000.5, LimitKind.REQUEST_TIME: 50.0}),
        (Entity(DEFAULT, None), {LimitKind.FETCHED_BYTES: 1.0}),
        (Entity(None, DEFAULT), {LimitKind.FETCHED_BYTES: 2.0}),
        (Entity("default", None), {LimitKind.FETCHED_BYTES: 3.0}),
    ]
    for is_first in (True, False):
        limits = Limits()
        with opened(tmp_path) as storage:
            limits.recover(storage.catalogue)
            if is_first:
                for entity, amounts in [*kept, (Entity("bob"), {LimitKind.REQUEST_TIME: 1.0})]:
                    for kind, amount in amounts.items():
                        limits.set(entity, kind, amount)
                limits.set(Entity("bob"), LimitKind.REQUEST_TIME, None)
    assert list(limits.all()) == kept


def test_where_retention_let_a_log_begin_it_begins_again(tmp_path: Path) -> None:
    with started(tmp_path, config={"log.segment.bytes": 100}) as (_, client):
        create(client, new_topic_request("orders", configs={"retention.bytes": "1"}))
        for value in "abc":
            produce(client, "orders", values(value))
        begin = list_offset(client, "orders", EARLIEST).offset
        assert begin == 2
    with started(tmp_path) as (_, client):
        assert list_offset(client, "orders", EARLIEST).offset == begin


def test_a_disk_that_takes_no_more_is_told_to_the_producer_and_nothing_is_kept(tmp_path: Path) -> None:
    with started(tmp_path) as (cluster, client):
        cluster.create_topic("orders")
        (tmp_path / "orders-0").touch()  # in the way of its directory
        refused = produce(client, "orders", values("a"))
        assert refused.error_code == ErrorCode.KAFKA_STORAGE_ERROR
        assert "can't" in refused.error_message
        (tmp_path / "orders-0").unlink()
        assert produce(client, "orders", values("b")).base_offset == 0
        assert read(client, "orders") == ["b"]


def test_a_directory_serves_one_broker_at_a_time(tmp_path: Path) -> None:
    with Cluster(data_dir=tmp_path), pytest.raises(StorageError, match=r"is in use by another broker \(process \d+\)"):
        Cluster(data_dir=tmp_path).__enter__()
    with Cluster(data_dir=tmp_path):
        pass


def test_a_directory_of_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "meta.properties").touch()
    with pytest.raises(StorageError, match=r"has no catalogue\.log, but meta.properties"):
        Cluster(data_dir=tmp_path).__enter__()
    assert [path.name for path in tmp_path.iterdir()] == ["meta.properties"]


def test_a_broker_with_fewer_nodes_than_the_topics_are_on_does_not_start(tmp_path: Path) -> None:
    with Cluster(brokers=2, data_dir=tmp_path) as cluster:
        cluster.create_topic("orders", 2)
    with pytest.raises(StorageError, match=r"topic orders has replicas on broker\(s\) 2, but only 1 exist"):
        Cluster(data_dir=tmp_path).__enter__()
    with started(tmp_path, brokers=3) as (_, client):
        assert len(metadata(client, "orders").topics[0].partitions) == 2


async def test_a_broker_that_was_closed_is_not_started_again(tmp_path: Path) -> None:
    broker = Broker(data_dir=tmp_path)
    await broker.start()
    await broker.close()
    with pytest.raises(MisuseError, match="was closed: create another"):
        await broker.start()


async def test_a_port_that_is_taken_leaves_the_directory_to_others(tmp_path: Path) -> None:
    first = Broker()
    await first.start()
    with pytest.raises(OSError, match="in use"):
        await Broker(port=first.port, data_dir=tmp_path).start()
    await first.close()
    again = Broker(data_dir=tmp_path)
    await again.start()
    await again.close()
