"""InitProducerId, AddPartitionsToTxn, AddOffsetsToTxn and EndTxn: the transaction requests that producers send (KIP-98,
KIP-890).

If one partition is unknown, none of the transaction's partitions are added. From version 4 on, which only brokers send
to each other, AddPartitionsToTxn carries several transactions, and may query whether partitions have already been
added.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.testing.broker.context import Context
from kafka_nextgen.testing.broker.security.acls import Right
from kafka_nextgen.testing.broker.transactions.error_names import (
    ADD_OFFSETS_TO_TXN,
    ADD_PARTITIONS_TO_TXN,
    END_TXN,
    INIT_PRODUCER_ID,
)
from kafka_nextgen.testing.broker.transactions.partitions import add_partition
from kafka_nextgen.testing.broker.transactions.requests import (
    AddPartitions,
    EndTransaction,
    InitProducerId,
    PartitionsAnswered,
    ProducerAnswered,
)
from kafka_nextgen.testing.broker.transactions.transaction import NO_PRODUCER, Producer
from kafka_nextgen.types import TopicPartition
from kafka_nextgen.wire import messages as m
from kafka_nextgen.wire.schemas.transactions import AddPartitionsToTxnTopic, AddPartitionsToTxnTopicResult
from kafka_nextgen.wire.topics import by_name

__all__ = ["add_offsets_to_txn", "add_partitions_to_txn", "end_txn", "init_producer_id"]

_AskedTransaction = m.AddPartitionsToTxnRequest.AddPartitionsToTxnTransaction
_Transaction = m.AddPartitionsToTxnResponse.AddPartitionsToTxnResult
_Partition = AddPartitionsToTxnTopicResult.AddPartitionsToTxnPartitionResult

_SEVERAL = 4

_Errors = Mapping[TopicPartition, ErrorCode]

_BUMPS_EPOCH = 5


async def init_producer_id(request: m.InitProducerIdRequest, context: Context) -> m.InitProducerIdResponse:
    """Assign a producer id."""
    answer = _producer(request, context)
    error = INIT_PRODUCER_ID.in_version(answer.error, context.version)
    return m.InitProducerIdResponse(
        error_code=error, producer_id=answer.producer.producer_id, producer_epoch=answer.producer.epoch
    )


def _producer(request: m.InitProducerIdRequest, context: Context) -> ProducerAnswered:
    cluster = context.cluster
    if request.transactional_id is None:
        # A client that may write to some topic may write idempotently (KIP-679).
        if not (context.may(Right.WRITE_IDEMPOTENTLY) or context.access.may_somewhere(Right.WRITE_TOPIC)):
            return ProducerAnswered(Right.WRITE_IDEMPOTENTLY.error)
        return ProducerAnswered(producer=Producer(cluster.producer_ids.take(), 0))
    error = _refuse_producer(request, context)
    if error is not ErrorCode.NONE:
        return ProducerAnswered(error)
    asked = InitProducerId(
        request.transactional_id,
        request.transaction_timeout_ms,
        cluster.producer_ids.take(),
        Producer(request.producer_id, request.producer_epoch),
    )
    return cluster.transactions.ask(asked, ProducerAnswered)


def _refuse_producer(request: m.InitProducerIdRequest, context: Context) -> ErrorCode:
    if not context.may(Right.WRITE_TRANSACTIONAL_ID, request.transactional_id or ""):
        return Right.WRITE_TRANSACTIONAL_ID.error
    if not request.transactional_id or (request.producer_id < 0) != (request.producer_epoch < 0):
        return ErrorCode.INVALID_REQUEST
    if not context.coordinates_transaction(request.transactional_id):
        return ErrorCode.NOT_COORDINATOR
    if not 0 < request.transaction_timeout_ms <= context.cluster.settings.transaction_max_timeout_ms:
        return ErrorCode.INVALID_TRANSACTION_TIMEOUT
    return ErrorCode.NONE


async def add_partitions_to_txn(request: m.AddPartitionsToTxnRequest, context: Context) -> m.AddPartitionsToTxnResponse:
    """Add the partitions that exist, or verify that they were added."""
    if context.version >= _SEVERAL:
        if not context.may(Right.ACT_FOR_CLUSTER):
            return m.AddPartitionsToTxnResponse(error_code=Right.ACT_FOR_CLUSTER.error, results_by_transaction=[])
        return m.AddPartitionsToTxnResponse(
            error_code=ErrorCode.NONE,
            results_by_transaction=[_several(transaction, context) for transaction in request.transactions],
        )
    producer = Producer(request.v3_and_below_producer_id, request.v3_and_below_producer_epoch)
    partitions = _partitions(request.v3_and_below_topics)
    errors = _add_if_allowed(AddPartitions(request.v3_and_below_transactional_id, producer, partitions), context)
    return m.AddPartitionsToTxnResponse(results_by_topic_v3_and_below=_results(errors, context.version))


def _several(asked: _AskedTransaction, context: Context) -> _Transaction:
    producer = Producer(asked.producer_id, asked.producer_epoch)
    partitions = _partitions(asked.topics)
    errors = _add(AddPartitions(asked.transactional_id, producer, partitions, asked.verify_only), context)
    return _Transaction(transactional_id=asked.transactional_id, topic_results=_results(errors, context.version))


def _add_if_allowed(asked: AddPartitions, context: Context) -> _Errors:
    if not context.may(Right.WRITE_TRANSACTIONAL_ID, asked.transactional_id):
        return dict.fromkeys(asked.partitions, Right.WRITE_TRANSACTIONAL_ID.error)
    if refused := {tp for tp in asked.partitions if not context.may(Right.WRITE_TOPIC, tp.topic)}:
        return _all_refused(asked, refused, Right.WRITE_TOPIC.error)
    return _add(asked, context)


def _add(asked: AddPartitions, context: Context) -> _Errors:
    if error := context.transaction_error(asked.transactional_id):
        return dict.fromkeys(asked.partitions, error)
    directory = context.cluster.directory()
    unknown = {tp for tp in asked.partitions if not directory.has(tp)}
    if unknown and not asked.verify_only:
        return _all_refused(asked, unknown, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
    return context.cluster.transactions.ask(asked, PartitionsAnswered).errors


def _all_refused(asked: AddPartitions, wrong: Collection[TopicPartition], error: ErrorCode) -> _Errors:
    return {tp: error if tp in wrong else ErrorCode.OPERATION_NOT_ATTEMPTED for tp in asked.partitions}


def _partitions(topics: Iterable[AddPartitionsToTxnTopic]) -> frozenset[TopicPartition]:
    return frozenset(TopicPartition(topic.name, number) for topic in topics for number in topic.partitions)


def _results(errors: _Errors, version: int) -> list[AddPartitionsToTxnTopicResult]:
    told = {tp: ADD_PARTITIONS_TO_TXN.in_version(error, version) for tp, error in errors.items()}
    return [
        AddPartitionsToTxnTopicResult(
            name=name,
            results_by_partition=[
                _Partition(partition_index=number, partition_error_code=told[TopicPartition(name, number)])
                for number in numbers
            ],
        )
        for name, numbers in by_name(told).items()
    ]


async def add_offsets_to_txn(request: m.AddOffsetsToTxnRequest, context: Context) -> m.AddOffsetsToTxnResponse:
    """Add the partition that stores the group's offsets."""
    error = ADD_OFFSETS_TO_TXN.in_version(_add_offsets(request, context), context.version)
    return m.AddOffsetsToTxnResponse(error_code=error)


def _add_offsets(request: m.AddOffsetsToTxnRequest, context: Context) -> ErrorCode:
    if not context.may(Right.WRITE_TRANSACTIONAL_ID, request.transactional_id):
        return Right.WRITE_TRANSACTIONAL_ID.error
    if not context.may(Right.READ_GROUP, request.group_id):
        return Right.READ_GROUP.error
    if error := context.transaction_error(request.transactional_id):
        return error
    cluster = context.cluster
    producer = Producer(request.producer_id, request.producer_epoch)
    return add_partition(
        cluster.transactions, request.transactional_id, producer, cluster.offsets_partition(request.group_id)
    )


async def end_txn(request: m.EndTxnRequest, context: Context) -> m.EndTxnResponse:
    """End the transaction; its markers are written before the response is sent."""
    answer = _end(request, context)
    error = END_TXN.in_version(answer.error, context.version)
    return m.EndTxnResponse(
        error_code=error, producer_id=answer.producer.producer_id, producer_epoch=answer.producer.epoch
    )


def _end(request: m.EndTxnRequest, context: Context) -> ProducerAnswered:
    if not context.may(Right.WRITE_TRANSACTIONAL_ID, request.transactional_id):
        return ProducerAnswered(Right.WRITE_TRANSACTIONAL_ID.error)
    if error := context.transaction_error(request.transactional_id):
        return ProducerAnswered(error)
    asked = EndTransaction(
        request.transactional_id,
        Producer(request.producer_id, request.producer_epoch),
        request.committed,
        context.cluster.producer_ids.take(),
        bumps_epoch=context.version >= _BUMPS_EPOCH,
    )
    answer = context.cluster.transactions.ask(asked, ProducerAnswered)
    return answer if context.version >= _BUMPS_EPOCH else ProducerAnswered(answer.error, NO_PRODUCER)
