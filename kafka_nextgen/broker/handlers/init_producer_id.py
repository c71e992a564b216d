"""InitProducerId: an id for an idempotent producer (KIP-98); every call gives a new one, at epoch 0.

There are no transactions: a transactional id is refused for good.
"""

from __future__ import annotations

from kafka_nextgen.broker.cluster import Context
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.wire.messages import InitProducerIdRequest, InitProducerIdResponse

__all__ = ["handle"]


async def handle(request: InitProducerIdRequest, context: Context) -> InitProducerIdResponse:
    """Give out a producer id."""
    if request.transactional_id is not None:
        return InitProducerIdResponse(error_code=ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED, producer_epoch=-1)
    producer_id = context.cluster.new_producer_id()
    return InitProducerIdResponse(error_code=ErrorCode.NONE, producer_id=producer_id, producer_epoch=0)
