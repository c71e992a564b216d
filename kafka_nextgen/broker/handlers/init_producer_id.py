"""InitProducerId: an id for an idempotent or a transactional producer (KIP-98, KIP-360).

Without a transactional id each request gets a new producer id, at epoch 0. With one the transaction
coordinator decides: ``transactions.beginning``.
"""

from __future__ import annotations

from kafka_nextgen.broker.context import Context
from kafka_nextgen.broker.security.rights import WRITE_IDEMPOTENTLY, WRITE_TOPIC, WRITE_TRANSACTIONAL_ID
from kafka_nextgen.broker.transactions.error_names import INIT_PRODUCER_ID
from kafka_nextgen.broker.transactions.requests import InitProducerId, ProducerAnswered
from kafka_nextgen.broker.transactions.transaction import Producer
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.wire.messages import InitProducerIdRequest, InitProducerIdResponse

__all__ = ["handle"]


async def handle(request: InitProducerIdRequest, context: Context) -> InitProducerIdResponse:
    """Give out a producer id."""
    answer = _answer(request, context)
    error = INIT_PRODUCER_ID.told(answer.error, context.version)
    return InitProducerIdResponse(
        error_code=error, producer_id=answer.producer.producer_id, producer_epoch=answer.producer.epoch
    )


def _answer(request: InitProducerIdRequest, context: Context) -> ProducerAnswered:
    cluster = context.cluster
    if request.transactional_id is None:
        # A client that may write to some topic may write idempotently (KIP-679).
        if not (context.may(WRITE_IDEMPOTENTLY) or context.access.may_somewhere(WRITE_TOPIC)):
            return ProducerAnswered(WRITE_IDEMPOTENTLY.error)
        return ProducerAnswered(producer=Producer(cluster.new_producer_id(), 0))
    error = _refuse(request, context)
    if error is not ErrorCode.NONE:
        return ProducerAnswered(error)
    asked = InitProducerId(
        request.transactional_id,
        request.transaction_timeout_ms,
        cluster.new_producer_id(),
        Producer(request.producer_id, request.producer_epoch),
    )
    return cluster.transactions.ask(asked, ProducerAnswered)


def _refuse(request: InitProducerIdRequest, context: Context) -> ErrorCode:
    if not context.may(WRITE_TRANSACTIONAL_ID, request.transactional_id or ""):
        return WRITE_TRANSACTIONAL_ID.error
    if not request.transactional_id or (request.producer_id < 0) != (request.producer_epoch < 0):
        return ErrorCode.INVALID_REQUEST
    if not context.coordinates_transaction(request.transactional_id):
        return ErrorCode.NOT_COORDINATOR
    if not 0 < request.transaction_timeout_ms <= context.cluster.settings.transaction_max_timeout_ms:
        return ErrorCode.INVALID_TRANSACTION_TIMEOUT
    return ErrorCode.NONE
