"""What an admin of topics asks: CreateTopics, DeleteTopics, Metadata with replicas, and configurations of topics."""

from __future__ import annotations

import pytest

from kafka_nextgen.errors import DecodeError
from kafka_nextgen.requests import create_topics, delete_topics, describe_configs, describe_topics
from kafka_nextgen.requests.create_topics import CreatedTopic, NewTopic
from kafka_nextgen.requests.describe_configs import DescribedConfig
from kafka_nextgen.requests.describe_topics import DescribedPartition, DescribedTopic
from kafka_nextgen.wire.apis import CREATE_TOPICS, DELETE_TOPICS, DESCRIBE_CONFIGS, METADATA
from kafka_nextgen.wire.messages import (
    CreateTopicsResponse,
    DeleteTopicsResponse,
    DescribeConfigsResponse,
    MetadataResponse,
)
from tests.requests.over_the_wire import AUDIT, ORDERS, answered, asked

_Deleted = DeleteTopicsResponse.DeletableTopicResult
_Created = CreateTopicsResponse.CreatableTopicResult
_Topic = MetadataResponse.MetadataResponseTopic
_Result = DescribeConfigsResponse.DescribeConfigsResult


@pytest.mark.parametrize("version", [2, 7])
def test_topics_are_created_with_what_differs_from_the_brokers_defaults(version: int) -> None:
    new = [NewTopic("orders", 3, 2, {"retention.ms": "1"}), NewTopic("audit")]
    heard = asked(create_topics.to_request(new, 2.5, validate_only=True), version)
    assert (heard.timeout_ms, heard.validate_only) == (2500, True)
    assert [
        (
            topic.name,
            topic.num_partitions,
            topic.replication_factor,
            [(each.name, each.value) for each in topic.configs],
        )
        for topic in heard.topics
    ] == [("orders", 3, 2, [("retention.ms", "1")]), ("audit", -1, -1, [])]


@pytest.mark.parametrize(("version", "size"), [(2, (-1, -1)), (7, (3, 2))])
def test_a_created_topic_has_its_size_in_newer_answers(version: int, size: tuple[int, int]) -> None:
    told = {"num_partitions": 3, "replication_factor": 2, "configs": []}
    result = _Created(name="orders", error_code=0, error_message=None, **told)
    refused = _Created(name="audit", error_code=36, error_message="it exists", num_partitions=-1, configs=None)
    message = answered(CREATE_TOPICS, CreateTopicsResponse(topics=[result, refused]), version)
    created = create_topics.from_response(message, ["audit", "orders"])
    assert created == {
        "audit": CreatedTopic("audit", 36, "it exists"),
        "orders": CreatedTopic("orders", 0, None, *size),
    }
    with pytest.raises(DecodeError, match="CreateTopics lacks other"):
        create_topics.from_response(message, ["orders", "other"])


def test_topics_are_deleted_by_id_where_a_broker_takes_ids() -> None:
    request = delete_topics.to_request({"orders": ORDERS, "audit": None}, 1, 6)
    heard = asked(request, 6)
    assert [(topic.name, topic.topic_id) for topic in heard.topics] == [(None, ORDERS), ("audit", None)]
    heard = asked(delete_topics.to_request({"orders": ORDERS, "audit": None}, 1, 5), 5)
    assert (list(heard.topic_names), heard.timeout_ms) == (["orders", "audit"], 1000)


def test_a_deleted_topic_is_found_by_id_or_by_name() -> None:
    gone = _Deleted(name=None, topic_id=ORDERS, error_code=100, error_message=None)
    done = _Deleted(name="audit", topic_id=AUDIT, error_code=0, error_message=None)
    message = answered(DELETE_TOPICS, DeleteTopicsResponse(responses=[gone, done]), 6)
    assert delete_topics.from_response(message, {"audit": None, "orders": ORDERS}) == {
        "audit": (0, None),
        "orders": (100, None),
    }
    with pytest.raises(DecodeError, match="DeleteTopics lacks other"):
        delete_topics.from_response(message, {"audit": None, "other": None})


def test_metadata_has_the_replicas_that_are_in_sync() -> None:
    partitions = [
        _Topic.MetadataResponsePartition(
            error_code=0,
            partition_index=index,
            leader_id=leader,
            replica_nodes=[1, 2],
            isr_nodes=[2],
            offline_replicas=[],
        )
        for index, leader in ((1, -1), (0, 2))
    ]
    topic = _Topic(error_code=0, name="orders", topic_id=ORDERS, is_internal=False, partitions=partitions)
    unknown = _Topic(error_code=3, name="audit", topic_id=None, is_internal=False, partitions=[])
    message = answered(METADATA, MetadataResponse(brokers=[], topics=[topic, unknown]), 12)
    assert list(describe_topics.from_response(message).values()) == [
        DescribedTopic("audit", None, False, (), error=3),
        DescribedTopic(
            "orders",
            ORDERS,
            False,
            (DescribedPartition(0, 2, (1, 2), (2,)), DescribedPartition(1, -1, (1, 2), (2,))),
        ),
    ]


@pytest.mark.parametrize(("source", "is_own"), [(1, True), (8, False), (5, False)])
def test_a_topic_says_which_values_are_its_own(source: int, is_own: bool) -> None:
    config = _Result.DescribeConfigsResourceResult(
        name="a", value="1", read_only=False, config_source=source, is_sensitive=False, synonyms=[], documentation=None
    )
    found = _Result(error_code=0, error_message=None, resource_type=2, resource_name="orders", configs=[config])
    message = answered(DESCRIBE_CONFIGS, DescribeConfigsResponse(results=[found]), 4)
    (described,) = describe_configs.from_response(message, "orders", describe_configs.TOPIC).configs
    assert described.is_own is is_own
    with pytest.raises(DecodeError, match="lacks group orders"):
        describe_configs.from_response(message, "orders")


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (1, "true", True),
        (1, "FALSE", False),
        (1, "perhaps", "perhaps"),
        (2, "1", "1"),
        (3, "-1", -1),
        (4, "7", 7),
        (5, "9223372036854775807", 9223372036854775807),
        (5, "many", "many"),
        (6, "0.5", 0.5),
        (7, "delete, compact", ["delete", "compact"]),
        (7, "", []),
        (9, None, None),
        (0, "1", "1"),
    ],
)
def test_a_value_is_what_its_type_says(kind: int, text: str | None, value: object) -> None:
    typed = DescribedConfig("a", text, False, False, None, kind).typed_value()
    assert (typed, type(typed)) == (value, type(value))
