"""Reading committed records only: what is left out, and where the log ends (KIP-98)."""

from __future__ import annotations

import pytest

from kafka_nextgen.fetching import DecodedPartition, FetchSettings, FetchState, decode_answer
from kafka_nextgen.requests.fetch import AbortedTransaction, FetchedPartition
from kafka_nextgen.types import TopicPartition
from kafka_nextgen.wire.records import EndMarker, NewRecord, RecordLimits, encode_batch, encode_end_marker, rebase
from tests.fetching.world import World, cluster, columns

P0 = TopicPartition("orders", 0)
PRODUCER = 7


def log_of(*values: bytes | None) -> bytes:
    """One batch of a transaction at each offset, or, for None, the marker that aborts it."""
    batches = [
        encode_end_marker(EndMarker(False, 0), PRODUCER, 0, timestamp=1)
        if value is None
        else encode_batch([NewRecord(value)], producer_id=PRODUCER, transactional=True)
        for value in values
    ]
    return b"".join(rebase(batch, offset, 5) for offset, batch in enumerate(batches))


def answer(world: World, data: bytes, *aborted: AbortedTransaction) -> None:
    fetch = world.fetch()
    fetched = FetchedPartition(P0, 0, 9, last_stable_offset=9, records=data, aborted=aborted)
    world.answer(fetch, *decode_answer(fetch, [fetched], RecordLimits()))


def test_records_of_aborted_transactions_are_not_handed_over_and_read_past(world: World) -> None:
    world.start(P0)
    answer(world, log_of(b"a", None), AbortedTransaction(PRODUCER, 0))
    assert not world.state.handover.has_records()
    assert world.state.position(P0) == 2, "nothing but aborted records came"
    world.state.seek(P0, 0)
    answer(world, log_of(b"a", None, b"b"), AbortedTransaction(PRODUCER, 0))
    assert world.take() == [(0, 2)]
    assert world.state.position(P0) == 3
    world.state.seek(P0, 0)
    answer(world, log_of(b"a", None))
    assert world.take() == [(0, 0)], "a broker does not call it aborted"


@pytest.mark.parametrize(("read_committed", "lag"), [(False, 8), (True, 3)])
def test_the_lag_is_that_behind_what_may_be_read(read_committed: bool, lag: int) -> None:
    world = World(FetchState(FetchSettings(read_committed=read_committed)), cluster({P0: 1}))
    world.start(P0)
    world.answer(
        world.fetch(),
        DecodedPartition(P0, columns=columns(P0, 0, 2), high_watermark=10, last_stable_offset=5),
    )
    world.take()
    assert world.state.progress().partitions[P0].lag == lag


def test_what_is_gone_from_the_log_is_no_lag(world: World) -> None:
    world.start(P0)
    world.answer(world.fetch(), DecodedPartition(P0, columns=columns(P0, 0, 2), high_watermark=10, log_start_offset=7))
    world.take()
    assert world.state.position(P0) == 2
    assert world.state.progress().partitions[P0].lag == 3
