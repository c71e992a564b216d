"""A member whose new pattern matches nothing passes its partitions on.

Kafka 4.3.0 would leave them unread if the member told the new pattern at once. On 4.0.0 the member keeps them in either
case, so this does not run there.
"""

from __future__ import annotations

import time

from kafka_nextgen import Consumer, SubscriptionPattern
from tests.endtoend.reading import PATIENCE_S, poll_until_assigned
from tests.support.clients import create_topic, unique
from tests.support.kafka_server import KafkaServer


def test_a_pattern_replaced_by_one_that_matches_nothing_passes_its_partitions_on(kafka: KafkaServer) -> None:
    servers, family, group = kafka.bootstrap_servers, unique("family"), unique("patterns")
    topics = {create_topic(servers, f"{family}-a"), create_topic(servers, f"{family}-b")}
    with (
        Consumer(bootstrap_servers=servers, group_id=group) as leaving,
        Consumer(bootstrap_servers=servers, group_id=group) as staying,
    ):
        leaving.subscribe(SubscriptionPattern(f"{family}-.*"))
        poll_until_assigned(leaving, topics, lambda: f"{leaving.assignment()} is not {topics}")
        staying.subscribe(sorted(topics))
        deadline = time.monotonic() + PATIENCE_S
        while not staying.assignment():
            assert time.monotonic() < deadline, f"nothing was shared: {leaving.assignment()}"
            leaving.poll(timeout=0.1)
            staying.poll(timeout=0.1)
        leaving.subscribe(SubscriptionPattern(f"nothing-like-{family}"))
        poll_until_assigned(leaving, set(), lambda: f"{leaving.assignment()} is still read")
        poll_until_assigned(staying, topics, lambda: f"{staying.assignment()} is not {topics}")
