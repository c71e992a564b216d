"""OffsetCommit: by name up to version 9, by topic id in version 10."""

from __future__ import annotations

from typing import Any

import pytest

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import DecodeError
from kafka_nextgen.membership.offsets.effects import SendCommit
from kafka_nextgen.requests.offset_commit import alteration, from_response, highest_version, to_request
from kafka_nextgen.testing.coordinator.requests import OffsetCommit
from kafka_nextgen.testing.coordinator.responses import OffsetsCommitted
from kafka_nextgen.testing.messages.offset_commit import from_request, to_response
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition
from kafka_nextgen.wire.apis import OFFSET_COMMIT
from kafka_nextgen.wire.messages import OffsetCommitResponse
from tests.requests.over_the_wire import GONE, IDS, ORDERS, TOPICS, answered, asked, audit, orders

OFFSETS = {
    orders(0): OffsetAndMetadata(10, 3, "noted"),
    orders(2): OffsetAndMetadata(0),
    audit(0): OffsetAndMetadata(7, 1),
}
COMMIT = SendCommit(number=1, member_id="m", member_epoch=5, instance_id="i", offsets=OFFSETS, deadline=1.0)
ALL_VERSIONS = range(2, 11)


def commit_of(offsets: dict[TopicPartition, OffsetAndMetadata]) -> SendCommit:
    return SendCommit(1, "", -1, None, offsets, deadline=1.0)


def answer_to(message: Any, version: int, errors: dict[TopicPartition, ErrorCode]) -> Any:
    return answered(OFFSET_COMMIT, to_response(message, TOPICS, OffsetsCommitted(errors)), version)


@pytest.mark.parametrize("version", ALL_VERSIONS)
def test_a_commit_arrives_with_what_its_version_has_and_every_partition_gets_its_error(version: int) -> None:
    message = asked(to_request(COMMIT, "g", version, IDS), version)
    request = from_request(message, TOPICS)
    if version >= 7:
        assert request == OffsetCommit("g", OFFSETS, "m", 5, "i", version, topic_ids=IDS)
    if version < 6:
        assert (request.offsets[orders(0)], request.instance_id) == (OffsetAndMetadata(10, -1, "noted"), None)
    errors = {
        orders(0): ErrorCode.NONE,
        orders(2): ErrorCode.OFFSET_METADATA_TOO_LARGE,
        audit(0): ErrorCode.STALE_MEMBER_EPOCH,
    }
    assert from_response(answer_to(message, version, errors), COMMIT.offsets, IDS) == errors


def test_an_administrator_commits_as_no_member() -> None:
    request = from_request(asked(alteration("g", OFFSETS), 9), TOPICS)
    assert request == OffsetCommit("g", OFFSETS, member_id="", member_epoch=-1, version=9, topic_ids=IDS)


def test_only_known_topic_ids_allow_version_10() -> None:
    assert highest_version([orders(0), audit(0)], IDS) == 10
    assert highest_version([orders(0), audit(0)], {"orders": ORDERS}) == 9


def test_an_unknown_topic_id_never_reaches_the_coordinator() -> None:
    offsets = {TopicPartition("gone", 0): OffsetAndMetadata(1), orders(0): OffsetAndMetadata(2)}
    ids = {"gone": GONE, "orders": ORDERS}
    message = asked(to_request(commit_of(offsets), "g", 10, ids), 10)
    assert from_request(message, TOPICS).offsets == {orders(0): OffsetAndMetadata(2)}
    answer = from_response(answer_to(message, 10, {orders(0): ErrorCode.NONE}), offsets, ids)
    assert answer == {TopicPartition("gone", 0): ErrorCode.UNKNOWN_TOPIC_ID, orders(0): ErrorCode.NONE}


@pytest.mark.parametrize("version", [9, 10])
@pytest.mark.parametrize("partition", [4, -1])
def test_a_partition_that_is_not_there_never_reaches_it_either(version: int, partition: int) -> None:
    offsets = {orders(partition): OffsetAndMetadata(1)}
    message = asked(to_request(commit_of(offsets), "g", version, IDS), version)
    assert not from_request(message, TOPICS).offsets
    answer = answered(OFFSET_COMMIT, to_response(message, TOPICS, None), version)
    assert from_response(answer, offsets, IDS) == {orders(partition): ErrorCode.UNKNOWN_TOPIC_OR_PARTITION}


def test_no_metadata_is_empty_metadata() -> None:
    message = to_request(COMMIT, "g", 9, IDS)
    topic = message.topics[0]
    partition = topic.partitions[0].replaced(committed_metadata=None)
    message = message.replaced(topics=[topic.replaced(partitions=[partition])])
    assert from_request(asked(message, 9), TOPICS).offsets[audit(0)].metadata == ""


def answer_with(*partitions: tuple[int, int]) -> Any:
    topic_class = OffsetCommitResponse.OffsetCommitResponseTopic
    parts = [
        topic_class.OffsetCommitResponsePartition(partition_index=number, error_code=code)
        for number, code in partitions
    ]
    message = OffsetCommitResponse(topics=[topic_class(name="orders", partitions=parts)])
    return answered(OFFSET_COMMIT, message, 9)


def test_an_answer_that_leaves_a_partition_out_is_refused_and_what_was_not_asked_is_ignored() -> None:
    with pytest.raises(DecodeError, match=r"lacks orders\[1\]"):
        from_response(answer_with((0, 0)), [orders(0), orders(1)], IDS)
    assert from_response(answer_with((0, 0), (3, 5), (-1, 5)), [orders(0)], IDS) == {orders(0): 0}


@pytest.mark.parametrize("codes", [(0, 25), (25, 0)])
def test_of_two_answers_about_a_partition_the_error_counts(codes: tuple[int, int]) -> None:
    answer = answer_with(*((0, code) for code in codes))
    assert from_response(answer, [orders(0)], IDS) == {orders(0): 25}
