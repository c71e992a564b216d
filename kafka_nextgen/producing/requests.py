"""The requests of the producer, Produce and CreateTopics, and their errors.

Produce identifies topics by id from version 13 on (KIP-516), by name before.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from kafka_nextgen.bridge.cluster_image import TopicInfo
from kafka_nextgen.codes import is_retriable, name_of
from kafka_nextgen.errors import BrokerError, TopicAuthorizationError
from kafka_nextgen.types import TopicPartition
from kafka_nextgen.wire.messages import CreateTopicsRequest, CreateTopicsResponse, ProduceRequest, ProduceResponse

__all__ = ["WriteAnswer", "check_created", "create_topic_request", "produce_request", "write_error"]

_BY_ID = 13
_AUTHORIZATION = 29
_Topic = ProduceRequest.TopicProduceData
_Partition = _Topic.PartitionProduceData

#: The answer for one partition.
WriteAnswer: TypeAlias = ProduceResponse.TopicProduceResponse.PartitionProduceResponse


def produce_request(
    topic: TopicInfo, batches: Mapping[int, bytes], acks: int, timeout_s: float, version: int
) -> ProduceRequest:
    """Return a request with one batch for each partition. ``acks`` is 1, or -1 for all in-sync replicas."""
    named = {"topic_id": topic.topic_id} if version >= _BY_ID else {"name": topic.name}
    data = [_Partition(index=partition, records=batch) for partition, batch in batches.items()]
    return ProduceRequest(
        transactional_id=None,
        acks=acks,
        timeout_ms=int(timeout_s * 1000),
        topic_data=[_Topic(partition_data=data, **named)],
    )


def write_error(topic: str, answer: WriteAnswer) -> BrokerError:
    """Return the error of a refused batch."""
    partition = TopicPartition(topic, answer.index)
    kind = TopicAuthorizationError if answer.error_code == _AUTHORIZATION else BrokerError
    return kind(
        f"{partition}: the broker refused the records {_reason(answer.error_code, answer.error_message)}",
        code=answer.error_code,
        retriable=is_retriable(answer.error_code),
        partition=partition,
    )


def create_topic_request(name: str, partitions: int, timeout_s: float) -> CreateTopicsRequest:
    """Return a request to create a topic with the broker's default replication."""
    topic = CreateTopicsRequest.CreatableTopic(
        name=name, num_partitions=partitions, replication_factor=-1, assignments=[], configs=[]
    )
    return CreateTopicsRequest(topics=[topic], timeout_ms=int(timeout_s * 1000), validate_only=False)


def check_created(response: CreateTopicsResponse) -> None:
    """Raise BrokerError if the topic was not created."""
    for topic in response.topics:
        if topic.error_code:
            raise BrokerError(
                f"topic {topic.name} was not created {_reason(topic.error_code, topic.error_message)}",
                code=topic.error_code,
                retriable=is_retriable(topic.error_code),
            )


def _reason(code: int, message: str | None) -> str:
    return f"({name_of(code)}): {message}" if message else f"({name_of(code)})"
