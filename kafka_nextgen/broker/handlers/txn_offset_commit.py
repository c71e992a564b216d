"""TxnOffsetCommit: store offsets for a group when the producer's transaction is committed (KIP-98, KIP-447).

The group's coordinator asks the transaction's coordinator whether the offsets belong to the transaction. From version 5
on this request adds them, without an AddOffsetsToTxn before (KIP-890).
"""

from __future__ import annotations

from collections.abc import Mapping

from kafka_nextgen.broker.context import Context
from kafka_nextgen.broker.security.rights import READ_GROUP, READ_TOPIC, WRITE_TRANSACTIONAL_ID
from kafka_nextgen.broker.transactions.admission import added, verified
from kafka_nextgen.broker.transactions.error_names import TXN_OFFSET_COMMIT
from kafka_nextgen.broker.transactions.transaction import Producer
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.coordinator.requests import TxnOffsetCommit
from kafka_nextgen.coordinator.responses import OffsetsCommitted
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition
from kafka_nextgen.wire.messages import TxnOffsetCommitRequest, TxnOffsetCommitResponse

__all__ = ["handle"]

_Topic = TxnOffsetCommitResponse.TxnOffsetCommitResponseTopic
_Partition = _Topic.TxnOffsetCommitResponsePartition

_ADDS = 5


async def handle(request: TxnOffsetCommitRequest, context: Context) -> TxnOffsetCommitResponse:
    """Store the offsets of partitions that exist; return an error code for each partition."""
    errors = _errors(request, context)
    return TxnOffsetCommitResponse(
        topics=[
            _Topic(
                name=topic.name,
                partitions=[
                    _Partition(
                        partition_index=partition.partition_index,
                        error_code=errors.get(
                            TopicPartition(topic.name, partition.partition_index), ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
                        ),
                    )
                    for partition in topic.partitions
                ],
            )
            for topic in request.topics
        ]
    )


def _errors(request: TxnOffsetCommitRequest, context: Context) -> Mapping[TopicPartition, ErrorCode]:
    asked = _offsets(request)
    for right, name in ((WRITE_TRANSACTIONAL_ID, request.transactional_id), (READ_GROUP, request.group_id)):
        if not context.may(right, name):
            return dict.fromkeys(asked, right.error)
    directory = context.cluster.directory()
    refused = {tp: READ_TOPIC.error for tp in asked if not context.may(READ_TOPIC, tp.topic)}
    offsets = {tp: offset for tp, offset in asked.items() if directory.has(tp) and tp not in refused}
    return {**refused, **(_commit(request, offsets, context) if offsets else {})}


def _offsets(request: TxnOffsetCommitRequest) -> dict[TopicPartition, OffsetAndMetadata]:
    return {
        TopicPartition(topic.name, partition.partition_index): OffsetAndMetadata(
            partition.committed_offset,
            max(partition.committed_leader_epoch, -1),
            partition.committed_metadata or "",
        )
        for topic in request.topics
        for partition in topic.partitions
    }


def _commit(
    request: TxnOffsetCommitRequest, offsets: Mapping[TopicPartition, OffsetAndMetadata], context: Context
) -> Mapping[TopicPartition, ErrorCode]:
    error = _refuse(request, context)
    if error is not ErrorCode.NONE:
        return dict.fromkeys(offsets, error)
    asked = TxnOffsetCommit(
        group_id=request.group_id,
        offsets=offsets,
        producer_id=request.producer_id,
        producer_epoch=request.producer_epoch,
        member_id=request.member_id,
        member_epoch=request.generation_id,
        instance_id=request.group_instance_id,
        topic_ids=context.cluster.directory().ids_of(offsets),
    )
    return context.cluster.groups.ask(asked, OffsetsCommitted).errors


def _refuse(request: TxnOffsetCommitRequest, context: Context) -> ErrorCode:
    if not request.group_id:
        return ErrorCode.INVALID_GROUP_ID
    if not context.coordinates(request.group_id):
        return ErrorCode.NOT_COORDINATOR
    admits = added if context.version >= _ADDS else verified
    error = admits(
        context.cluster.transactions,
        request.transactional_id,
        Producer(request.producer_id, request.producer_epoch),
        context.cluster.offsets_partition(request.group_id),
    )
    return TXN_OFFSET_COMMIT.told(error, context.version)
