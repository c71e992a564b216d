"""The transaction coordinator's decisions, as tables: who becomes the producer, and what may follow on what."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from attrs import evolve, field, frozen
from hypothesis import given
from hypothesis import strategies as st

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.testing.broker.transactions.coordinator import TransactionCoordinator
from kafka_nextgen.testing.broker.transactions.requests import (
    AddPartitions,
    Answer,
    EndTransaction,
    InitProducerId,
    MarkersWritten,
    PartitionsAnswered,
    ProducerAnswered,
    Request,
)
from kafka_nextgen.testing.broker.transactions.transaction import LAST_EPOCH, NO_PRODUCER, Producer, Status, Transaction
from kafka_nextgen.types import TopicPartition

ORDERS = frozenset({TopicPartition("orders", 0)})
AUDIT = frozenset({TopicPartition("audit", 1)})
EXPIRATION_MS, TIMEOUT_MS = 1_000_000, 60_000
FIRST = Producer(7, 0)
NEW_ID = 8

INIT = InitProducerId("t", TIMEOUT_MS, NEW_ID)
COMMIT = EndTransaction("t", FIRST, True, NEW_ID)
ABORT = evolve(COMMIT, is_commit=False)
WRITTEN = MarkersWritten("t")


@frozen
class Stage:
    """A coordinator with at most the one transactional id."""

    coordinator: TransactionCoordinator = field(factory=lambda: TransactionCoordinator(EXPIRATION_MS))

    def ask(self, request: Request, now_ms: int = 0) -> Answer:
        outcome = self.coordinator.handle(request, now_ms)
        self.coordinator.commit(outcome)
        return outcome.answer

    def error_of(self, request: Request) -> ErrorCode:
        answer = self.ask(request)
        (error,) = set(answer.errors.values()) if isinstance(answer, PartitionsAnswered) else {answer.error}
        return error

    @property
    def known(self) -> Transaction:
        return self.coordinator.transactions["t"]


def after(*requests: Request) -> Stage:
    """A coordinator whose transactional id began as FIRST, and was asked this."""
    stage = Stage()
    for request in (evolve(INIT, new_producer_id=FIRST.producer_id), *requests):
        stage.ask(request)
    return stage


ADD = AddPartitions("t", FIRST, ORDERS)

STATES: dict[Status, tuple[Request, ...]] = {
    Status.EMPTY: (),
    Status.ONGOING: (ADD,),
    Status.PREPARE_COMMIT: (ADD, COMMIT),
    Status.PREPARE_ABORT: (ADD, ABORT),
    Status.COMPLETE_COMMIT: (ADD, COMMIT, WRITTEN),
    Status.COMPLETE_ABORT: (ADD, ABORT, WRITTEN),
}


REFUSED = ErrorCode.INVALID_TXN_STATE
BUSY = ErrorCode.CONCURRENT_TRANSACTIONS
FENCED = ErrorCode.PRODUCER_FENCED
NONE = ErrorCode.NONE
UNKNOWN_ID = ErrorCode.INVALID_PRODUCER_ID_MAPPING


@pytest.mark.parametrize(
    ("status", "commit", "abort", "add", "init"),
    [
        (Status.EMPTY, REFUSED, REFUSED, NONE, NONE),
        (Status.ONGOING, NONE, NONE, NONE, BUSY),
        (Status.PREPARE_COMMIT, BUSY, REFUSED, BUSY, BUSY),
        (Status.PREPARE_ABORT, REFUSED, BUSY, BUSY, BUSY),
        (Status.COMPLETE_COMMIT, NONE, REFUSED, NONE, NONE),
        (Status.COMPLETE_ABORT, REFUSED, NONE, NONE, NONE),
    ],
)
def test_what_is_answered_in_each_state(
    status: Status, commit: ErrorCode, abort: ErrorCode, add: ErrorCode, init: ErrorCode
) -> None:
    assert after(*STATES[status]).known.status is status
    for request, error in [(COMMIT, commit), (ABORT, abort), (AddPartitions("t", FIRST, AUDIT), add), (INIT, init)]:
        assert after(*STATES[status]).error_of(request) is error


def test_nobody_else_may_do_anything() -> None:
    for producer, error in (
        (Producer(7, 1), FENCED),
        (Producer(7, -1), FENCED),
        (Producer(9, 0), UNKNOWN_ID),
        (NO_PRODUCER, UNKNOWN_ID),
    ):
        for request in (COMMIT, ADD):
            assert after(ADD).error_of(evolve(request, producer=producer)) is error


def test_an_unknown_id_has_no_transaction() -> None:
    for request in (COMMIT, ADD, evolve(ADD, verify_only=True)):
        assert Stage().error_of(request) is UNKNOWN_ID


def test_only_partitions_that_were_added_are_in_there() -> None:
    stage = after(ADD)
    assert stage.error_of(evolve(ADD, verify_only=True)) is NONE
    assert stage.error_of(AddPartitions("t", FIRST, AUDIT, verify_only=True)) is ErrorCode.TRANSACTION_ABORTABLE


# ---- who becomes the producer


def test_whoever_asks_next_fences_the_one_before() -> None:
    stage = after(ADD)
    assert stage.error_of(INIT) is BUSY
    assert (stage.known.status, stage.known.producer) == (Status.PREPARE_ABORT, Producer(7, 1)), "markers fence it too"
    assert stage.ask(WRITTEN)
    assert stage.ask(INIT) == ProducerAnswered(producer=Producer(7, 2))
    assert stage.error_of(ADD) is FENCED


@pytest.mark.parametrize(
    ("claimed", "answer"),
    [
        pytest.param(NO_PRODUCER, ProducerAnswered(producer=Producer(7, 2)), id="somebody new"),
        pytest.param(Producer(7, 1), ProducerAnswered(producer=Producer(7, 2)), id="the producer, after an error"),
        pytest.param(Producer(7, 0), ProducerAnswered(producer=Producer(7, 1)), id="the same that asked before, again"),
        pytest.param(Producer(7, 5), ProducerAnswered(FENCED), id="an epoch nobody has had"),
        pytest.param(Producer(9, 1), ProducerAnswered(FENCED), id="another producer"),
    ],
)
def test_a_producer_goes_on_by_what_it_says_it_was(claimed: Producer, answer: ProducerAnswered) -> None:
    stage = after(evolve(INIT, producer=FIRST))
    assert stage.known.producer == Producer(7, 1)
    assert stage.ask(evolve(INIT, producer=claimed)) == answer


LAST = Producer(7, LAST_EPOCH)


def at_the_last_epoch() -> Stage:
    stage = after()
    stage.coordinator.transactions["t"] = evolve(stage.known, producer=LAST)
    return stage


def test_when_epochs_run_out_there_is_a_new_producer_id() -> None:
    stage = at_the_last_epoch()
    for _ in range(2):  # the second asks again
        assert stage.ask(evolve(INIT, producer=LAST)) == ProducerAnswered(producer=Producer(NEW_ID, 0))


# ---- an epoch for each transaction (KIP-890)

COMMIT_AND_BUMP = evolve(COMMIT, bumps_epoch=True)


def test_each_transaction_ends_at_a_new_epoch() -> None:
    stage = after(ADD)
    ended = ProducerAnswered(producer=Producer(7, 1))
    assert stage.ask(COMMIT_AND_BUMP) == ended
    assert stage.known.producer == Producer(7, 1), "the markers bear the new epoch"
    assert stage.error_of(COMMIT_AND_BUMP) is BUSY
    stage.ask(WRITTEN)
    assert stage.ask(COMMIT_AND_BUMP) == ended, "the same again, its answer was lost"
    assert stage.error_of(evolve(COMMIT_AND_BUMP, is_commit=False)) is REFUSED
    assert stage.error_of(ADD) is FENCED


@pytest.mark.parametrize("status", [Status.EMPTY, Status.COMPLETE_COMMIT, Status.COMPLETE_ABORT])
def test_nothing_can_be_aborted_to_be_safe(status: Status) -> None:
    stage = after(*STATES[status])
    assert stage.error_of(evolve(COMMIT_AND_BUMP, producer=Producer(7, 5))) is FENCED
    assert stage.ask(evolve(COMMIT_AND_BUMP, is_commit=False)) == ProducerAnswered(producer=Producer(7, 1))
    stage.ask(WRITTEN)
    assert stage.known.status is Status.COMPLETE_ABORT


def test_after_the_last_epoch_of_an_id_the_next_id_takes_over() -> None:
    stage = at_the_last_epoch()
    stage.ask(evolve(ADD, producer=LAST))
    end = evolve(COMMIT_AND_BUMP, producer=LAST)
    assert stage.ask(end) == ProducerAnswered(producer=Producer(NEW_ID, 0))
    assert stage.known.producer == Producer(7, LAST_EPOCH + 1), "the markers are the old id's"
    stage.ask(WRITTEN)
    assert stage.known.producer == Producer(NEW_ID, 0)
    assert stage.ask(end) == ProducerAnswered(producer=Producer(NEW_ID, 0))


# ---- time


def test_what_takes_too_long_is_aborted_and_fenced() -> None:
    stage = after()
    stage.ask(ADD, now_ms=500)
    assert stage.coordinator.deadline_ms() == 500 + TIMEOUT_MS
    assert stage.coordinator.expire(499 + TIMEOUT_MS) == ()
    (outcome,) = stage.coordinator.expire(500 + TIMEOUT_MS)
    stage.coordinator.commit(outcome)
    assert (stage.known.status, stage.known.producer) == (Status.PREPARE_ABORT, Producer(7, 1))


def test_an_id_nobody_uses_is_forgotten() -> None:
    stage = after()
    assert stage.coordinator.deadline_ms() == EXPIRATION_MS
    (outcome,) = stage.coordinator.expire(EXPIRATION_MS)
    stage.coordinator.commit(outcome)
    assert not stage.coordinator.transactions
    assert stage.coordinator.deadline_ms() == float("inf")


# ---- whatever happens


def requests(stage: Stage) -> Iterable[Request]:
    """What may be asked next: by the producer, by the one before, and by somebody who knows nothing."""
    producers = (NO_PRODUCER, FIRST)
    if "t" in stage.coordinator.transactions:
        producers = (NO_PRODUCER, stage.known.producer, stage.known.previous)
    for producer in producers:
        yield evolve(INIT, producer=producer)
        yield AddPartitions("t", producer, ORDERS)
        for is_commit in (True, False):
            for bumps_epoch in (True, False):
                yield EndTransaction("t", producer, is_commit, NEW_ID, bumps_epoch)


@given(st.data())
def test_epochs_never_fall_and_a_decision_never_changes(data: st.DataObject) -> None:
    stage = after()
    for _ in range(12):
        before = stage.known
        if before.is_decided:
            stage.ask(data.draw(st.sampled_from([WRITTEN, INIT, COMMIT, ABORT])))
            decided = {Status.PREPARE_COMMIT: Status.COMPLETE_COMMIT, Status.PREPARE_ABORT: Status.COMPLETE_ABORT}
            assert stage.known.status in (before.status, decided[before.status])
        else:
            stage.ask(data.draw(st.sampled_from(list(requests(stage)))))
        assert stage.known.producer.epoch >= before.producer.epoch
        assert stage.known.is_decided or stage.known.status is Status.ONGOING or not stage.known.partitions
