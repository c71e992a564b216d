"""What a broker says to batches and records that are odd: every case here is what real Kafka says, too."""

from __future__ import annotations

import struct
from typing import Any
from uuid import uuid4

import pytest

from kafka_nextgen.codes import ErrorCode, name_of
from kafka_nextgen.wire import apis
from kafka_nextgen.wire.records import Compression, NewRecord, encode_batch, read_batches
from tests.support.clients import create_topic
from tests.support.kafka_server import KafkaServer
from tests.support.odd_batches import NOW_MS, ODD_BATCHES, ONE, batch, blob, record, varint, zstd
from tests.support.sent_frames import ANSWERS, FRAMES
from tests.testing.broker.client import Client
from tests.testing.broker.requests import by_name_fetch, produce, produce_request, values, wait_until_led

BATCH = values("a")
ZEROS = b"\0" * 70
SPOILT = BATCH[:-1] + bytes([BATCH[-1] ^ 1])
OLD = BATCH[:16] + b"\1" + BATCH[17:]
ZSTD = encode_batch([NewRecord(b"x")], Compression.ZSTD)
WRONG_ACKS = 5
LARGE = 80 * 1024 * 1024


@pytest.fixture
def topic(kafka: KafkaServer, at: Client) -> str:
    """A topic that has a leader."""
    created = create_topic(kafka.bootstrap_servers, "orders", 1)
    wait_until_led(at, created)
    return created


def said(client: Client, topic: str, batch: bytes, **how: Any) -> str:
    return name_of(produce(client, topic, batch, **how).error_code)


def test_a_partition_takes_one_whole_batch(at: Client, topic: str) -> None:
    one_and_part = BATCH + BATCH[:-1]
    expected = {
        b"": "INVALID_RECORD",
        b"garbage": "INVALID_RECORD",  # the beginning of one, as far as can be seen
        BATCH[:-1]: "INVALID_RECORD",
        OLD: "INVALID_RECORD",
        BATCH * 2: "INVALID_RECORD",
        one_and_part: "NONE",
        BATCH + ZEROS: "CORRUPT_MESSAGE",
        SPOILT: "CORRUPT_MESSAGE",
        ZEROS: "CORRUPT_MESSAGE",
    }
    assert {batch: said(at, topic, batch) for batch in expected} == expected


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


# ---- what is in a batch


def told(client: Client, topic: str, sent: bytes) -> tuple[str, list[int], int]:
    """The error, the numbers of the records that are to blame, and the start of the log."""
    answer = produce(client, topic, sent)
    return name_of(answer.error_code), [each.batch_index for each in answer.record_errors], answer.log_start_offset


def test_compressed_data_is_taken_or_refused_as_kafka_does(at: Client, topic: str) -> None:
    assert {name: told(at, topic, sent) for name, sent in FRAMES.items()} == {
        name: (answer, [], 0) for name, answer in ANSWERS.items()
    }


@pytest.mark.parametrize("codec", [5, 7])
def test_a_codec_that_does_not_exist_is_an_unexpected_error(at: Client, topic: str, codec: int) -> None:
    """Versions without zstd look at the codec before anything is appended, and answer without the start of a log."""
    assert told(at, topic, batch(ONE, attributes=codec)) == ("UNKNOWN_SERVER_ERROR", [], 0)
    both = [produce_request(topic, batch(ONE, attributes=attributes)).topic_data[0] for attributes in (0, codec)]
    asked = produce_request(topic, b"").replaced(topic_data=both)
    answers = at.ask(apis.PRODUCE, asked, 6).responses
    told_of = {(part.error_code, part.log_start_offset) for each in answers for part in each.partition_responses}
    assert told_of == {(ErrorCode.UNKNOWN_SERVER_ERROR, -1)}, "Kafka answers once for a partition that is named twice"


def based_at(offset: int) -> bytes:
    out = bytearray(batch(ONE))
    struct.pack_into(">q", out, 0, offset)
    return bytes(out)


HEADERS_OF_NO_PRODUCER = {
    "a base offset": based_at(5),
    "a negative base offset": based_at(-1),
    "fewer than no records": batch(ONE, count=-1, last_offset_delta=0),
    "more records than offsets": batch(ONE, count=5, last_offset_delta=0),
    "no offsets": batch(ONE, last_offset_delta=-1),
    "no records": ODD_BATCHES["no records"],
    "fewer records than offsets": ODD_BATCHES["offset deltas with a gap"],
    "a producer id without an epoch": batch(ONE, producer=(4_000_000, -1, -1)),
    "a producer id without a sequence": batch(ONE, producer=(4_000_000, 0, -1)),
}
RECORDS_THAT_ARE_NOT_WHAT_THEY_SAY = {
    "bytes behind the headers": record(behind=b"xyz"),
    "a cut record": ONE[:-1],
    "a negative length": varint(-1),
    "a key longer than the record": record(key=varint(500) + b"key"),
    "fewer than no headers": record(headers=varint(-1)),
    "a header without a key": record(headers=varint(1) + varint(-1) + blob(b"x")),
}


def test_a_header_that_no_producer_writes_is_an_invalid_record(at: Client, topic: str) -> None:
    answers = {what: told(at, topic, sent) for what, sent in HEADERS_OF_NO_PRODUCER.items()}
    assert answers == dict.fromkeys(answers, ("INVALID_RECORD", [], 0))


def test_a_record_that_is_not_what_it_says_is_invalid_compressed_or_not(at: Client, topic: str) -> None:
    for what, odd in RECORDS_THAT_ARE_NOT_WHAT_THEY_SAY.items():
        for sent in (batch(odd), batch(odd, attributes=Compression.ZSTD, payload=zstd(odd))):
            assert told(at, topic, sent) == ("INVALID_RECORD", [], 0), what


def test_timestamps_are_looked_at_one_by_one_whatever_the_header_says(at: Client, topic: str) -> None:
    for name in ("timestamp the least", "timestamp below 64 bits"):
        assert told(at, topic, ODD_BATCHES[name]) == ("INVALID_TIMESTAMP", [0], 0)


def test_a_stored_header_has_the_highest_timestamp_of_its_records(at: Client, topic: str) -> None:
    later = batch(ONE, record(1, time_delta=7), max_timestamp=-1)
    expected = {
        ODD_BATCHES["max timestamp -1"]: NOW_MS,
        batch(ONE, max_timestamp=NOW_MS + 60_000): NOW_MS,
        later: NOW_MS + 7,
        batch(attributes=Compression.ZSTD, payload=zstd(ONE), count=1, max_timestamp=-1): NOW_MS,
        ODD_BATCHES["timestamp beyond 64 bits"]: -1,
        ODD_BATCHES["timestamp before 1970"]: -1,
    }
    for sent in expected:
        assert told(at, topic, sent) == ("NONE", [], 0)
    (fetched,) = by_name_fetch(at, topic)
    stored = read_batches(fetched.records)  # which checks the checksums
    assert [batch.header.max_timestamp for batch in stored] == list(expected.values())


@pytest.mark.whole  # it takes 240 MB, more than any other test
def test_a_batch_may_become_larger_than_a_consumer_s_buffer(at: Client, topic: str) -> None:
    large = batch(attributes=Compression.ZSTD, payload=zstd(record(value=blob(bytes(LARGE)))), count=1)
    assert told(at, topic, large) == ("NONE", [], 0)
    assert told(at, topic, batch(ONE, base_timestamp=NOW_MS)) == ("NONE", [], 0)
