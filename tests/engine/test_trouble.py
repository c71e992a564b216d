"""What goes wrong at the broker reaches poll's caller: typed, named, and not once only where it stays wrong."""

from __future__ import annotations

from typing import Any

import pytest

from kafka_nextgen import (
    BrokerError,
    CorruptRecordError,
    DecodeError,
    GroupAuthorizationError,
    OffsetOutOfRangeError,
    OldFormatError,
    UnsupportedProtocolError,
)
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.wire.apis import CONSUMER_GROUP_HEARTBEAT, FETCH, FIND_COORDINATOR, LIST_OFFSETS
from tests.engine.stage import Stage, poll_until, read, tp, values


def test_a_broker_without_the_protocol_is_named_at_every_poll_and_when_subscribing_again(stage: Stage) -> None:
    stage.create()
    stage.handle(CONSUMER_GROUP_HEARTBEAT, None)
    with stage.consumer() as consumer:
        consumer.subscribe(["orders"])
        for _ in range(2):
            with pytest.raises(UnsupportedProtocolError, match=r"group\.protocol=classic"):
                poll_until(consumer, lambda: False)
        with pytest.raises(UnsupportedProtocolError):
            consumer.subscribe(["others"])


def test_iteration_raises_what_is_fatal_too(stage: Stage) -> None:
    stage.create()
    stage.handle(CONSUMER_GROUP_HEARTBEAT, None)
    with stage.consumer() as consumer:
        consumer.subscribe(["orders"])
        for _ in range(2):
            with pytest.raises(UnsupportedProtocolError):
                next(iter(consumer))


def test_a_coordinator_that_may_not_be_looked_up_is_fatal(stage: Stage) -> None:
    stage.create()
    original = stage.original(FIND_COORDINATOR)

    async def refuse(request: object, context: object) -> object:
        response: Any = await original(request, context)
        error = ErrorCode.GROUP_AUTHORIZATION_FAILED
        return response.replaced(coordinators=[each.replaced(error_code=error) for each in response.coordinators])

    stage.handle(FIND_COORDINATOR, refuse)
    with stage.consumer() as consumer:
        consumer.subscribe(["orders"])
        with pytest.raises(GroupAuthorizationError, match="billing"):
            poll_until(consumer, lambda: False)


def test_a_corrupt_batch_is_named_holds_up_its_partition_only_and_can_be_sought_past(stage: Stage) -> None:
    stage.create(partitions=2, records=30)
    stage.tamper(0, batch=1)
    with stage.consumer() as consumer:
        consumer.subscribe(["orders"])
        seen: list[tuple[int, int]] = []
        errors: list[CorruptRecordError] = []
        while len(seen) < 40 or len(errors) < 2:  # it is raised again and again, for nothing is skipped
            try:
                seen += [(record.partition, record.offset) for record in consumer.poll(timeout=1)]
            except CorruptRecordError as error:
                errors.append(error)
        assert {(error.partition, error.offset) for error in errors} == {(tp(0), 10)}
        assert consumer.position(tp(0)) == 10
        assert sorted(seen) == [*((0, n) for n in range(10)), *((1, n) for n in range(30))]
        consumer.seek(tp(0), 20)
        assert values(read(consumer, 10)) == list(range(20, 30))


def test_a_bomb_is_refused_until_there_is_room_for_it(stage: Stage) -> None:
    stage.create(records=10)
    stage.write_zeros(0, 20 << 20)
    with stage.consumer(fetch_buffer_bytes=1 << 20) as consumer:
        consumer.assign([tp()])
        read(consumer, 10)
        with pytest.raises(CorruptRecordError, match=r"offset 10: .* 16777216 bytes .*fetch\.buffer\.bytes"):
            poll_until(consumer, lambda: False)
    with stage.consumer(fetch_buffer_bytes=32 << 20) as consumer:
        consumer.assign([tp()])
        assert [len(record.value) for record in read(consumer, 11)][10:] == [20 << 20]


@pytest.mark.parametrize("magic", [0, 1])
def test_records_of_an_old_format_are_refused_where_they_begin_and_can_be_sought_past(stage: Stage, magic: int) -> None:
    stage.create(partitions=2, records=30)
    stage.age(0, batch=1, magic=magic)
    with stage.consumer() as consumer:
        consumer.subscribe(["orders"])
        seen: list[tuple[int, int]] = []
        refused: list[OldFormatError] = []
        while len(seen) < 40:
            try:
                seen += [(record.partition, record.offset) for record in consumer.poll(timeout=1)]
            except OldFormatError as error:
                refused.append(error)
        with pytest.raises(OldFormatError, match=rf"orders\[0\] can't be read at offset 10: message format {magic} "):
            poll_until(consumer, lambda: False)
        assert {(error.partition, error.offset) for error in refused} <= {(tp(0), 10)}
        assert sorted(seen) == [*((0, n) for n in range(10)), *((1, n) for n in range(30))]
        consumer.seek(tp(0), 20)
        assert values(read(consumer, 10)) == list(range(20, 30))


def test_iteration_goes_on_elsewhere_after_a_corrupt_batch(stage: Stage) -> None:
    stage.create(records=20)
    stage.tamper(0, batch=0)
    with stage.consumer() as consumer:
        consumer.subscribe(["orders"])
        with pytest.raises(CorruptRecordError):
            next(consumer)
        consumer.seek(tp(), 10)
        assert next(consumer).offset == 10


def test_a_log_that_lost_the_position_is_an_error_if_no_reset_is_allowed(stage: Stage) -> None:
    stage.create(records=30)
    stage.drop_batches(0)
    with stage.consumer(auto_offset_reset="none") as consumer:
        consumer.subscribe(["orders"])
        for _ in range(2):
            with pytest.raises(OffsetOutOfRangeError, match=r"orders\[0\]"):
                poll_until(consumer, lambda: False)
        consumer.seek(tp(), 0)
        with pytest.raises(OffsetOutOfRangeError):
            poll_until(consumer, lambda: False)
        consumer.seek_to_beginning()
        assert values(read(consumer, 10)) == list(range(20, 30))


@pytest.mark.parametrize("api", [FETCH, LIST_OFFSETS])
def test_a_broker_that_cannot_serve_records_at_all_is_named(stage: Stage, api: object) -> None:
    stage.create(records=5)
    stage.handle(api, None)  # type: ignore[arg-type]
    with stage.consumer() as consumer:
        consumer.subscribe(["orders"])
        with pytest.raises((BrokerError, DecodeError)):
            poll_until(consumer, lambda: False)
