"""Which transactions of a partition are open, and what was aborted (KIP-98)."""

from __future__ import annotations

import pytest

from kafka_nextgen.broker.log import PartitionLog
from kafka_nextgen.broker.open_transactions import AbortedTransaction
from kafka_nextgen.types import TopicPartition
from kafka_nextgen.wire.records import EndMarker, NewRecord, encode_batch, encode_end_marker, read_batches

P, Q = 7, 8
RECORD = [NewRecord(b"x", timestamp=1)]


def log_of(*steps: tuple[int | None, str]) -> PartitionLog:
    """A log that says, one offset each, what a producer did: write, commit or abort; None writes without one."""
    log = PartitionLog(TopicPartition("orders", 0))
    for producer, what in steps:
        if producer is None:
            data = encode_batch(RECORD)
        elif what == "write":
            data = encode_batch(
                [NewRecord(b"x", timestamp=1)], producer_id=producer, producer_epoch=0, transactional=True
            )
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


@pytest.mark.parametrize(
    ("start", "end", "aborted"),
    [
        (0, 7, (FIRST, SECOND)),
        (0, 5, (FIRST,)),
        (2, 3, (FIRST,)),
        (3, 5, ()),
        (3, 6, (SECOND,)),
        (6, 7, (SECOND,)),
    ],
)
def test_readers_are_told_what_was_aborted_of_what_they_read(
    start: int, end: int, aborted: tuple[AbortedTransaction, ...]
) -> None:
    assert log_of(*ABORTED).transactions.aborted_within(start, end) == aborted


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
