"""Fetch answers as the codec of all messages reads them."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from kafka_nextgen.wire.apis import FETCH
from kafka_nextgen.wire.frames import decode_response
from kafka_nextgen.wire.raw_fetch import (
    AbortedTransaction,
    EpochEndOffset,
    RawEndpoint,
    RawFetchAnswer,
    RawPartition,
    RawTopic,
)

__all__ = ["by_schema"]


def by_schema(frame: bytes, version: int) -> RawFetchAnswer:
    """The answer in a frame, as it is read by the schema of its message."""
    message = decode_response(FETCH, version, frame)[1]
    return RawFetchAnswer(
        message.throttle_time_ms,
        message.error_code,
        message.session_id,
        tuple(
            RawTopic(_topic(topic, version), tuple(map(_partition, topic.partitions))) for topic in message.responses
        ),
        tuple(RawEndpoint(node.node_id, node.host, node.port, node.rack) for node in message.node_endpoints),
    )


def _topic(topic: Any, version: int) -> Any:
    return topic.topic if version < 13 else topic.topic_id or UUID(int=0)  # which it reads as None


def _partition(partition: Any) -> RawPartition:
    diverging, leader = partition.diverging_epoch, partition.current_leader
    return RawPartition(
        partition.partition_index,
        partition.error_code,
        partition.high_watermark,
        partition.last_stable_offset,
        partition.log_start_offset,
        tuple(AbortedTransaction(each.producer_id, each.first_offset) for each in partition.aborted_transactions or ()),
        partition.preferred_read_replica,
        partition.records,
        None if diverging is None else EpochEndOffset(diverging.epoch, diverging.end_offset),
        -1 if leader is None else leader.leader_id,
        -1 if leader is None else leader.leader_epoch,
    )
