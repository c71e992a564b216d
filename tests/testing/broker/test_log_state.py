"""What is known of a log: producers, ends of leader epochs (KIP-101), what is stable and what was aborted (KIP-98)."""

from __future__ import annotations

import pytest

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.testing.broker.leader_epochs import LeaderEpochs
from kafka_nextgen.testing.broker.log import PartitionLog
from kafka_nextgen.testing.broker.open_transactions import AbortedTransaction
from kafka_nextgen.testing.broker.producers import Producers, Seen
from kafka_nextgen.types import TopicPartition
from kafka_nextgen.wire.records import EndMarker, NewRecord, encode_batch, encode_end_marker, read_batches
from kafka_nextgen.wire.records.batch_header import BatchHeader

RECORD = [NewRecord(b"x", timestamp=1)]


# ---- leader epochs


def epochs(*noted: tuple[int, int]) -> LeaderEpochs:
    made = LeaderEpochs()
    for epoch, offset in noted:
        made.note(epoch, offset)
    return made


@pytest.mark.parametrize(
    ("asked", "end"),
    [
        pytest.param(1, (1, 10), id="older than all: where they begin"),
        pytest.param(2, (2, 20), id="an epoch with records"),
        pytest.param(3, (2, 20), id="an epoch without records: the one before"),
        pytest.param(5, (5, 30), id="the last with records ends at the log's end"),
        pytest.param(6, (6, 30), id="the leader's own"),
        pytest.param(7, None, id="a later one than the leader's"),
        pytest.param(-1, None, id="none"),
    ],
)
def test_an_epoch_ends_where_the_next_begins(asked: int, end: tuple[int, int] | None) -> None:
    assert epochs((2, 10), (2, 15), (5, 20)).end_of(asked, leader_epoch=6, end_offset=30) == end


def test_epochs_go_with_their_records() -> None:
    noted = epochs((0, 0), (1, 10), (2, 20))
    noted.forget_before(15)
    assert noted.end_of(0, leader_epoch=2, end_offset=30) == (0, 15)
    assert noted.end_of(1, leader_epoch=2, end_offset=30) == (1, 20)


# ---- open transactions


P, Q = 7, 8


def log_of(*steps: tuple[int | None, str]) -> PartitionLog:
    """A log that says, one offset each, what a producer did: write, commit or abort; None writes without one."""
    log = PartitionLog(TopicPartition("orders", 0))
    for producer, what in steps:
        if producer is None:
            data = encode_batch(RECORD)
        elif what == "write":
            data = encode_batch(RECORD, producer_id=producer, producer_epoch=0, transactional=True)
        else:
            data = encode_end_marker(EndMarker(what == "commit", 0), producer, 0, timestamp=1)
        log.append(read_batches(data)[0])
    return log


PLAIN = (None, "write")


@pytest.mark.parametrize(
    ("steps", "stable"),
    [
        pytest.param([PLAIN, PLAIN], 2, id="no transactions"),
        pytest.param([PLAIN, (P, "write"), PLAIN], 1, id="one is open"),
        pytest.param([(P, "write"), (P, "write"), (P, "commit")], 3, id="it ended"),
        pytest.param([(P, "write"), (Q, "write"), (Q, "commit")], 0, id="the first of two is open"),
        pytest.param([(P, "write"), (Q, "write"), (P, "abort")], 1, id="the second of two is open"),
        pytest.param([(P, "write"), (P, "commit"), (P, "write")], 2, id="the producer's next is open"),
        pytest.param([(P, "abort")], 1, id="a marker for nothing"),
    ],
)
def test_what_is_before_all_open_transactions_is_stable(steps: list[tuple[int | None, str]], stable: int) -> None:
    assert log_of(*steps).last_stable_offset == stable


# Offsets:             0            1            2             3             4      5             6
ABORTED = [(P, "write"), (Q, "write"), (P, "abort"), (Q, "commit"), PLAIN, (Q, "write"), (Q, "abort")]
FIRST, SECOND = AbortedTransaction(P, 0, 2), AbortedTransaction(Q, 5, 6)


def test_readers_are_told_what_was_aborted_of_what_they_read() -> None:
    told = {
        (0, 7): (FIRST, SECOND),
        (0, 5): (FIRST,),
        (2, 3): (FIRST,),
        (3, 5): (),
        (3, 6): (SECOND,),
        (6, 7): (SECOND,),
    }
    transactions = log_of(*ABORTED).transactions
    assert {between: transactions.aborted_within(*between) for between in told} == told


def test_with_the_records_it_is_forgotten() -> None:
    log = log_of(*ABORTED)
    log.drop_before(2)
    assert log.transactions.aborted_within(0, 7) == (FIRST, SECOND), "its marker is still there"
    log.drop_before(3)
    assert log.transactions.aborted_within(0, 7) == (SECOND,)


def test_a_log_may_begin_within_an_open_transaction() -> None:
    log = log_of((P, "write"), (P, "write"), PLAIN)
    log.drop_before(1)
    assert log.last_stable_offset == 1


def test_a_reader_of_committed_records_gets_what_is_stable() -> None:
    log = log_of(PLAIN, (P, "write"), PLAIN)
    stable = log.read(0, 10_000, at_least_one=True, before=log.last_stable_offset)
    assert [batch.header.base_offset for batch in read_batches(stable)] == [0]
    assert log.read(1, 10_000, at_least_one=True, before=log.last_stable_offset) == b""


# ---- producers: which batch is new, which came before, and which cannot be


HIGHEST = 2**31 - 1


def header(sequence: int, records: int = 1, epoch: int = 0, producer_id: int = 7) -> BatchHeader:
    who = {"producer_id": producer_id, "producer_epoch": epoch, "base_sequence": sequence}
    return read_batches(encode_batch(RECORD * records, **who))[0].header


def after(*headers: BatchHeader) -> Producers:
    producers = Producers()
    for offset, each in enumerate(headers):
        assert producers.check(each) is ErrorCode.NONE
        producers.remember(each, offset)
    return producers


@pytest.mark.parametrize(
    ("next_header", "answer"),
    [
        pytest.param(header(3), ErrorCode.NONE, id="it continues"),
        pytest.param(header(4), ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER, id="a gap"),
        pytest.param(header(1), ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER, id="a part of an earlier batch"),
        pytest.param(header(0, records=3), Seen(0, 2, 0, 1), id="the same again"),
        pytest.param(header(0, epoch=1), ErrorCode.NONE, id="a new epoch begins at 0"),
        pytest.param(header(3, epoch=1), ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER, id="a new epoch elsewhere"),
        pytest.param(header(9, producer_id=8), ErrorCode.NONE, id="an unknown producer begins anywhere"),
        pytest.param(header(-1, producer_id=-1), ErrorCode.NONE, id="a producer without idempotence"),
    ],
)
def test_after_sequences_0_to_2(next_header: BatchHeader, answer: Seen | ErrorCode) -> None:
    assert after(header(0, records=3)).check(next_header) == answer


def test_an_old_epoch_is_fenced() -> None:
    assert after(header(0, epoch=1)).check(header(1, epoch=0)) is ErrorCode.INVALID_PRODUCER_EPOCH


def test_the_newest_epoch_of_a_producer_is_known_by_which_markers_are_fenced() -> None:
    producers = after(header(0), header(0, epoch=2))
    assert (producers.epoch_of(7), producers.epoch_of(8)) == (2, -1)


def test_a_new_epoch_forgets_the_old_ones_batches() -> None:
    producers = after(header(0), header(1), header(0, epoch=1))
    assert producers.check(header(1, epoch=1)) is ErrorCode.NONE


def test_the_last_five_batches_are_known_again_and_no_more() -> None:
    producers = after(*(header(sequence) for sequence in range(6)))
    again = [producers.check(header(sequence)) for sequence in range(6)]
    assert again == [ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER, *(Seen(n, n, n, 1) for n in range(1, 6))]


def test_sequences_go_on_at_zero_after_the_highest() -> None:
    producers = after(header(HIGHEST - 1, records=2))
    assert producers.check(header(0)) is ErrorCode.NONE
    wrapped = after(header(HIGHEST, records=2))
    assert wrapped.check(header(1)) is ErrorCode.NONE


def test_producers_without_idempotence_are_not_remembered() -> None:
    producers = after(header(-1, producer_id=-1), header(-1, producer_id=-1))
    assert producers.check(header(-1, producer_id=-1)) is ErrorCode.NONE
