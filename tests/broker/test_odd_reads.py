"""Odd requests about records and topics, and what every Kafka answers to them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.wire import apis
from kafka_nextgen.wire.messages import CreateTopicsRequest, ListOffsetsRequest
from tests.broker.client import Client
from tests.broker.requests import fetch_request, topic_id_of
from tests.support.clients import unique
from tests.support.kafka_server import KafkaServer
from tests.worlds.topics import create_topic

NO_SUCH_LEVEL = 2
BY_NAME, BY_ID = 12, 13


@pytest.fixture
def client(every_kafka: KafkaServer) -> Iterator[Client]:
    with Client(every_kafka.bootstrap_servers) as connected:
        yield connected


@pytest.fixture
def topic(client: Client) -> str:
    name = unique("orders")
    create_topic(client, name, 1)
    return name


def test_an_isolation_level_that_is_none_fails_the_fetch(client: Client, topic: str) -> None:
    by_name = fetch_request(topic).replaced(isolation_level=NO_SUCH_LEVEL)
    by_id = fetch_request(topic_id_of(client, topic)).replaced(isolation_level=NO_SUCH_LEVEL)
    answer = client.ask(apis.FETCH, by_name, BY_NAME)
    (partition,) = answer.responses[0].partitions
    assert answer.error_code == partition.error_code == ErrorCode.UNKNOWN_SERVER_ERROR
    assert (partition.high_watermark, partition.aborted_transactions) == (-1, ())
    answer = client.ask(apis.FETCH, by_id, BY_ID)
    assert (answer.error_code, answer.responses) == (ErrorCode.UNKNOWN_SERVER_ERROR, ())


def test_an_isolation_level_that_is_none_fails_the_lookup_of_offsets(client: Client, topic: str) -> None:
    asked = ListOffsetsRequest.ListOffsetsTopic.ListOffsetsPartition(partition_index=0, timestamp=-1)
    topics = [ListOffsetsRequest.ListOffsetsTopic(name=topic, partitions=[asked])]
    request = ListOffsetsRequest(replica_id=-1, isolation_level=NO_SUCH_LEVEL, topics=topics, timeout_ms=1_000)
    (partition,) = client.ask(apis.LIST_OFFSETS, request, 10).topics[0].partitions
    assert (partition.error_code, partition.offset) == (ErrorCode.UNKNOWN_SERVER_ERROR, -1)


def test_segments_may_be_so_small_and_no_smaller(client: Client, every_kafka: KafkaServer) -> None:
    smallest = 14 if "4.0" in every_kafka.version else 1_048_576

    def error_of_making(segment_bytes: int) -> int:
        topic = CreateTopicsRequest.CreatableTopic
        config = topic.CreatableTopicConfig(name="segment.bytes", value=str(segment_bytes))
        asked = topic(name=unique("logs"), num_partitions=1, replication_factor=1, assignments=[], configs=[config])
        answer = client.ask(apis.CREATE_TOPICS, CreateTopicsRequest(topics=[asked], timeout_ms=5_000), 5)
        error: int = answer.topics[0].error_code
        return error

    assert error_of_making(smallest - 1) == ErrorCode.INVALID_CONFIG
    assert error_of_making(smallest) == ErrorCode.NONE
