"""Where positions stop when a record can't be deserialized."""

from __future__ import annotations

import os
import signal
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest

from kafka_nextgen import Consumer, DeserializationError, Record
from kafka_nextgen.compiled import ACCELERATED
from tests.engine.bad_records import (
    ALL_BUT_BAD,
    BAD,
    BEFORE_BAD,
    PARTITIONS,
    consuming,
    consuming_async,
    take,
    take_good,
    told,
)
from tests.engine.stage import Stage, tp
from tests.support.garbage import no_collections


def positions(consumer: Consumer) -> list[int]:
    return [consumer.position(partition) for partition in PARTITIONS]


def next_offsets(seen: list[Record]) -> dict[int, int]:
    """What may be committed once these, in each partition's order, were given out."""
    return {record.partition: record.offset + 1 for record in seen}


def committed(orders: Stage) -> dict[int, int]:
    return {partition: offset for partition, offset in orders.committed().items() if offset > 0}


def read_all_but_bad(consumer: Consumer, seen: list[Record]) -> None:
    while len(seen) < 39:
        seen += consumer.poll()
    assert told(seen) == ALL_BUT_BAD, "none came twice"


# ---- polls


def test_a_commit_behind_the_error_covers_what_was_given_out_and_no_more(orders: Stage) -> None:
    seen: list[Record] = []
    with consuming(orders) as consumer:
        error = take(consumer.poll(), seen)
        assert (error.partition, error.offset, error.field) == (tp(1), BAD, "value")
        assert (error.record.value, error.record.offset) == (b"12", BAD)
        reading = consumer.metrics().reading
        buffered = sum(part.buffered_records for part in reading.partitions.values())
        assert (reading.records, buffered) == (len(seen), 40 - len(seen)), "each is counted once"
        consumer.commit()
        assert committed(orders) == next_offsets(seen)


def test_what_was_not_given_out_comes_with_the_next_poll_the_bad_record_first_until_it_is_sought_past(
    orders: Stage,
) -> None:
    seen: list[Record] = []
    with consuming(orders) as consumer:
        take(consumer.poll(), seen)
        assert take(consumer.poll(), seen).offset == BAD, "the others of its partition wait for it"
        assert consumer.position(tp(1)) == BAD
        error = take(consumer.poll(), seen)
        consumer.seek(error.partition, error.offset + 1)
        read_all_but_bad(consumer, seen)
        consumer.commit()
        assert orders.committed() == {0: 10, 1: 20, 2: 10}


def test_other_partitions_are_read_before_a_bad_record_is_tried_again(orders: Stage) -> None:
    seen: list[Record] = []
    with consuming(orders, max_poll_records=3) as consumer:
        while len(seen) < 32:
            seen.extend(take_good(consumer.poll(timeout=0)))
        assert told(seen) == BEFORE_BAD


def test_an_iterator_that_raised_is_over(orders: Stage) -> None:
    with consuming(orders) as consumer:
        records = iter(consumer.poll())
        take(records, [])
        assert list(records) == []


def test_a_loop_over_one_partition_after_the_other_may_go_on_with_the_next(orders: Stage) -> None:
    seen: list[Record] = []
    with consuming(orders) as consumer:
        records = consumer.poll()
        for partition in PARTITIONS:
            seen.extend(take_good(records.of(partition)))
        assert told(seen) == BEFORE_BAD
        consumer.commit()
        assert orders.committed() == {0: 10, 1: BAD, 2: 10}
        consumer.seek(tp(1), BAD + 1)
        read_all_but_bad(consumer, seen)


def test_batches_of_one_partition_count_as_that_partition(orders: Stage) -> None:
    with consuming(orders) as consumer:
        for batch in [batch for batch in consumer.poll().batches() if batch.partition == tp(1)]:
            list(take_good(batch))
        assert positions(consumer) == [0, BAD, 0]


def test_a_batch_that_is_iterated_in_part_without_an_error_is_handed_over(orders: Stage) -> None:
    with consuming(orders) as consumer:
        next(iter(consumer.poll()))
        assert positions(consumer) == [10, 20, 10]


def test_iterating_once_more_gives_the_same_and_moves_nothing(orders: Stage) -> None:
    with consuming(orders) as consumer:
        records, first, second = consumer.poll(), list[Record](), list[Record]()
        take(records, first)
        before = positions(consumer)
        take(records, second)
        assert first == second
        assert positions(consumer) == before


# ---- what happened between the poll and the error


def test_what_a_seek_moved_meanwhile_stays_there(orders: Stage) -> None:
    with consuming(orders) as consumer:
        records = consumer.poll()
        consumer.seek(tp(1), 20)
        take(records, [])
        assert consumer.position(tp(1)) == 20


def test_what_a_poll_since_then_has_gone_on_with_stays_there(orders: Stage) -> None:
    with consuming(orders, max_poll_records=15) as consumer:
        seen: list[Record] = []
        first = consumer.poll(max_records=40)
        orders.write(1, 1)
        while not any(record.offset == 20 for record in seen):
            seen += consumer.poll()
        take(first, [])
        assert consumer.position(tp(1)) == 21


def test_what_was_given_up_meanwhile_is_left_alone(orders: Stage) -> None:
    with consuming(orders) as consumer:
        records = consumer.poll()
        consumer.assign([tp(0)])
        take(records, [])
        assert consumer.assignment() == {tp(0)}


def test_a_bad_record_may_be_found_after_close_and_by_another_thread(orders: Stage) -> None:
    with consuming(orders) as consumer:
        records = consumer.poll()
    with ThreadPoolExecutor(1) as thread:
        assert thread.submit(take, records, []).result().offset == BAD


def test_a_child_process_waits_for_no_lock_of_its_parent(orders: Stage) -> None:
    with consuming(orders) as consumer:
        records = consumer.poll()
        with ThreadPoolExecutor(1) as thread:
            has_it, may_go = threading.Event(), threading.Event()

            def hold() -> None:
                with consumer._core.fetches:
                    has_it.set()
                    may_go.wait()

            thread.submit(hold)
            has_it.wait()
            child = os.fork()
            if child == 0:
                signal.alarm(120)
                os._exit(0 if take(records, []).offset == BAD else 1)
            may_go.set()
        assert os.waitpid(child, 0)[1] == 0


def test_auto_commit_covers_what_was_given_out(orders: Stage) -> None:
    seen: list[Record] = []
    with consuming(orders, enable_auto_commit=True) as consumer:
        take(consumer.poll(), seen)
    assert committed(orders) == next_offsets(seen)


@pytest.mark.skipif(not ACCELERATED, reason="in Python, rows that are not through refer to themselves")
def test_what_was_read_is_free_with_its_records(orders: Stage) -> None:
    with no_collections(), consuming(orders) as consumer:
        batches = consumer.poll().batches()
        for batch in batches:
            assert len(list(take_good(batch))) in (2, 10, 12)
        alive = [weakref.ref(batch._part.columns.values) for batch in batches]
        del batch, batches
        consumer.seek_to_end()
        assert [reference() for reference in alive] == [None] * len(alive)


# ---- loops


def test_an_interrupt_in_a_deserializer_keeps_its_record_from_being_handed_over(stage: Stage) -> None:
    interrupts = [KeyboardInterrupt()]

    def deserialize(data: bytes) -> int:
        if data == b"3" and interrupts:
            raise interrupts.pop()
        return int(data)

    stage.create(records=5)
    with stage.reader(value_deserializer=deserialize) as consumer:
        assert [next(consumer).value for _ in range(3)] == [0, 1, 2]
        with pytest.raises(KeyboardInterrupt):
            next(consumer)
        assert [next(consumer).value for _ in range(2)] == [3, 4]


def test_a_loop_stops_at_the_bad_record_and_reads_the_other_partitions(orders: Stage) -> None:
    seen: list[Record] = []
    with consuming(orders) as consumer:
        while len(seen) < 32:
            take(consumer, seen)
            consumer.commit()
        assert told(seen) == BEFORE_BAD
        assert orders.committed() == {0: 10, 1: BAD, 2: 10}
        error = take(consumer, seen)
        consumer.seek(error.partition, error.offset + 1)
        assert [next(consumer).value for _ in range(7)] == list(range(BAD + 1, 20))


async def test_an_asynchronous_loop_does_the_same(orders: Stage) -> None:
    seen: list[Record] = []
    async with consuming_async(orders) as consumer:
        while len(seen) < 32:
            with suppress(DeserializationError):
                async for record in consumer:
                    seen.append(record)  # noqa: PERF401  (a comprehension would forget them)
            await consumer.commit()
        assert orders.committed() == {0: 10, 1: BAD, 2: 10}
        await consumer.seek(tp(1), BAD + 1)
        assert [(await anext(consumer)).value for _ in range(7)] == list(range(BAD + 1, 20))
    assert told(seen) == BEFORE_BAD
