"""The transaction coordinator: a state machine without I/O (KIP-98, "Transaction Coordinator").

``handle`` and ``expire`` change nothing; they return what to store and what to answer. ``commit`` applies that.
``now_ms`` is in milliseconds since the epoch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import inf
from typing import Any

from attrs import evolve

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.testing.broker.transactions.beginning import init_producer_id
from kafka_nextgen.testing.broker.transactions.ending import complete, end_transaction, fenced
from kafka_nextgen.testing.broker.transactions.requests import (
    AddPartitions,
    EndTransaction,
    InitProducerId,
    MarkersWritten,
    Noted,
    Outcome,
    PartitionsAnswered,
    Request,
)
from kafka_nextgen.testing.broker.transactions.transaction import Producer, Status, Transaction, follow
from kafka_nextgen.types import TopicPartition

__all__ = ["TransactionCoordinator"]


class TransactionCoordinator:
    """All transactional ids. Ids unused for ``expiration_ms`` are forgotten."""

    def __init__(self, expiration_ms: int) -> None:
        self.transactions: dict[str, Transaction] = {}
        self._expiration_ms = expiration_ms
        self._handlers: Mapping[type, Callable[[Transaction | None, Any, int], Outcome]] = {
            InitProducerId: init_producer_id,
            AddPartitions: _add_partitions,
            EndTransaction: end_transaction,
            MarkersWritten: _markers_written,
        }

    def handle(self, request: Request, now_ms: int) -> Outcome:
        """Work out the outcome of a request; nothing changes before ``commit``."""
        known = self.transactions.get(request.transactional_id)
        return self._handlers[type(request)](known, request, now_ms)

    def expire(self, now_ms: int) -> tuple[Outcome, ...]:
        """Work out which transactions have timed out and which ids are forgotten; commit each outcome."""
        due = [one for one in self.transactions.values() if self._deadline_of(one) <= now_ms]
        return tuple(_expired(one, now_ms) for one in due)

    def deadline_ms(self) -> float:
        """When to call ``expire`` next; infinity if nothing can expire."""
        return min(map(self._deadline_of, self.transactions.values()), default=inf)

    def commit(self, outcome: Outcome) -> None:
        """Apply an outcome."""
        if outcome.changed is None:
            return
        if outcome.changed.status is Status.DEAD:
            del self.transactions[outcome.changed.transactional_id]
        else:
            self.transactions[outcome.changed.transactional_id] = outcome.changed

    def _deadline_of(self, known: Transaction) -> float:
        if known.is_idle:
            return known.updated_ms + self._expiration_ms
        return known.started_ms + known.timeout_ms if known.status is Status.ONGOING else inf


def _expired(known: Transaction, now_ms: int) -> Outcome:
    if known.is_idle:
        return Outcome(Noted(), follow(known, evolve(known, status=Status.DEAD)))
    return Outcome(Noted(), fenced(known, now_ms))


def _add_partitions(known: Transaction | None, request: AddPartitions, now_ms: int) -> Outcome:
    error = _refuse(known, request.producer)
    if known is None or error is not ErrorCode.NONE:
        return Outcome(PartitionsAnswered(dict.fromkeys(request.partitions, error)))
    if request.verify_only:
        return Outcome(PartitionsAnswered(_verified(known, request)))
    answer = PartitionsAnswered(dict.fromkeys(request.partitions, ErrorCode.NONE))
    if known.status is Status.ONGOING and request.partitions <= known.partitions:
        return Outcome(answer)
    after = evolve(
        known,
        status=Status.ONGOING,
        partitions=known.partitions | request.partitions,
        started_ms=known.started_ms if known.status is Status.ONGOING else now_ms,
        updated_ms=now_ms,
    )
    return Outcome(answer, follow(known, after))


def _verified(known: Transaction, request: AddPartitions) -> dict[TopicPartition, ErrorCode]:
    return {
        partition: ErrorCode.NONE if partition in known.partitions else ErrorCode.TRANSACTION_ABORTABLE
        for partition in request.partitions
    }


def _refuse(known: Transaction | None, producer: Producer) -> ErrorCode:
    if known is None or producer.producer_id != known.producer.producer_id:
        return ErrorCode.INVALID_PRODUCER_ID_MAPPING
    if producer.epoch != known.producer.epoch:
        return ErrorCode.PRODUCER_FENCED
    return ErrorCode.CONCURRENT_TRANSACTIONS if known.is_decided else ErrorCode.NONE


def _markers_written(known: Transaction | None, request: MarkersWritten, now_ms: int) -> Outcome:
    assert known is not None
    return complete(known, now_ms)
