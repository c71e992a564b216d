"""What goes wrong at the broker reaches poll's caller: typed, named, and not once only where it stays wrong."""

from __future__ import annotations

from typing import Any

import pytest

from kafka_nextgen import (
    BrokerError,
    CorruptRecordError,
    DecodeError,
    GroupAuthorizationError,
    KafkaNextgenError,
    OffsetOutOfRangeError,
    OldFormatError,
    UnsupportedProtocolError,
)
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.wire.apis import CONSUMER_GROUP_HEARTBEAT, FETCH, FIND_COORDINATOR, LIST_OFFSETS
from tests.engine.stage import Stage, poll_for, read, tp, values


def test_a_broker_without_the_protocol_is_named_at_every_poll_and_when_subscribing_again(stage: Stage) -> None:
    stage.create()
    stage.handle(CONSUMER_GROUP_HEARTBEAT, None)
    with stage.subscribed() as consumer:
        for ask in (poll_for, poll_for, next, next):
            with pytest.raises(UnsupportedProtocolError, match=r"group\.protocol=classic"):
                ask(consumer)  # type: ignore[operator]
        with pytest.raises(UnsupportedProtocolError):
            consumer.subscribe(["others"])


def test_a_coordinator_that_may_not_be_looked_up_is_fatal(stage: Stage) -> None:
    def refuse(answer: Any) -> Any:
        error = ErrorCode.GROUP_AUTHORIZATION_FAILED
        return answer.replaced(coordinators=[each.replaced(error_code=error) for each in answer.coordinators])

    stage.create()
    stage.change(FIND_COORDINATOR, refuse)
    with stage.subscribed() as consumer, pytest.raises(GroupAuthorizationError, match="billing"):
        poll_for(consumer)


@pytest.mark.parametrize(
    ("magic", "error", "words"),
    [
        (None, CorruptRecordError, r"orders\[0\].*offset 10"),
        (0, OldFormatError, r"orders\[0\] can't be read at offset 10: message format 0 "),
        (1, OldFormatError, r"orders\[0\] can't be read at offset 10: message format 1 "),
    ],
    ids=["corrupt", "format 0", "format 1"],
)
def test_a_batch_that_can_t_be_read_is_named_holds_up_its_partition_only_and_can_be_sought_past(
    stage: Stage, magic: int | None, error: type[KafkaNextgenError], words: str
) -> None:
    stage.create(partitions=2, records=30)
    stage.tamper(0, batch=1) if magic is None else stage.age(0, batch=1, magic=magic)
    with stage.subscribed() as consumer:
        seen: list[tuple[int, int]] = []
        errors: list[Any] = []
        while len(seen) < 40 or len(errors) < 2:  # it is raised again and again, for nothing is skipped
            try:
                seen += [(record.partition, record.offset) for record in consumer.poll(timeout=1)]
            except error as raised:
                errors.append(raised)
        assert {(raised.partition, raised.offset) for raised in errors} == {(tp(0), 10)}
        assert sorted(seen) == [*((0, n) for n in range(10)), *((1, n) for n in range(30))]
        assert consumer.position(tp(0)) == 10
        with pytest.raises(error, match=words):
            next(consumer)
        consumer.seek(tp(0), 20)
        assert next(consumer).offset == 20
        assert values(read(consumer, 9)) == list(range(21, 30))


def test_a_bomb_is_refused_until_there_is_room_for_it(stage: Stage) -> None:
    stage.create(records=10)
    stage.write_zeros(0, 20 << 20)
    with stage.reader(fetch_buffer_bytes=1 << 20) as consumer:
        read(consumer, 10)
        with pytest.raises(CorruptRecordError, match=r"offset 10: .* 16777216 bytes .*fetch\.buffer\.bytes"):
            poll_for(consumer)
    with stage.reader(fetch_buffer_bytes=32 << 20) as consumer:
        assert [len(record.value) for record in read(consumer, 11)][10:] == [20 << 20]


def test_a_log_that_lost_the_position_is_an_error_if_no_reset_is_allowed(stage: Stage) -> None:
    stage.create(records=30)
    stage.drop_batches(0)
    with stage.subscribed(auto_offset_reset="none") as consumer:
        for _ in range(2):
            with pytest.raises(OffsetOutOfRangeError, match=r"orders\[0\]"):
                poll_for(consumer)
        consumer.seek(tp(), 0)
        with pytest.raises(OffsetOutOfRangeError):
            poll_for(consumer)
        consumer.seek_to_beginning()
        assert values(read(consumer, 10)) == list(range(20, 30))


@pytest.mark.parametrize("api", [FETCH, LIST_OFFSETS])
def test_a_broker_that_cannot_serve_records_at_all_is_named(stage: Stage, api: object) -> None:
    stage.create(records=5)
    stage.handle(api, None)  # type: ignore[arg-type]
    with stage.subscribed() as consumer, pytest.raises((BrokerError, DecodeError)):
        poll_for(consumer)
