"""Fetch: positions go out, record batches come back as they are."""

from __future__ import annotations

from typing import Any

import pytest

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.requests.fetch import (
    AbortedTransaction,
    EpochEndOffset,
    FetchedPartition,
    FetchLimits,
    FetchPosition,
    from_response,
    names_of,
    to_request,
)
from kafka_nextgen.wire.apis import FETCH
from kafka_nextgen.wire.messages import FetchResponse
from tests.requests.over_the_wire import AUDIT, GONE, ORDERS, answered, asked, audit, orders

Topic = FetchResponse.FetchableTopicResponse
Partition = Topic.PartitionData
NAMES = {ORDERS: "orders", AUDIT: "audit"}
POSITIONS = [
    FetchPosition(orders(1), ORDERS, 500, leader_epoch=3, max_bytes=1000),
    FetchPosition(audit(0), AUDIT, 0),
    FetchPosition(orders(0), ORDERS, 7),
]


def topic(*partitions: Partition) -> Topic:
    return Topic(topic="orders", topic_id=ORDERS, partitions=list(partitions))


def read(*partitions: Partition, version: int = 17) -> tuple[FetchedPartition, ...]:
    message = answered(FETCH, FetchResponse(responses=[topic(*partitions)]), version)
    return from_response(message, NAMES).partitions


def asked_for(version: int, **session: Any) -> Any:
    return asked(to_request(POSITIONS, FetchLimits(250, 2, 3000, 1, "rack"), version, **session), version)


@pytest.mark.parametrize("version", range(4, 18))
def test_positions_go_out_in_their_order_and_records_come_back_as_they_are(version: int) -> None:
    request = asked_for(version)
    topics = [(entry.topic_id or entry.topic, [p.partition for p in entry.partitions]) for entry in request.topics]
    assert topics == ([(ORDERS, [1, 0]), (AUDIT, [0])] if version >= 13 else [("orders", [1, 0]), ("audit", [0])])
    first = request.topics[0].partitions[0]
    assert (first.fetch_offset, first.partition_max_bytes) == (500, 1000)
    (fetched,) = read(Partition(partition_index=1, high_watermark=9, records=b"batches"), version=version)
    assert (fetched.partition, fetched.error, fetched.high_watermark) == (orders(1), 0, 9)
    assert fetched.records == b"batches"


def test_topics_are_known_by_their_ids_in_whatever_order_they_are_asked_for() -> None:
    assert names_of([*POSITIONS, FetchPosition(orders(2), None, 0)]) == NAMES


def test_limits_go_out_and_without_a_session_none_is_asked_for() -> None:
    request = asked_for(17)
    assert (request.max_wait_ms, request.min_bytes, request.max_bytes, request.isolation_level) == (250, 2, 3000, 1)
    assert (request.rack_id, request.replica_state) == ("rack", None)
    assert request.topics[0].partitions[0].current_leader_epoch == 3
    assert (request.session_id, request.session_epoch, request.forgotten_topics_data) == (0, -1, ())


def test_a_session_forgets_partitions_by_name_or_by_id() -> None:
    forgotten = [FetchPosition(orders(number), ORDERS, 3) for number in (2, 3)]
    by_name = asked_for(12, session_id=5, session_epoch=2, forgotten=forgotten)
    by_id = asked_for(13, session_id=5, session_epoch=2, forgotten=forgotten)
    assert [(each.topic, each.partitions) for each in by_name.forgotten_topics_data] == [("orders", (2, 3))]
    assert [(each.topic_id, each.partitions) for each in by_id.forgotten_topics_data] == [(ORDERS, (2, 3))]
    assert (by_id.session_id, by_id.session_epoch) == (5, 2)


def test_a_topic_made_again_is_forgotten_by_its_id_but_not_by_the_name_that_is_asked_for_anew() -> None:
    old = [FetchPosition(orders(0), GONE, 3)]
    assert [each.topic_id for each in asked_for(13, forgotten=old).forgotten_topics_data] == [GONE]
    assert asked_for(12, forgotten=old).forgotten_topics_data == ()


def test_a_topic_id_that_is_not_known_is_a_bug() -> None:
    with pytest.raises(AssertionError, match="no topic id"):
        to_request([FetchPosition(orders(0), None, 0)], FetchLimits(), 13)


def test_everything_about_a_partition_is_read() -> None:
    (fetched,) = read(
        Partition(
            partition_index=1,
            error_code=ErrorCode.NOT_LEADER_OR_FOLLOWER,
            high_watermark=90,
            last_stable_offset=80,
            log_start_offset=10,
            aborted_transactions=[Partition.AbortedTransaction(producer_id=4, first_offset=70)],
            preferred_read_replica=2,
            diverging_epoch=Partition.EpochEndOffset(epoch=5, end_offset=60),
            current_leader=Partition.LeaderIdAndEpoch(leader_id=3, leader_epoch=6),
            records=None,
        )
    )
    assert fetched == FetchedPartition(
        partition=orders(1),
        error=ErrorCode.NOT_LEADER_OR_FOLLOWER,
        high_watermark=90,
        last_stable_offset=80,
        log_start_offset=10,
        records=None,
        aborted=(AbortedTransaction(4, 70),),
        preferred_replica=2,
        diverging=EpochEndOffset(5, 60),
        leader=3,
        leader_epoch=6,
    )


def test_no_aborted_transactions_may_be_null_and_throttling_is_never_negative() -> None:
    (fetched,) = read(Partition(partition_index=1, aborted_transactions=None))
    assert fetched.aborted == ()
    message = FetchResponse(throttle_time_ms=-9, responses=[])
    assert from_response(answered(FETCH, message, 17), NAMES).throttle_time_ms == 0


def test_an_error_of_the_session_is_told() -> None:
    message = FetchResponse(error_code=ErrorCode.FETCH_SESSION_ID_NOT_FOUND, session_id=0, responses=[])
    answer = from_response(answered(FETCH, message, 17), NAMES)
    assert (answer.error, answer.partitions) == (ErrorCode.FETCH_SESSION_ID_NOT_FOUND, ())


def test_what_was_not_asked_for_is_ignored() -> None:
    strange = Topic(topic_id=GONE, partitions=[Partition(partition_index=0)])
    message = FetchResponse(responses=[strange, topic(Partition(partition_index=-1), Partition(partition_index=2))])
    answer = from_response(answered(FETCH, message, 17), NAMES)
    assert [fetched.partition for fetched in answer.partitions] == [orders(2)]
