"""Idempotence: which batch of a producer is new, which came before, and which cannot be (KIP-98)."""

from __future__ import annotations

import pytest

from kafka_nextgen.broker.producers import Producers, Seen
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.wire.records import NewRecord, encode_batch, read_batches
from kafka_nextgen.wire.records.batch_header import BatchHeader

HIGHEST = 2**31 - 1


def header(sequence: int, records: int = 1, epoch: int = 0, producer_id: int = 7) -> BatchHeader:
    batch = encode_batch(
        [NewRecord(b"x", timestamp=1)] * records,
        producer_id=producer_id,
        producer_epoch=epoch,
        base_sequence=sequence,
    )
    return read_batches(batch)[0].header


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
