"""OffsetFetch: one group or several, names or topic ids, some partitions or all."""

from __future__ import annotations

from typing import Any

import pytest
from attrs import evolve

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import DecodeError
from kafka_nextgen.membership.offsets.effects import SendLookup
from kafka_nextgen.requests.offset_fetch import FetchedOffsets, from_response, listing, to_request
from kafka_nextgen.testing.coordinator.requests import OffsetFetch
from kafka_nextgen.testing.coordinator.responses import OffsetsFetched
from kafka_nextgen.testing.messages.offset_fetch import from_request, to_response
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition
from kafka_nextgen.wire.apis import OFFSET_FETCH
from kafka_nextgen.wire.messages import OffsetFetchRequest, OffsetFetchResponse
from tests.requests.over_the_wire import GONE, IDS, ORDERS, TOPICS, answered, asked, audit, orders

LOOKUP = SendLookup(1, "m", 4, frozenset({audit(0), orders(0), orders(1)}), deadline=1.0)
FETCH = OffsetFetch("g", (audit(0), orders(0), orders(1)), member_id="m", member_epoch=4)
STORED = {audit(0): OffsetAndMetadata(9, 2, "noted"), orders(0): OffsetAndMetadata(0, 1), orders(1): None}
ALL_VERSIONS = range(1, 11)


def lookup_of(*partitions: TopicPartition) -> SendLookup:
    return SendLookup(1, None, -1, frozenset(partitions), deadline=1.0)


def fetched(request: OffsetFetchRequest, answer: OffsetsFetched, version: int) -> FetchedOffsets:
    message = asked(request, version)
    return from_response(answered(OFFSET_FETCH, to_response(message, TOPICS, [answer]), version), "g", IDS)


def looked_up(answer: OffsetsFetched, version: int) -> FetchedOffsets:
    return fetched(to_request(LOOKUP, "g", version, IDS), answer, version)


@pytest.mark.parametrize("version", ALL_VERSIONS)
def test_a_question_arrives_with_what_the_version_can_say(version: int) -> None:
    (request,) = from_request(asked(to_request(LOOKUP, "g", version, IDS), version), TOPICS)
    expected = FETCH if version >= 9 else evolve(FETCH, member_id=None, member_epoch=-1)
    # KIP-447: an offset whose transaction is open may yet be taken back.
    assert request == evolve(expected, require_stable=version >= 7, topic_ids=IDS)


@pytest.mark.parametrize("version", ALL_VERSIONS)
def test_offsets_arrive_and_one_that_a_transaction_may_change_is_an_error_of_its_own(version: int) -> None:
    expected: dict[TopicPartition, Any] = dict(STORED)
    if version < 5:
        expected = {tp: offset and evolve(offset, leader_epoch=-1) for tp, offset in STORED.items()}
    assert looked_up(OffsetsFetched(STORED), version) == FetchedOffsets(0, expected, {})
    answer = fetched(
        to_request(LOOKUP, "g", version, IDS),
        OffsetsFetched({audit(0): STORED[audit(0)]}, unstable=frozenset({orders(0)})),
        version,
    )
    assert answer.errors == {orders(0): ErrorCode.UNSTABLE_OFFSET_COMMIT}
    assert audit(0) in answer.offsets


@pytest.mark.parametrize("version", range(2, 11))
def test_asking_for_all_is_not_asking_for_none_and_all_are_those_there_are(version: int) -> None:
    (of_all,) = from_request(asked(listing("g", version), version), TOPICS)
    (of_none,) = from_request(asked(to_request(lookup_of(), "g", version, IDS), version), TOPICS)
    assert (of_all.partitions, of_none.partitions) == (None, ())
    assert not of_all.require_stable
    answer = fetched(listing("g", version), OffsetsFetched(STORED), version)
    assert answer.offsets.keys() == {audit(0), orders(0)}


@pytest.mark.parametrize("version", ALL_VERSIONS)
def test_an_error_of_the_group_is_told_as_such_or_in_every_partition_by_version_1(version: int) -> None:
    answer = looked_up(OffsetsFetched(error=ErrorCode.STALE_MEMBER_EPOCH), version)
    of_each = FetchedOffsets(0, {}, dict.fromkeys(STORED, ErrorCode.STALE_MEMBER_EPOCH))
    assert answer == (of_each if version == 1 else FetchedOffsets(ErrorCode.STALE_MEMBER_EPOCH, {}, {}))


def test_an_unknown_topic_id_is_answered_without_the_coordinator() -> None:
    gone = TopicPartition("gone", 3)
    ids = {"gone": GONE, "orders": ORDERS}
    message = asked(to_request(lookup_of(gone, orders(0)), "g", 10, ids), 10)
    (request,) = from_request(message, TOPICS)
    assert request.partitions == (orders(0),)
    response = answered(OFFSET_FETCH, to_response(message, TOPICS, [OffsetsFetched({orders(0): None})]), 10)
    assert from_response(response, "g", ids) == FetchedOffsets(0, {orders(0): None}, {gone: ErrorCode.UNKNOWN_TOPIC_ID})


def test_a_name_that_is_not_there_is_the_coordinators_matter() -> None:
    # Offsets of a deleted topic may still be asked for by name; there simply are none.
    gone = TopicPartition("gone", 3)
    (request,) = from_request(asked(to_request(lookup_of(gone), "g", 9, {}), 9), TOPICS)
    assert request.partitions == (gone,)


def test_several_groups_are_answered_each_by_itself() -> None:
    group_class = OffsetFetchRequest.OffsetFetchRequestGroup
    groups = [group_class(group_id=group_id, topics=None) for group_id in ("g", "h")]
    message = asked(OffsetFetchRequest(groups=groups), 9)
    assert [request.group_id for request in from_request(message, TOPICS)] == ["g", "h"]
    answers = [OffsetsFetched({orders(0): OffsetAndMetadata(5)}), OffsetsFetched(error=ErrorCode.NOT_COORDINATOR)]
    response = answered(OFFSET_FETCH, to_response(message, TOPICS, answers), 9)
    assert from_response(response, "g", IDS).offsets == {orders(0): OffsetAndMetadata(5)}
    assert from_response(response, "h", IDS).error == ErrorCode.NOT_COORDINATOR


def test_an_answer_without_the_group_is_refused() -> None:
    with pytest.raises(DecodeError, match="lacks group g"):
        from_response(answered(OFFSET_FETCH, OffsetFetchResponse(groups=[]), 9), "g", IDS)


def test_a_partition_asked_for_twice_is_fetched_once() -> None:
    message = to_request(LOOKUP, "g", 9, IDS)
    (group,) = message.groups
    assert group.topics is not None
    twice = message.replaced(groups=[group.replaced(topics=[*group.topics, *group.topics])])
    (request,) = from_request(asked(twice, 9), TOPICS)
    assert request.partitions == FETCH.partitions
