"""DescribeProducers: the idempotent producers that a partition knows, and which have a transaction open (KIP-664)."""

from __future__ import annotations

from kafka_nextgen.broker.context import Context
from kafka_nextgen.broker.producers import KnownProducer
from kafka_nextgen.broker.security.rights import READ_TOPIC
from kafka_nextgen.broker.topic import Partition
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.wire.messages import DescribeProducersRequest, DescribeProducersResponse

__all__ = ["handle"]

_Topic = DescribeProducersResponse.TopicResponse
_Partition = _Topic.PartitionResponse
_Producer = _Partition.ProducerState

_NONE_OPEN = -1


async def handle(request: DescribeProducersRequest, context: Context) -> DescribeProducersResponse:
    """Describe the producers of each partition."""
    return DescribeProducersResponse(
        topics=[
            _Topic(
                name=topic.name, partitions=[_describe(topic.name, index, context) for index in topic.partition_indexes]
            )
            for topic in request.topics
        ]
    )


def _describe(name: str, index: int, context: Context) -> _Partition:
    partition = _find(name, index, context)
    if isinstance(partition, ErrorCode):
        return _Partition(partition_index=index, error_code=partition, active_producers=[])
    return _Partition(
        partition_index=index,
        error_code=ErrorCode.NONE,
        active_producers=[_producer(known, partition) for known in partition.producers.all()],
    )


def _find(name: str, index: int, context: Context) -> Partition | ErrorCode:
    if not context.may(READ_TOPIC, name):
        return READ_TOPIC.error
    partition = context.cluster.topics.partition(name, index)
    if partition is None:
        return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    error = context.leadership_error(partition)
    return partition if error is ErrorCode.NONE else error


def _producer(known: KnownProducer, partition: Partition) -> _Producer:
    begins = partition.log.transactions.begin_of(known.producer_id)
    return _Producer(
        producer_id=known.producer_id,
        producer_epoch=known.epoch,
        last_sequence=known.last_sequence,
        last_timestamp=known.last_timestamp,
        coordinator_epoch=known.coordinator_epoch,
        current_txn_start_offset=_NONE_OPEN if begins is None else begins,
    )
