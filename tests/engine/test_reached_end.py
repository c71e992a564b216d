"""The end of a partition is reported once, after everything before it."""

from __future__ import annotations

import asyncio

from kafka_nextgen import AsyncConsumer, TopicPartition
from tests.engine.stage import TOPIC, Stage, poll_until_async, read, tp


def test_each_end_is_reported_once_when_all_before_it_was_handed_over(stage: Stage) -> None:
    stage.create(records=10)
    with stage.reader() as consumer:
        read(consumer, 9)
        assert consumer.reached_end() == {}
        read(consumer, 1)
        assert consumer.reached_end() == {tp(): 10}
        assert consumer.reached_end() == {}
        stage.write(0, 2)
        read(consumer, 2)
        assert consumer.reached_end() == {tp(): 12}
        consumer.seek(tp(), 11)
        assert consumer.reached_end() == {}
        read(consumer, 1)
        assert consumer.reached_end() == {tp(): 12}, "it was read again"


def test_an_end_is_reported_again_if_it_was_read_again_between_two_calls(stage: Stage) -> None:
    stage.create(records=3)
    with stage.reader() as consumer:
        read(consumer, 3)
        assert consumer.reached_end() == {tp(): 3}
        consumer.seek(tp(), 1)
        read(consumer, 2)
        assert consumer.reached_end() == {tp(): 3}
        consumer.assign([])
        consumer.assign([tp()])
        read(consumer, 3)
        assert (consumer.reached_end(), consumer.reached_end()) == ({tp(): 3}, {})


def test_the_record_that_a_loop_is_at_counts_as_handed_over(stage: Stage) -> None:
    stage.create(records=3)
    with stage.reader() as consumer:
        assert [consumer.reached_end() for _, _ in zip(range(2), consumer, strict=False)] == [{}, {}]
        assert next(consumer).offset == 2
        assert consumer.reached_end() == {tp(): 3}


def test_the_async_consumer_reports_ends(stage: Stage) -> None:
    async def ends() -> dict[TopicPartition, int]:
        async with AsyncConsumer(stage.config()) as consumer:
            await consumer.subscribe([TOPIC])
            await poll_until_async(consumer, lambda: 0 in consumer.lag().values())
            return consumer.reached_end()

    stage.create(records=5)
    assert asyncio.run(ends()) == {tp(): 5}
