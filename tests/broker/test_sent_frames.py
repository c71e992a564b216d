"""What a broker says to compressed data that is odd: every case here is what real Kafka says, too."""

from __future__ import annotations

import struct
from typing import Any

import pytest

from kafka_nextgen.codes import ErrorCode, name_of
from kafka_nextgen.wire import apis
from kafka_nextgen.wire.records import Compression
from tests.broker.client import Client
from tests.broker.requests import produce, produce_request, wait_until_led
from tests.support.clients import create_topic
from tests.support.kafka_server import KafkaServer
from tests.support.odd_batches import NOW_MS, ODD_BATCHES, ONE, batch, blob, record, varint, zstd
from tests.support.sent_frames import ANSWERS, FRAMES

LARGE = 80 * 1024 * 1024


@pytest.fixture
def topic(kafka: KafkaServer, at: Client) -> str:
    """A topic that has a leader."""
    created = create_topic(kafka.bootstrap_servers, "orders", 1)
    wait_until_led(at, created)
    return created


def said(client: Client, topic: str, sent: bytes) -> tuple[str, list[int], int]:
    """The error, the numbers of the records that are to blame, and the start of the log."""
    answer: Any = produce(client, topic, sent)
    return name_of(answer.error_code), [each.batch_index for each in answer.record_errors], answer.log_start_offset


def test_compressed_data_is_taken_or_refused_as_kafka_does(at: Client, topic: str) -> None:
    assert {name: said(at, topic, sent) for name, sent in FRAMES.items()} == {
        name: (answer, [], 0) for name, answer in ANSWERS.items()
    }


@pytest.mark.parametrize("codec", [5, 7])
def test_a_codec_that_does_not_exist_is_an_unexpected_error(at: Client, topic: str, codec: int) -> None:
    assert said(at, topic, batch(ONE, attributes=codec)) == ("UNKNOWN_SERVER_ERROR", [], 0)


@pytest.mark.parametrize("codec", [5, 7])
def test_in_a_version_without_zstd_it_fails_the_whole_request(at: Client, topic: str, codec: int) -> None:
    """Those versions look at the codec before anything is appended, and answer without the start of a log."""
    both = [produce_request(topic, batch(ONE, attributes=attributes)).topic_data[0] for attributes in (0, codec)]
    asked = produce_request(topic, b"").replaced(topic_data=both)
    answers: Any = at.ask(apis.PRODUCE, asked, 6).responses
    said = {(part.error_code, part.log_start_offset) for each in answers for part in each.partition_responses}
    assert said == {(ErrorCode.UNKNOWN_SERVER_ERROR, -1)}


def based_at(offset: int) -> bytes:
    out = bytearray(batch(ONE))
    struct.pack_into(">q", out, 0, offset)
    return bytes(out)


@pytest.mark.parametrize(
    "sent",
    [
        pytest.param(based_at(5), id="a base offset"),
        pytest.param(based_at(-1), id="a negative base offset"),
        pytest.param(batch(ONE, count=-1, last_offset_delta=0), id="fewer than no records"),
        pytest.param(batch(ONE, count=5, last_offset_delta=0), id="more records than offsets"),
        pytest.param(batch(ONE, last_offset_delta=-1), id="no offsets"),
        pytest.param(ODD_BATCHES["no records"], id="no records"),
        pytest.param(ODD_BATCHES["offset deltas with a gap"], id="fewer records than offsets"),
        pytest.param(batch(ONE, producer=(4_000_000, -1, -1)), id="a producer id without an epoch"),
        pytest.param(batch(ONE, producer=(4_000_000, 0, -1)), id="a producer id without a sequence"),
    ],
)
def test_a_header_that_no_producer_writes_is_an_invalid_record(at: Client, topic: str, sent: bytes) -> None:
    assert said(at, topic, sent) == ("INVALID_RECORD", [], 0)


@pytest.mark.parametrize(
    "odd",
    [
        pytest.param(record(behind=b"xyz"), id="bytes behind the headers"),
        pytest.param(ONE[:-1], id="a cut record"),
        pytest.param(varint(-1), id="a negative length"),
        pytest.param(record(key=varint(500) + b"key"), id="a key longer than the record"),
        pytest.param(record(headers=varint(-1)), id="fewer than no headers"),
        pytest.param(record(headers=varint(1) + varint(-1) + blob(b"x")), id="a header without a key"),
    ],
)
def test_a_record_that_is_not_what_it_says_is_invalid_compressed_or_not(at: Client, topic: str, odd: bytes) -> None:
    packed = batch(odd, attributes=Compression.ZSTD, payload=zstd(odd))
    assert said(at, topic, batch(odd)) == said(at, topic, packed) == ("INVALID_RECORD", [], 0)


@pytest.mark.parametrize("name", ["timestamp the least", "timestamp below 64 bits"])
def test_timestamps_are_looked_at_one_by_one_whatever_the_header_says(at: Client, topic: str, name: str) -> None:
    assert said(at, topic, ODD_BATCHES[name]) == ("INVALID_TIMESTAMP", [0], 0)


def test_a_batch_may_become_larger_than_a_consumer_s_buffer(at: Client, topic: str) -> None:
    large = batch(attributes=Compression.ZSTD, payload=zstd(record(value=blob(bytes(LARGE)))), count=1)
    assert said(at, topic, large) == ("NONE", [], 0)
    assert said(at, topic, batch(ONE, base_timestamp=NOW_MS)) == ("NONE", [], 0)
