"""store_offsets: process now, commit with the interval, and never what is not processed."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest

from kafka_nextgen import AsyncConsumer, MisuseError
from tests.engine.stage import TOPIC, Stage, poll_until, read, read_async, tp
from tests.support.waiting import eventually

STORES: dict[str, object] = {"enable_auto_commit": True, "enable_auto_offset_store": False}
LATER: dict[str, object] = {**STORES, "auto_commit_interval_ms": 3_600_000}


def test_the_interval_commits_what_is_stored(timed: Stage) -> None:
    timed.create(records=10)
    with timed.subscribed(**STORES, auto_commit_interval_ms=200) as consumer:
        records = read(consumer, 10)
        consumer.poll(timeout=0)  # what one poll returned counts from the next one on
        timed.cluster.advance(seconds=0.3)
        eventually("where reading began", lambda: timed.committed() == {0: 0})
        consumer.store_offsets(records[3])
        timed.cluster.advance(seconds=0.3)
        eventually("the record's", lambda: timed.committed() == {0: 4})
        consumer.store_offsets({tp(): 9})
        timed.cluster.advance(seconds=0.3)
        eventually("the offset", lambda: timed.committed() == {0: 9})


def test_what_is_not_stored_is_read_again_after_a_close(stage: Stage) -> None:
    stage.create(partitions=2, records=10)
    with stage.subscribed(**LATER) as consumer:
        record = next(record for record in read(consumer, 20) if record.topic_partition == tp(1))
        consumer.store_offsets(record)
    assert stage.committed() == {0: 0, 1: 1}
    with stage.subscribed(**LATER) as consumer:
        assert len(read(consumer, 19)) == 19


def test_a_loop_commits_what_is_stored_and_not_the_record_it_is_at(stage: Stage) -> None:
    stage.create(records=10)
    with stage.subscribed(**LATER) as consumer:
        for record in consumer:
            if record.offset == 6:
                break
            consumer.store_offsets(record)
    assert stage.committed() == {0: 6}


def test_latest_begins_where_it_began_though_nothing_is_stored(stage: Stage) -> None:
    stage.create(records=10)
    with stage.subscribed(**LATER, auto_offset_reset="latest") as consumer:
        poll_until(consumer, lambda: consumer.assignment() == {tp()} and consumer.position(tp()) == 10)
        stage.write(0, 5)
        read(consumer, 5)
    assert stage.committed() == {0: 10}


def test_a_commit_without_offsets_commits_what_is_stored(stage: Stage) -> None:
    stage.create(records=10)
    with stage.subscribed(enable_auto_offset_store=False) as consumer:
        records = read(consumer, 10)
        consumer.commit()
        assert stage.committed() == {0: 0}, "where reading began"
        consumer.store_offsets(records[7])
        consumer.commit()
        assert stage.committed() == {0: 8}


def test_a_commit_of_a_record_is_not_taken_back_by_auto_commit(stage: Stage) -> None:
    stage.create(records=10)
    with stage.subscribed(**LATER) as consumer:
        consumer.commit(read(consumer, 10)[6])
        assert stage.committed() == {0: 7}
    assert stage.committed() == {0: 7}, "nor by a close"


def test_a_thread_that_processes_stores_while_another_polls(stage: Stage) -> None:
    stage.create(records=10)
    with stage.subscribed(**LATER) as consumer, ThreadPoolExecutor(1) as elsewhere:
        records = read(consumer, 10)
        polling = elsewhere.submit(consumer.poll, 0.5)
        while not polling.done():
            consumer.store_offsets(records[4])
    assert stage.committed() == {0: 5}


def test_what_is_no_longer_assigned_can_t_be_stored(stage: Stage) -> None:
    with stage.after_reading(10, **LATER) as consumer:
        consumer.unsubscribe()
        with pytest.raises(MisuseError, match=r"orders\[0\].*not assigned"):
            consumer.store_offsets({tp(): 10})


def test_without_the_key_nothing_is_stored(stage: Stage) -> None:
    with stage.after_reading(10) as consumer, pytest.raises(MisuseError, match=r"enable\.auto\.offset\.store=false"):
        consumer.store_offsets({tp(): 10})


def test_the_async_consumer_stores_too(stage: Stage) -> None:
    async def store() -> None:
        async with AsyncConsumer(stage.config(**LATER)) as consumer:
            await consumer.subscribe([TOPIC])
            consumer.store_offsets((await read_async(consumer, 10))[2])

    stage.create(records=10)
    asyncio.run(store())
    assert stage.committed() == {0: 3}
