"""Fetch and ListOffsets as bytes on the wire: real and embedded brokers answer the same, request by request.

What a broker needs a moment for (the coordinator of a transaction, its markers) is asked again.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.wire import apis
from kafka_nextgen.wire.messages import (
    EndTxnRequest,
    FetchRequest,
    ListOffsetsRequest,
    ProduceRequest,
)
from kafka_nextgen.wire.records import NewRecord, encode_batch, read_batches
from tests.endtoend.patience import ask_patiently, begin_transactional_id
from tests.support.clients import create_topic, unique
from tests.support.kafka_server import KafkaServer
from tests.support.waiting import eventually
from tests.testing.broker.client import Client
from tests.testing.broker.requests import produce, produce_request

NONE, TXN_ADDS, BUMPS_EPOCH = ErrorCode.NONE, 12, 5
EVERYWHERE = {0: 0, 1: 0, 2: 0}
NOW_MS = int(time.time() * 1000)  # far from it, real brokers would begin another segment with each batch


@pytest.fixture
def client(every_kafka: KafkaServer) -> Iterator[Client]:
    with Client(every_kafka.bootstrap_servers) as connected:
        yield connected


@pytest.fixture
def topic(every_kafka: KafkaServer, client: Client) -> str:
    name = create_topic(every_kafka.bootstrap_servers, "fetched", 3)
    eventually(
        "all have leaders", lambda: not any(error for error, _ in told(fetch(client, name, EVERYWHERE)).values())
    )
    return name


def batch(*values: str, **how: Any) -> bytes:
    return encode_batch([NewRecord(value.encode(), timestamp=NOW_MS) for value in values], **how)


def fetch(
    client: Client,
    topic: str,
    positions: dict[int, int],
    session: tuple[int, int] = (0, -1),
    forgotten: Sequence[int] = (),
    **how: Any,
) -> Any:
    """Fetch from offsets by partition, in a session (id, epoch), by version 12."""
    settings = {"max_wait_ms": 0, "min_bytes": 0, "max_bytes": 10_000_000, "isolation_level": 1, **how}
    last_epoch = settings.pop("last_fetched_epoch", -1)
    asked = [
        FetchRequest.FetchTopic.FetchPartition(
            partition=index, fetch_offset=offset, last_fetched_epoch=last_epoch, partition_max_bytes=1_000_000
        )
        for index, offset in positions.items()
    ]
    request = FetchRequest(
        session_id=session[0],
        session_epoch=session[1],
        topics=[FetchRequest.FetchTopic(topic=topic, partitions=asked)] if asked else [],
        forgotten_topics_data=[FetchRequest.ForgottenTopic(topic=topic, partitions=list(forgotten))],
        rack_id="",
        **settings,
    )
    return client.ask(apis.FETCH, request, 12)


def told(answer: Any) -> dict[int, tuple[int, int]]:
    """The error and the high watermark of each partition in an answer, in its order."""
    return {one.partition_index: (one.error_code, one.high_watermark) for one in partitions_of(answer)}


def partitions_of(answer: Any) -> list[Any]:
    assert answer.error_code == NONE
    return [partition for topic in answer.responses for partition in topic.partitions]


def bases(partition: Any) -> list[int]:
    return [one.header.base_offset for one in read_batches(partition.records)]


def listed(client: Client, topic: str, timestamp: int, version: int = 10, **how: Any) -> tuple[int, int]:
    asked = ListOffsetsRequest.ListOffsetsTopic.ListOffsetsPartition(
        partition_index=0, current_leader_epoch=how.pop("leader_epoch", -1), timestamp=timestamp
    )
    topics = [ListOffsetsRequest.ListOffsetsTopic(name=topic, partitions=[asked])]
    request = ListOffsetsRequest(**{"replica_id": -1, "isolation_level": 0, "timeout_ms": 9, **how}, topics=topics)
    found = client.ask(apis.LIST_OFFSETS, request, version).topics[0].partitions[0]
    return found.error_code, found.offset


def test_a_session_tells_what_is_new_and_nothing_else(client: Client, topic: str) -> None:
    first = fetch(client, topic, EVERYWHERE, (0, 0))
    session = first.session_id
    assert session > 0
    assert list(told(first)) == [0, 1, 2]
    assert told(fetch(client, topic, {}, (session, 1))) == {}
    produce(client, topic, batch("a"), partition=1)
    assert told(fetch(client, topic, {}, (session, 2))) == {1: (NONE, 1)}
    assert told(fetch(client, topic, {1: 1}, (session, 3))) == {}
    produce(client, topic, batch("b"), partition=1)
    assert told(fetch(client, topic, {}, (session, 4), forgotten=[1])) == {}
    assert told(fetch(client, topic, {0: 99}, (session, 5))) == {0: (ErrorCode.OFFSET_OUT_OF_RANGE, -1)}
    assert told(fetch(client, topic, {}, (session, 6))) == {0: (ErrorCode.OFFSET_OUT_OF_RANGE, -1)}
    assert told(fetch(client, topic, {0: 0}, (session, 7))) == {0: (NONE, 0)}, "it is over: told once"
    assert told(fetch(client, topic, {}, (session, 8))) == {}
    assert fetch(client, topic, {}, (session, 8)).error_code == ErrorCode.INVALID_FETCH_SESSION_EPOCH
    ended = fetch(client, topic, {}, (session, 9), forgotten=[0, 2])
    assert (ended.session_id, told(ended)) == (0, {})
    assert fetch(client, topic, {}, (session, 10)).error_code == ErrorCode.FETCH_SESSION_ID_NOT_FOUND


def test_no_partition_starves_behind_others(client: Client, topic: str) -> None:
    for index in range(3):
        for value in "abc":
            produce(client, topic, batch(value), partition=index)
    first = fetch(client, topic, EVERYWHERE, (0, 0), max_bytes=1)
    assert [bool(partition.records) for partition in partitions_of(first)] == [True, False, False]
    order = []
    for epoch in range(1, 5):
        (given,) = partitions_of(fetch(client, topic, {}, (first.session_id, epoch), max_bytes=1))
        order.append(given.partition_index)
    assert order == [0, 1, 2, 0]


def test_a_reader_with_another_past_is_told_where_the_logs_part(client: Client, topic: str) -> None:
    produce(client, topic, batch("a"))
    (same,) = partitions_of(fetch(client, topic, {0: 0}, last_fetched_epoch=0))
    assert bases(same) == [0]
    (other,) = partitions_of(fetch(client, topic, {0: 9}, last_fetched_epoch=0))
    assert (other.error_code, other.diverging_epoch.epoch, other.diverging_epoch.end_offset) == (NONE, 0, 1)
    assert told(fetch(client, topic, {0: 0}, last_fetched_epoch=5)) == {0: (ErrorCode.OFFSET_OUT_OF_RANGE, -1)}


def test_what_is_stable_and_what_was_aborted(client: Client, topic: str) -> None:
    name = unique("t")
    producer_id, epoch = begin_transactional_id(client, name, timeout_ms=60_000)

    def send(*values: str) -> int:
        data = batch(*values, producer_id=producer_id, producer_epoch=epoch, base_sequence=0, transactional=True)
        topic_data = produce_request(topic, data).topic_data
        request = ProduceRequest(transactional_id=name, acks=-1, timeout_ms=1_000, topic_data=topic_data)
        asked = ask_patiently(
            client,
            apis.PRODUCE,
            request,
            TXN_ADDS,
            lambda answer: answer.responses[0].partition_responses[0].error_code,
        )
        error: int = asked.responses[0].partition_responses[0].error_code
        return error

    def end(is_commit: bool) -> tuple[int, int]:
        request = EndTxnRequest(
            transactional_id=name, producer_id=producer_id, producer_epoch=epoch, committed=is_commit
        )
        ended = ask_patiently(client, apis.END_TXN, request, BUMPS_EPOCH)
        return ended.error_code, ended.producer_epoch

    def seen(offset: int = 0, isolation_level: int = 1) -> tuple[int, int, list[int], list[int] | None]:
        (one,) = partitions_of(fetch(client, topic, {0: offset}, isolation_level=isolation_level))
        aborted = one.aborted_transactions
        firsts = None if aborted is None else [entry.first_offset for entry in aborted]
        return one.high_watermark, one.last_stable_offset, bases(one), firsts

    assert send("a", "b") == NONE
    produce(client, topic, batch("plain"))
    assert seen() == (3, 0, [], [])
    assert seen(isolation_level=0) == (3, 0, [0, 2], None)
    assert [listed(client, topic, -1, isolation_level=level) for level in (0, 1)] == [(NONE, 3), (NONE, 0)]
    assert listed(client, topic, NOW_MS, isolation_level=1) == (NONE, -1)
    assert end(True) == (NONE, epoch + 1)
    eventually("its marker is there", lambda: seen() == (4, 4, [0, 2, 3], []))
    assert end(True) == (NONE, epoch + 1), "the same again is answered again"
    assert end(False) == (ErrorCode.INVALID_TXN_STATE, -1)
    assert send("late") == ErrorCode.INVALID_PRODUCER_EPOCH
    epoch += 1
    assert send("c") == NONE
    assert end(False) == (NONE, epoch + 1)
    eventually("its marker is there", lambda: seen() == (6, 6, [0, 2, 3, 4, 5], [4]))
    assert seen(5) == (6, 6, [5], [4])
    assert seen(6) == (6, 6, [], [])
    assert seen(isolation_level=0)[3] is None


def test_each_special_time_came_with_a_version(client: Client, topic: str) -> None:
    unsupported = (ErrorCode.UNSUPPORTED_VERSION, -1)
    produce(client, topic, batch("a", "b"))
    for timestamp, since, offset in [(-1, 1, 2), (-2, 1, 0), (-3, 7, 0), (-4, 8, 0), (-5, 9, -1)]:
        assert listed(client, topic, timestamp, since) == (NONE, offset)
        if since > 1:
            assert listed(client, topic, timestamp, since - 1) == unsupported
    assert listed(client, topic, -7) == unsupported
    assert [listed(client, topic, NOW_MS + by) for by in (0, 1)] == [(NONE, 0), (NONE, -1)]
    assert listed(client, topic, -1, leader_epoch=1) == (ErrorCode.UNKNOWN_LEADER_EPOCH, -1)
