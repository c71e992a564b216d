"""Drives the transaction coordinator: stores its outcomes, writes markers, and runs its timer on the event loop.

Kafka answers EndTxn when the decision is stored, and writes the markers afterwards. Here all partitions are in this
process, so the markers are written before the answer, and no client sees a partly ended transaction.

If an outcome can't be stored, nothing changes and the client gets COORDINATOR_NOT_AVAILABLE and retries. Once a
decision is stored, writing its markers is retried until it succeeds.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import TypeVar

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import StorageError
from kafka_nextgen.logs import logger_of
from kafka_nextgen.testing.broker.transactions.coordinator import TransactionCoordinator
from kafka_nextgen.testing.broker.transactions.entries import TransactionEntries
from kafka_nextgen.testing.broker.transactions.requests import Answer, MarkersWritten, Noted, Outcome, Request, refuse
from kafka_nextgen.testing.broker.transactions.transaction import Status, Transaction
from kafka_nextgen.transport.waiting import Timer

__all__ = ["Transactions"]

_log = logger_of(__name__)

_RETRY_S = 0.5  # after a failed write

_A = TypeVar("_A", bound=Answer)


class Transactions:
    """The transactional ids of a cluster.

    ``clock`` gives seconds since the epoch and never decreases; ``write_markers`` ends a decided transaction in all its
    partitions; ``entries`` stores everything.
    """

    def __init__(
        self,
        expiration_ms: int,
        clock: Callable[[], float],
        write_markers: Callable[[Transaction], None],
        entries: TransactionEntries,
    ) -> None:
        self._entries = entries
        self._coordinator = TransactionCoordinator(expiration_ms)
        self._clock = clock
        self._write_markers = write_markers
        self._timer = Timer(self._expire)
        self._unended: dict[str, Transaction] = {}  # decided, but their markers could not be written

    def recover(self) -> None:
        """Read the stored transactions. Write all markers of decided ones again, since some may be missing."""
        for stored in self._entries.all():
            self._coordinator.commit(Outcome(Noted(), stored))
            self._end_decided(stored)
        self._arm()

    def ask(self, request: Request, expected: type[_A]) -> _A:
        """Handle a request and return its answer, which is of the ``expected`` class."""
        outcome = self._coordinator.handle(request, self._now_ms())
        answer = outcome.answer
        try:
            self._commit(outcome)
        except StorageError as error:
            _log.error("transaction %s can't be stored: %s", request.transactional_id, error)
            answer = refuse(request, ErrorCode.COORDINATOR_NOT_AVAILABLE)
        self._arm()
        assert isinstance(answer, expected)
        return answer

    def all(self) -> tuple[Transaction, ...]:
        """All transactional ids, sorted."""
        return tuple(one for _, one in sorted(self._coordinator.transactions.items()))

    def named(self, transactional_id: str) -> Transaction | None:
        """The state of a transactional id."""
        return self._coordinator.transactions.get(transactional_id)

    def close(self) -> None:
        """Stop the timer."""
        self._timer.set_after(None)

    def _commit(self, outcome: Outcome) -> None:
        if outcome.changed is not None:
            self._entries.put(outcome.changed)
            self._coordinator.commit(outcome)
            self._end_decided(outcome.changed)

    def _end_decided(self, transaction: Transaction) -> None:
        self._unended.pop(transaction.transactional_id, None)
        if not transaction.is_decided:
            return
        try:
            self._write_markers(transaction)
            self._commit(self._coordinator.handle(MarkersWritten(transaction.transactional_id), self._now_ms()))
        except StorageError as error:
            _log.error("the markers of transaction %s can't be written: %s", transaction.transactional_id, error)
            self._unended[transaction.transactional_id] = transaction

    def _now_ms(self) -> int:
        return int(self._clock() * 1000)

    def _arm(self) -> None:
        delay_s = self._coordinator.deadline_ms() / 1000 - self._clock()
        if self._unended:
            delay_s = min(delay_s, _RETRY_S)
        self._timer.set_after(delay_s if delay_s < inf else None)

    def _expire(self) -> None:
        for unended in tuple(self._unended.values()):
            self._end_decided(unended)
        try:
            self._expire_all()
        except StorageError as error:
            _log.error("expired transactions can't be stored: %s", error)
            self._timer.set_after(_RETRY_S)
        else:
            self._arm()

    def _expire_all(self) -> None:
        for outcome in self._coordinator.expire(self._now_ms()):
            if outcome.changed is not None and outcome.changed.status is not Status.DEAD:
                changed = outcome.changed
                _log.info("transaction %s is aborted after %d ms", changed.transactional_id, changed.timeout_ms)
            self._commit(outcome)
