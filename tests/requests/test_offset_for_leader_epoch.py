"""OffsetForLeaderEpoch: where the epochs end that a consumer has read."""

from __future__ import annotations

from typing import Any

import pytest

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import DecodeError
from kafka_nextgen.requests.offset_for_leader_epoch import EpochEnd, EpochQuestion, from_response, to_request
from kafka_nextgen.wire.apis import OFFSET_FOR_LEADER_EPOCH
from kafka_nextgen.wire.messages import OffsetForLeaderEpochResponse
from tests.requests.over_the_wire import answered, asked, audit, orders

Topic = OffsetForLeaderEpochResponse.OffsetForLeaderTopicResult
Partition = Topic.EpochEndOffset

QUESTION = EpochQuestion(40, 5, 6)


def answer(*partitions: Partition) -> Any:
    message = OffsetForLeaderEpochResponse(topics=[Topic(topic="orders", partitions=list(partitions))])
    return answered(OFFSET_FOR_LEADER_EPOCH, message, 4)


@pytest.mark.parametrize("version", [3, 4])
def test_a_question_arrives(version: int) -> None:
    questions = {orders(1): QUESTION, orders(0): EpochQuestion(7, 2, 3), audit(0): EpochQuestion(1, 0, -1)}
    request = asked(to_request(questions), version)
    found = {
        (topic.topic, partition.partition): (partition.leader_epoch, partition.current_leader_epoch)
        for topic in request.topics
        for partition in topic.partitions
    }
    assert found == {("audit", 0): (0, -1), ("orders", 0): (2, 3), ("orders", 1): (5, 6)}
    assert request.replica_id == -1


def test_ends_are_read() -> None:
    message = answer(
        Partition(partition=0, leader_epoch=4, end_offset=30),
        Partition(partition=1),
        Partition(partition=2, error_code=ErrorCode.FENCED_LEADER_EPOCH),
        Partition(partition=7, leader_epoch=4, end_offset=30),
    )
    found = from_response(message, {orders(0): QUESTION, orders(1): QUESTION, orders(2): QUESTION})
    assert found == {
        orders(0): EpochEnd(4, 30),
        orders(1): EpochEnd(),
        orders(2): EpochEnd(error=ErrorCode.FENCED_LEADER_EPOCH),
    }
    assert [end.is_known for end in found.values()] == [True, False, False]


def test_a_partition_left_out_is_refused() -> None:
    with pytest.raises(DecodeError, match=r"lacks orders\[1\]"):
        from_response(answer(Partition(partition=0)), {orders(0): QUESTION, orders(1): QUESTION})
