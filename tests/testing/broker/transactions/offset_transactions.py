"""Transactions that commit an offset of a group."""

from __future__ import annotations

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.testing.broker.hashing import spread
from kafka_nextgen.types import TopicId
from kafka_nextgen.wire import apis
from kafka_nextgen.wire.messages import EndTxnRequest, TxnOffsetCommitRequest
from tests.endtoend.patience import ask_patiently, begin_transactional_id
from tests.support.plain_messages import message_of
from tests.testing.broker.client import Client

GROUP, TOPIC = "movers", "orders"
NAME = next(name for name in map(str, range(99)) if spread(name, 50) % 2 == 0)  # the first of two nodes coordinates it
ADDS, BY_ID, BUMPS_EPOCH = 5, 6, 5

Producer = tuple[int, int]


def pend(
    client: Client, name: str, group: str, topic: str | TopicId, offset: int, *, partition: int = 0, **who: object
) -> tuple[Producer, ErrorCode]:
    """Commit an offset in a transaction of a new producer; return that, and the error."""
    producer = begin_transactional_id(client, name, timeout_ms=60_000)
    named = "name" if isinstance(topic, str) else "topic_id"
    partitions = [{"partition_index": partition, "committed_offset": offset, "committed_metadata": None}]
    of_producer = dict(zip(("producer_id", "producer_epoch"), producer, strict=True))
    topics = [{named: topic, "partitions": partitions}]
    request = message_of(
        TxnOffsetCommitRequest, transactional_id=name, group_id=group, topics=topics, **of_producer, **who
    )
    answer = ask_patiently(
        client,
        apis.TXN_OFFSET_COMMIT,
        request,
        ADDS if isinstance(topic, str) else BY_ID,
        lambda told: told.topics[0].partitions[0].error_code,
    )
    assert getattr(answer.topics[0], named) == topic
    return producer, ErrorCode(answer.topics[0].partitions[0].error_code)


def begin(client: Client, offset: int) -> Producer:
    """Begin a transaction with an offset in it; return its producer."""
    producer, error = pend(client, NAME, GROUP, TOPIC, offset)
    assert error is ErrorCode.NONE
    return producer


def end(client: Client, producer: Producer, is_commit: bool) -> None:
    request = EndTxnRequest(
        transactional_id=NAME, producer_id=producer[0], producer_epoch=producer[1], committed=is_commit
    )
    assert ask_patiently(client, apis.END_TXN, request, BUMPS_EPOCH).error_code == ErrorCode.NONE
