"""An application that is too slow for ``max.poll.interval.ms`` or that pauses: what the group sees, and what it reads.

A member whose application does not poll in time leaves, loses its partitions, says so in the log, and joins again
at the next poll. A pause is kept for partitions that are kept through a rebalance; one that was given up comes back
unpaused.
"""

from __future__ import annotations

import logging

import pytest

from kafka_nextgen import CommitFailedError, Consumer, TopicPartition
from tests.endtoend.heard import Heard
from tests.endtoend.reading import config_of, numbers, poll_until, read
from tests.support.clients import create_topic, members_of, produce, stored_offsets, unique
from tests.support.kafka_server import KafkaServer
from tests.support.waiting import eventually

PARTITIONS = 4


@pytest.fixture
def group() -> str:
    return unique("long")


@pytest.fixture
def topic(kafka: KafkaServer) -> str:
    """Return a topic with records 0 to 39."""
    topic = create_topic(kafka.bootstrap_servers, "long", PARTITIONS)
    produce(kafka.bootstrap_servers, topic, 40, partitions=PARTITIONS)
    return topic


def stop_polling(kafka: KafkaServer, group: str) -> None:
    eventually("it left", lambda: not members_of(kafka.bootstrap_servers, group))


def are_at(offset: int, *consumers: Consumer) -> bool:
    return all(one.position(tp) == offset for one in consumers for tp in one.assignment())


def test_a_member_that_does_not_poll_leaves_and_returns_with_its_next_poll(
    kafka: KafkaServer, protocol: str, topic: str, group: str
) -> None:
    slow_heard, other_heard = Heard(), Heard()
    with (
        Consumer(**config_of(kafka, group, protocol, max_poll_interval_ms=3000)) as slow,
        Consumer(**config_of(kafka, group, protocol)) as other,
    ):
        slow.subscribe([topic], listener=slow_heard)
        read(slow, 40)
        slow.commit()
        stop_polling(kafka, group)
        assert slow_heard.moves() == [("assigned", {0, 1, 2, 3})], "a callback runs only where it polls"

        other.subscribe([topic], listener=other_heard)
        poll_until([other], lambda: len(other.assignment()) == 4)
        produce(kafka.bootstrap_servers, topic, 40, partitions=PARTITIONS, first=40)
        assert numbers(read(other, 40)) == list(range(40, 80)), "it goes on where the other one committed"
        other.commit()

        assert list(slow.poll(timeout=0)) == []
        assert slow_heard.moves()[1:] == [("lost", {0, 1, 2, 3})]
        poll_until([slow, other], lambda: len(slow.assignment()) == len(other.assignment()) == 2)
        other.commit()
        produce(kafka.bootstrap_servers, topic, 40, partitions=PARTITIONS, first=80)
        records = poll_until([slow, other], lambda: are_at(30, slow, other))
        assert numbers(records) == list(range(80, 120))


def test_a_batch_that_takes_too_long_is_not_committed_and_commit_says_so_once(
    kafka: KafkaServer, protocol: str, topic: str, group: str
) -> None:
    with Consumer(**config_of(kafka, group, protocol, max_poll_interval_ms=1000)) as consumer:
        consumer.subscribe([topic])
        read(consumer, 40)
        stop_polling(kafka, group)
        with pytest.raises(CommitFailedError) as caught:
            consumer.commit()
        assert caught.value.failed.keys() == {TopicPartition(topic, partition) for partition in range(PARTITIONS)}
        assert stored_offsets(kafka.bootstrap_servers, group) == {}
        assert numbers(read(consumer, 40)) == list(range(40)), "they are read again"
        consumer.commit()
        assert stored_offsets(kafka.bootstrap_servers, group) == dict.fromkeys(range(PARTITIONS), 10)


def test_a_member_that_leaves_for_want_of_polls_says_so_once(
    kafka: KafkaServer, protocol: str, topic: str, group: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING, "kafka_nextgen")
    with Consumer(**config_of(kafka, group, protocol, max_poll_interval_ms=1000)) as consumer:
        consumer.subscribe([topic])
        read(consumer, 40)
        stop_polling(kafka, group)
    (said,) = [record.getMessage() for record in caplog.records if "max.poll.interval.ms" in record.getMessage()]
    assert group in said
    assert "1000" in said


def test_a_pause_is_kept_with_the_partition_and_dropped_with_it(
    kafka: KafkaServer, protocol: str, topic: str, group: str
) -> None:
    every = frozenset(TopicPartition(topic, partition) for partition in range(PARTITIONS))
    with Consumer(**config_of(kafka, group, protocol)) as first:
        first.subscribe([topic])
        read(first, 40)
        first.commit()
        first.pause(every)
        with Consumer(**config_of(kafka, group, protocol)) as second:
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
