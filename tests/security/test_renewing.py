"""Logins that hold for a time only are renewed on their connections, while records go on coming (KIP-368)."""

from __future__ import annotations

import time

from kafka_nextgen import Consumer, Record
from tests.endtoend.reading import poll_until
from tests.security.ways import login
from tests.support.clients import create_topic, produce, unique
from tests.support.secured_kafka import SHORT_SESSION_S, SecuredKafka


def test_logins_are_renewed_without_losing_a_connection(secured_real: SecuredKafka) -> None:
    topic = create_topic(secured_real.in_the_clear["SHORT"], "renewed")
    config = {
        "bootstrap_servers": secured_real.servers["SHORT"],
        "security_protocol": "SASL_PLAINTEXT",
        "group_id": unique("renewed"),
        "auto_offset_reset": "earliest",
        "fetch_max_wait_ms": 100,
        **login("SCRAM-SHA-256"),
    }
    with Consumer(**config) as consumer:
        consumer.subscribe([topic])
        produce(secured_real.in_the_clear["SHORT"], topic, 10)
        records: list[Record] = []
        poll_until([consumer], lambda: len(records) >= 10, records)
        opened = consumer.metrics().connections.opened
        until = time.monotonic() + 1.1 * SHORT_SESSION_S  # by then a broker has hung up on who did not
        poll_until([consumer], lambda: time.monotonic() > until, records)
        produce(secured_real.in_the_clear["SHORT"], topic, 10)
        poll_until([consumer], lambda: len(records) >= 20, records)
        consumer.commit()
        connections = consumer.metrics().connections
    assert (connections.opened, connections.lost, connections.failed) == (opened, 0, 0)
