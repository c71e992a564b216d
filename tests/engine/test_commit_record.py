"""A record is committed: the position after it, in its partition only."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from kafka_nextgen import (
    AsyncConsumer,
    AsyncRebalanceConsumer,
    AsyncRebalanceListener,
    OffsetAndMetadata,
    RebalanceConsumer,
    RebalanceListener,
    Record,
    Records,
    TopicPartition,
)
from tests.engine.stage import TOPIC, Stage, read, read_async, tp
from tests.support.waiting import GUARD_S


def test_the_position_after_the_record_is_committed_with_its_epoch(stage: Stage) -> None:
    stage.create(partitions=2, records=10)
    with stage.subscribed() as consumer:
        record = next(record for record in read(consumer, 20) if (record.partition, record.offset) == (1, 3))
        consumer.commit(record)
        assert consumer.committed([tp(0), tp(1)]) == {tp(0): None, tp(1): OffsetAndMetadata(4, record.leader_epoch)}
        consumer.commit_async(record._replace(offset=8)).result(GUARD_S)
    assert stage.committed() == {1: 9}


class CommitsRecord(RebalanceListener):
    def __init__(self) -> None:
        self.last: Record | None = None

    def on_partitions_revoked(self, consumer: RebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
        consumer.commit(self.last)


def test_a_callback_commits_a_record_too(stage: Stage) -> None:
    stage.create(records=10)
    listener = CommitsRecord()
    with stage.subscribed(listener) as consumer:
        listener.last = read(consumer, 10)[6]
    assert stage.committed() == {0: 7}


class AwaitsRecord(AsyncRebalanceListener):
    def __init__(self) -> None:
        self.last: Record | None = None

    async def on_partitions_revoked(
        self, consumer: AsyncRebalanceConsumer, partitions: Sequence[TopicPartition]
    ) -> None:
        await consumer.commit(self.last)


def test_the_async_consumer_commits_records_as_well(stage: Stage) -> None:
    async def commit() -> None:
        listener = AwaitsRecord()
        async with AsyncConsumer(stage.config()) as consumer:
            await consumer.subscribe([TOPIC], listener)
            records = await read_async(consumer, 10)
            await consumer.commit(records[2])
            await consumer.commit_async(records[4])
            assert await consumer.committed([tp()]) == {tp(): OffsetAndMetadata(5, records[4].leader_epoch)}
            listener.last = records[7]

    stage.create(records=10)
    asyncio.run(commit())
    assert stage.committed() == {0: 8}


def test_what_is_no_offset_is_refused_with_the_way(stage: Stage) -> None:
    with stage.consumer() as consumer, pytest.raises(TypeError, match=r"not Records; .* records\.next_offsets\(\)"):
        consumer.commit(Records())  # type: ignore[arg-type]
