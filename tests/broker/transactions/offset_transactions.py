"""Transactions that commit an offset of a group."""

from __future__ import annotations

from kafka_nextgen.broker.hashing import spread
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.wire import apis
from kafka_nextgen.wire.messages import EndTxnRequest, TxnOffsetCommitRequest
from tests.broker.client import Client
from tests.endtoend.patience import ask_patiently, begin_transactional_id

__all__ = ["GROUP", "NAME", "TOPIC", "begin", "end"]

GROUP, TOPIC = "movers", "orders"
NAME = next(name for name in map(str, range(99)) if spread(name, 50) % 2 == 0)  # the first of two nodes coordinates it
ADDS, BUMPS_EPOCH = 5, 5


def begin(client: Client, offset: int) -> tuple[int, int]:
    """Begin a transaction with an offset in it; return its producer."""
    producer_id, epoch = begin_transactional_id(client, NAME, timeout_ms=60_000)
    topic = TxnOffsetCommitRequest.TxnOffsetCommitRequestTopic
    partition = topic.TxnOffsetCommitRequestPartition(
        partition_index=0, committed_offset=offset, committed_metadata=None
    )
    request = TxnOffsetCommitRequest(
        transactional_id=NAME,
        group_id=GROUP,
        producer_id=producer_id,
        producer_epoch=epoch,
        topics=[topic(name=TOPIC, partitions=[partition])],
    )
    answer = ask_patiently(
        client, apis.TXN_OFFSET_COMMIT, request, ADDS, lambda told: told.topics[0].partitions[0].error_code
    )
    assert answer.topics[0].partitions[0].error_code == ErrorCode.NONE
    return producer_id, epoch


def end(client: Client, producer: tuple[int, int], is_commit: bool) -> None:
    request = EndTxnRequest(
        transactional_id=NAME, producer_id=producer[0], producer_epoch=producer[1], committed=is_commit
    )
    assert ask_patiently(client, apis.END_TXN, request, BUMPS_EPOCH).error_code == ErrorCode.NONE
