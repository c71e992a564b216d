"""ListTransactions, DescribeTransactions, DescribeProducers and WriteTxnMarkers (KIP-664): find and end hanging
transactions.

WriteTxnMarkers is also what brokers send to each other to end a transaction (KIP-98).
"""

from __future__ import annotations

from collections.abc import Callable

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.properties.re2j import Matcher, Verdict, judge, matcher_of
from kafka_nextgen.testing.broker.context import Context
from kafka_nextgen.testing.broker.producers import KnownProducer
from kafka_nextgen.testing.broker.security.acls import Right
from kafka_nextgen.testing.broker.topic import Partition
from kafka_nextgen.testing.broker.transactions.partitions import end_in_log
from kafka_nextgen.testing.broker.transactions.transaction import Producer, Status, Transaction
from kafka_nextgen.types import TopicPartition
from kafka_nextgen.wire import messages as m
from kafka_nextgen.wire.records import EndMarker
from kafka_nextgen.wire.topics import by_name

__all__ = ["describe_producers", "describe_transactions", "list_transactions", "write_txn_markers"]

_ListedTransaction = m.ListTransactionsResponse.TransactionState

_STATES = frozenset(status.value for status in Status)

_DescribedTransaction = m.DescribeTransactionsResponse.TransactionState
_TransactionTopic = _DescribedTransaction.TopicData

_ProducersTopic = m.DescribeProducersResponse.TopicResponse
_ProducersPartition = _ProducersTopic.PartitionResponse
_DescribedProducer = _ProducersPartition.ProducerState

_NONE_OPEN = -1

_Marker = m.WriteTxnMarkersResponse.WritableTxnMarkerResult
_MarkerTopic = m.OffsetDeleteResponse.OffsetDeleteResponseTopic
_MarkerPartition = _MarkerTopic.OffsetDeleteResponsePartition


class _InvalidPatternError(Exception):
    """The pattern for transactional ids is invalid."""


async def list_transactions(request: m.ListTransactionsRequest, context: Context) -> m.ListTransactionsResponse:
    """List the transactions that match all filters."""
    unknown = [name for name in request.state_filters if name not in _STATES]
    try:
        passes = _filter(request, context.cluster.now_ms())
    except _InvalidPatternError:
        return m.ListTransactionsResponse(
            error_code=ErrorCode.INVALID_REGULAR_EXPRESSION, unknown_state_filters=[], transaction_states=[]
        )
    return m.ListTransactionsResponse(
        error_code=ErrorCode.NONE,
        unknown_state_filters=unknown,
        transaction_states=[
            _ListedTransaction(
                transactional_id=one.transactional_id,
                producer_id=one.producer.producer_id,
                transaction_state=one.status.value,
            )
            for one in context.cluster.transactions.all()
            if _is_ours(one, context) and passes(one)
        ],
    )


def _is_ours(one: Transaction, context: Context) -> bool:
    return context.coordinates_transaction(one.transactional_id) and context.may(
        Right.DESCRIBE_TRANSACTIONAL_ID, one.transactional_id
    )


def _filter(request: m.ListTransactionsRequest, now_ms: int) -> Callable[[Transaction], bool]:
    """Create the filter that a request describes; raises ``_InvalidPatternError``."""
    states, producers = set(request.state_filters), set(request.producer_id_filters)
    pattern = _compiled(request.transactional_id_pattern)

    def passes(one: Transaction) -> bool:
        return (
            (not states or one.status.value in states)
            and (not producers or one.producer.producer_id in producers)
            and (request.duration_filter < 0 or now_ms - one.started_ms > request.duration_filter)
            and (pattern is None or pattern.fullmatch(one.transactional_id) is not None)
        )

    return passes


def _compiled(pattern: str | None) -> Matcher | None:
    if not pattern:
        return None
    if judge(pattern).verdict is not Verdict.TAKEN:
        raise _InvalidPatternError(pattern)
    return matcher_of(pattern)


async def describe_transactions(
    request: m.DescribeTransactionsRequest, context: Context
) -> m.DescribeTransactionsResponse:
    """Describe each transactional id."""
    return m.DescribeTransactionsResponse(
        transaction_states=[
            _describe_transaction(transactional_id, context) for transactional_id in request.transactional_ids
        ]
    )


def _describe_transaction(transactional_id: str, context: Context) -> _DescribedTransaction:
    known = _find_transaction(transactional_id, context)
    if isinstance(known, ErrorCode):
        return _DescribedTransaction(
            transactional_id=transactional_id, error_code=known, transaction_state="", topics=[]
        )
    visible = [tp for tp in sorted(known.partitions) if context.may(Right.DESCRIBE_TOPIC, tp.topic)]
    return _DescribedTransaction(
        error_code=ErrorCode.NONE,
        transactional_id=transactional_id,
        transaction_state=known.status.value,
        transaction_timeout_ms=known.timeout_ms,
        transaction_start_time_ms=known.started_ms,
        producer_id=known.producer.producer_id,
        producer_epoch=known.producer.epoch,
        topics=[_TransactionTopic(topic=name, partitions=numbers) for name, numbers in by_name(visible).items()],
    )


def _find_transaction(transactional_id: str, context: Context) -> Transaction | ErrorCode:
    if not context.may(Right.DESCRIBE_TRANSACTIONAL_ID, transactional_id):
        return Right.DESCRIBE_TRANSACTIONAL_ID.error
    if error := context.transaction_error(transactional_id):
        return error
    return context.cluster.transactions.named(transactional_id) or ErrorCode.TRANSACTIONAL_ID_NOT_FOUND


async def describe_producers(request: m.DescribeProducersRequest, context: Context) -> m.DescribeProducersResponse:
    """Describe the producers of each partition."""
    return m.DescribeProducersResponse(
        topics=[
            _ProducersTopic(
                name=topic.name,
                partitions=[_describe_producers(topic.name, index, context) for index in topic.partition_indexes],
            )
            for topic in request.topics
        ]
    )


def _describe_producers(name: str, index: int, context: Context) -> _ProducersPartition:
    partition = context.led_partition(name, index) if context.may(Right.READ_TOPIC, name) else Right.READ_TOPIC.error
    if isinstance(partition, ErrorCode):
        return _ProducersPartition(partition_index=index, error_code=partition, active_producers=[])
    return _ProducersPartition(
        partition_index=index,
        error_code=ErrorCode.NONE,
        active_producers=[_producer(known, partition) for known in partition.producers.all()],
    )


def _producer(known: KnownProducer, partition: Partition) -> _DescribedProducer:
    begins = partition.log.transactions.begin_of(known.producer_id)
    return _DescribedProducer(
        producer_id=known.producer_id,
        producer_epoch=known.epoch,
        last_sequence=known.last_sequence,
        last_timestamp=known.last_timestamp,
        coordinator_epoch=known.coordinator_epoch,
        current_txn_start_offset=_NONE_OPEN if begins is None else begins,
    )


async def write_txn_markers(request: m.WriteTxnMarkersRequest, context: Context) -> m.WriteTxnMarkersResponse:
    """Write each marker where it can be written."""
    return m.WriteTxnMarkersResponse(markers=[_written(marker, context) for marker in request.markers])


def _written(asked: m.WriteTxnMarkersRequest.WritableTxnMarker, context: Context) -> _Marker:
    marker = EndMarker(asked.transaction_result, asked.coordinator_epoch)
    producer = Producer(asked.producer_id, asked.producer_epoch)
    partitions = [TopicPartition(topic.name, number) for topic in asked.topics for number in topic.partition_indexes]
    return _Marker(
        producer_id=asked.producer_id,
        topics=[
            _MarkerTopic(
                name=name,
                partitions=[
                    _MarkerPartition(
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
    if not (
        context.may(Right.ALTER_CLUSTER) or context.may(Right.ACT_FOR_CLUSTER)
    ):  # the first is for administrators (KIP-1037)
        return Right.ACT_FOR_CLUSTER.error
    partition = context.led_partition(tp.topic, tp.partition)
    if isinstance(partition, ErrorCode):
        return partition
    if partition.producers.epoch_of(producer.producer_id) > producer.epoch:
        return ErrorCode.INVALID_PRODUCER_EPOCH
    end_in_log(partition, producer, marker, context.cluster.groups, context.cluster.now_ms())
    return ErrorCode.NONE
