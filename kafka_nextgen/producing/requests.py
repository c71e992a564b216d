"""Requests and responses of the producer: Produce and CreateTopics.

Produce identifies topics by id from version 13 on (KIP-516), by name before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from attrs import frozen

from kafka_nextgen.bridge.cluster_image import TopicInfo
from kafka_nextgen.codes import is_retriable, name_of
from kafka_nextgen.errors import BrokerError, TopicAuthorizationError
from kafka_nextgen.types import TopicPartition
from kafka_nextgen.wire.messages import CreateTopicsRequest, CreateTopicsResponse, ProduceRequest, ProduceResponse

__all__ = ["Written", "answers", "create_topic_request", "creation_error", "produce_request", "write_error"]

_BY_ID = 13
_AUTHORIZATION = 29
_Topic = ProduceRequest.TopicProduceData
_Partition = _Topic.PartitionProduceData


@frozen
class Written:
    """A broker's result for one partition: the error code, and the offset of the batch's first record."""

    partition: int
    code: int
    base_offset: int
    message: str = ""


def produce_request(
    topic: TopicInfo, batches: Mapping[int, bytes], acks: int, timeout_s: float, version: int
) -> ProduceRequest:
    """One batch for each of these partitions. ``acks`` is 1, or -1 for all in-sync replicas."""
    named = {"topic_id": topic.topic_id} if version >= _BY_ID else {"name": topic.name}
    data = [_Partition(index=partition, records=batch) for partition, batch in batches.items()]
    return ProduceRequest(
        transactional_id=None,
        acks=acks,
        timeout_ms=int(timeout_s * 1000),
        topic_data=[_Topic(partition_data=data, **named)],
    )


def answers(response: ProduceResponse) -> Iterator[Written]:
    """The result of each partition."""
    for topic in response.responses:
        for one in topic.partition_responses:
            yield Written(one.index, one.error_code, one.base_offset, one.error_message or "")


def write_error(topic: str, written: Written) -> BrokerError:
    """The typed error of a refused batch."""
    partition = TopicPartition(topic, written.partition)
    kind = TopicAuthorizationError if written.code == _AUTHORIZATION else BrokerError
    why = f": {written.message}" if written.message else ""
    return kind(
        f"{partition}: the broker refused the records ({name_of(written.code)}){why}",
        code=written.code,
        retriable=is_retriable(written.code),
        partition=partition,
    )


def create_topic_request(name: str, partitions: int, timeout_s: float) -> CreateTopicsRequest:
    """A request to create a topic with the broker's default replication."""
    topic = CreateTopicsRequest.CreatableTopic(
        name=name, num_partitions=partitions, replication_factor=-1, assignments=[], configs=[]
    )
    return CreateTopicsRequest(topics=[topic], timeout_ms=int(timeout_s * 1000), validate_only=False)


def creation_error(response: CreateTopicsResponse) -> BrokerError | None:
    """The typed error of a topic that was not created; None if it was."""
    for topic in response.topics:
        if topic.error_code:
            why = f": {topic.error_message}" if topic.error_message else ""
            return BrokerError(
                f"topic {topic.name} was not created ({name_of(topic.error_code)}){why}",
                code=topic.error_code,
                retriable=is_retriable(topic.error_code),
            )
    return None
