"""Odd requests about records and topics, and what every Kafka answers to them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import UUID, uuid4

import pytest

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.wire import apis
from kafka_nextgen.wire.messages import CreateTopicsRequest, FetchRequest, ListOffsetsRequest, MetadataRequest
from tests.broker.client import Client
from tests.broker.requests import fetch_request, topic_id_of
from tests.support.clients import unique
from tests.support.kafka_server import KafkaServer
from tests.worlds.topics import create_topic

NO_SUCH_LEVEL = 2
BY_NAME, BY_ID = 12, 13

_Named = MetadataRequest.MetadataRequestTopic


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
    smallest = 14 if every_kafka.release < (4, 1) else 1_048_576

    def error_of_making(segment_bytes: int) -> int:
        topic = CreateTopicsRequest.CreatableTopic
        config = topic.CreatableTopicConfig(name="segment.bytes", value=str(segment_bytes))
        asked = topic(name=unique("logs"), num_partitions=1, replication_factor=1, assignments=[], configs=[config])
        answer = client.ask(apis.CREATE_TOPICS, CreateTopicsRequest(topics=[asked], timeout_ms=5_000), 5)
        error: int = answer.topics[0].error_code
        return error

    assert error_of_making(smallest - 1) == ErrorCode.INVALID_CONFIG
    assert error_of_making(smallest) == ErrorCode.NONE


def described(client: Client, version: int, *topics: _Named) -> list[tuple[int, str | None]]:
    request = MetadataRequest(topics=list(topics), allow_auto_topic_creation=False)
    return [(topic.error_code, topic.name) for topic in client.ask(apis.METADATA, request, version).topics]


@pytest.mark.parametrize("version", [10, 11])
def test_metadata_takes_no_ids_before_version_12(client: Client, topic: str, version: int) -> None:
    known = topic_id_of(client, topic)
    ids = [_Named(name=None, topic_id=known), _Named(name=None, topic_id=uuid4()), _Named(name=None)]
    for asked in ids:
        assert described(client, version, asked) == [(ErrorCode.INVALID_REQUEST, "")]
    both = [_Named(name=topic, topic_id=known), _Named(name=topic)]
    assert described(client, version, *both) == [(ErrorCode.INVALID_REQUEST, topic)] * 2


def test_metadata_by_id_has_no_eye_for_names(client: Client, topic: str) -> None:
    known = topic_id_of(client, topic)
    assert described(client, 12, _Named(name="nowhere", topic_id=known)) == [(ErrorCode.NONE, topic)]
    assert described(client, 12, _Named(name=topic, topic_id=uuid4())) == [(ErrorCode.UNKNOWN_TOPIC_ID, None)]
    assert described(client, 12, _Named(name=None, topic_id=known), _Named(name="nowhere")) == [(ErrorCode.NONE, topic)]


def test_metadata_of_neither_name_nor_id_fails_whole(client: Client, topic: str) -> None:
    wrong = ErrorCode.UNKNOWN_SERVER_ERROR
    assert described(client, 12, _Named(name=topic), _Named(name=None)) == [(wrong, topic), (wrong, "")]


@pytest.mark.parametrize("version", [BY_NAME, BY_ID])
def test_a_full_fetch_reads_what_it_forgets(client: Client, topic: str, version: int) -> None:
    request = fetched(client, topic, version).replaced(session_epoch=0)
    key = {"topic": topic} if version == BY_NAME else {"topic_id": topic_id_of(client, topic)}
    forgotten = [FetchRequest.ForgottenTopic(partitions=[0], **key)]
    answer = client.ask(apis.FETCH, request.replaced(forgotten_topics_data=forgotten), version)
    assert (answer.error_code, indexes(answer)) == (ErrorCode.NONE, [0])
    assert answer.session_id != 0


@pytest.mark.parametrize("epoch", [0, -1])
@pytest.mark.parametrize("version", [BY_NAME, BY_ID])
def test_a_partition_that_is_fetched_twice_is_read_once(client: Client, topic: str, version: int, epoch: int) -> None:
    request = fetched(client, topic, version)
    request = request.replaced(session_epoch=epoch, topics=[*request.topics, *request.topics])
    assert indexes(client.ask(apis.FETCH, request, version)) == [0]


def fetched(client: Client, topic: str, version: int) -> FetchRequest:
    key: str | UUID = topic if version == BY_NAME else topic_id_of(client, topic)
    return fetch_request(key)


def indexes(answer: Any) -> list[int]:
    return [partition.partition_index for topic in answer.responses for partition in topic.partitions]
