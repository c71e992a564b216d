"""Which of the things that are wrong with a Produce request is told: every case here is what real Kafka says, too."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from kafka_nextgen.codes import name_of
from kafka_nextgen.wire import apis
from kafka_nextgen.wire.records import Compression, NewRecord, encode_batch
from tests.broker.client import Client
from tests.broker.requests import produce, produce_request, values
from tests.support.clients import create_topic
from tests.support.kafka_server import KafkaServer

BATCH = values("a")
ZEROS = b"\0" * 70
SPOILT = BATCH[:-1] + bytes([BATCH[-1] ^ 1])
OLD = BATCH[:16] + b"\1" + BATCH[17:]
ZSTD = encode_batch([NewRecord(b"x")], Compression.ZSTD)
WRONG_ACKS = 5


@pytest.fixture
def topic(kafka: KafkaServer) -> str:
    return create_topic(kafka.bootstrap_servers, "orders", 1)


def said(client: Client, topic: str, batch: bytes, **how: Any) -> str:
    return name_of(produce(client, topic, batch, **how).error_code)


@pytest.mark.parametrize(
    ("batch", "error"),
    [
        pytest.param(b"", "INVALID_RECORD", id="none"),
        pytest.param(b"garbage", "INVALID_RECORD", id="the beginning of one"),
        pytest.param(BATCH[:-1], "INVALID_RECORD", id="one cut short"),
        pytest.param(OLD, "INVALID_RECORD", id="one of format 1"),
        pytest.param(BATCH * 2, "INVALID_RECORD", id="two"),
        pytest.param(BATCH + BATCH[:-1], "NONE", id="one and a part of the next"),
        pytest.param(BATCH + ZEROS, "CORRUPT_MESSAGE", id="one and zeros"),
        pytest.param(SPOILT, "CORRUPT_MESSAGE", id="one with another checksum"),
        pytest.param(ZEROS, "CORRUPT_MESSAGE", id="zeros"),
    ],
)
def test_a_partition_takes_one_whole_batch(at: Client, topic: str, batch: bytes, error: str) -> None:
    assert said(at, topic, batch) == error


def test_what_can_be_no_batch_is_told_before_anything_else(at: Client, topic: str) -> None:
    assert said(at, "nowhere", ZEROS) == said(at, topic, ZEROS, partition=7) == "CORRUPT_MESSAGE"
    assert said(at, topic, ZEROS, acks=WRONG_ACKS) == "CORRUPT_MESSAGE"


def test_what_can_be_no_batch_is_told_for_every_partition(at: Client, topic: str) -> None:
    request, nowhere = produce_request(topic, BATCH), produce_request("nowhere", ZEROS)
    request = request.replaced(topic_data=[*request.topic_data, *nowhere.topic_data])
    answers = at.ask(apis.PRODUCE, request, 12).responses
    assert [name_of(each.partition_responses[0].error_code) for each in answers] == ["CORRUPT_MESSAGE"] * 2


def test_what_can_be_no_batch_is_told_before_an_unknown_topic_id(at: Client) -> None:
    answer = at.ask(apis.PRODUCE, produce_request(uuid4(), ZEROS), 13).responses[0].partition_responses[0]
    assert name_of(answer.error_code) == "CORRUPT_MESSAGE"


def test_wrong_acks_are_told_after_the_topic_and_the_number_of_batches(at: Client, topic: str) -> None:
    assert said(at, "nowhere", BATCH, acks=WRONG_ACKS) == "UNKNOWN_TOPIC_OR_PARTITION"
    assert said(at, topic, BATCH, partition=7, acks=WRONG_ACKS) == "UNKNOWN_TOPIC_OR_PARTITION"
    assert said(at, topic, BATCH * 2, acks=WRONG_ACKS) == "INVALID_RECORD"
    assert said(at, topic, ZSTD, acks=WRONG_ACKS, version=6) == "UNSUPPORTED_COMPRESSION_TYPE"
    assert said(at, topic, SPOILT, acks=WRONG_ACKS) == said(at, topic, BATCH, acks=WRONG_ACKS)
    assert said(at, topic, BATCH, acks=WRONG_ACKS) == "INVALID_REQUIRED_ACKS"


def test_the_start_of_the_log_is_told_beside_what_was_found_in_it(at: Client, topic: str) -> None:
    gap = encode_batch([NewRecord(b"x")], producer_id=5, producer_epoch=0, base_sequence=7)
    produce(at, topic, encode_batch([NewRecord(b"x")], producer_id=5, producer_epoch=0, base_sequence=0))
    late = encode_batch([NewRecord(b"x", timestamp=2**62)])
    answers = [produce(at, topic, batch) for batch in (gap, late, SPOILT)]
    assert [(name_of(answer.error_code), answer.log_start_offset) for answer in answers] == [
        ("OUT_OF_ORDER_SEQUENCE_NUMBER", 0),
        ("INVALID_TIMESTAMP", 0),
        ("CORRUPT_MESSAGE", -1),
    ]


def test_a_batch_that_was_seen_is_answered_with_its_latest_timestamp(at: Client, topic: str) -> None:
    records = [NewRecord(b"1", timestamp=1_700_000_000_007), NewRecord(b"2", timestamp=1_700_000_000_005)]
    batch = encode_batch(records, producer_id=5, producer_epoch=0, base_sequence=0)
    answers = [produce(at, topic, batch) for _ in range(2)]
    assert [answer.base_offset for answer in answers] == [0, 0]
    assert [answer.log_append_time_ms for answer in answers] == [-1, 1_700_000_000_007]
