"""A request that names a topic twice contradicts itself: of that topic nothing is done, and it is answered once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kafka_nextgen.bridge.topics import NO_TOPIC_ID
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.wire import apis
from kafka_nextgen.wire.messages import CreatePartitionsRequest, CreateTopicsRequest, DeleteTopicsRequest
from tests.broker.client import Client
from tests.broker.requests import metadata
from tests.support.clients import create_topic, unique
from tests.support.kafka_server import KafkaServer

REFUSED = [ErrorCode.INVALID_REQUEST]


@pytest.fixture
def client(every_kafka: KafkaServer) -> Iterator[Client]:
    with Client(every_kafka.bootstrap_servers) as connected:
        yield connected


@pytest.fixture
def topic(every_kafka: KafkaServer) -> str:
    return create_topic(every_kafka.bootstrap_servers, "twice", 2)


def test_it_is_not_made(client: Client) -> None:
    topic = CreateTopicsRequest.CreatableTopic(
        name=unique("twice"), num_partitions=1, replication_factor=1, assignments=[], configs=[]
    )
    request = CreateTopicsRequest(topics=[topic, topic], timeout_ms=9_000, validate_only=False)
    assert [one.error_code for one in client.ask(apis.CREATE_TOPICS, request).topics] == REFUSED


def test_it_does_not_grow(client: Client, topic: str) -> None:
    more = [
        CreatePartitionsRequest.CreatePartitionsTopic(name=topic, count=count, assignments=None) for count in (3, 4)
    ]
    request = CreatePartitionsRequest(topics=more, timeout_ms=9_000, validate_only=False)
    assert [one.error_code for one in client.ask(apis.CREATE_PARTITIONS, request).results] == REFUSED


@pytest.mark.parametrize("version", [5, 6])
def test_it_is_not_deleted(client: Client, topic: str, version: int) -> None:
    named = DeleteTopicsRequest.DeleteTopicState(name=topic, topic_id=NO_TOPIC_ID)
    request = DeleteTopicsRequest(topics=[named, named], topic_names=[topic, topic], timeout_ms=9_000)
    assert [one.error_code for one in client.ask(apis.DELETE_TOPICS, request, version).responses] == REFUSED


def test_it_is_told_once(client: Client, topic: str) -> None:
    told = metadata(client, topic, topic).topics
    assert [(one.name, len(one.partitions)) for one in told] == [(topic, 2)]
