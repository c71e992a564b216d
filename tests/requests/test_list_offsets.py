"""ListOffsets: where partitions begin and end."""

from __future__ import annotations

from typing import Any

import pytest

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import DecodeError
from kafka_nextgen.requests.list_offsets import EARLIEST, LATEST, ListedOffset, from_response, to_request
from kafka_nextgen.wire.apis import LIST_OFFSETS
from kafka_nextgen.wire.messages import ListOffsetsResponse
from tests.requests.over_the_wire import answered, asked, audit, orders

Topic = ListOffsetsResponse.ListOffsetsTopicResponse
Partition = Topic.ListOffsetsPartitionResponse


def answer(*partitions: Partition, version: int = 10) -> Any:
    message = ListOffsetsResponse(topics=[Topic(name="orders", partitions=list(partitions))])
    return answered(LIST_OFFSETS, message, version)


def test_a_question_arrives() -> None:
    timestamps = {orders(1): LATEST, orders(0): EARLIEST, audit(0): 1_700_000_000_000}
    request = asked(to_request(timestamps, {orders(1): 8}, isolation_level=1, timeout_ms=30_000), 10)
    found = {
        (topic.name, partition.partition_index): (partition.timestamp, partition.current_leader_epoch)
        for topic in request.topics
        for partition in topic.partitions
    }
    assert found == {("audit", 0): (1_700_000_000_000, -1), ("orders", 0): (-2, -1), ("orders", 1): (-1, 8)}
    assert (request.replica_id, request.isolation_level, request.timeout_ms) == (-1, 1, 30_000)


def test_offsets_are_read_and_what_was_not_asked_for_is_ignored() -> None:
    message = answer(
        Partition(partition_index=0, offset=5, timestamp=99, leader_epoch=2),
        Partition(partition_index=1, error_code=ErrorCode.NOT_LEADER_OR_FOLLOWER),
        Partition(partition_index=7, offset=6),
    )
    assert from_response(message, {orders(0): EARLIEST, orders(1): LATEST}) == {
        orders(0): ListedOffset(5, 99, 2),
        orders(1): ListedOffset(-1, error=ErrorCode.NOT_LEADER_OR_FOLLOWER),
    }


def test_version_1_tells_no_leader_epoch() -> None:
    message = answer(Partition(partition_index=0, offset=5, timestamp=99), version=1)
    assert from_response(message, {orders(0): EARLIEST}) == {orders(0): ListedOffset(5, 99)}


def test_a_partition_left_out_is_refused() -> None:
    with pytest.raises(DecodeError, match=r"lacks orders\[1\]"):
        from_response(answer(Partition(partition_index=0)), {orders(0): LATEST, orders(1): LATEST})
