"""An application that is too slow for ``max.poll.interval.ms`` or that pauses: what the group sees, and what it reads.

A member whose application does not poll in time leaves, loses its partitions, says so in the log, and joins again
at the next poll. A pause is kept for partitions that are kept through a rebalance; one that was given up comes back
unpaused.
"""

from __future__ import annotations

import logging

import pytest

from kafka_nextgen import Consumer, TopicPartition
from kafka_nextgen.testing import Cluster
from tests.endtoend.heard import Heard
from tests.endtoend.reading import config_of, numbers, poll_until, read
from tests.support.clients import create_topic, members_of, produce
from tests.support.kafka_server import KafkaServer

PARTITIONS = 4


def numbered_topic(kafka: KafkaServer | Cluster) -> str:
    """Return a topic with records 0 to 39."""
    topic = create_topic(kafka.bootstrap_servers, "long", PARTITIONS)
    produce(kafka.bootstrap_servers, topic, 40, partitions=PARTITIONS)
    return topic


def are_at(offset: int, *consumers: Consumer) -> bool:
    return all(one.position(tp) == offset for one in consumers for tp in one.assignment())


def test_a_member_that_does_not_poll_leaves_says_so_once_and_returns_with_its_next_poll(
    turned: Cluster, protocol: str, group: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING, "kafka_nextgen")
    topic, slow_heard = numbered_topic(turned), Heard()
    seldom = {"fetch_max_wait_ms": 20_000}
    with (
        Consumer(config_of(turned, group, protocol, max_poll_interval_ms=60_000, **seldom)) as slow,
        Consumer(config_of(turned, group, protocol, **seldom)) as other,
    ):
        slow.subscribe([topic], listener=slow_heard)
        read(slow, 40)
        slow.commit()
        turned.advance(seconds=61)
        assert members_of(turned.bootstrap_servers, group) == {}
        assert slow_heard.moves() == [("assigned", {0, 1, 2, 3})], "a callback runs only where it polls"
        (said,) = [record.getMessage() for record in caplog.records if "max.poll.interval.ms" in record.getMessage()]
        assert group in said
        assert "60000" in said

        other.subscribe([topic])
        poll_until([other], lambda: len(other.assignment()) == 4)
        produce(turned.bootstrap_servers, topic, 40, partitions=PARTITIONS, first=40)
        assert numbers(read(other, 40)) == list(range(40, 80)), "it goes on where the other one committed"
        other.commit()

        assert list(slow.poll(timeout=0)) == []
        assert slow_heard.moves()[1:] == [("lost", {0, 1, 2, 3})]
        poll_until([slow, other], lambda: len(slow.assignment()) == len(other.assignment()) == 2)
        other.commit()
        produce(turned.bootstrap_servers, topic, 40, partitions=PARTITIONS, first=80)
        records = poll_until([slow, other], lambda: are_at(30, slow, other))
        assert numbers(records) == list(range(80, 120))


def test_a_pause_is_kept_with_the_partition_and_dropped_with_it(kafka: KafkaServer, protocol: str, group: str) -> None:
    topic = numbered_topic(kafka)
    every = frozenset(TopicPartition(topic, partition) for partition in range(PARTITIONS))
    with Consumer(config_of(kafka, group, protocol)) as first:
        first.subscribe([topic])
        read(first, 40)
        first.commit()
        first.pause(every)
        with Consumer(config_of(kafka, group, protocol)) as second:
            second.subscribe([topic])
            poll_until([first, second], lambda: len(second.assignment()) == 2)
            kept = first.assignment()
            assert first.paused() == kept
            assert second.paused() == frozenset()
            second.commit()
        poll_until([first], lambda: first.assignment() == every)
        assert first.paused() == kept
        produce(kafka.bootstrap_servers, topic, 40, partitions=PARTITIONS, first=40)
        came_back = read(first, 20)
        assert {TopicPartition(topic, record.partition) for record in came_back} == every - kept
        first.resume(kept)
        assert {TopicPartition(topic, record.partition) for record in read(first, 20)} == kept
