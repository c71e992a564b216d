"""The transaction coordinator's driver where the disk refuses: what can't be stored did not happen, decisions stand."""

from __future__ import annotations

import asyncio

import pytest

from kafka_nextgen.broker.storage import Catalogue
from kafka_nextgen.broker.transactions import driver
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
from kafka_nextgen.errors import StorageError
from kafka_nextgen.types import TopicPartition

ORDERS = frozenset({TopicPartition("orders", 0)})
FIRST = Producer(7, 0)
INIT = InitProducerId("t", 60_000, new_producer_id=7)
ADD = AddPartitions("t", FIRST, ORDERS)
COMMIT = EndTransaction("t", FIRST, True, new_producer_id=8)


class Disk(TransactionEntries):
    """Entries that can't be written while it is full."""

    is_full = False

    def put(self, transaction: Transaction) -> None:
        if Disk.is_full:
            raise StorageError("no space is left")
        super().put(transaction)


class Partitions:
    """Takes markers, once it has refused so many."""

    def __init__(self, refusals: int = 0) -> None:
        self.refusals = refusals
        self.ended: asyncio.Event = asyncio.Event()

    def write_markers(self, transaction: Transaction) -> None:
        if self.refusals:
            self.refusals -= 1
            raise StorageError("no space is left")
        self.ended.set()


def transactions(partitions: Partitions) -> Transactions:
    return Transactions(600_000, lambda: 5.0, partitions.write_markers, Disk(Catalogue()))


def test_what_can_not_be_stored_did_not_happen(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> None:
        made = transactions(Partitions())
        made.ask(INIT, ProducerAnswered)
        with monkeypatch.context() as full:
            full.setattr(Disk, "is_full", True)
            refused = ErrorCode.COORDINATOR_NOT_AVAILABLE
            assert made.ask(ADD, PartitionsAnswered) == PartitionsAnswered(dict.fromkeys(ORDERS, refused))
            assert made.ask(INIT, ProducerAnswered) == ProducerAnswered(refused)
            known = made.named("t")
            assert known is not None
            assert (known.status, known.producer) == (Status.EMPTY, FIRST)
        assert made.ask(ADD, PartitionsAnswered) == PartitionsAnswered(dict.fromkeys(ORDERS, ErrorCode.NONE))
        made.close()

    asyncio.run(scenario())


def test_markers_that_can_not_be_written_are_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "_RETRY_S", 0.0)

    async def scenario() -> None:
        partitions = Partitions(refusals=2)
        made = transactions(partitions)
        made.ask(INIT, ProducerAnswered)
        made.ask(ADD, PartitionsAnswered)
        assert made.ask(COMMIT, ProducerAnswered).error is ErrorCode.NONE, "it is decided"
        assert made.ask(COMMIT, ProducerAnswered).error is ErrorCode.CONCURRENT_TRANSACTIONS, "and not complete"
        await asyncio.wait_for(partitions.ended.wait(), 10)
        assert made.ask(COMMIT, ProducerAnswered).error is ErrorCode.NONE
        made.close()

    asyncio.run(scenario())
