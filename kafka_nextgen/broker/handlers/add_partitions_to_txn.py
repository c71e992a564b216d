"""AddPartitionsToTxn: add partitions to a transaction, which begins with the first (KIP-98).

One unknown partition keeps all others of the transaction from being added. From version 4 on, which only brokers send
to each other, a request has several transactions, and may ask whether partitions are in there already (KIP-890).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kafka_nextgen.bridge.topics import by_name
from kafka_nextgen.broker.context import Context
from kafka_nextgen.broker.security.rights import ACT_FOR_CLUSTER, WRITE_TOPIC, WRITE_TRANSACTIONAL_ID
from kafka_nextgen.broker.transactions.error_names import ADD_PARTITIONS_TO_TXN
from kafka_nextgen.broker.transactions.requests import AddPartitions, PartitionsAnswered, VerifyPartitions
from kafka_nextgen.broker.transactions.transaction import Producer
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.types import TopicPartition
from kafka_nextgen.wire.messages import AddPartitionsToTxnRequest, AddPartitionsToTxnResponse
from kafka_nextgen.wire.schemas.transactions import AddPartitionsToTxnTopic, AddPartitionsToTxnTopicResult

__all__ = ["handle"]

_AskedTransaction = AddPartitionsToTxnRequest.AddPartitionsToTxnTransaction
_Transaction = AddPartitionsToTxnResponse.AddPartitionsToTxnResult
_Partition = AddPartitionsToTxnTopicResult.AddPartitionsToTxnPartitionResult

_SEVERAL = 4

_Errors = Mapping[TopicPartition, ErrorCode]


async def handle(request: AddPartitionsToTxnRequest, context: Context) -> AddPartitionsToTxnResponse:
    """Add the partitions that exist, or verify that they were added."""
    if context.version >= _SEVERAL:
        if not context.may(ACT_FOR_CLUSTER):
            return AddPartitionsToTxnResponse(error_code=ACT_FOR_CLUSTER.error, results_by_transaction=[])
        return AddPartitionsToTxnResponse(
            error_code=ErrorCode.NONE,
            results_by_transaction=[_several(transaction, context) for transaction in request.transactions],
        )
    producer = Producer(request.v3_and_below_producer_id, request.v3_and_below_producer_epoch)
    partitions = _partitions(request.v3_and_below_topics)
    errors = _add_if_allowed(request.v3_and_below_transactional_id, producer, partitions, context)
    return AddPartitionsToTxnResponse(results_by_topic_v3_and_below=_results(errors, context.version))


def _several(asked: _AskedTransaction, context: Context) -> _Transaction:
    producer = Producer(asked.producer_id, asked.producer_epoch)
    does = _verify if asked.verify_only else _add
    errors = does(asked.transactional_id, producer, _partitions(asked.topics), context)
    return _Transaction(transactional_id=asked.transactional_id, topic_results=_results(errors, context.version))


def _add_if_allowed(
    transactional_id: str, producer: Producer, partitions: frozenset[TopicPartition], context: Context
) -> _Errors:
    if not context.may(WRITE_TRANSACTIONAL_ID, transactional_id):
        return dict.fromkeys(partitions, WRITE_TRANSACTIONAL_ID.error)
    refused = {tp for tp in partitions if not context.may(WRITE_TOPIC, tp.topic)}
    if refused:
        codes = {True: WRITE_TOPIC.error, False: ErrorCode.OPERATION_NOT_ATTEMPTED}
        return {tp: codes[tp in refused] for tp in partitions}
    return _add(transactional_id, producer, partitions, context)


def _add(transactional_id: str, producer: Producer, partitions: frozenset[TopicPartition], context: Context) -> _Errors:
    refused = _refused(transactional_id, partitions, context)
    if refused is not None:
        return refused
    directory = context.cluster.directory()
    unknown = {tp for tp in partitions if not directory.has(tp)}
    if unknown:
        codes = {True: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, False: ErrorCode.OPERATION_NOT_ATTEMPTED}
        return {tp: codes[tp in unknown] for tp in partitions}
    asked = AddPartitions(transactional_id, producer, partitions)
    return context.cluster.transactions.ask(asked, PartitionsAnswered).errors


def _verify(
    transactional_id: str, producer: Producer, partitions: frozenset[TopicPartition], context: Context
) -> _Errors:
    asked = VerifyPartitions(transactional_id, producer, partitions)
    refused = _refused(transactional_id, partitions, context)
    return context.cluster.transactions.ask(asked, PartitionsAnswered).errors if refused is None else refused


def _refused(transactional_id: str, partitions: frozenset[TopicPartition], context: Context) -> _Errors | None:
    error = context.transaction_error(transactional_id)
    return dict.fromkeys(partitions, error) if error else None


def _partitions(topics: Iterable[AddPartitionsToTxnTopic]) -> frozenset[TopicPartition]:
    return frozenset(TopicPartition(topic.name, number) for topic in topics for number in topic.partitions)


def _results(errors: _Errors, version: int) -> list[AddPartitionsToTxnTopicResult]:
    return [
        AddPartitionsToTxnTopicResult(
            name=name,
            results_by_partition=[
                _Partition(partition_index=number, partition_error_code=code) for number, code in partitions
            ],
        )
        for name, partitions in _by_topic(errors, version)
    ]


def _by_topic(errors: _Errors, version: int) -> list[tuple[str, list[tuple[int, ErrorCode]]]]:
    told = {tp: ADD_PARTITIONS_TO_TXN.told(error, version) for tp, error in errors.items()}
    return [
        (name, [(number, told[TopicPartition(name, number)]) for number in numbers])
        for name, numbers in by_name(sorted(told)).items()
    ]
