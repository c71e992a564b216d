"""WriteTxnMarkers: end a transaction in partitions that this node leads (KIP-98).

Brokers send it to each other, and an administrator to end a transaction that hangs (KIP-664).
"""

from __future__ import annotations

from kafka_nextgen.bridge.topics import by_name
from kafka_nextgen.broker.context import Context
from kafka_nextgen.broker.security.rights import ACT_FOR_CLUSTER, ALTER_CLUSTER
from kafka_nextgen.broker.transactions.marking import end_in_log
from kafka_nextgen.broker.transactions.transaction import Producer
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.types import TopicPartition
from kafka_nextgen.wire.messages import WriteTxnMarkersRequest, WriteTxnMarkersResponse
from kafka_nextgen.wire.records import EndMarker

__all__ = ["handle"]

_Marker = WriteTxnMarkersResponse.WritableTxnMarkerResult
_Topic = _Marker.WritableTxnMarkerTopicResult
_Partition = _Topic.WritableTxnMarkerPartitionResult


async def handle(request: WriteTxnMarkersRequest, context: Context) -> WriteTxnMarkersResponse:
    """Write each marker where it can be written."""
    return WriteTxnMarkersResponse(markers=[_written(marker, context) for marker in request.markers])


def _written(asked: WriteTxnMarkersRequest.WritableTxnMarker, context: Context) -> _Marker:
    marker = EndMarker(asked.transaction_result, asked.coordinator_epoch)
    producer = Producer(asked.producer_id, asked.producer_epoch)
    partitions = [TopicPartition(topic.name, number) for topic in asked.topics for number in topic.partition_indexes]
    return _Marker(
        producer_id=asked.producer_id,
        topics=[
            _Topic(
                name=name,
                partitions=[
                    _Partition(
                        partition_index=number,
                        error_code=_write(TopicPartition(name, number), producer, marker, context),
                    )
                    for number in numbers
                ],
            )
            for name, numbers in by_name(partitions).items()
        ],
    )


def _write(tp: TopicPartition, producer: Producer, marker: EndMarker, context: Context) -> ErrorCode:
    if not (context.may(ALTER_CLUSTER) or context.may(ACT_FOR_CLUSTER)):  # the first is for administrators (KIP-1037)
        return ACT_FOR_CLUSTER.error
    partition = context.cluster.topics.partition(tp.topic, tp.partition)
    if partition is None:
        return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    error = context.leadership_error(partition)
    if error is not ErrorCode.NONE:
        return error
    if partition.producers.epoch_of(producer.producer_id) > producer.epoch:
        return ErrorCode.INVALID_PRODUCER_EPOCH
    end_in_log(partition, producer, marker, context.cluster.groups, context.cluster.now_ms())
    return ErrorCode.NONE
