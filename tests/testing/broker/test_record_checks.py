"""Records that a topic does not take, each for itself: every case here is what real Kafka says, too."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from kafka_nextgen.codes import name_of
from kafka_nextgen.types import TimestampType
from kafka_nextgen.wire.records import NewRecord, encode_batch
from tests.support.clients import create_topic
from tests.support.kafka_server import KafkaServer
from tests.testing.broker.client import Client
from tests.testing.broker.requests import produce, wait_until_led

HOUR_MS = 3_600_000
NOW_MS = int(time.time() * 1000)


@pytest.fixture
def at(every_kafka: KafkaServer) -> Iterator[Client]:
    with Client(every_kafka.bootstrap_servers) as client:
        yield client


@pytest.fixture
def topic_with(every_kafka: KafkaServer, at: Client) -> Callable[..., str]:
    def create(**config: str) -> str:
        named = {key.replace("_", "."): value for key, value in config.items()}
        topic = create_topic(every_kafka.bootstrap_servers, "orders", 1, named)
        wait_until_led(at, topic)
        return topic

    return create


def said(answer: Any) -> tuple[str, list[int], str | None]:
    """The error, the numbers of the records that are to blame, and the text."""
    return name_of(answer.error_code), [each.batch_index for each in answer.record_errors], answer.error_message


def stamped(*timestamps: int, **how: Any) -> bytes:
    return encode_batch([NewRecord(b"value", b"key", timestamp) for timestamp in timestamps], **how)


def test_a_compacted_topic_takes_no_record_without_a_key(at: Client, topic_with: Callable[..., str]) -> None:
    topic = topic_with(cleanup_policy="compact")
    keyless = encode_batch([NewRecord(b"1", key, NOW_MS) for key in (b"a", None, b"", None)])
    answer = produce(at, topic, keyless)
    why = f"Compacted topic cannot accept message without key in topic partition {topic}-0"
    assert [each.batch_index_error_message for each in answer.record_errors] == [why, why]
    assert said(answer) == (
        "INVALID_RECORD",
        [1, 3],
        "One or more records have been rejected due to 2 record errors in total, and only showing the first three "
        f"errors at most: [RecordError(batchIndex=1, message='{why}'), RecordError(batchIndex=3, message='{why}')]",
    )
    assert said(produce(at, topic, stamped(NOW_MS)))[0] == "NONE"


BAD_TIMES = "One or more records have been rejected due to invalid timestamp"


@pytest.mark.parametrize(
    ("config", "timestamps", "wrong"),
    [
        ({}, (NOW_MS, NOW_MS + 2 * HOUR_MS), [1]),
        ({}, (NOW_MS + HOUR_MS // 2, 0, -1), []),
        ({"message_timestamp_after_max_ms": str(3 * HOUR_MS)}, (NOW_MS, NOW_MS + 2 * HOUR_MS), []),
        ({"message_timestamp_before_max_ms": str(HOUR_MS)}, (NOW_MS - 2 * HOUR_MS, NOW_MS, -1, 0), [0, 3]),
        ({"message_timestamp_before_max_ms": str(HOUR_MS)}, (NOW_MS, 0, NOW_MS), [1]),
        ({"message_timestamp_type": "LogAppendTime"}, (NOW_MS + 2 * HOUR_MS, 0), []),
    ],
)
def test_the_clock_of_a_producer_is_not_far_off(
    at: Client, topic_with: Callable[..., str], config: dict[str, str], timestamps: tuple[int, ...], wrong: list[int]
) -> None:
    answer = said(produce(at, topic_with(**config), stamped(*timestamps)))
    assert answer == (("INVALID_TIMESTAMP", wrong, BAD_TIMES) if wrong else ("NONE", [], None))


def test_a_producer_does_not_say_that_the_broker_stamped(at: Client, topic_with: Callable[..., str]) -> None:
    batch = stamped(NOW_MS, -1, timestamp_type=TimestampType.LOG_APPEND_TIME)
    assert said(produce(at, topic_with(), batch))[0] == "NONE"
    stamping = topic_with(message_timestamp_type="LogAppendTime")
    assert said(produce(at, stamping, batch)) == ("INVALID_TIMESTAMP", [0, 1], BAD_TIMES)


def test_fewer_replicas_than_min_insync_replicas_are_enough_if_all_are_in_sync(
    at: Client, topic_with: Callable[..., str]
) -> None:
    assert said(produce(at, topic_with(min_insync_replicas="2"), stamped(NOW_MS), acks=-1))[0] == "NONE"
