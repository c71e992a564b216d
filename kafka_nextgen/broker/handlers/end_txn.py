"""EndTxn: commit or abort a transaction (KIP-98); from version 5 on the response has the next epoch (KIP-890)."""

from __future__ import annotations

from kafka_nextgen.broker.context import Context
from kafka_nextgen.broker.security.rights import WRITE_TRANSACTIONAL_ID
from kafka_nextgen.broker.transactions.error_names import END_TXN
from kafka_nextgen.broker.transactions.requests import EndTransaction, ProducerAnswered
from kafka_nextgen.broker.transactions.transaction import NO_PRODUCER, Producer
from kafka_nextgen.wire.messages import EndTxnRequest, EndTxnResponse

__all__ = ["handle"]

_BUMPS_EPOCH = 5


async def handle(request: EndTxnRequest, context: Context) -> EndTxnResponse:
    """End the transaction; its markers are written before the response is sent."""
    answer = _answer(request, context)
    error = END_TXN.told(answer.error, context.version)
    return EndTxnResponse(
        error_code=error, producer_id=answer.producer.producer_id, producer_epoch=answer.producer.epoch
    )


def _answer(request: EndTxnRequest, context: Context) -> ProducerAnswered:
    if not context.may(WRITE_TRANSACTIONAL_ID, request.transactional_id):
        return ProducerAnswered(WRITE_TRANSACTIONAL_ID.error)
    if error := context.transaction_error(request.transactional_id):
        return ProducerAnswered(error)
    asked = EndTransaction(
        request.transactional_id,
        Producer(request.producer_id, request.producer_epoch),
        request.committed,
        context.cluster.new_producer_id(),
        bumps_epoch=context.version >= _BUMPS_EPOCH,
    )
    answer = context.cluster.transactions.ask(asked, ProducerAnswered)
    return answer if context.version >= _BUMPS_EPOCH else ProducerAnswered(answer.error, NO_PRODUCER)
