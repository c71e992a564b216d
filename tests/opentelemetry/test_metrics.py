"""What a collection brings of the consumers there are."""

from __future__ import annotations

import gc

import pytest
from opentelemetry.sdk.metrics.export import HistogramDataPoint

from kafka_nextgen import Consumer
from kafka_nextgen.metrics.consumer_metrics import Metrics
from kafka_nextgen.metrics.specs import specs
from kafka_nextgen.opentelemetry import process_span
from kafka_nextgen.opentelemetry.meters import DURATION_BOUNDARIES_S, instrument_name
from tests.engine.stage import TOPIC, Stage, poll_until, read
from tests.opentelemetry.telemetry import Telemetry


def test_consumed_messages_are_counted_by_topic_under_the_conventions_name(stage: Stage, telemetry: Telemetry) -> None:
    stage.create(records=10)
    with telemetry.consumer(stage) as consumer:
        read(consumer, 4)
        (point,) = telemetry.points("messaging.client.consumed.messages")
        assert dict(point.attributes or {}) == {
            "messaging.system": "kafka",
            "messaging.operation.name": "poll",
            "messaging.destination.name": "orders",
            "messaging.consumer.group.name": "billing",
            "messaging.client.id": "reader",
        }
        assert telemetry.value("messaging.client.consumed.messages") == 4
        read(consumer, 6)
        assert telemetry.value("messaging.client.consumed.messages") == 10


def test_every_number_that_is_known_is_collected_and_partitions_have_their_own(
    stage: Stage, telemetry: Telemetry
) -> None:
    stage.create(partitions=2, records=10)
    with telemetry.consumer(stage) as consumer:
        read(consumer, 20)
        for name in ("records_consumed_total", "fetch_total", "heartbeat_total", "outgoing_byte_total"):
            value = telemetry.value(f"kafka.consumer.{name}")
            assert value is not None, name
            assert value > 0, name
        lag = telemetry.value("kafka.consumer.records_lag", messaging_destination_partition_id="1")
        assert lag == 0
        cause = {"kafka__nextgen_rebalance_cause": "joined"}
        poll_until(consumer, lambda: telemetry.value("kafka.consumer.rebalance_cause_total", **cause) == 1)


def test_no_two_numbers_have_one_name() -> None:
    names = [instrument_name(spec) for spec in specs(Metrics)]
    assert len(set(names)) == len(names)


def test_durations_are_histograms_with_the_boundaries_of_the_conventions(stage: Stage, telemetry: Telemetry) -> None:
    stage.create(records=5)
    with telemetry.consumer(stage) as consumer:
        (record, *_) = read(consumer, 5)
        consumer.commit()
        with pytest.raises(KeyError), process_span(record, consumer):
            raise KeyError
        operations = telemetry.points("messaging.client.operation.duration")
        (process,) = telemetry.points("messaging.process.duration")
    assert {(point.attributes or {})["messaging.operation.name"] for point in operations} == {"poll", "commit"}
    assert isinstance(process, HistogramDataPoint)
    assert process.explicit_bounds == DURATION_BOUNDARIES_S
    assert (process.attributes or {})["error.type"] == "KeyError"
    assert "messaging.kafka.offset" not in (process.attributes or {})


def test_consumers_of_one_name_are_told_apart(stage: Stage, telemetry: Telemetry) -> None:
    stage.create(records=5)
    with telemetry.consumer(stage) as first, stage.consumer(client_id="reader") as second:
        telemetry.instrument(second)
        read(first, 5)
        consumed = "kafka.consumer.records_consumed_total"
        assert telemetry.value(consumed, messaging_client_id="reader") == 5
        assert telemetry.value(consumed, messaging_client_id="reader-2") == 0


def test_instrumenting_twice_changes_nothing_and_undoing_it_leaves_nothing(stage: Stage, telemetry: Telemetry) -> None:
    stage.create(records=5)
    with stage.consumer() as consumer:
        once = telemetry.instrument(consumer)
        assert telemetry.instrument(consumer) is once
        assert telemetry.value("kafka.consumer.poll_total") == 0
        once.uninstrument()
        once.uninstrument()
        assert telemetry.value("kafka.consumer.poll_total") is None
        consumer.subscribe([TOPIC])
        read(consumer, 5)
    assert telemetry.spans("poll orders") == []


def test_a_closed_consumer_gives_its_last_numbers_and_one_that_is_gone_none(stage: Stage, telemetry: Telemetry) -> None:
    stage.create(records=5)

    def consume() -> Consumer:
        consumer = telemetry.consumer(stage)
        read(consumer, 5)
        consumer.close()
        return consumer

    consumer = consume()
    assert telemetry.value("kafka.consumer.records_consumed_total") == 5
    del consumer
    gc.collect()
    assert telemetry.value("kafka.consumer.records_consumed_total") is None
