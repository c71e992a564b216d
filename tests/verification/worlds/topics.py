"""Topics of a broker behind a socket, made and changed as any administrator does."""

from __future__ import annotations

from typing import Any

from kafka_nextgen.codes import ErrorCode, name_of
from kafka_nextgen.types import TopicId
from kafka_nextgen.wire import apis
from kafka_nextgen.wire.messages import (
    CreatePartitionsRequest,
    CreateTopicsRequest,
    DeleteTopicsRequest,
    MetadataRequest,
)
from tests.support.waiting import GUARD_S, eventually
from tests.testing.broker.client import Client

_TIMEOUT_MS = round(1000 * GUARD_S)


def create_topic(client: Client, name: str, partitions: int) -> TopicId:
    """Create a topic; its id, once the broker knows all of it."""
    topic = CreateTopicsRequest.CreatableTopic(
        name=name, num_partitions=partitions, replication_factor=1, assignments=[], configs=[]
    )
    request = CreateTopicsRequest(topics=[topic], timeout_ms=_TIMEOUT_MS, validate_only=False)
    _check(client.ask(apis.CREATE_TOPICS, request).topics[0])
    _wait_for(client, name, partitions)
    topic_id: TopicId = _described(client, name).topic_id
    return topic_id


def grow_topic(client: Client, name: str, partitions: int) -> None:
    topic = CreatePartitionsRequest.CreatePartitionsTopic(name=name, count=partitions, assignments=None)
    request = CreatePartitionsRequest(topics=[topic], timeout_ms=_TIMEOUT_MS, validate_only=False)
    _check(client.ask(apis.CREATE_PARTITIONS, request).results[0])
    _wait_for(client, name, partitions)


def delete_topic(client: Client, name: str) -> None:
    request = DeleteTopicsRequest(topics=[DeleteTopicsRequest.DeleteTopicState(name=name)], timeout_ms=_TIMEOUT_MS)
    _check(client.ask(apis.DELETE_TOPICS, request).responses[0])
    gone = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    eventually(f"{name} is gone", lambda: _described(client, name).error_code == gone)


def _wait_for(client: Client, name: str, partitions: int) -> None:
    eventually(f"{name} has {partitions} partitions", lambda: len(_described(client, name).partitions) == partitions)


def _described(client: Client, name: str) -> Any:
    topics = [MetadataRequest.MetadataRequestTopic(name=name)]
    return client.ask(apis.METADATA, MetadataRequest(topics=topics, allow_auto_topic_creation=False)).topics[0]


def _check(result: Any) -> None:
    assert result.error_code == ErrorCode.NONE, f"{name_of(result.error_code)}: {result.error_message}"
