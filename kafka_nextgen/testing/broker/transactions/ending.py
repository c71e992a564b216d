"""EndTxn: commit or abort (KIP-98), and bump the epoch for clients that support it (KIP-890, part 2).

A request whose epoch is not the producer's is fenced. Otherwise it decides an ongoing transaction. If there is
none, the answer depends on the last decision:

| state | the same decision | the opposite |
|---|---|---|
| PrepareCommit, PrepareAbort | CONCURRENT_TRANSACTIONS | INVALID_TXN_STATE |
| CompleteCommit, CompleteAbort | NONE | INVALID_TXN_STATE |
| Empty | INVALID_TXN_STATE | INVALID_TXN_STATE |

A client that bumps epochs has a new epoch after each transaction. A request with the previous epoch is a retry after a
lost answer, and gets the same answer. Such a client may also abort without an open transaction: it can't know whether
its records arrived, and the next epoch protects it from them.
"""

from __future__ import annotations

from attrs import evolve

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.testing.broker.transactions.requests import EndTransaction, Noted, Outcome, ProducerAnswered
from kafka_nextgen.testing.broker.transactions.transaction import NO_PRODUCER, Producer, Status, Transaction, follow

__all__ = ["complete", "end_transaction", "fenced"]

_DECISIONS = {
    True: (Status.PREPARE_COMMIT, Status.COMPLETE_COMMIT),
    False: (Status.PREPARE_ABORT, Status.COMPLETE_ABORT),
}


def end_transaction(known: Transaction | None, request: EndTransaction, now_ms: int) -> Outcome:
    """Handle EndTxn."""
    if known is None or not known.was_or_is(request.producer.producer_id):
        return Outcome.refused(ErrorCode.INVALID_PRODUCER_ID_MAPPING)
    if request.bumps_epoch and _is_repeated(known, request):
        return _again(known, request)
    if request.producer != known.producer:
        return Outcome.refused(ErrorCode.PRODUCER_FENCED)
    if known.status is Status.ONGOING:
        return _decided(known, request, now_ms)
    if request.bumps_epoch and not request.is_commit and known.is_idle:
        return _decided(known, request, now_ms)
    return _again(known, request)


def complete(known: Transaction, now_ms: int) -> Outcome:
    """Complete a decided transaction, whose markers are written."""
    assert known.is_decided
    status = Status.COMPLETE_COMMIT if known.status is Status.PREPARE_COMMIT else Status.COMPLETE_ABORT
    after = evolve(
        known,
        status=status,
        producer=known.successor or known.producer,
        successor=None,
        partitions=frozenset(),
        updated_ms=now_ms,
    )
    return Outcome(Noted(), follow(known, after))


def fenced(known: Transaction, now_ms: int) -> Transaction:
    """Abort an open transaction with the next epoch, which fences its producer."""
    after = evolve(
        known, status=Status.PREPARE_ABORT, producer=known.producer.bumped(), previous=NO_PRODUCER, updated_ms=now_ms
    )
    return follow(known, after)


def _is_repeated(known: Transaction, request: EndTransaction) -> bool:
    return known.status is not Status.ONGOING and request.producer == known.previous


def _again(known: Transaction, request: EndTransaction) -> Outcome:
    prepared, completed = _DECISIONS[request.is_commit]
    if known.status is completed:
        return Outcome(ProducerAnswered(producer=known.producer))
    if known.status is prepared:
        return Outcome.refused(ErrorCode.CONCURRENT_TRANSACTIONS)
    return Outcome.refused(ErrorCode.INVALID_TXN_STATE)


def _decided(known: Transaction, request: EndTransaction, now_ms: int) -> Outcome:
    """The markers have the new epoch, so that partitions refuse later batches of the old one."""
    prepared, _ = _DECISIONS[request.is_commit]
    after = evolve(known, status=prepared, updated_ms=now_ms)
    if request.bumps_epoch:
        bumped = known.producer.bumped()
        rotates = known.producer.is_exhausted
        successor = Producer(request.new_producer_id, 0) if rotates else bumped
        after = evolve(after, producer=bumped, previous=known.producer, successor=successor)
    return Outcome(ProducerAnswered(producer=after.successor or after.producer), follow(known, after))
