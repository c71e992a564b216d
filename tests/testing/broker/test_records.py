"""Produce, Fetch and ListOffsets, request by request."""

from __future__ import annotations

from collections.abc import Callable
from uuid import uuid4

import pytest

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.testing import Cluster
from kafka_nextgen.wire import apis
from kafka_nextgen.wire.records import Compression, NewRecord, encode_batch
from tests.support.sent_frames import FRAMES
from tests.testing.broker.client import Client
from tests.testing.broker.requests import (
    by_name_fetch,
    fetch_request,
    list_offset,
    produce,
    produce_request,
    records_of,
    topic_id_of,
    values,
)

RECORD = [NewRecord(b"x", timestamp=1)]


def sequenced(sequence: int, producer_id: int = 5) -> bytes:
    return encode_batch(RECORD, producer_id=producer_id, producer_epoch=0, base_sequence=sequence)


def test_what_was_produced_is_fetched(client: Client, topic: str) -> None:
    answer = produce(client, topic, values("a", "b"))
    assert (answer.error_code, answer.base_offset, answer.log_start_offset) == (ErrorCode.NONE, 0, 0)
    assert produce(client, topic, values("c")).base_offset == 2
    (partition,) = by_name_fetch(client, topic)
    assert records_of(partition) == [(0, "a"), (1, "b"), (2, "c")]
    assert (partition.high_watermark, partition.last_stable_offset, partition.log_start_offset) == (3, 3, 0)


def test_records_are_produced_and_fetched_in_every_version_by_name(client: Client, topic: str) -> None:
    for number, version in enumerate(range(apis.PRODUCE.min_version, 13)):
        assert produce(client, topic, values("a"), version=version).base_offset == number
    for version in range(apis.FETCH.min_version, 13):
        (partition,) = client.ask(apis.FETCH, fetch_request(topic, number), version).responses[0].partitions
        assert records_of(partition, number) == [(number, "a")]


def test_records_are_produced_and_fetched_by_topic_id(client: Client, topic: str) -> None:
    topic_id = topic_id_of(client, topic)
    produced = client.ask(apis.PRODUCE, produce_request(topic_id, values("a")), 13)
    assert produced.responses[0].partition_responses[0].base_offset == 0
    for version in range(13, apis.FETCH.max_version + 1):
        (answer,) = client.ask(apis.FETCH, fetch_request(topic_id), version).responses
        assert (answer.topic_id, records_of(answer.partitions[0])) == (topic_id, [(0, "a")])


def test_an_unknown_topic_id_is_told_from_an_unknown_topic(client: Client) -> None:
    by_id = client.ask(apis.FETCH, fetch_request(uuid4())).responses[0].partitions[0]
    assert by_id.error_code == ErrorCode.UNKNOWN_TOPIC_ID
    assert by_name_fetch(client, "nowhere")[0].error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    produced = client.ask(apis.PRODUCE, produce_request(uuid4(), values("a")), 13)
    assert produced.responses[0].partition_responses[0].error_code == ErrorCode.UNKNOWN_TOPIC_ID


@pytest.mark.parametrize("partition", [1, -1])
def test_a_partition_that_is_not_there(client: Client, topic: str, partition: int) -> None:
    unknown = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert produce(client, topic, values("a"), partition=partition).error_code == unknown
    assert by_name_fetch(client, topic, partitions=[partition])[0].error_code == unknown
    assert list_offset(client, topic, -1, partition=partition).error_code == unknown


def test_a_corrupt_batch_is_refused_and_changes_nothing(client: Client, topic: str) -> None:
    batch = bytearray(values("a"))
    batch[-1] ^= 1
    answer = produce(client, topic, bytes(batch))
    assert answer.error_code == ErrorCode.CORRUPT_MESSAGE
    assert "CRC" in answer.error_message
    assert list_offset(client, topic, -1).offset == 0


def test_what_is_no_batch_of_a_producer(client: Client, topic: str) -> None:
    """What else is none: test_produced.py."""
    of_nobody = encode_batch(RECORD, producer_id=1, producer_epoch=0, base_sequence=0, transactional=True)
    for batch, error in (
        (encode_batch(RECORD, control=True), ErrorCode.INVALID_RECORD),
        (of_nobody, ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED),
        (values("a" * 1_048_588), ErrorCode.MESSAGE_TOO_LARGE),
    ):
        assert produce(client, topic, batch).error_code == error
    assert list_offset(client, topic, -1).offset == 0


def test_zstd_is_for_producers_that_know_it(client: Client, topic: str) -> None:
    batch = encode_batch(RECORD, Compression.ZSTD)
    assert produce(client, topic, batch, version=6).error_code == ErrorCode.UNSUPPORTED_COMPRESSION_TYPE
    assert produce(client, topic, batch, version=7).error_code == ErrorCode.NONE


def test_acks_are_0_1_or_all(client: Client, topic: str) -> None:
    assert produce(client, topic, values("a"), acks=1).error_code == ErrorCode.NONE
    assert produce(client, topic, values("a"), acks=2).error_code == ErrorCode.INVALID_REQUIRED_ACKS


def test_every_idempotent_producer_gets_an_id_of_its_own(client: Client) -> None:
    nobody = {"transactional_id": None, "transaction_timeout_ms": 1}
    answers = [client.ask(apis.INIT_PRODUCER_ID, **nobody) for _ in range(3)]
    assert len({answer.producer_id for answer in answers}) == 3
    assert {answer.producer_epoch for answer in answers} == {0}


def test_a_batch_sent_again_is_answered_as_before_and_not_stored_again(client: Client, topic: str) -> None:
    assert [produce(client, topic, sequenced(n)).base_offset for n in (0, 1, 0, 1, 2)] == [0, 1, 0, 1, 2]
    assert list_offset(client, topic, -1).offset == 3


def test_a_gap_in_a_producers_sequence_is_refused(client: Client, topic: str) -> None:
    produce(client, topic, sequenced(0))
    assert produce(client, topic, sequenced(2)).error_code == ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER


def test_what_is_read_at_each_offset_of_a_batch_and_outside(client: Client, topic: str) -> None:
    produce(client, topic, values("a", "b", "c"))
    for offset in (-1, 4):
        assert by_name_fetch(client, topic, offset)[0].error_code == ErrorCode.OFFSET_OUT_OF_RANGE
    for offset in (0, 1, 2):
        assert records_of(by_name_fetch(client, topic, offset)[0]) == [(0, "a"), (1, "b"), (2, "c")]
    (end,) = by_name_fetch(client, topic, 3)
    assert (end.error_code, end.records) == (ErrorCode.NONE, b"")


def test_one_batch_is_given_however_small_the_limits(client: Client, new_topic: Callable[[int], str]) -> None:
    topic = new_topic(2)
    for partition in (0, 1):
        produce(client, topic, values("a" * 100), partition=partition)
        produce(client, topic, values("b" * 100), partition=partition)
    for limits in ({"max_bytes": 1}, {"partition_max_bytes": 1}, {"max_bytes": 0}):
        first, second = by_name_fetch(client, topic, partitions=[0, 1], **limits)
        assert [offset for offset, _ in records_of(first)] == [0]
        assert second.records == b""


def test_partition_max_bytes_leaves_room_for_other_partitions(client: Client, new_topic: Callable[[int], str]) -> None:
    topic = new_topic(2)
    for partition in (0, 1):
        for _ in range(5):
            produce(client, topic, values("a" * 100), partition=partition)
    size = len(values("a" * 100))
    answers = by_name_fetch(client, topic, partitions=[0, 1], partition_max_bytes=2 * size)
    assert [len(answer.records) for answer in answers] == [2 * size, 2 * size]
    answers = by_name_fetch(client, topic, partitions=[0, 1], max_bytes=3 * size, partition_max_bytes=2 * size)
    assert [len(answer.records) for answer in answers] == [2 * size, size]


def test_a_waiting_fetch_wakes_up_when_enough_is_produced(cluster: Cluster, client: Client, topic: str) -> None:
    size = len(values("a"))
    with Client(cluster.bootstrap_servers) as waiting:
        waiting.send(fetch_request(topic, min_bytes=2 * size, max_wait_ms=60_000), 12)
        produce(client, topic, values("a"))
        produce(client, topic, values("b"))
        answer = waiting.receive(apis.FETCH, 12)
    assert records_of(answer.responses[0].partitions[0]) == [(0, "a"), (1, "b")]


def test_an_error_is_not_kept_waiting(client: Client, topic: str) -> None:
    unknown, outside = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.OFFSET_OUT_OF_RANGE
    for partitions, errors in (([0, 7], [outside, unknown]), ([7], [unknown])):
        answers = by_name_fetch(client, topic, 1, partitions=partitions, min_bytes=1, max_wait_ms=60_000)
        assert [answer.error_code for answer in answers] == errors


def test_a_leader_epoch_from_the_future_is_unknown(client: Client, topic: str) -> None:
    for epoch, error in ((-1, ErrorCode.NONE), (0, ErrorCode.NONE), (1, ErrorCode.UNKNOWN_LEADER_EPOCH)):
        assert by_name_fetch(client, topic, leader_epoch=epoch)[0].error_code == error
        assert list_offset(client, topic, -1, leader_epoch=epoch).error_code == error


def test_a_fetch_of_nothing_is_answered(client: Client) -> None:
    assert client.ask(apis.FETCH, max_wait_ms=0, min_bytes=0).responses == ()


def test_offsets_are_listed(client: Client, topic: str) -> None:
    produce(client, topic, values("a", "b", "c"))
    expected = {
        -1: (3, -1),  # the end
        -2: (0, -1),  # the start
        -3: (2, 1_002),  # the latest time
        -4: (0, -1),  # the local start
        -5: (-1, -1),  # there is no other tier
        0: (0, 1_000),  # before all
        1_001: (1, 1_001),
        2_000: (-1, -1),  # after all
    }
    answers = {timestamp: list_offset(client, topic, timestamp) for timestamp in expected}
    assert {timestamp: (answer.offset, answer.timestamp) for timestamp, answer in answers.items()} == expected
    assert {answer.error_code for answer in answers.values()} == {ErrorCode.NONE}


def test_records_that_cannot_be_read_are_found_out_when_a_time_is_looked_up(client: Client, topic: str) -> None:
    produce(client, topic, FRAMES["lz4: a wrong content checksum"])  # which a broker does not compare
    assert list_offset(client, topic, 1_000).error_code == ErrorCode.CORRUPT_MESSAGE
