"""Topics over the wire: made, described, grown and deleted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import MisuseError
from kafka_nextgen.testing import Cluster
from kafka_nextgen.wire import apis
from kafka_nextgen.wire.messages import (
    CreatePartitionsRequest,
    DescribeClusterRequest,
    MetadataRequest,
)
from tests.broker.client import Client
from tests.broker.requests import fetch_request, list_offset, metadata, produce, topic_id_of, values
from tests.broker.topic_requests import TOPIC, create, delete, describe, grow, new_topic_request
from tests.support.clients import unique

BROKER = 4


@pytest.mark.parametrize("version", range(apis.CREATE_TOPICS.min_version, apis.CREATE_TOPICS.max_version + 1))
def test_a_topic_is_made_and_found_by_name_and_id(client: Client, version: int) -> None:
    name = unique("made")
    (result,) = create(client, new_topic_request(name, partitions=3), version=version)
    assert (result.name, result.error_code) == (name, ErrorCode.NONE)
    by_name = metadata(client, name).topics[0]
    by_id = metadata(client, ids=[by_name.topic_id]).topics[0]
    assert by_name == by_id
    assert [partition.partition_index for partition in by_name.partitions] == [0, 1, 2]
    assert all(partition.leader_id == 1 for partition in by_name.partitions)


@pytest.mark.parametrize(
    ("topic", "error"),
    [
        pytest.param(new_topic_request(""), ErrorCode.INVALID_TOPIC_EXCEPTION, id="no name"),
        pytest.param(new_topic_request(".."), ErrorCode.INVALID_TOPIC_EXCEPTION, id="dots"),
        pytest.param(new_topic_request("a b"), ErrorCode.INVALID_TOPIC_EXCEPTION, id="a space"),
        pytest.param(new_topic_request("ä"), ErrorCode.INVALID_TOPIC_EXCEPTION, id="an umlaut"),
        pytest.param(new_topic_request("x" * 250), ErrorCode.INVALID_TOPIC_EXCEPTION, id="250 characters"),
        pytest.param(new_topic_request("t", 0), ErrorCode.INVALID_PARTITIONS, id="no partition"),
        pytest.param(new_topic_request("t", -2), ErrorCode.INVALID_PARTITIONS, id="fewer than none"),
        pytest.param(new_topic_request("t", 10_001), ErrorCode.POLICY_VIOLATION, id="too many"),
        pytest.param(
            new_topic_request("t", -1, -1, assignments={index: [1] for index in range(10_001)}),
            ErrorCode.POLICY_VIOLATION,
            id="too many, placed",
        ),
        pytest.param(new_topic_request("t", 1, 2), ErrorCode.INVALID_REPLICATION_FACTOR, id="more than brokers"),
        pytest.param(new_topic_request("t", 1, 0), ErrorCode.INVALID_REPLICATION_FACTOR, id="no replica"),
        pytest.param(new_topic_request("t", 0, 0), ErrorCode.INVALID_REPLICATION_FACTOR, id="neither"),
        pytest.param(new_topic_request("t", 0, 2), ErrorCode.INVALID_PARTITIONS, id="no partition on too many brokers"),
        pytest.param(
            new_topic_request("t", configs={"retention.hours": "1"}), ErrorCode.INVALID_CONFIG, id="unknown config"
        ),
        pytest.param(
            new_topic_request("t", 1, 1, assignments={0: [1]}), ErrorCode.INVALID_REQUEST, id="placed and counted"
        ),
        pytest.param(
            new_topic_request("t", -1, -1, assignments={1: [1]}),
            ErrorCode.INVALID_REPLICA_ASSIGNMENT,
            id="partition 0 not placed",
        ),
        pytest.param(
            new_topic_request("t", -1, -1, assignments={0: [9]}),
            ErrorCode.INVALID_REPLICA_ASSIGNMENT,
            id="placed on nobody",
        ),
        pytest.param(
            new_topic_request("t", -1, -1, assignments={0: []}),
            ErrorCode.INVALID_REPLICA_ASSIGNMENT,
            id="placed nowhere",
        ),
    ],
)
def test_topics_that_cannot_be(client: Client, topic: Any, error: ErrorCode) -> None:
    (result,) = create(client, topic)
    assert result.error_code == error
    assert result.error_message


def test_the_topics_of_a_request_have_no_more_partitions_than_one_may_have(client: Client) -> None:
    counts = {"one": 5_000, "two": 5_000, "three": 1}
    results = create(client, *(new_topic_request(name, count) for name, count in counts.items()))
    assert [(result.name, result.error_code) for result in results] == [
        (name, ErrorCode.POLICY_VIOLATION) for name in counts
    ]


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
    results = create(
        client,
        new_topic_request(default, -1, -1),
        new_topic_request(placed, -1, -1, assignments={1: [1], 0: [1]}),
    )
    assert [(result.num_partitions, result.replication_factor) for result in results] == [(1, 1), (2, 1)]


def test_a_topics_configuration_has_effect_and_is_described(client: Client) -> None:
    name = unique("small")
    create(client, new_topic_request(name, configs={"max.message.bytes": "100", "retention.ms": "7"}))
    assert produce(client, name, values("a" * 200)).error_code == ErrorCode.MESSAGE_TOO_LARGE
    configs = {config.name: (config.value, config.config_source) for config in describe(client, TOPIC, name).configs}
    assert configs["max.message.bytes"] == ("100", 1)
    assert configs["retention.ms"] == ("7", 1)
    assert configs["cleanup.policy"] == ("delete", 5)


def test_the_brokers_clock_may_stamp_the_records(client: Client) -> None:
    name = unique("stamped")
    create(client, new_topic_request(name, configs={"message.timestamp.type": "LogAppendTime"}))
    assert produce(client, name, values("a")).log_append_time_ms > 1_600_000_000_000


@pytest.mark.parametrize("version", range(14))
def test_all_topics_are_told_in_every_version(client: Client, topic: str, version: int) -> None:
    request = MetadataRequest(topics=[] if version == 0 else None)
    answer = client.ask(apis.METADATA, request, version)
    assert topic in {each.name for each in answer.topics}
    assert [(broker.node_id, broker.host) for broker in answer.brokers] == [(1, "127.0.0.1")]


def test_no_topics_are_told_if_none_are_asked_for(client: Client, topic: str) -> None:
    assert metadata(client).topics == ()


def test_a_topic_is_made_when_it_is_asked_for_if_that_is_allowed(client: Client) -> None:
    name = unique("wanted")
    assert metadata(client, name).topics[0].error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert metadata(client, "not a name", may_create=True).topics[0].error_code == ErrorCode.INVALID_TOPIC_EXCEPTION
    assert len(metadata(client, name, may_create=True).topics[0].partitions) == 1
    assert metadata(client, name).topics[0].error_code == ErrorCode.NONE


def test_a_broker_may_forbid_to_make_topics_by_asking() -> None:
    with Cluster(config={"auto.create.topics.enable": "false"}) as strict, Client(strict.bootstrap_servers) as client:
        answer = metadata(client, "wanted", may_create=True)
        assert answer.topics[0].error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


def test_an_unknown_topic_id_is_told(client: Client) -> None:
    assert metadata(client, ids=[uuid4()]).topics[0].error_code == ErrorCode.UNKNOWN_TOPIC_ID


@pytest.mark.parametrize("version", range(1, 7))
def test_a_topic_is_deleted_by_name_and_made_again_under_another_id(client: Client, topic: str, version: int) -> None:
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
    asked = CreatePartitionsRequest.CreatePartitionsTopic
    topics = [asked(name=new_topic(1), count=6_000, assignments=None) for _ in range(2)]
    answer = client.ask(apis.CREATE_PARTITIONS, CreatePartitionsRequest(topics=topics, timeout_ms=1_000))
    assert [result.error_code for result in answer.results] == [ErrorCode.INVALID_PARTITIONS] * 2
    assert len(metadata(client, topics[0].name).topics[0].partitions) == 1


def test_the_cluster_is_described(client: Client) -> None:
    answer = client.ask(apis.DESCRIBE_CLUSTER, DescribeClusterRequest())
    assert answer.controller_id == 1
    assert answer.cluster_id == metadata(client).cluster_id
    assert [broker.broker_id for broker in answer.brokers] == [1]
    controllers = client.ask(apis.DESCRIBE_CLUSTER, DescribeClusterRequest(endpoint_type=2))
    assert controllers.error_code == ErrorCode.INVALID_REQUEST


def test_the_brokers_configuration_is_described(client: Client) -> None:
    wanted = ["group.consumer.heartbeat.interval.ms", "num.partitions"]
    configs = describe(client, BROKER, "1", wanted).configs
    assert {config.name: (config.value, config.config_source) for config in configs} == {
        "group.consumer.heartbeat.interval.ms": ("100", 4),
        "num.partitions": ("1", 5),
    }


@pytest.mark.parametrize(
    ("kind", "name", "error"),
    [
        (TOPIC, "nowhere", ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        (BROKER, "9", ErrorCode.INVALID_REQUEST),
        (BROKER, "", ErrorCode.NONE),
        (99, "any", ErrorCode.INVALID_REQUEST),
    ],
)
def test_other_resources_have_no_configuration(client: Client, kind: int, name: str, error: ErrorCode) -> None:
    result = describe(client, kind, name)
    assert (result.error_code, result.configs) == (error, ())


def test_a_test_makes_its_topics_without_a_client(cluster: Cluster, client: Client) -> None:
    name = unique("direct")
    cluster.create_topic(name, partitions=4)
    assert len(metadata(client, name).topics[0].partitions) == 4
    for refused, partitions in ((name, 1), ("a b", 1), ("fresh", 0)):
        with pytest.raises(MisuseError):
            cluster.create_topic(refused, partitions)
