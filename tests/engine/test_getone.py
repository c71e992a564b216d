"""``getone``: one record of the partitions that are asked for; those of others wait, and delay nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from kafka_nextgen import (
    AsyncConsumer,
    Consumer,
    CorruptRecordError,
    DeserializationError,
    MisuseError,
    OffsetRange,
    Record,
)
from kafka_nextgen.fetching import FetchState
from tests.engine.stage import TOPIC, Stage, read, tp
from tests.support.waiting import eventually


def place(record: Record | None) -> tuple[int, int]:
    assert record is not None
    return record.partition, record.offset


def has_buffered(consumer: Consumer, records: int) -> Callable[[], bool]:
    """Whether this many records have arrived and wait."""
    return lambda: (
        consumer._core.fetches.look(lambda state: state.progress()).partitions[tp()].buffered_records == records
    )


def test_records_come_one_by_one_of_the_partitions_that_are_asked_for(stage: Stage) -> None:
    stage.create(partitions=3, records=2)
    with stage.reader(0, 1, 2) as consumer:
        assert [place(consumer.getone(tp(1))) for _ in range(2)] == [(1, 0), (1, 1)]
        assert consumer.getone(tp(1), timeout=0) is None
        assert sorted(place(consumer.getone(tp(0), tp(2))) for _ in range(4)) == [(0, 0), (0, 1), (2, 0), (2, 1)]
        stage.write(2, 1)
        assert place(consumer.getone()) == (2, 2)


def test_a_record_is_waited_for_while_others_are_there(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    stage.create(partitions=2)
    stage.write(0, 10)
    with stage.reader(0, 1) as consumer:
        assert consumer.getone(tp(1), timeout=0) is None
        eventually("the records have come", has_buffered(consumer, 10))
        wait = consumer._wakeup.wait

        def write_and_wait(count: int, timeout_s: float) -> None:
            monkeypatch.undo()
            stage.write(1, 1)
            wait(count, timeout_s)

        monkeypatch.setattr(consumer._wakeup, "wait", write_and_wait)
        assert place(consumer.getone(tp(1))) == (1, 0)
        assert [record.offset for record in consumer.poll()] == list(range(10)), "those were kept"


def test_only_what_was_returned_is_committed(stage: Stage) -> None:
    stage.create(partitions=2, records=5)
    with stage.subscribed() as consumer:
        read(consumer, 1)
        consumer.seek_to_beginning()
        for _ in range(2):
            consumer.getone(tp(1))
        consumer.commit()
        committed = consumer.committed([tp(0), tp(1)])
    assert [offset and offset.offset for offset in committed.values()] == [0, 2]


def test_a_member_waits_until_it_has_joined(stage: Stage) -> None:
    stage.create(records=1)
    with stage.subscribed() as consumer:
        assert place(consumer.getone(tp())) == (0, 0)
        with pytest.raises(MisuseError, match=r"orders\[7\] not assigned"):
            consumer.getone(tp(7))


def test_nothing_is_waited_for_that_can_t_come(stage: Stage) -> None:
    stage.create(partitions=2, records=2)
    with stage.reader(0) as consumer:
        with pytest.raises(MisuseError, match=r"orders\[1\] not assigned"):
            consumer.getone(tp(1))
        consumer.pause([tp(0)])
        with pytest.raises(MisuseError, match=r"nothing to wait for: orders\[0\] paused"):
            consumer.getone(tp(0))
        consumer.assign({tp(0): OffsetRange(0, 1), tp(1): OffsetRange(0, 2)})
        assert place(consumer.getone(tp(0))) == (0, 0)
        with pytest.raises(MisuseError, match=r"nothing to wait for: all ranges of orders\[0\] are read"):
            consumer.getone(tp(0))
        assert [place(consumer.getone()) for _ in range(2)] == [(1, 0), (1, 1)]
        with pytest.raises(MisuseError, match="are read"):
            consumer.getone()


def test_an_error_of_another_partition_waits_for_a_call_for_it(stage: Stage) -> None:
    stage.create(partitions=2, records=1)
    stage.tamper(0, batch=0)
    with stage.reader(0, 1) as consumer:
        assert place(consumer.getone(tp(1))) == (1, 0)
        assert consumer.getone(tp(1), timeout=0) is None
        with pytest.raises(CorruptRecordError):
            consumer.getone(tp(0))


def error_of_the_third(state: FetchState) -> object:
    return state.by_partition[tp(2)].error


def test_paused_partitions_are_left_out(stage: Stage) -> None:
    stage.create(partitions=3, records=1)
    stage.tamper(2, batch=0)
    with stage.reader(0, 1, 2) as consumer:
        assert consumer.getone(tp(1)) is not None
        eventually("a record waits", has_buffered(consumer, 1))
        eventually("an error, too", lambda: consumer._core.fetches.look(error_of_the_third) is not None)
        stage.write(1, 1)
        consumer.pause([tp(0), tp(2)])
        assert place(consumer.getone(tp(0), tp(1), tp(2))) == (1, 1)


def test_a_record_that_can_t_be_deserialized_is_tried_again_until_it_is_skipped(stage: Stage) -> None:
    stage.create(records=3)
    with stage.reader(value_deserializer=not_one) as consumer:
        assert place(consumer.getone()) == (0, 0)
        for _ in range(2):
            with pytest.raises(DeserializationError, match="offset 1"):
                consumer.getone()
        assert consumer.position(tp()) == 1
        consumer.seek(tp(), 2)
        assert place(consumer.getone()) == (0, 2)
    with stage.reader(value_deserializer=not_one, on_deserialization_error="skip") as consumer:
        assert [place(consumer.getone()) for _ in range(2)] == [(0, 0), (0, 2)]


def not_one(data: bytes) -> int:
    if data == b"1":
        raise ValueError("one")
    return int(data)


@pytest.mark.parametrize("settings", [{}, {"value_deserializer": "later"}])
def test_the_async_consumer_does_the_same(stage: Stage, settings: dict[str, object]) -> None:
    async def int_later(data: bytes) -> int:
        await asyncio.sleep(0)
        return int(data)

    async def get() -> None:
        more: dict[str, object] = {"value_deserializer": int_later} if settings else {}
        async with AsyncConsumer(stage.config(**more)) as consumer:
            await consumer.subscribe([TOPIC])
            assert [place(await consumer.getone(tp(1))) for _ in range(3)] == [(1, 0), (1, 1), (1, 2)]
            assert await consumer.getone(tp(1), timeout=0.0) is None
            waiting = asyncio.ensure_future(consumer.getone(tp(1)))
            await asyncio.sleep(0)
            waiting.cancel()
            await asyncio.wait([waiting])
            assert [place(await consumer.getone()) for _ in range(3)] == [(0, 0), (0, 1), (0, 2)]

    stage.create(partitions=2, records=3)
    asyncio.run(get())


def test_wrong_arguments_are_refused(stage: Stage) -> None:
    with stage.reader() as consumer:
        with pytest.raises(TypeError, match="must be a kafka_nextgen"):
            consumer.getone([tp()])  # type: ignore[call-overload]
        with pytest.raises(TypeError, match="timeout must be"):
            consumer.getone(timeout="1")  # type: ignore[call-overload]
