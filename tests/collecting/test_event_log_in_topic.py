"""A consumer's own events in a topic of the cluster that it reads from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from kafka import KafkaProducer

from kafka_nextgen import Consumer, EventLog
from kafka_nextgen.collecting.topic_sink import TopicSink
from kafka_nextgen.history.events import EventKind
from kafka_nextgen.history.json_lines import decode_event
from kafka_nextgen.testing import Cluster
from tests.collecting.reading import records_of

GROUP, RECORDS = "billing", 20


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with Cluster() as running:
        running.create_topic("orders", 2)
        running.create_topic("history", 1)
        producer = KafkaProducer(bootstrap_servers=running.bootstrap_servers)
        for number in range(RECORDS):
            producer.send("orders", b"%d" % number, partition=number % 2)
        producer.close()
        yield running


def config_of(cluster: Cluster, protocol: str) -> dict[str, Any]:
    return {
        "bootstrap_servers": cluster.bootstrap_servers,
        "group_id": GROUP,
        "group_protocol": protocol,
        "auto_offset_reset": "earliest",
        "enable_auto_commit": False,
    }


def read(config: dict[str, Any], log: EventLog) -> str:
    """Read and commit all of it; the member's id."""
    seen = 0
    with Consumer(config) as consumer:
        consumer.hooks.add(log)
        consumer.subscribe(["orders"])
        while seen < RECORDS:
            seen += len(consumer.poll(0.1))
        consumer.commit()
        return consumer.group_metadata().member_id


@pytest.mark.parametrize("protocol", ["consumer", "classic"])
def test_a_members_life_is_in_the_topic_when_it_is_closed(cluster: Cluster, protocol: str) -> None:
    sink = TopicSink(bootstrap_servers=cluster.bootstrap_servers, topic="history")
    member = read(config_of(cluster, protocol), EventLog(sink))
    assert sink.dropped == 0
    events = [decode_event(record.value or b"") for record in records_of(cluster, "history", 1, sink.written)]
    told = [event.kind.value for event in events if event.kind is not EventKind.COMMITTED]
    assert told == ["joined", "assigned", "revoked", "left"]
    assert {(event.group, event.member, event.protocol) for event in events} == {(GROUP, member, protocol)}
    committed = {(event.partitions, event.offset) for event in events if event.kind is EventKind.COMMITTED}
    assert committed == {((0,), RECORDS // 2), ((1,), RECORDS // 2)}
