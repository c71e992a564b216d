"""The brokers that the other tests rely on: an independent client can use the consumer protocol on each."""

from __future__ import annotations

import pytest
from confluent_kafka import Consumer

from kafka_nextgen.testing.real_kafka.single_node import NoKafkaError
from tests.support import real_kafka as ways
from tests.support.clients import create_topic, produce, unique
from tests.support.kafka_server import KafkaServer
from tests.support.waiting import GUARD_S


def test_a_real_broker_has_the_consumer_protocol(real_kafka: KafkaServer) -> None:
    topic = create_topic(real_kafka.bootstrap_servers, "numbers", partitions=3)
    produce(real_kafka.bootstrap_servers, topic, 30, partitions=3)
    consumer = Consumer(
        {
            "bootstrap.servers": real_kafka.bootstrap_servers,
            "group.id": unique("group"),
            "group.protocol": "consumer",
            "auto.offset.reset": "earliest",
        }
    )
    consumer.subscribe([topic])
    messages = consumer.consume(30, timeout=GUARD_S)
    consumer.close()
    assert sorted(int(message.value() or b"") for message in messages) == list(range(30))


def test_the_ways_to_a_broker_are_tried_in_order_and_all_reasons_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse_as(reason: str):  # type: ignore[no-untyped-def]
        def refuse(version: str) -> KafkaServer:
            raise NoKafkaError(f"{reason} for {version}")

        return refuse

    monkeypatch.setattr(ways, "_WAYS", (refuse_as("no daemon"), refuse_as("no java")))
    with pytest.raises(NoKafkaError, match=r"KAFKA_BOOTSTRAP is not set; no daemon for 4\.3\.0; no java for 4\.3\.0"):
        ways.start_real_kafka("4.3.0")


@pytest.mark.parametrize(("value", "required"), [("true", True), ("1", True), ("", False), ("false", False)])
def test_under_ci_a_missing_broker_is_a_failure(monkeypatch: pytest.MonkeyPatch, value: str, required: bool) -> None:
    monkeypatch.setenv("CI", value)
    assert ways.is_required() is required
