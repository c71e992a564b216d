"""What administrators see and do of records: deleting them, partitions page by page, producers and transactions."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.wire import apis
from kafka_nextgen.wire.messages import (
    AddPartitionsToTxnRequest,
    CreatePartitionsRequest,
    CreateTopicsRequest,
    DeleteRecordsRequest,
    DeleteTopicsRequest,
    DescribeProducersRequest,
    DescribeTopicPartitionsRequest,
    DescribeTransactionsRequest,
    EndTxnRequest,
    ListTransactionsRequest,
)
from kafka_nextgen.wire.records import NewRecord, encode_batch
from kafka_nextgen.wire.schemas.transactions import AddPartitionsToTxnTopic
from kafka_nextgen.wire.topics import NO_TOPIC_ID
from tests.endtoend.patience import ask_patiently, begin_transactional_id
from tests.support.clients import create_topic, unique
from tests.support.kafka_server import KafkaServer
from tests.support.waiting import eventually
from tests.testing.broker.client import Client
from tests.testing.broker.requests import by_name_fetch, list_offset, metadata, produce

NOW_MS = int(time.time() * 1000)
NONE = ErrorCode.NONE


@pytest.fixture
def client(every_kafka: KafkaServer) -> Iterator[Client]:
    with Client(every_kafka.bootstrap_servers) as connected:
        yield connected


@pytest.fixture
def topic(every_kafka: KafkaServer, client: Client) -> str:
    name = create_topic(every_kafka.bootstrap_servers, "kept", 3)
    eventually(
        "it has leaders", lambda: [list_offset(client, name, -1, partition=i).offset for i in range(3)] == [0] * 3
    )
    return name


def delete(client: Client, topic: str, before: int, partition: int = 0) -> tuple[int, int]:
    asked = DeleteRecordsRequest.DeleteRecordsTopic.DeleteRecordsPartition(partition_index=partition, offset=before)
    topics = [DeleteRecordsRequest.DeleteRecordsTopic(name=topic, partitions=[asked])]
    answer = client.ask(apis.DELETE_RECORDS, DeleteRecordsRequest(timeout_ms=9_000, topics=topics))
    (found,) = answer.topics[0].partitions
    return found.error_code, found.low_watermark


def test_deleted_records_are_gone_and_the_log_begins_later(client: Client, topic: str) -> None:
    for _ in range(3):
        produce(client, topic, encode_batch([NewRecord(b"x", timestamp=NOW_MS)] * 2))
    assert delete(client, topic, 3) == (NONE, 3)
    assert delete(client, topic, 1) == (NONE, 3), "what is gone stays gone"
    out_of_range = (ErrorCode.OFFSET_OUT_OF_RANGE, -1)
    assert [delete(client, topic, offset) for offset in (7, -2)] == [out_of_range, out_of_range]
    assert by_name_fetch(client, topic, 2)[0].error_code == ErrorCode.OFFSET_OUT_OF_RANGE
    (partition,) = by_name_fetch(client, topic, 3)
    assert (partition.error_code, partition.log_start_offset, partition.high_watermark) == (NONE, 3, 6)
    assert [list_offset(client, topic, at).offset for at in (-2, NOW_MS)] == [3, 3]
    assert delete(client, topic, -1) == (NONE, 6)
    assert [list_offset(client, topic, at).offset for at in (-2, -1, NOW_MS)] == [6, 6, -1]
    unknown = (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, -1)
    assert [delete(client, topic, 0, partition=9), delete(client, "nowhere", 0)] == [unknown, unknown]


Page = tuple[dict[str, list[int]], tuple[str, int] | None]


def page(client: Client, *names: str, limit: int = 2_000, cursor: tuple[str, int] | None = None) -> Page:
    """Which partitions are told of each topic (or its error, below 0), and the cursor of the next page."""
    request = DescribeTopicPartitionsRequest(
        topics=[DescribeTopicPartitionsRequest.TopicRequest(name=name) for name in names],
        response_partition_limit=limit,
        cursor=cursor and DescribeTopicPartitionsRequest.Cursor(topic_name=cursor[0], partition_index=cursor[1]),
    )
    answer = client.ask(apis.DESCRIBE_TOPIC_PARTITIONS, request)
    following = answer.next_cursor
    told = {
        topic.name: [one.partition_index for one in topic.partitions]
        if topic.error_code == NONE
        else [-topic.error_code]
        for topic in answer.topics
    }
    return told, None if following is None else (following.topic_name, following.partition_index)


def test_partitions_are_described_a_page_at_a_time(every_kafka: KafkaServer, client: Client, topic: str) -> None:
    other = create_topic(every_kafka.bootstrap_servers, "later", 2)
    assert page(client, topic, other) == ({topic: [0, 1, 2], other: [0, 1]}, None)
    assert page(client, other, topic, limit=2) == ({topic: [0, 1]}, (topic, 2))
    assert page(client, other, topic, limit=2, cursor=(topic, 2)) == ({topic: [2], other: [0]}, (other, 1))
    assert page(client, other, topic, limit=3) == ({topic: [0, 1, 2]}, (other, 0))
    assert page(client, other, topic, limit=0) == ({topic: [0]}, (topic, 1)), "a page has at least one"
    assert page(client, topic, cursor=(other, 1)) == ({topic: [-ErrorCode.INVALID_REQUEST]}, None)
    assert page(client, topic, cursor=(topic, -1)) == ({topic: [-ErrorCode.INVALID_REQUEST]}, None)
    assert page(client, "nowhere") == ({"nowhere": [-ErrorCode.UNKNOWN_TOPIC_OR_PARTITION]}, None)
    assert page(client, "no where") == ({"no where": [-ErrorCode.INVALID_TOPIC_EXCEPTION]}, None)


def test_a_transaction_is_seen_from_both_its_ends(client: Client, topic: str) -> None:
    name = unique("t")
    producer_id, producer_epoch = begin_transactional_id(client, name, timeout_ms=50_000)

    def described() -> tuple[str, int, list[tuple[str, list[int]]]]:
        (state,) = client.ask(
            apis.DESCRIBE_TRANSACTIONS, DescribeTransactionsRequest(transactional_ids=[name])
        ).transaction_states
        assert (state.error_code, state.producer_id) == (NONE, producer_id)
        return (
            state.transaction_state,
            state.transaction_timeout_ms,
            [(one.topic, list(one.partitions)) for one in state.topics],
        )

    def listed(*states: str) -> tuple[list[str], list[str]]:
        request = ListTransactionsRequest(state_filters=list(states), producer_id_filters=[], duration_filter=-1)
        answer = client.ask(apis.LIST_TRANSACTIONS, request, 1)
        return list(answer.unknown_state_filters), [
            one.transaction_state for one in answer.transaction_states if one.transactional_id == name
        ]

    def known() -> list[tuple[int, int]]:
        asked = DescribeProducersRequest.TopicRequest(name=topic, partition_indexes=[1])
        answer = client.ask(apis.DESCRIBE_PRODUCERS, DescribeProducersRequest(topics=[asked]))
        return [
            (one.last_sequence, one.current_txn_start_offset) for one in answer.topics[0].partitions[0].active_producers
        ]

    assert described() == ("Empty", 50_000, [])
    added = AddPartitionsToTxnRequest(
        v3_and_below_transactional_id=name,
        v3_and_below_producer_id=producer_id,
        v3_and_below_producer_epoch=producer_epoch,
        v3_and_below_topics=[AddPartitionsToTxnTopic(name=topic, partitions=[1])],
    )
    client.ask(apis.ADD_PARTITIONS_TO_TXN, added, 3)
    assert described() == ("Ongoing", 50_000, [(topic, [1])])
    assert listed("Ongoing", "Nonsense") == (["Nonsense"], ["Ongoing"])
    assert listed("Empty") == ([], [])
    assert known() == []
    ended = EndTxnRequest(transactional_id=name, committed=True, producer_id=producer_id, producer_epoch=producer_epoch)
    assert ask_patiently(client, apis.END_TXN, ended, 4).error_code == NONE
    eventually("it is complete", lambda: described() == ("CompleteCommit", 50_000, []))
    eventually("the partition has the marker", lambda: known() == [(-1, -1)])
    (nobody,) = client.ask(
        apis.DESCRIBE_TRANSACTIONS, DescribeTransactionsRequest(transactional_ids=[unique("nobody")])
    ).transaction_states
    assert nobody.error_code == ErrorCode.TRANSACTIONAL_ID_NOT_FOUND


# ---- a request that names a topic twice contradicts itself: of that topic nothing is done, and it is answered once

REFUSED = [ErrorCode.INVALID_REQUEST]


def test_it_is_neither_made_nor_grown_nor_deleted_and_told_once(every_kafka: KafkaServer) -> None:
    topic = create_topic(every_kafka.bootstrap_servers, "twice", 2)
    new = CreateTopicsRequest.CreatableTopic(
        name=unique("twice"), num_partitions=1, replication_factor=1, assignments=[], configs=[]
    )
    more = [
        CreatePartitionsRequest.CreatePartitionsTopic(name=topic, count=count, assignments=None) for count in (3, 4)
    ]
    named = DeleteTopicsRequest.DeleteTopicState(name=topic, topic_id=NO_TOPIC_ID)
    make = CreateTopicsRequest(topics=[new, new], timeout_ms=9_000, validate_only=False)
    grow = CreatePartitionsRequest(topics=more, timeout_ms=9_000, validate_only=False)
    delete = DeleteTopicsRequest(topics=[named, named], topic_names=[topic, topic], timeout_ms=9_000)
    with Client(every_kafka.bootstrap_servers) as client:
        assert [one.error_code for one in client.ask(apis.CREATE_TOPICS, make).topics] == REFUSED
        assert [one.error_code for one in client.ask(apis.CREATE_PARTITIONS, grow).results] == REFUSED
        for version in (5, 6):
            assert [one.error_code for one in client.ask(apis.DELETE_TOPICS, delete, version).responses] == REFUSED
        told = metadata(client, topic, topic).topics
        assert [(one.name, len(one.partitions)) for one in told] == [(topic, 2)]
