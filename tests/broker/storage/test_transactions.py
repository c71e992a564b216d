"""Transactions over a restart: open ones go on, and what was decided is carried out."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

from kafka_nextgen.broker.storage import Catalogue
from kafka_nextgen.broker.storage.journal import Journal
from kafka_nextgen.broker.transactions.driver import Transactions
from kafka_nextgen.broker.transactions.entries import TransactionEntries
from kafka_nextgen.broker.transactions.requests import (
    AddPartitions,
    EndTransaction,
    InitProducerId,
    PartitionsAnswered,
    ProducerAnswered,
)
from kafka_nextgen.broker.transactions.transaction import Producer, Status, Transaction
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.types import TopicPartition

T = TypeVar("T")

ORDERS = TopicPartition("orders", 0)
BILLING = Producer(7, 0)


class KilledError(Exception):
    """The process ends here."""


def die(transaction: Transaction) -> None:
    raise KilledError


def started(directory: Path, write_markers: Callable[[Transaction], None] = die) -> Transactions:
    """The transactions as a broker that starts on ``directory`` knows them, at 5 seconds past the epoch."""
    catalogue = Catalogue()
    catalogue.open(Journal(directory / "catalogue.log"))
    return Transactions(600_000, lambda: 5.0, write_markers, TransactionEntries(catalogue))


def begin(transactions: Transactions) -> None:
    transactions.ask(InitProducerId("billing", 60_000, new_producer_id=7), ProducerAnswered)
    transactions.ask(AddPartitions("billing", BILLING, frozenset({ORDERS})), PartitionsAnswered)


def on_loop(scenario: Callable[[], T]) -> T:
    async def run() -> T:
        return scenario()

    return asyncio.run(run())


def test_an_open_transaction_goes_on(tmp_path: Path) -> None:
    def scenario() -> None:
        begin(started(tmp_path))
        again = started(tmp_path)
        again.recover()
        answer = again.ask(AddPartitions("billing", BILLING, frozenset({ORDERS}), verify_only=True), PartitionsAnswered)
        assert answer.errors == {ORDERS: ErrorCode.NONE}

    on_loop(scenario)


@pytest.mark.parametrize(("is_commit", "status"), [(True, Status.COMPLETE_COMMIT), (False, Status.COMPLETE_ABORT)])
def test_what_was_decided_before_the_end_has_its_markers_written(
    tmp_path: Path, is_commit: bool, status: Status
) -> None:
    ended: list[Transaction] = []

    def scenario() -> None:
        transactions = started(tmp_path)
        begin(transactions)
        with pytest.raises(KilledError):
            transactions.ask(EndTransaction("billing", BILLING, is_commit, new_producer_id=8), ProducerAnswered)
        again = started(tmp_path, ended.append)
        again.recover()
        assert [one.partitions for one in ended] == [frozenset({ORDERS})]
        started(tmp_path).recover()
        (known,) = again.all()
        assert known.status is status

    on_loop(scenario)


def test_everything_there_is_to_know_is_kept(tmp_path: Path) -> None:
    catalogue = Catalogue()
    catalogue.open(Journal(tmp_path / "catalogue.log"))
    transaction = Transaction(
        "billing",
        Producer(7, 3),
        60_000,
        Status.ONGOING,
        frozenset({ORDERS, TopicPartition("audit", 2)}),
        started_ms=1,
        updated_ms=2,
        previous=Producer(6, 9),
        successor=Producer(8, 0),
    )
    TransactionEntries(catalogue).put(transaction)
    again = Catalogue()
    again.open(Journal(tmp_path / "catalogue.log"))
    assert TransactionEntries(again).all() == [transaction]
