"""Ranges of partitions: read from their start up to their end, fetched no further, and then it is over."""

from __future__ import annotations

from collections.abc import Mapping
from uuid import UUID

import pytest

from kafka_nextgen import (
    AsyncConsumer,
    MisuseError,
    OffsetOutOfRangeError,
    OffsetRange,
    TopicPartition,
    UnknownTopicError,
)
from kafka_nextgen.wire.apis import FETCH
from kafka_nextgen.wire.records import NewRecord, encode_batch
from tests.engine.stage import RECORDS_PER_BATCH, Stage, read, tp, values

LONG_MS = 20_000
#: Nothing may be waited for: a long poll, or iteration's next look.
NO_WAIT: dict[str, object] = {"group_id": None, "fetch_max_wait_ms": LONG_MS, "fetch_min_bytes": 1_000_000}


@pytest.fixture(autouse=True)
def _topic(stage: Stage) -> None:
    stage.create(partitions=2, records=100)


def ranges(*ends: tuple[int, int]) -> Mapping[TopicPartition, OffsetRange]:
    return {tp(number): OffsetRange(*pair) for number, pair in enumerate(ends)}


# ---- ways to read


def test_a_loop_ends_with_the_last_range(stage: Stage) -> None:
    with stage.consumer(**NO_WAIT) as consumer:
        consumer.assign(ranges((5, 42), (90, 100)))
        seen = sorted((record.partition, record.offset) for record in consumer)
        assert seen == [*((0, offset) for offset in range(5, 42)), *((1, offset) for offset in range(90, 100))]
        assert consumer.finished() == consumer.assignment() == {tp(0), tp(1)}
        assert (consumer.position(tp(0)), consumer.position(tp(1))) == (42, 100)
        assert list(consumer) == []
        with pytest.raises(StopIteration):
            next(consumer)


def test_a_loop_that_has_ended_goes_on_with_the_next_range(stage: Stage) -> None:
    with stage.consumer(**NO_WAIT) as consumer:
        consumer.assign(ranges((5, 8)))
        records = iter(consumer)
        assert values(list(records)) == [5, 6, 7]
        consumer.assign(ranges((3, 6)))
        assert values(list(consumer)) == [3, 4, 5]
        consumer.assign({tp(1): OffsetRange(3, 6)})
        assert values(list(consumer)) == [3, 4, 5]
        consumer.seek(tp(1), 4)
        assert values(list(consumer)) == [4, 5]


def test_batches_and_polls_end_as_well(stage: Stage) -> None:
    with stage.consumer(**NO_WAIT) as consumer:
        consumer.assign(ranges((5, 42)))
        assert values([record for batch in consumer.batches(max_records=10) for record in batch]) == list(range(5, 42))
        assert list(consumer.batches()) == []
        consumer.assign(ranges((5, 8)))
        assert values(read(consumer, 3)) == [5, 6, 7]
        assert consumer.finished() == {tp(0)}
        assert len(consumer.poll(timeout=LONG_MS)) == 0, "at once"


async def test_a_coroutine_reads_ranges_as_well(stage: Stage) -> None:
    async with AsyncConsumer(**stage.config(**NO_WAIT)) as consumer:
        await consumer.assign(ranges((5, 8)))
        assert [record.offset async for record in consumer] == [5, 6, 7]
        assert consumer.finished() == {tp(0)}
        with pytest.raises(StopAsyncIteration):
            await anext(consumer)
        await consumer.assign(ranges((8, 10)))
        assert [len(batch) async for batch in consumer.batches()] == [2]


@pytest.mark.parametrize("end", [50, 49, 0])
def test_an_empty_range_needs_no_broker(stage: Stage, end: int) -> None:
    with stage.consumer(**NO_WAIT) as consumer:
        consumer.assign(ranges((50, end)))
        assert list(consumer) == []
        assert consumer.finished() == {tp(0)}


def test_a_partition_may_go_without_an_end(stage: Stage) -> None:
    with stage.consumer(group_id=None) as consumer:
        consumer.assign({tp(0): OffsetRange(5, 8), tp(1): None})
        assert len(read(consumer, 103)) == 103
        assert consumer.finished() == {tp(0)}
        assert len(consumer.poll(timeout=0.05)) == 0


def test_a_range_is_committed_up_to_its_end(stage: Stage) -> None:
    with stage.consumer(enable_auto_commit=True, auto_commit_interval_ms=LONG_MS) as consumer:
        consumer.assign(ranges((5, 8)))
        assert len(list(consumer)) == 3
        consumer.assign(ranges((50, 60)))
        assert stage.committed() == {0: 8}


# ---- how much is fetched


@pytest.mark.parametrize("size", [10, 250])
def test_a_range_costs_its_bytes_and_a_batch_and_takes_few_questions(stage: Stage, size: int) -> None:
    """10,000 records from the middle of a log of 40,000, in batches of 100.

    The first answer tells what is to be asked for, also if it is decoded at once: no second one is for a batch.
    """
    batch = encode_batch([NewRecord(bytes(size))] * 100)
    stage.append(1, *[batch] * 400)
    with stage.consumer(**NO_WAIT) as consumer:
        consumer.end_offsets([tp(1)])
        before = consumer.metrics().connections.bytes_in
        consumer.assign({tp(1): OffsetRange(15_050, 25_050)})
        assert sum(map(len, consumer.batches())) == 10_000
        overhead_bytes = 2_000  # of requests, and metadata
        assert consumer.metrics().connections.bytes_in - before <= (101 + 1) * len(batch) + overhead_bytes
        assert consumer.metrics().reading.fetches <= (10 if size == 10 else 100)


def test_a_node_is_asked_to_wait_for_a_byte_only_and_not_asked_any_more_once_all_is_read(stage: Stage) -> None:
    """Of a range less may be left than ``fetch.min.bytes``: the answer would be held back for nothing."""
    fetches = stage.watch(FETCH)
    with stage.consumer(group_id=None, fetch_min_bytes=1_000) as consumer:
        consumer.assign(ranges((5, 42)))
        assert len(list(consumer)) == 37
        before = len(fetches)
        stage.write_batch(0, 10)
        assert not consumer.poll(timeout=0.1)
        assert len(fetches) == before
        assert consumer.health().stalled == ()
    assert max(fetch.min_bytes for fetch in fetches[:before]) == 1


# ---- what can't be read


@pytest.mark.parametrize("reset", ["earliest", "latest", "none"])
def test_a_range_that_was_deleted_is_told_of(stage: Stage, reset: str) -> None:
    stage.drop_batches(0)
    with stage.consumer(group_id=None, auto_offset_reset=reset) as consumer:
        consumer.assign(ranges((5, 95)))
        with pytest.raises(OffsetOutOfRangeError, match=r"orders\[0\]: the log has no offset 5"):
            list(consumer)
        consumer.seek(tp(0), 100 - RECORDS_PER_BATCH)
        assert values(list(consumer)) == list(range(100 - RECORDS_PER_BATCH, 95))


def test_a_topic_that_is_not_there_is_told_of(stage: Stage) -> None:
    with stage.consumer(group_id=None) as consumer:
        missing = TopicPartition("ordres", 0)
        consumer.assign({missing: OffsetRange(0, 5)})
        with pytest.raises(UnknownTopicError, match=r"ordres\[0\] can't be read at offset 0: the topic does not exist"):
            list(consumer)
        consumer.assign({tp(7): OffsetRange(0, 5)})
        with pytest.raises(UnknownTopicError, match="its topic does not have this partition"):
            list(consumer)
        assert consumer.topics() == ("orders",), "it was not created for the asking"


def test_a_topic_that_was_made_again_before_is_told_of_if_the_range_names_its_id(stage: Stage) -> None:
    with stage.consumer(group_id=None) as consumer:
        topic_id = consumer.describe_topics(["orders"])["orders"].topic_id
        consumer.assign({tp(): OffsetRange(5, 8, topic_id)})
        assert values(list(consumer)) == [5, 6, 7]
        consumer.assign({tp(): OffsetRange(5, 8, UUID(int=7))})
        with pytest.raises(UnknownTopicError, match="its topic was deleted and created again"):
            list(consumer)


def test_run_refuses_ranges(stage: Stage) -> None:
    with stage.consumer() as consumer:
        consumer.assign(ranges((5, 8)))
        with pytest.raises(MisuseError, match="read them in a loop"):
            consumer.run(print)


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ((5, 8), TypeError, r"must map to an OffsetRange, or to None for no range, not \(5, 8\)"),
        (OffsetRange(-1, 8), ValueError, "the start of a range must be a number from 0"),
        (OffsetRange(0, 2**63), ValueError, "the end of a range must be a number from 0"),
        (OffsetRange(0, 8, "id"), TypeError, "the topic id of a range must be a UUID or None, not 'id'"),  # type: ignore[arg-type]
        (OffsetRange(0, "8"), TypeError, "the end of a range must be a whole number, not '8'"),  # type: ignore[arg-type]
    ],
)
def test_what_can_be_no_range_is_refused(stage: Stage, given: object, error: type[Exception], words: str) -> None:
    with stage.consumer() as consumer, pytest.raises(error, match=words):
        consumer.assign({tp(): given})  # type: ignore[dict-item]
