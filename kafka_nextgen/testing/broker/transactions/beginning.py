"""InitProducerId: the client becomes the producer of a transactional id (KIP-98; KIP-360, "Public Interfaces").

The first row that applies decides:

| case | answer |
|---|---|
| the transactional id is new | a new producer id with epoch 0 |
| the client gives a producer id that is not the current or the previous one | PRODUCER_FENCED |
| the transaction is decided, markers are being written | CONCURRENT_TRANSACTIONS, after which clients retry |
| the transaction is open | CONCURRENT_TRANSACTIONS; it is aborted with the next epoch, which fences its producer |
| the client gives no producer id | the next epoch, or a new id with epoch 0 if there is none |
| the client gives the current producer id and epoch | the same: it continues after an error |
| the client gives the previous producer id and epoch | the current ones: an answer was lost |
| otherwise | PRODUCER_FENCED |
"""

from __future__ import annotations

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.testing.broker.transactions.ending import fenced
from kafka_nextgen.testing.broker.transactions.requests import InitProducerId, Outcome, ProducerAnswered
from kafka_nextgen.testing.broker.transactions.transaction import NO_PRODUCER, Producer, Status, Transaction, follow

__all__ = ["init_producer_id"]


def init_producer_id(known: Transaction | None, request: InitProducerId, now_ms: int) -> Outcome:
    """Handle InitProducerId."""
    if known is None:
        return _begun(_new(request, now_ms))
    if not _may_ask(known, request.producer):
        return Outcome.refused(ErrorCode.PRODUCER_FENCED)
    if known.is_decided:
        return Outcome.refused(ErrorCode.CONCURRENT_TRANSACTIONS)
    if known.status is Status.ONGOING:
        return Outcome(ProducerAnswered(ErrorCode.CONCURRENT_TRANSACTIONS), fenced(known, now_ms))
    return _taken_over(known, request, now_ms)


def _new(request: InitProducerId, now_ms: int) -> Transaction:
    producer = Producer(request.new_producer_id, 0)
    return Transaction(request.transactional_id, producer, request.timeout_ms, updated_ms=now_ms)


def _may_ask(known: Transaction, claimed: Producer) -> bool:
    """As in Kafka, only the id is checked, and the previous id is accepted only if its epochs were exhausted."""
    if claimed == NO_PRODUCER or claimed.producer_id == known.producer.producer_id:
        return True
    return claimed.producer_id == known.previous.producer_id and claimed.is_exhausted


def _taken_over(known: Transaction, request: InitProducerId, now_ms: int) -> Outcome:
    claimed = request.producer
    if claimed in (NO_PRODUCER, known.producer):
        producer, previous = _next(known, request)
    elif claimed == known.previous:
        producer, previous = known.producer, known.previous
    else:
        return Outcome.refused(ErrorCode.PRODUCER_FENCED)
    after = Transaction(known.transactional_id, producer, request.timeout_ms, updated_ms=now_ms, previous=previous)
    return _begun(follow(known, after))


def _next(known: Transaction, request: InitProducerId) -> tuple[Producer, Producer]:
    """The next producer, and the producer that it replaces if the client named that one."""
    if known.producer.is_exhausted:
        return Producer(request.new_producer_id, 0), known.producer
    return known.producer.bumped(), NO_PRODUCER if request.producer == NO_PRODUCER else known.producer


def _begun(transaction: Transaction) -> Outcome:
    return Outcome(ProducerAnswered(producer=transaction.producer), transaction)
