"""The transaction coordinator's driver: where the disk refuses and over a restart; decisions stand."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import StorageError
from kafka_nextgen.testing.broker.storage import Catalogue
from kafka_nextgen.testing.broker.storage.journal import Journal
from kafka_nextgen.testing.broker.transactions import driver
from kafka_nextgen.testing.broker.transactions.driver import Transactions
from kafka_nextgen.testing.broker.transactions.entries import TransactionEntries
from kafka_nextgen.testing.broker.transactions.requests import (
    AddPartitions,
    EndTransaction,
    InitProducerId,
    PartitionsAnswered,
    ProducerAnswered,
)
from kafka_nextgen.testing.broker.transactions.transaction import Producer, Status, Transaction
from kafka_nextgen.types import TopicPartition

ORDERS = frozenset({TopicPartition("orders", 0)})
FIRST = Producer(7, 0)
INIT = InitProducerId("t", 60_000, new_producer_id=7)
ADD = AddPartitions("t", FIRST, ORDERS)
COMMIT = EndTransaction("t", FIRST, True, new_producer_id=8)


def no_space(*_: object) -> None:
    raise StorageError("no space is left")


def begun(write_markers: Callable[[Transaction], None] = lambda _: None) -> Transactions:
    made = Transactions(600_000, lambda: 5.0, write_markers, TransactionEntries(Catalogue()))
    made.ask(INIT, ProducerAnswered)
    return made


async def test_what_can_not_be_stored_did_not_happen(monkeypatch: pytest.MonkeyPatch) -> None:
    made = begun()
    with monkeypatch.context() as full:
        full.setattr(TransactionEntries, "put", no_space)
        refused = ErrorCode.COORDINATOR_NOT_AVAILABLE
        assert made.ask(ADD, PartitionsAnswered) == PartitionsAnswered(dict.fromkeys(ORDERS, refused))
        assert made.ask(INIT, ProducerAnswered) == ProducerAnswered(refused)
        known = made.named("t")
        assert (known.status, known.producer) == (Status.EMPTY, FIRST)
    assert made.ask(ADD, PartitionsAnswered) == PartitionsAnswered(dict.fromkeys(ORDERS, ErrorCode.NONE))
    made.close()


async def test_markers_that_can_not_be_written_are_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "_RETRY_S", 0.0)

    refusals, ended = iter(range(2)), asyncio.Event()

    def write_markers(_: Transaction) -> None:
        if next(refusals, None) is not None:
            no_space()
        ended.set()

    made = begun(write_markers)
    made.ask(ADD, PartitionsAnswered)
    assert made.ask(COMMIT, ProducerAnswered).error is ErrorCode.NONE, "it is decided"
    assert made.ask(COMMIT, ProducerAnswered).error is ErrorCode.CONCURRENT_TRANSACTIONS, "and not complete"
    await ended.wait()
    assert made.ask(COMMIT, ProducerAnswered).error is ErrorCode.NONE
    made.close()


# ---- over a restart


class KilledError(Exception):
    """The process ends here."""


def die(transaction: Transaction) -> None:
    raise KilledError


def entries_in(directory: Path) -> TransactionEntries:
    catalogue = Catalogue()
    catalogue.open(Journal(directory / "catalogue.log"))
    return TransactionEntries(catalogue)


def started(directory: Path, write_markers: Callable[[Transaction], None] = die) -> Transactions:
    """The transactions as a broker that starts on ``directory`` knows them."""
    return Transactions(600_000, lambda: 5.0, write_markers, entries_in(directory))


def ongoing(directory: Path) -> Transactions:
    transactions = started(directory)
    transactions.ask(INIT, ProducerAnswered)
    transactions.ask(ADD, PartitionsAnswered)
    return transactions


async def test_an_open_transaction_goes_on(tmp_path: Path) -> None:
    ongoing(tmp_path)
    again = started(tmp_path)
    again.recover()
    answer = again.ask(AddPartitions("t", FIRST, ORDERS, verify_only=True), PartitionsAnswered)
    assert answer.errors == dict.fromkeys(ORDERS, ErrorCode.NONE)


@pytest.mark.parametrize(("is_commit", "status"), [(True, Status.COMPLETE_COMMIT), (False, Status.COMPLETE_ABORT)])
async def test_what_was_decided_before_the_end_has_its_markers_written(
    tmp_path: Path, is_commit: bool, status: Status
) -> None:
    ended: list[Transaction] = []
    with pytest.raises(KilledError):
        ongoing(tmp_path).ask(EndTransaction("t", FIRST, is_commit, new_producer_id=8), ProducerAnswered)
    again = started(tmp_path, ended.append)
    again.recover()
    assert [one.partitions for one in ended] == [ORDERS]
    started(tmp_path).recover()
    assert [known.status for known in again.all()] == [status]


def test_everything_there_is_to_know_is_kept(tmp_path: Path) -> None:
    transaction = Transaction(
        "billing",
        Producer(7, 3),
        60_000,
        Status.ONGOING,
        ORDERS | {TopicPartition("audit", 2)},
        started_ms=1,
        updated_ms=2,
        previous=Producer(6, 9),
        successor=Producer(8, 0),
    )
    entries_in(tmp_path).put(transaction)
    assert entries_in(tmp_path).all() == [transaction]
