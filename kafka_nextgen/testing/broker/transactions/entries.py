"""Transactional ids as entries of the catalogue, in place of Kafka's topic ``__transaction_state``.

An entry is written before the change is applied, so a crash of the process does not lose it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.testing.broker.storage import Catalogue
from kafka_nextgen.testing.broker.transactions.transaction import Producer, Status, Transaction
from kafka_nextgen.types import TopicPartition

__all__ = ["TransactionEntries"]

_KIND = "transaction"


@frozen
class TransactionEntries:
    """The transactional ids in a catalogue."""

    _catalogue: Catalogue

    def all(self) -> Sequence[Transaction]:
        """All stored transactional ids."""
        return [_read(key, value) for key, value in self._catalogue.entries(_KIND).items()]

    def put(self, transaction: Transaction) -> None:
        """Store the state of a transactional id. Raises ``StorageError``."""
        if transaction.status is Status.DEAD:
            self._catalogue.remove(_KIND, transaction.transactional_id)
        else:
            self._catalogue.put(_KIND, transaction.transactional_id, _written(transaction), sync=False)


def _written(transaction: Transaction) -> dict[str, object]:
    return {
        "producer": _pair(transaction.producer),
        "timeout_ms": transaction.timeout_ms,
        "status": transaction.status.value,
        "partitions": [[at.topic, at.partition] for at in sorted(transaction.partitions)],
        "started_ms": transaction.started_ms,
        "updated_ms": transaction.updated_ms,
        "previous": _pair(transaction.previous),
        "successor": None if transaction.successor is None else _pair(transaction.successor),
    }


def _pair(producer: Producer) -> list[int]:
    return [producer.producer_id, producer.epoch]


def _read(transactional_id: str, value: Any) -> Transaction:
    return Transaction(
        transactional_id=transactional_id,
        producer=Producer(*value["producer"]),
        timeout_ms=value["timeout_ms"],
        status=Status(value["status"]),
        partitions=frozenset(TopicPartition(*at) for at in value["partitions"]),
        started_ms=value["started_ms"],
        updated_ms=value["updated_ms"],
        previous=Producer(*value["previous"]),
        successor=None if value["successor"] is None else Producer(*value["successor"]),
    )
