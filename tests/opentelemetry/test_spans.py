"""What spans there are of a consumer, whose parents and links they have, and what they say."""

from __future__ import annotations

import asyncio
import gc
import os
from itertools import islice

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.trace import SpanKind, StatusCode

from kafka_nextgen import AsyncConsumer, CommitFailedError, Consumer, Record, StopHandle, TopicPartition
from kafka_nextgen.opentelemetry import instrumentation, process_span, traced
from tests.engine.stage import ONE_ATTEMPT, TOPIC, Stage, poll_until, read
from tests.opentelemetry.telemetry import TRACE_ID, Telemetry, traceparent, write_traced
from tests.support.forking import in_forked_process
from tests.support.waiting import GUARD_S


def linked(span: ReadableSpan) -> list[int]:
    return [link.context.span_id for link in span.links]


def said(span: ReadableSpan) -> dict[str, object]:
    return dict(span.attributes or {})


# ---- receiving


def test_a_poll_that_brought_records_is_a_span_that_links_to_their_producers(
    stage: Stage, telemetry: Telemetry
) -> None:
    stage.create()
    with telemetry.consumer(stage) as consumer:
        poll_until(consumer, lambda: bool(consumer.assignment()))  # these polls bring nothing
        write_traced(stage, 0, traceparent(1), (), traceparent(2), traceparent(1))
        read(consumer, 4)
    (span,) = telemetry.spans("poll orders")
    assert span.kind is SpanKind.CLIENT
    assert linked(span) == [1, 2]
    assert said(span) == {
        "messaging.system": "kafka",
        "messaging.operation.name": "poll",
        "messaging.operation.type": "receive",
        "messaging.consumer.group.name": "billing",
        "messaging.client.id": "reader",
        "messaging.destination.name": "orders",
        "messaging.destination.partition.id": "0",
        "messaging.batch.message_count": 4,
    }
    assert span.start_time is not None
    assert span.end_time is not None
    assert span.start_time <= span.end_time


def test_links_are_bounded(stage: Stage, telemetry: Telemetry) -> None:
    stage.create()
    write_traced(stage, 0, *(traceparent(number) for number in range(1, 50)))
    with telemetry.consumer(stage, max_links=3) as consumer:
        read(consumer, 49)
    assert [linked(span) for span in telemetry.spans("poll orders")] == [[1, 2, 3]]


def test_what_iteration_gave_out_of_one_poll_is_one_span(stage: Stage, telemetry: Telemetry) -> None:
    stage.create()
    write_traced(stage, 0, traceparent(1), traceparent(2), traceparent(3))
    with telemetry.consumer(stage) as consumer:
        list(islice(consumer, 2))
    assert [linked(span) for span in telemetry.spans("poll orders")] == [[1, 2]]


def test_headers_that_name_no_span_are_no_link(stage: Stage, telemetry: Telemetry) -> None:
    stage.create()
    write_traced(
        stage,
        0,
        (("traceparent", b"\xff\xfe"),),
        (("traceparent", None),),
        (("traceparent", b"00-0-0-01"),),
        (("Traceparent", b"00-%032x-%016x-01" % (TRACE_ID, 1)),),  # header keys are told apart by case
    )
    with telemetry.consumer(stage) as consumer:
        for record in read(consumer, 4):
            with process_span(record, consumer):
                pass
    assert [linked(span) for span in telemetry.spans("poll orders") + telemetry.spans("process orders")] == [[]] * 5


# ---- processing


def test_processing_goes_on_with_the_producers_trace_unless_it_is_a_part_of_another_span(
    stage: Stage, telemetry: Telemetry
) -> None:
    stage.create()
    write_traced(stage, 0, traceparent(7))
    with telemetry.consumer(stage, key_deserializer=bytes.decode) as consumer:
        (record,) = read(consumer, 1)
        with process_span(record, consumer), telemetry.tracer.start_as_current_span("save"):
            pass
        with telemetry.tracer.start_as_current_span("job") as job, process_span(record, consumer):
            pass
    (process, part), (save,) = telemetry.spans("process orders"), telemetry.spans("save")
    assert process.kind is SpanKind.CONSUMER
    assert process.context is not None
    assert process.context.trace_id == TRACE_ID
    assert process.parent is not None
    assert process.parent.span_id == 7
    assert linked(process) == [7]
    assert save.parent is not None
    assert save.parent.span_id == process.context.span_id
    assert said(process)["messaging.kafka.offset"] == 0
    assert said(process)["messaging.destination.partition.id"] == "0"
    assert part.parent is not None
    assert part.parent.span_id == job.get_span_context().span_id
    assert linked(part) == [7]


def test_a_batch_is_one_span_with_a_link_for_each_producer(stage: Stage, telemetry: Telemetry) -> None:
    stage.create()
    write_traced(stage, 0, traceparent(1), traceparent(2))
    with telemetry.consumer(stage) as consumer:
        batch = next(consumer.batches())
        with process_span(batch, consumer):
            pass
    (process,) = telemetry.spans("process orders")
    assert (linked(process), process.parent) == ([1, 2], None)
    assert said(process)["messaging.batch.message_count"] == 2


def test_processing_that_fails_fails_its_span(stage: Stage, telemetry: Telemetry) -> None:
    stage.create(records=1)
    with telemetry.consumer(stage) as consumer:
        (record,) = read(consumer, 1)
        with pytest.raises(ZeroDivisionError), process_span(record, consumer):
            raise ZeroDivisionError
    (process,) = telemetry.spans("process orders")
    assert process.status.status_code is StatusCode.ERROR
    assert said(process)["error.type"] == "ZeroDivisionError"
    assert [event.name for event in process.events] == ["exception"]


def test_a_key_that_can_be_shown_is_shown_and_a_tombstone_is_called_one(telemetry: Telemetry, stage: Stage) -> None:
    stage.create(records=1)
    with telemetry.consumer(stage) as consumer:
        (record,) = read(consumer, 1)
        for changes in ({"key": b"k"}, {"key": "k", "value": None}):
            with process_span(record._replace(**changes), consumer):
                pass
    plain, shown = map(said, telemetry.spans("process orders"))
    assert "messaging.kafka.message.key" not in plain
    assert "messaging.kafka.message.tombstone" not in plain
    assert shown["messaging.kafka.message.key"] == "k"
    assert shown["messaging.kafka.message.tombstone"] is True


# ---- loops


def test_each_turn_of_a_traced_loop_is_a_span_and_nothing_is_current_after_it(
    stage: Stage, telemetry: Telemetry, caplog: pytest.LogCaptureFixture
) -> None:
    stage.create()
    write_traced(stage, 0, traceparent(1), traceparent(2), traceparent(3))
    current: list[int] = []
    with telemetry.consumer(stage) as consumer:
        for record in traced(consumer):
            current.append(trace.get_current_span().get_span_context().span_id)
            if record.offset == 2:
                break
        gc.collect()
        assert not trace.get_current_span().get_span_context().is_valid
    spans = telemetry.spans("process orders")
    assert [linked(span) for span in spans] == [[1], [2], [3]]
    assert [span.context.span_id for span in spans if span.context] == current
    assert [line for line in caplog.records if line.name.startswith("opentelemetry")] == []


async def test_an_async_loop_is_traced_the_same(
    stage: Stage, telemetry: Telemetry, caplog: pytest.LogCaptureFixture
) -> None:
    stage.create()
    write_traced(stage, 0, traceparent(1), traceparent(2))
    async with AsyncConsumer(**stage.config()) as consumer:
        telemetry.instrument(consumer)
        await consumer.subscribe([TOPIC])
        async for record in traced(consumer):
            await asyncio.sleep(0)
            assert trace.get_current_span().get_span_context().trace_id == TRACE_ID
            if record.offset == 1:
                break
        gc.collect()
        assert not trace.get_current_span().get_span_context().is_valid
    assert [linked(span) for span in telemetry.spans("process orders")] == [[1], [2]]
    assert [line for line in caplog.records if line.name.startswith("opentelemetry")] == []


def fail_in_a_loop(consumer: Consumer) -> None:
    for record in traced(consumer):
        raise ZeroDivisionError(record.offset)


def test_a_loop_whose_body_raises_leaves_nothing_current(stage: Stage, telemetry: Telemetry) -> None:
    stage.create(records=2)
    with telemetry.consumer(stage) as consumer:
        with pytest.raises(ZeroDivisionError):
            fail_in_a_loop(consumer)
        assert not trace.get_current_span().get_span_context().is_valid
    assert len(telemetry.spans("process orders")) == 1


# ---- run


def test_run_has_a_span_for_each_attempt_current_in_the_handler(stage: Stage, telemetry: Telemetry) -> None:
    stage.create()
    write_traced(stage, 0, traceparent(1), traceparent(2))
    stop, failures = StopHandle(), iter([KeyError("once")])

    def handle(record: Record) -> None:
        for failure in failures:
            raise failure
        with telemetry.tracer.start_as_current_span("save"):
            pass
        if record.offset == 1:
            stop.stop()

    consumer = stage.consumer()
    telemetry.instrument(consumer)
    consumer.run(handle, [TOPIC], stop=stop)
    consumer.close()
    spans = telemetry.spans("process orders")
    assert [(linked(span), span.status.status_code) for span in spans] == [
        ([1], StatusCode.ERROR),
        ([1], StatusCode.UNSET),
        ([2], StatusCode.UNSET),
    ]
    parents = [span.parent.span_id for span in telemetry.spans("save") if span.parent is not None]
    assert parents == [span.context.span_id for span in spans[1:] if span.context]


async def test_an_async_run_keeps_the_spans_of_its_handlers_apart(stage: Stage, telemetry: Telemetry) -> None:
    stage.create(partitions=2)
    write_traced(stage, 0, traceparent(1))
    write_traced(stage, 1, traceparent(2))
    stop, together = StopHandle(), []

    async def handle(record: Record) -> None:
        together.append(record)
        while len(together) < 2:
            await asyncio.sleep(0)
        with telemetry.tracer.start_as_current_span(f"save {record.partition}"):
            stop.stop()

    async with AsyncConsumer(**stage.config()) as consumer:
        telemetry.instrument(consumer)
        await consumer.run(handle, [TOPIC], stop=stop)
    by_id = {span.context.span_id: span for span in telemetry.spans("process orders") if span.context}
    for partition in (0, 1):
        (save,) = telemetry.spans(f"save {partition}")
        assert save.parent is not None
        assert linked(by_id[save.parent.span_id]) == [partition + 1]


# ---- commits and rebalances


def test_commits_are_spans_and_say_why_they_failed(stage: Stage, telemetry: Telemetry) -> None:
    stage.create(records=5)
    with telemetry.consumer(stage, **ONE_ATTEMPT) as consumer:
        read(consumer, 5)
        consumer.commit()
        with pytest.raises(CommitFailedError):
            consumer.commit({TopicPartition("nowhere", 0): 1}, timeout=GUARD_S)
    (good,), (bad,) = telemetry.spans("commit orders"), telemetry.spans("commit nowhere")
    assert (good.kind, good.status.status_code) == (SpanKind.CLIENT, StatusCode.UNSET)
    assert said(good)["messaging.operation.type"] == "settle"
    assert bad.status.status_code is StatusCode.ERROR
    assert said(bad)["error.type"] == "kafka_nextgen.errors.CommitFailedError"


def test_rebalances_are_spans_with_cause_partitions_and_phases(stage: Stage, telemetry: Telemetry) -> None:
    stage.create(partitions=3)
    with telemetry.consumer(stage) as consumer:
        poll_until(consumer, lambda: bool(consumer.rebalances()))
        epoch = consumer.group_metadata().member_epoch
    joined, closed = telemetry.spans("rebalance")
    assert said(joined)["kafka_nextgen.rebalance.cause"] == "joined"
    assert "subscribed to orders" in str(said(joined)["kafka_nextgen.rebalance.reason"])
    assert said(joined)["kafka_nextgen.rebalance.assigned"] == "orders[0-2]"
    assert said(joined)["kafka_nextgen.rebalance.epoch_after"] == epoch
    assert any(name.startswith("kafka_nextgen.rebalance.phase.") for name in said(joined))
    assert said(closed)["kafka_nextgen.rebalance.cause"] == "closed"
    assert said(closed)["kafka_nextgen.rebalance.revoked"] == "orders[0-2]"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_forked_process_can_instrument_consumers_if_another_thread_of_its_parent_was_doing_so() -> None:
    def take_lock() -> None:
        assert instrumentation._lock.acquire(blocking=False)

    with instrumentation._lock:
        in_forked_process(take_lock)
