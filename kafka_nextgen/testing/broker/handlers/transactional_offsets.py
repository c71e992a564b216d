"""TxnOffsetCommit: a group's offsets that are committed with a producer's transaction (KIP-98, KIP-447).

Topics are identified by id from version 6 on (KIP-1319).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.testing.broker.context import Context
from kafka_nextgen.testing.broker.security.acls import Right
from kafka_nextgen.testing.broker.transactions.error_names import TXN_OFFSET_COMMIT
from kafka_nextgen.testing.broker.transactions.partitions import add_partition
from kafka_nextgen.testing.broker.transactions.transaction import Producer
from kafka_nextgen.testing.coordinator.requests import TxnOffsetCommit
from kafka_nextgen.testing.coordinator.responses import OffsetsCommitted
from kafka_nextgen.testing.messages.topics import TopicDirectory
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition
from kafka_nextgen.wire import messages as m

__all__ = ["txn_offset_commit"]

_AskedTopic = m.TxnOffsetCommitRequest.TxnOffsetCommitRequestTopic
_Topic = m.TxnOffsetCommitResponse.TxnOffsetCommitResponseTopic
_Partition = _Topic.TxnOffsetCommitResponsePartition

_ADDS = 5
_WITH_TOPIC_IDS = 6


async def txn_offset_commit(request: m.TxnOffsetCommitRequest, context: Context) -> m.TxnOffsetCommitResponse:
    """Store offsets when the producer's transaction is committed; return an error code for each partition.

    The group's coordinator checks with the transaction's coordinator whether the offsets belong to the transaction.
    From version 5 on this request adds them, without a preceding AddOffsetsToTxn (KIP-890).
    """
    directory = context.cluster.directory()
    topics = [(_name_in(topic, directory, context.version), topic) for topic in request.topics]
    if error := _missing_right(request, context):
        return m.TxnOffsetCommitResponse(topics=[_answered(topic, error, {}) for topic in request.topics])
    refused = {name: error for name, _ in topics if (error := _refuse_topic(name, context))}
    offsets = _offsets([(name, topic) for name, topic in topics if name and name not in refused], directory)
    errors = _commit(request, offsets, directory, context) if offsets else {}
    return m.TxnOffsetCommitResponse(
        topics=[
            _answered(
                topic,
                refused.get(name, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
                {tp.partition: error for tp, error in errors.items() if tp.topic == name},
            )
            for name, topic in topics
        ]
    )


def _name_in(topic: _AskedTopic, directory: TopicDirectory, version: int) -> str | None:
    return directory.name_of(topic.topic_id) if version >= _WITH_TOPIC_IDS else topic.name


def _missing_right(request: m.TxnOffsetCommitRequest, context: Context) -> ErrorCode | None:
    for right, name in ((Right.WRITE_TRANSACTIONAL_ID, request.transactional_id), (Right.READ_GROUP, request.group_id)):
        if not context.may(right, name):
            return right.error
    return None


def _refuse_topic(name: str | None, context: Context) -> ErrorCode | None:
    if name is None:
        return ErrorCode.UNKNOWN_TOPIC_ID
    return None if context.may(Right.READ_TOPIC, name) else Right.READ_TOPIC.error


def _answered(topic: _AskedTopic, otherwise: ErrorCode, errors: Mapping[int, ErrorCode]) -> _Topic:
    """The answer for a topic; ``otherwise`` is for partitions without an error of their own."""
    return _Topic(
        name=topic.name,
        topic_id=topic.topic_id,
        partitions=[
            _Partition(
                partition_index=partition.partition_index,
                error_code=errors.get(partition.partition_index, otherwise),
            )
            for partition in topic.partitions
        ],
    )


def _offsets(
    topics: Collection[tuple[str, _AskedTopic]], directory: TopicDirectory
) -> dict[TopicPartition, OffsetAndMetadata]:
    """The offsets of partitions that exist."""
    return {
        tp: OffsetAndMetadata(
            partition.committed_offset, partition.committed_leader_epoch, partition.committed_metadata or ""
        )
        for name, topic in topics
        for partition in topic.partitions
        if directory.has(tp := TopicPartition(name, partition.partition_index))
    }


def _commit(
    request: m.TxnOffsetCommitRequest,
    offsets: Mapping[TopicPartition, OffsetAndMetadata],
    directory: TopicDirectory,
    context: Context,
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
        member_epoch=request.generation_id_or_member_epoch,
        instance_id=request.group_instance_id,
        version=context.version,
        topic_ids=directory.ids_of(offsets),
    )
    return context.cluster.groups.ask(asked, OffsetsCommitted).errors


def _refuse(request: m.TxnOffsetCommitRequest, context: Context) -> ErrorCode:
    if not request.group_id:
        return ErrorCode.INVALID_GROUP_ID
    if not context.coordinates(request.group_id):
        return ErrorCode.NOT_COORDINATOR
    error = add_partition(
        context.cluster.transactions,
        request.transactional_id,
        Producer(request.producer_id, request.producer_epoch),
        context.cluster.offsets_partition(request.group_id),
        verify_only=context.version < _ADDS,
    )
    return TXN_OFFSET_COMMIT.in_version(error, context.version)
