"""AddOffsetsToTxn: add a group's partition of ``__consumer_offsets`` to a transaction (KIP-98)."""

from __future__ import annotations

from kafka_nextgen.broker.context import Context
from kafka_nextgen.broker.security.rights import READ_GROUP, WRITE_TRANSACTIONAL_ID
from kafka_nextgen.broker.transactions.admission import added
from kafka_nextgen.broker.transactions.error_names import ADD_OFFSETS_TO_TXN
from kafka_nextgen.broker.transactions.transaction import Producer
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.wire.messages import AddOffsetsToTxnRequest, AddOffsetsToTxnResponse

__all__ = ["handle"]


async def handle(request: AddOffsetsToTxnRequest, context: Context) -> AddOffsetsToTxnResponse:
    """Add the partition that stores the group's offsets."""
    error = ADD_OFFSETS_TO_TXN.told(_add(request, context), context.version)
    return AddOffsetsToTxnResponse(error_code=error)


def _add(request: AddOffsetsToTxnRequest, context: Context) -> ErrorCode:
    if not context.may(WRITE_TRANSACTIONAL_ID, request.transactional_id):
        return WRITE_TRANSACTIONAL_ID.error
    if not context.may(READ_GROUP, request.group_id):
        return READ_GROUP.error
    if error := context.transaction_error(request.transactional_id):
        return error
    cluster = context.cluster
    producer = Producer(request.producer_id, request.producer_epoch)
    return added(cluster.transactions, request.transactional_id, producer, cluster.offsets_partition(request.group_id))
