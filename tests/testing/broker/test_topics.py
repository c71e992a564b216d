"""Topics over the wire: made, described, grown and deleted."""

from __future__ import annotations

from collections.abc import Callable
from uuid import uuid4

import pytest

from kafka_nextgen.codes import ErrorCode, name_of
from kafka_nextgen.errors import MisuseError
from kafka_nextgen.testing import Cluster
from kafka_nextgen.wire import apis
from tests.support.clients import unique
from tests.testing.broker.client import Client
from tests.testing.broker.requests import fetch_request, list_offset, metadata, produce, topic_id_of, values
from tests.testing.broker.topic_requests import TOPIC, create, delete, describe, grow, new_topic_request


def test_a_topic_is_made_and_found_by_name_and_id(client: Client) -> None:
    for version in range(apis.CREATE_TOPICS.min_version, apis.CREATE_TOPICS.max_version + 1):
        name = unique("made")
        (result,) = create(client, new_topic_request(name, partitions=3), version=version)
        assert (result.name, result.error_code) == (name, ErrorCode.NONE)
        by_name = metadata(client, name).topics[0]
        assert by_name == metadata(client, ids=[by_name.topic_id]).topics[0]
        assert [(each.partition_index, each.leader_id) for each in by_name.partitions] == [(0, 1), (1, 1), (2, 1)]


TOO_MANY = {index: [1] for index in range(10_001)}
IMPOSSIBLE = {
    "no name": (new_topic_request(""), "INVALID_TOPIC_EXCEPTION"),
    "dots": (new_topic_request(".."), "INVALID_TOPIC_EXCEPTION"),
    "a space": (new_topic_request("a b"), "INVALID_TOPIC_EXCEPTION"),
    "an umlaut": (new_topic_request("ä"), "INVALID_TOPIC_EXCEPTION"),
    "250 characters": (new_topic_request("x" * 250), "INVALID_TOPIC_EXCEPTION"),
    "no partition": (new_topic_request("t", 0), "INVALID_PARTITIONS"),
    "fewer than none": (new_topic_request("t", -2), "INVALID_PARTITIONS"),
    "too many": (new_topic_request("t", 10_001), "POLICY_VIOLATION"),
    "too many, placed": (new_topic_request("t", -1, -1, TOO_MANY), "POLICY_VIOLATION"),
    "more than brokers": (new_topic_request("t", 1, 2), "INVALID_REPLICATION_FACTOR"),
    "no replica": (new_topic_request("t", 1, 0), "INVALID_REPLICATION_FACTOR"),
    "neither": (new_topic_request("t", 0, 0), "INVALID_REPLICATION_FACTOR"),
    "no partition on too many brokers": (new_topic_request("t", 0, 2), "INVALID_PARTITIONS"),
    "unknown config": (new_topic_request("t", configs={"retention.hours": "1"}), "INVALID_CONFIG"),
    "placed and counted": (new_topic_request("t", 1, 1, {0: [1]}), "INVALID_REQUEST"),
    "partition 0 not placed": (new_topic_request("t", -1, -1, {1: [1]}), "INVALID_REPLICA_ASSIGNMENT"),
    "placed on nobody": (new_topic_request("t", -1, -1, {0: [9]}), "INVALID_REPLICA_ASSIGNMENT"),
    "placed nowhere": (new_topic_request("t", -1, -1, {0: []}), "INVALID_REPLICA_ASSIGNMENT"),
}


def test_topics_that_cannot_be(client: Client) -> None:
    results = {why: create(client, topic)[0] for why, (topic, _) in IMPOSSIBLE.items()}
    assert {why: name_of(result.error_code) for why, result in results.items()} == {
        why: error for why, (_, error) in IMPOSSIBLE.items()
    }
    assert all(result.error_message for result in results.values())


def test_the_topics_of_a_request_have_no_more_partitions_than_one_may_have(client: Client) -> None:
    counts = {"one": 5_000, "two": 5_000, "three": 1}
    results = create(client, *(new_topic_request(name, count) for name, count in counts.items()))
    assert {result.name: result.error_code for result in results} == dict.fromkeys(counts, ErrorCode.POLICY_VIOLATION)


def test_a_topic_is_made_once(client: Client, topic: str) -> None:
    (again,) = create(client, new_topic_request(topic))
    assert again.error_code == ErrorCode.TOPIC_ALREADY_EXISTS


def test_names_that_differ_in_dots_and_underscores_collide(client: Client) -> None:
    name = unique("a.b")
    create(client, new_topic_request(name))
    (result,) = create(client, new_topic_request(name.replace(".", "_")))
    assert result.error_code == ErrorCode.INVALID_TOPIC_EXCEPTION
    assert name in result.error_message


def test_a_topic_named_twice_is_not_made(client: Client) -> None:
    name = unique("twice")
    (result,) = create(client, new_topic_request(name), new_topic_request(name))
    assert result.error_code == ErrorCode.INVALID_REQUEST
    assert metadata(client, name).topics[0].error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


def test_validating_makes_nothing(client: Client) -> None:
    name = unique("maybe")
    (result,) = create(client, new_topic_request(name, partitions=2), validate_only=True)
    assert (result.error_code, result.num_partitions) == (ErrorCode.NONE, 2)
    assert metadata(client, name).topics[0].error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


def test_minus_one_is_the_brokers_default_and_replicas_may_be_placed(client: Client) -> None:
    default, placed = unique("default"), unique("placed")
    results = create(client, new_topic_request(default, -1, -1), new_topic_request(placed, -1, -1, {1: [1], 0: [1]}))
    assert [(result.num_partitions, result.replication_factor) for result in results] == [(1, 1), (2, 1)]


def test_a_topics_configuration_has_effect_and_is_described(client: Client) -> None:
    name = unique("small")
    create(client, new_topic_request(name, configs={"max.message.bytes": "100", "retention.ms": "7"}))
    assert produce(client, name, values("a" * 200)).error_code == ErrorCode.MESSAGE_TOO_LARGE
    configs = {config.name: (config.value, config.config_source) for config in describe(client, TOPIC, name).configs}
    assert configs["max.message.bytes"] == ("100", 1)
    assert configs["retention.ms"] == ("7", 1)
    assert configs["cleanup.policy"] == ("delete", 5)


def test_all_topics_are_told_in_every_version(client: Client, topic: str) -> None:
    for version in range(14):
        answer = client.ask(apis.METADATA, version=version, topics=[] if version == 0 else None)
        assert topic in {each.name for each in answer.topics}
        assert [(broker.node_id, broker.host) for broker in answer.brokers] == [(1, "127.0.0.1")]
    assert metadata(client).topics == ()


def test_a_topic_is_made_when_it_is_asked_for_if_that_is_allowed(client: Client) -> None:
    name = unique("wanted")
    assert metadata(client, ids=[uuid4()]).topics[0].error_code == ErrorCode.UNKNOWN_TOPIC_ID
    assert metadata(client, name).topics[0].error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert metadata(client, "not a name", may_create=True).topics[0].error_code == ErrorCode.INVALID_TOPIC_EXCEPTION
    assert len(metadata(client, name, may_create=True).topics[0].partitions) == 1
    assert metadata(client, name).topics[0].error_code == ErrorCode.NONE


def test_a_broker_may_forbid_to_make_topics_by_asking() -> None:
    with Cluster(config={"auto.create.topics.enable": "false"}) as strict, Client(strict.bootstrap_servers) as client:
        answer = metadata(client, "wanted", may_create=True)
        assert answer.topics[0].error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


def test_a_topic_is_deleted_by_name_and_made_again_under_another_id(client: Client, topic: str) -> None:
    for version in range(1, 7):
        old_id = topic_id_of(client, topic)
        produce(client, topic, values("a"))
        assert delete(client, version, name=topic).error_code == ErrorCode.NONE
        assert delete(client, version, name=topic).error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        create(client, new_topic_request(topic))
        assert topic_id_of(client, topic) != old_id
        assert list_offset(client, topic, -1).offset == 0


def test_a_topic_is_deleted_by_id(client: Client, topic: str) -> None:
    topic_id = topic_id_of(client, topic)
    result = delete(client, topic_id=topic_id)
    assert (result.error_code, result.name) == (ErrorCode.NONE, topic)
    assert delete(client, topic_id=topic_id).error_code == ErrorCode.UNKNOWN_TOPIC_ID


def test_a_deletion_needs_either_name_or_id(client: Client, topic: str) -> None:
    assert delete(client, name=None).error_code == ErrorCode.INVALID_REQUEST
    both = delete(client, name=topic, topic_id=topic_id_of(client, topic))
    assert both.error_code == ErrorCode.INVALID_REQUEST


def test_who_waits_for_records_learns_that_the_topic_is_deleted(cluster: Cluster, client: Client, topic: str) -> None:
    with Client(cluster.bootstrap_servers) as waiting:
        waiting.send(fetch_request(topic_id_of(client, topic), min_bytes=1, max_wait_ms=60_000), 13)
        delete(client, name=topic)
        answer = waiting.receive(apis.FETCH, 13)
    assert answer.responses[0].partitions[0].error_code == ErrorCode.UNKNOWN_TOPIC_ID


def test_a_topic_grows_and_keeps_what_it_has(client: Client, topic: str) -> None:
    produce(client, topic, values("a"))
    assert grow(client, topic, 3, validate_only=True).error_code == ErrorCode.NONE
    assert len(metadata(client, topic).topics[0].partitions) == 1
    assert grow(client, topic, 3).error_code == ErrorCode.NONE
    assert grow(client, topic, 4, [[1]]).error_code == ErrorCode.NONE
    assert len(metadata(client, topic).topics[0].partitions) == 4
    assert [list_offset(client, topic, -1, partition=index).offset for index in range(4)] == [1, 0, 0, 0]


def test_a_topic_neither_shrinks_nor_stays(client: Client, new_topic: Callable[[int], str]) -> None:
    topic = new_topic(2)
    for count in (1, 2, 10_003):
        assert grow(client, topic, count).error_code == ErrorCode.INVALID_PARTITIONS
    for wrong in ([[1], [1]], [[9]], [[1, 1]]):
        assert grow(client, topic, 3, wrong).error_code == ErrorCode.INVALID_REPLICA_ASSIGNMENT
    assert grow(client, "nowhere", 3).error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


def test_topics_do_not_grow_by_more_than_one_request_may_make(client: Client, new_topic: Callable[[int], str]) -> None:
    topics = [{"name": new_topic(1), "count": 6_000, "assignments": None} for _ in range(2)]
    answer = client.ask(apis.CREATE_PARTITIONS, topics=topics, timeout_ms=1_000)
    assert [result.error_code for result in answer.results] == [ErrorCode.INVALID_PARTITIONS] * 2
    assert len(metadata(client, topics[0]["name"]).topics[0].partitions) == 1


def test_the_cluster_is_described(client: Client) -> None:
    answer = client.ask(apis.DESCRIBE_CLUSTER)
    assert answer.controller_id == 1
    assert answer.cluster_id == metadata(client).cluster_id
    assert [broker.broker_id for broker in answer.brokers] == [1]
    assert client.ask(apis.DESCRIBE_CLUSTER, endpoint_type=2).error_code == ErrorCode.INVALID_REQUEST


def test_the_sizes_of_all_logs_are_told_or_of_those_asked_for(client: Client, new_topic: Callable[[int], str]) -> None:
    def told(topics: list[dict[str, object]] | None) -> dict[str, list[int]]:
        (directory,) = client.ask(apis.DESCRIBE_LOG_DIRS, topics=topics).results
        return {topic.name: [each.partition_index for each in topic.partitions] for topic in directory.topics}

    topic, other = new_topic(2), new_topic(1)
    assert told([{"topic": topic, "partitions": [1]}]) == {topic: [1]}
    every = told(None)
    assert (every[topic], every[other]) == ([0, 1], [0])


def test_a_test_makes_its_topics_without_a_client(cluster: Cluster, client: Client) -> None:
    name = unique("direct")
    cluster.create_topic(name, partitions=4)
    assert len(metadata(client, name).topics[0].partitions) == 4
    for refused, partitions in ((name, 1), ("a b", 1), ("fresh", 0)):
        with pytest.raises(MisuseError):
            cluster.create_topic(refused, partitions)
