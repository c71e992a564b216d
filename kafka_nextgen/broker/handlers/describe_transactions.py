"""DescribeTransactions: the producer of a transactional id, and the state of its transaction (KIP-664)."""

from __future__ import annotations

from kafka_nextgen.bridge.topics import by_name
from kafka_nextgen.broker.context import Context
from kafka_nextgen.broker.security.rights import DESCRIBE_TOPIC, DESCRIBE_TRANSACTIONAL_ID
from kafka_nextgen.broker.transactions.transaction import Transaction
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.wire.messages import DescribeTransactionsRequest, DescribeTransactionsResponse

__all__ = ["handle"]

_State = DescribeTransactionsResponse.TransactionState
_Topic = _State.TopicData


async def handle(request: DescribeTransactionsRequest, context: Context) -> DescribeTransactionsResponse:
    """Describe each transactional id."""
    return DescribeTransactionsResponse(
        transaction_states=[_describe(transactional_id, context) for transactional_id in request.transactional_ids]
    )


def _describe(transactional_id: str, context: Context) -> _State:
    known = _find(transactional_id, context)
    if isinstance(known, ErrorCode):
        return _State(transactional_id=transactional_id, error_code=known, transaction_state="", topics=[])
    visible = [tp for tp in sorted(known.partitions) if context.may(DESCRIBE_TOPIC, tp.topic)]
    return _State(
        error_code=ErrorCode.NONE,
        transactional_id=transactional_id,
        transaction_state=known.status.value,
        transaction_timeout_ms=known.timeout_ms,
        transaction_start_time_ms=known.started_ms,
        producer_id=known.producer.producer_id,
        producer_epoch=known.producer.epoch,
        topics=[_Topic(topic=name, partitions=numbers) for name, numbers in by_name(visible).items()],
    )


def _find(transactional_id: str, context: Context) -> Transaction | ErrorCode:
    if not context.may(DESCRIBE_TRANSACTIONAL_ID, transactional_id):
        return DESCRIBE_TRANSACTIONAL_ID.error
    if error := context.transaction_error(transactional_id):
        return error
    return context.cluster.transactions.named(transactional_id) or ErrorCode.TRANSACTIONAL_ID_NOT_FOUND
